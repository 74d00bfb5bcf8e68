"""Where each metric input comes from, and the inputs of one case: columns of the dataset and what a target gave."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from ragtui.datasets.dataset import Dataset, Role
from ragtui.targets.target import Case, Response

if TYPE_CHECKING:
    import polars as pl

    from ragtui.metrics.metric import Metric

CASE_ID: Final = "_case_id"
NAME: Final = "_name"
LISTS: Final = frozenset({"context", "ground_truth"})  # inputs of several texts
ANSWERED: Final = ("response", "context", "latency_ms", "prompt_tokens", "completion_tokens", "cost")
_DATA: Final = re.compile(r"\$\{data\.(?P<name>.+)\}")
_TARGET: Final = re.compile(r"\$\{target\.(?P<name>.+)\}")
_BY_ROLE: Final = {
    "query": Role.INPUT,
    "ground_truth": Role.EXPECTED,
    "response": Role.RESPONSE,
    "context": Role.CONTEXT,
}


class How(StrEnum):
    """How a reference was found: told, by the format's definition, by its name, or proposed by a column's role."""

    MAPPED = "mapped"
    FORMAT = "format"
    NAMED = "same name"
    PROPOSED = "proposed"
    TARGET = "target"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where one metric input comes from: ``${data.COLUMN}`` or ``${target.FIELD}``."""

    reference: str
    how: How

    @property
    def column(self) -> str | None:
        found = _DATA.fullmatch(self.reference)
        return found["name"] if found else None

    @property
    def field(self) -> str | None:
        found = _TARGET.fullmatch(self.reference)
        return found["name"] if found else None


def data(column: str) -> str:
    return f"${{data.{column}}}"


def target(field: str) -> str:
    return f"${{target.{field}}}"


def origin(name: str, dataset: Dataset, mapping: Mapping[str, str], metric: str | None = None) -> Origin | None:
    """Where the input ``name`` comes from: the metric's own mapping, the general one, what a target gives, the format's
    own column, a column of that name, or the one column whose role fits. ``None`` where there is nothing."""
    for key in (f"{metric}.{name}", name):
        if key in mapping:
            return Origin(mapping[key], How.MAPPED)
    if name in ANSWERED:
        return Origin(target(name), How.TARGET)
    if name in dataset.fields:
        return Origin(data(dataset.fields[name]), How.FORMAT)
    if name in {column.name for column in dataset.columns}:
        return Origin(data(name), How.NAMED)
    fitting = dataset.columns_with(_BY_ROLE[name]) if name in _BY_ROLE else []
    return Origin(data(fitting[0]), How.PROPOSED) if fitting else None


def origins(metric: Metric, dataset: Dataset, mapping: Mapping[str, str]) -> dict[str, Origin]:
    """Where each input of a metric comes from, the needed ones and those used when there."""
    found = {name: origin(name, dataset, mapping, metric.name) for name in (*metric.inputs, *metric.optional)}
    return {name: each for name, each in found.items() if each is not None}


def case_table(dataset: Dataset, mapping: Mapping[str, str]) -> pl.DataFrame:
    """The cases as the store keeps them: ``case_id``, ``name``, ``inputs`` and ``expected`` as JSON objects by metric
    input or column, ``judgments`` as a JSON object of grades by document id (null for cases)."""
    import polars as pl

    if dataset.cases is None:
        return _query_table(dataset)
    frame = dataset.cases
    query, truth = (origin(name, dataset, mapping) for name in ("query", "ground_truth"))
    return pl.DataFrame(
        {
            "case_id": frame[CASE_ID],
            "name": frame[NAME],
            "inputs": _objects(frame, _named(dataset, Role.INPUT, "query", query)),
            "expected": _objects(frame, _named(dataset, Role.EXPECTED, "ground_truth", truth)),
            "judgments": pl.Series([None] * frame.height, dtype=pl.String),
        }
    )


def _named(dataset: Dataset, role: Role, first: str, found: Origin | None) -> dict[str, str]:
    """Column by the name it is kept under: the metric input first, then the other columns of that role."""
    columns = {first: found.column} if found is not None and found.column else {}
    others = {name: name for name in dataset.columns_with(role) if name not in columns.values()}
    return {**columns, **others}


def _objects(frame: pl.DataFrame, columns: Mapping[str, str]) -> list[str]:
    there = {name: frame[column].to_list() for name, column in columns.items() if column in frame.columns}
    out = []
    for row in range(frame.height):
        out.append(json.dumps({name: values[row] for name, values in there.items() if values[row] is not None}))
    return out


def _query_table(dataset: Dataset) -> pl.DataFrame:
    import polars as pl

    queries = query_frame(dataset)
    grades: dict[str, dict[str, int]] = {}
    if dataset.qrels is not None:
        for query, document, grade in dataset.qrels.select("query_id", "doc_id", "grade").iter_rows():
            grades.setdefault(query, {})[document] = int(grade)
    return pl.DataFrame(
        {
            "case_id": queries["query_id"],
            "name": queries["text"],
            "inputs": [json.dumps({"query": text}) for text in queries["text"]],
            "expected": ["{}"] * queries.height,
            "judgments": [json.dumps(grades.get(query, {})) for query in queries["query_id"]],
        }
    )


def query_frame(dataset: Dataset) -> pl.DataFrame:
    """The queries of an experiment: ``position``, ``query_id``, ``text``. Where most queries of a set have no judgment
    (a split of a large set), the judged ones; a set without queries has those of its judgments."""
    import polars as pl

    judged = (
        dataset.qrels["query_id"].unique(maintain_order=True)
        if dataset.qrels is not None
        else pl.Series([], dtype=pl.String)
    )
    queries = dataset.queries
    if queries is None:
        queries = pl.DataFrame({"query_id": judged, "text": [""] * judged.len()})
    queries = queries.select("query_id", pl.col("text").fill_null("")).unique(
        "query_id", keep="first", maintain_order=True
    )
    with_judgments = queries.filter(pl.col("query_id").is_in(judged.implode()))
    chosen = with_judgments if 0 < with_judgments.height < queries.height / 2 else queries
    return chosen.with_row_index("position")


def target_cases(dataset: Dataset, mapping: Mapping[str, str], positions: Sequence[int]) -> list[Case]:
    """The cases a target may see: inputs and filters, never an expected value."""
    if dataset.cases is None:
        part = query_frame(dataset)[list(positions)]
        return [Case(query, {"query": text or ""}) for query, text in part.select("query_id", "text").iter_rows()]
    query = origin("query", dataset, mapping)
    columns = _named(dataset, Role.INPUT, "query", query)
    part = dataset.cases[list(positions)]
    filters = part["filters"].to_list() if "filters" in part.columns else [None] * part.height
    values = {name: part[column].to_list() for name, column in columns.items() if column in part.columns}
    out = []
    for row, case_id in enumerate(part[CASE_ID]):
        inputs = {name: _text(column[row]) for name, column in values.items() if column[row] is not None}
        out.append(Case(case_id, inputs, _filters(filters[row])))
    return out


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _filters(cell: Any) -> dict[str, object]:
    from ragtui.datasets.filters import FiltersError, parse_filters

    try:
        return parse_filters(cell).values if isinstance(cell, str) else {}
    except FiltersError:
        return {}


class CaseInputs:
    """Builds the inputs of metrics, one case after the other, for a run of neighbouring cases."""

    def __init__(self, dataset: Dataset, start: int, size: int) -> None:
        assert dataset.cases is not None
        self._dataset = dataset
        self._frame = dataset.cases.slice(start, size)
        self._start = start
        self._columns: dict[str, list[Any]] = {}

    def inputs(
        self, position: int, response: Response, wanted: Mapping[str, Origin]
    ) -> dict[str, str | tuple[str, ...]]:
        """The inputs of one case; what is not there is not in the mapping."""
        found = {}
        for name, where in wanted.items():
            value = self._value(position, response, where, name)
            if value is not None:
                found[name] = _shaped(name, value)
        return found

    def _value(self, position: int, response: Response, where: Origin, name: str) -> Any:
        if where.column is not None:
            return self._cell(where.column, position)
        field = where.field or ""
        if field == "response":
            return response.text
        if field == "context":
            column = self._dataset.fields.get("context", "context")
            return response.contexts if response.contexts is not None else self._cell(column, position)
        if field in ANSWERED:
            known = getattr(response, field)
            return None if known is None else f"{known:g}" if isinstance(known, float) else str(known)
        return response.extra.get(field)

    def _cell(self, column: str, position: int) -> Any:
        if column not in self._columns:
            there = column in self._frame.columns
            self._columns[column] = self._frame[column].to_list() if there else [None] * self._frame.height
        return self._columns[column][position - self._start]


def _shaped(name: str, value: Any) -> str | tuple[str, ...]:
    if name in LISTS:
        texts: Iterator[Any] = iter((value,)) if isinstance(value, str) else iter(value)
        return tuple(_text(each) for each in texts if each is not None)
    return "\n\n".join(_text(each) for each in value) if isinstance(value, list | tuple) else _text(value)
