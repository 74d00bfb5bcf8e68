"""Where each metric input comes from, and the inputs of one case: columns of the dataset and what a target gave."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from ragtui.datasets.case_ids import CASE_ID, NAME
from ragtui.datasets.conversations import before_the_answer
from ragtui.datasets.dataset import Dataset, Role
from ragtui.datasets.mapping import LISTS, Resolution, inputs_frame, metric_inputs
from ragtui.datasets.references import DATA, Reference, parse_reference
from ragtui.datasets.retrieval import to_run
from ragtui.metrics.score import State
from ragtui.targets.target import Case, Response

if TYPE_CHECKING:
    import polars as pl

    from ragtui.metrics.metric import Metric

LONGEST_FIELD: Final = 200  # characters

SETUP: Final = "setup"
"""The column that names a case's setup script, where the workspace has any."""

GIVEN: Final = ("response", "context", "latency_ms", "prompt_tokens", "completion_tokens", "cost")
"""Inputs that every target gives as far as it knows them."""


class How(StrEnum):
    """How a reference was found: stated or by its own name, proposed by a usual synonym, or given by the target."""

    STATED = "stated"
    PROPOSED = "proposed"
    TARGET = "target"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where one metric input comes from: ``${data.COLUMN}`` or ``${target.FIELD}``."""

    reference: str
    how: How


def resolved(metric: Metric, dataset: Dataset, mapping: Mapping[str, str]) -> Resolution:
    """Where the inputs of a metric come from, those that are needed and those used when there."""
    return metric_inputs(dataset, mapping, metric.name, (*metric.inputs, *metric.optional), GIVEN)


def origins(metric: Metric, dataset: Dataset, mapping: Mapping[str, str]) -> dict[str, Origin]:
    """Each input of a metric with its reference; what the dataset does not have may still come from the target."""
    found = resolved(metric, dataset, mapping)
    out: dict[str, Origin] = {}
    for name in (*metric.inputs, *metric.optional):
        if name in found.sources:
            given = name in GIVEN and found.sources[name].source != DATA
            out[name] = Origin(str(found.sources[name]), How.TARGET if given else How.STATED)
        elif name in found.proposed:
            out[name] = Origin(str(found.proposed[name]), How.PROPOSED)
        elif name not in mapping and f"{metric.name}.{name}" not in mapping:
            out[name] = Origin(f"${{target.{name}}}", How.TARGET)
    return out


def _asked(dataset: Dataset, mapping: Mapping[str, str]) -> pl.DataFrame:
    """``case_id``, and ``query`` and ``ground_truth`` where the dataset has them."""
    return inputs_frame(dataset, metric_inputs(dataset, mapping, "", ("query", "ground_truth")))


def case_table(dataset: Dataset, mapping: Mapping[str, str]) -> pl.DataFrame:
    """The cases as the store keeps them: ``case_id``, ``name``, ``inputs`` and ``expected`` as JSON objects by metric
    input or column, ``judgments`` as a JSON object with the judged ``documents`` (null for cases), for cases ``fields`` as well."""
    import polars as pl

    if dataset.cases is None:
        return _query_table(dataset)
    frame = dataset.cases
    return pl.DataFrame(
        {
            "case_id": frame[CASE_ID],
            "name": frame[NAME],
            "inputs": _objects(dataset, mapping, "query", Role.INPUT),
            "expected": _objects(dataset, mapping, "ground_truth", Role.EXPECTED),
            "judgments": pl.Series([None] * frame.height, dtype=pl.String),
            "fields": _fields(dataset),
        }
    )


def _named(dataset: Dataset, mapping: Mapping[str, str], first: str, role: Role) -> dict[str, list[Any]]:
    """Values by the name they are kept under: the metric input first, then the other columns of its role."""
    assert dataset.cases is not None
    found = metric_inputs(dataset, mapping, "", (first,))
    values = inputs_frame(dataset, found)
    out = {first: values[first].to_list()} if first in values.columns else {}
    taken = {found.used[first].column} if first in found.used else set()
    others = [name for name in dataset.columns_with(role) if name not in taken and name in dataset.cases.columns]
    return out | {name: dataset.cases[name].to_list() for name in others if name != first}


def _fields(dataset: Dataset) -> list[str]:
    """The columns that no metric reads, as JSON objects: what results can be sliced and clustered by. Long texts are left
    out, they name no group."""
    assert dataset.cases is not None
    roles = (Role.IGNORED, Role.RETRIEVED_IDS)
    names = [each.name for each in dataset.columns if each.role in roles and each.name in dataset.cases.columns]
    columns = {name: dataset.cases[name].to_list() for name in names}
    short = {
        name: [text if text is not None and len(text) <= LONGEST_FIELD else None for text in map(_field, values)]
        for name, values in columns.items()
    }
    rows = range(dataset.rows)
    return [
        json.dumps({name: column[row] for name, column in short.items() if column[row] is not None}) for row in rows
    ]


def _field(value: Any) -> str | None:
    return None if value is None else _text(value)


def _objects(dataset: Dataset, mapping: Mapping[str, str], first: str, role: Role) -> list[str]:
    values = _named(dataset, mapping, first, role)
    rows = range(dataset.rows)
    return [
        json.dumps({name: column[row] for name, column in values.items() if column[row] is not None}) for row in rows
    ]


def _query_table(dataset: Dataset) -> pl.DataFrame:
    import polars as pl

    queries = query_frame(dataset)
    empty = pl.DataFrame(schema={"query_id": pl.String, "doc_id": pl.String, "grade": pl.Int64})
    qrels = dataset.qrels if dataset.qrels is not None else empty
    judged = qrels.group_by("query_id").agg(documents=pl.struct("doc_id", "grade"))
    return queries.join(judged, on="query_id", how="left", maintain_order="left").select(
        case_id=pl.col("query_id"),
        name=pl.col("text"),
        inputs=pl.struct(query="text").struct.json_encode(),
        expected=pl.lit("{}"),
        judgments=pl.struct("documents").struct.json_encode(),
    )


def query_frame(dataset: Dataset) -> pl.DataFrame:
    """The queries of an experiment: ``position``, ``query_id``, ``text``. Where most queries of a set have no judgment
    (a split of a large set), the judged ones; a set without queries has those of its judgments."""
    import polars as pl

    qrels = dataset.qrels if dataset.qrels is not None else pl.DataFrame(schema={"query_id": pl.String})
    judged = qrels["query_id"].unique(maintain_order=True)
    queries = dataset.queries
    if queries is None:
        queries = pl.DataFrame({"query_id": judged, "text": [""] * judged.len()})
    queries = queries.select("query_id", pl.col("text").fill_null(""))
    queries = queries.unique("query_id", keep="first", maintain_order=True)
    return to_run(queries, judged).with_row_index("position")


def target_cases(dataset: Dataset, mapping: Mapping[str, str], positions: Sequence[int] | range) -> list[Case]:
    """The cases a target may see: inputs and filters, never an expected value, whatever the mapping says; of a recorded
    conversation what was said before the answer."""
    if dataset.cases is None:
        part = query_frame(dataset)[list(positions)]
        return [Case(query, {"query": text}) for query, text in part.select("query_id", "text").iter_rows()]
    dataset = replace(dataset, cases=dataset.cases[list(positions)])
    assert dataset.cases is not None
    values = _named(dataset, mapping, "query", Role.INPUT)
    asked = metric_inputs(dataset, mapping, "", ("query",)).used.get("query")
    if asked is not None and asked.column in dataset.columns_with(Role.EXPECTED):
        del values["query"]
    size = dataset.cases.height
    filters = dataset.cases["filters"].to_list() if "filters" in dataset.cases.columns else [None] * size
    named = SETUP in dataset.cases.columns and SETUP not in dataset.columns_with(Role.EXPECTED)
    setups = dataset.cases[SETUP].to_list() if named else [None] * size
    contexts = _contexts(dataset)
    out = []
    for row, case_id in enumerate(dataset.cases[CASE_ID].to_list()):
        given = {name: _text(column[row]) for name, column in values.items() if column[row] is not None}
        spoken, history = before_the_answer(given)
        out.append(Case(case_id, spoken, _filters(filters[row]), contexts[row], history, setups[row] or None))
    return out


def _contexts(dataset: Dataset) -> list[tuple[str, ...]]:
    """The contexts that the dataset brings for answering with; those that are expected values are none."""
    found = metric_inputs(dataset, {}, "", ("context",))
    used = found.used.get("context")
    if used is None or used.column in dataset.columns_with(Role.EXPECTED):
        return [()] * dataset.rows
    column = inputs_frame(dataset, Resolution({"context": used}))["context"].to_list()
    shaped = [() if value is None else _shaped("context", value) for value in column]
    return [(each,) if isinstance(each, str) else each for each in shaped]


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _filters(cell: Any) -> dict[str, object]:
    from ragtui.datasets.filters import FiltersError, parse_filters

    try:
        return parse_filters(cell).values if isinstance(cell, str) else {}
    except FiltersError:
        return {}


class InputColumns:
    """The dataset's side of all metric inputs, resolved once for a run: a column per input and reference."""

    def __init__(self, dataset: Dataset, wanted: Mapping[str, Mapping[str, Origin]]) -> None:
        self._columns: dict[tuple[str, str], pl.Series] = {}
        for name, origin in {(name, each) for found in wanted.values() for name, each in found.items()}:
            reference = parse_reference(origin.reference)
            if reference.source == DATA:
                self._columns[name, origin.reference] = self._column(dataset, name, reference)
        contexts = metric_inputs(dataset, {}, "", ("context",)).used.get("context")
        if contexts is not None:
            self._columns["context", "${target.context}"] = self._column(dataset, "context", contexts)

    @staticmethod
    def _column(dataset: Dataset, name: str, reference: Reference) -> pl.Series:
        return inputs_frame(dataset, Resolution({name: reference}))[name]

    def part(self, start: int, size: int) -> CaseInputs:
        """The inputs of neighbouring cases."""
        return CaseInputs({key: column.slice(start, size).to_list() for key, column in self._columns.items()}, start)


class CaseInputs:
    """Builds the inputs of metrics, one case after the other, for a run of neighbouring cases."""

    def __init__(self, columns: Mapping[tuple[str, str], Sequence[Any]], start: int) -> None:
        self._columns = columns
        self._start = start

    def inputs(
        self, position: int, response: Response, wanted: Mapping[str, Origin]
    ) -> dict[str, str | tuple[str, ...]]:
        """The inputs of one case; what is not there is not in the mapping."""
        found = {}
        for name, origin in wanted.items():
            value = self._value(position, response, name, origin.reference)
            if value is not None:
                found[name] = _shaped(name, value)
        return found

    def seen_by(self, wanted: Iterable[Mapping[str, Origin]], position: int, response: Response) -> Response:
        """The response with the contexts that its metrics see, so that what they rest on is kept beside it: the one
        reference they have in common, else the target's own contexts; the dataset's where the target gave none."""
        common = {each["context"].reference for each in wanted if "context" in each}
        reference = common.pop() if len(common) == 1 else "${target.context}"
        value = self._value(position, response, "context", reference)
        if value is None or response.state in (State.PENDING, State.TARGET_ERROR):
            return response
        shown = _shaped("context", value)
        return replace(response, contexts=(shown,) if isinstance(shown, str) else shown)

    def _value(self, position: int, response: Response, name: str, reference: str) -> Any:
        given = _given(response, parse_reference(reference)) if reference.startswith("${target") else None
        if given is not None or (name, reference) not in self._columns:
            return given
        return self._columns[name, reference][position - self._start]


def _given(response: Response, reference: Reference) -> Any:
    """What a target gave under a reference: an answer's own fields, else one of its further ones."""
    field, *rest = reference.path
    if field == "response":
        return response.text
    if field == "context":
        return response.contexts
    if field == "retrieved_ids" and response.ranking is not None:
        return [doc for doc, _ in response.ranking]
    if field in GIVEN:
        known = getattr(response, str(field))
        return None if known is None else f"{known:.15g}" if isinstance(known, float) else str(known)
    value = response.extra.get(str(field))
    for part in rest:
        if isinstance(value, dict) and isinstance(part, str):
            value = value.get(part)
        elif isinstance(value, list) and isinstance(part, int) and part < len(value):
            value = value[part]
        else:
            return None
    return value


def _shaped(name: str, value: Any) -> str | tuple[str, ...]:
    if name in LISTS:
        return (value,) if isinstance(value, str) else tuple(_text(each) for each in value if each is not None)
    return _text(list(value) if isinstance(value, tuple) else value)
