"""Which column feeds which metric input: how references resolve against a dataset."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from ragtui.datasets.containers.json_text import value_of
from ragtui.datasets.dataset import Dataset
from ragtui.datasets.list_cells import listed
from ragtui.datasets.near_names import nearest, plain_name
from ragtui.datasets.references import DATA, TARGET, Reference, parse_reference

if TYPE_CHECKING:
    import polars as pl

LISTS: Final = frozenset({"context", "ground_truth"})
"""Inputs that are several texts: chunks in rank order, gold answers."""

_ALIKE: Final = 80  # rapidfuzz's weighted ratio, 0 to 100: one name within the other

# What else the columns for an input are called. They are proposed and shown, never taken in silence.
SYNONYMS: Final[Mapping[str, tuple[str, ...]]] = {
    "query": ("question", "user_input", "input", "prompt", "user_query", "questions"),
    "response": ("answer", "output", "actual_output", "prediction", "generated_answer", "predicted_answer", "model_answer"),
    "context": ("contexts", "retrieved_contexts", "retrieval_context", "retrieved_context", "documents", "passages"),
    "ground_truth": (
        "expected_answer", "reference", "ground_truths", "ground_truth_answer", "reference_answer", "expected_output",
        "expected_response", "gold", "gold_answer", "gt_answer", "ideal", "target", "truth", "correct_answer", "expected",
    ),
    "gold_context": ("reference_contexts", "gold_contexts", "reference_context", "expected_context"),
    "retrieved_ids": ("retrieved_context_ids", "retrieved_doc_ids", "retrieved_documents", "document_ids", "doc_ids"),
    "gold_ids": ("reference_context_ids", "retrieval_ground_truth", "relevant_ids", "gold_doc_ids"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Missing:
    """Why an input has no source, and the column that comes nearest."""

    why: str
    nearest: str | None = None

    def __str__(self) -> str:
        return self.why if self.nearest is None else f"{self.why}; nearest: {self.nearest}"


@dataclass(frozen=True)
class Resolution:
    """Where the inputs of one metric come from. ``sources`` were stated, or have the input's own name; ``proposed`` were
    found under a usual synonym and are to be shown; ``missing`` were not found. ``used`` is what a run takes."""

    sources: Mapping[str, Reference] = field(default_factory=dict)
    proposed: Mapping[str, Reference] = field(default_factory=dict)
    missing: Mapping[str, Missing] = field(default_factory=dict)

    @property
    def used(self) -> dict[str, Reference]:
        return {**self.proposed, **self.sources}

    def notes(self) -> list[str]:
        """One line for each input that is taken from a synonym."""
        return [f"{name} is read from {reference}" for name, reference in self.proposed.items()]


def metric_inputs(
    dataset: Dataset,
    mapping: Mapping[str, str],
    metric: str,
    inputs: Collection[str],
    from_target: Collection[str] = (),
) -> Resolution:
    """Where each of ``inputs`` comes from, in this order: ``mapping["METRIC.input"]``, ``mapping["input"]``, what the target
    gives (``from_target``), the column the format itself has for it, a column of the same name; else a synonym is proposed.

    Raises:
        MappingError: an entry of ``mapping`` for one of the inputs cannot be read.
    """
    columns = columns_of(dataset)
    given = {column for other, column in dataset.fields.items() if other != column}  # columns that are another input
    sources: dict[str, Reference] = {}
    proposed: dict[str, Reference] = {}
    missing: dict[str, Missing] = {}
    for name in inputs:
        stated = mapping.get(f"{metric}.{name}") or mapping.get(name)
        if stated is not None:
            reference = parse_reference(stated)
            why = unresolved(dataset, reference)
            if why is None:
                sources[name] = reference
            else:
                missing[name] = why
        elif name in from_target:
            sources[name] = Reference(TARGET, (name,))
        elif name in dataset.fields:
            sources[name] = Reference(DATA, (dataset.fields[name],))
        elif name in columns and name not in given:
            sources[name] = Reference(DATA, (name,))
        elif (synonym := _synonym(name, [column for column in columns if column not in given])) is not None:
            proposed[name] = Reference(DATA, (synonym,))
        else:
            missing[name] = Missing(f"there is no column {name}", nearest_column(name, columns))
    return Resolution(sources, proposed, missing)


def unresolved(dataset: Dataset, reference: Reference) -> Missing | None:
    """Why a reference leads nowhere in a dataset, ``None`` where it leads to a value in any row (or to the target)."""
    if reference.source == TARGET:
        return None
    columns = columns_of(dataset)
    column, rest = _column_and_rest(reference, columns)
    if column is None:
        first = str(reference.path[0])
        return Missing(f"column {first} does not exist", nearest_column(first, columns))
    if rest and not any(_below(value, rest) is not _NOTHING for value in _values(dataset, column)):
        deeper = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in rest)
        return Missing(f"no row of {column} has {deeper.lstrip('.')}", _nearest_below(dataset, column, rest))
    return None


def nearest_column(name: str, columns: Collection[str]) -> str | None:
    """The column that ``name`` was probably meant to be: misspelt, or with a word more or less."""
    near = nearest(name, columns)
    if near is not None or not columns:
        return near
    from rapidfuzz import fuzz, process

    found = process.extractOne(
        plain_name(name), [plain_name(column) for column in columns], scorer=fuzz.WRatio, score_cutoff=_ALIKE
    )
    return None if found is None else list(columns)[found[2]]


def present(dataset: Dataset, reference: Reference) -> int:
    """In how many rows a reference into the data leads to a value."""
    column, rest = _column_and_rest(reference, columns_of(dataset))
    if column is None:
        return 0
    return sum(_below(value, rest) not in (_NOTHING, None) for value in _values(dataset, column))


def columns_of(dataset: Dataset) -> list[str]:
    """The columns a reference can name."""
    return [] if dataset.cases is None else [name for name in dataset.cases.columns if name not in _OWN]


def column_of(dataset: Dataset, reference: Reference) -> tuple[str | None, bool]:
    """The column a reference into the data leads into, ``None`` where there is none, and whether it means the whole cell."""
    column, rest = _column_and_rest(reference, columns_of(dataset))
    return column, not rest


def inputs_frame(dataset: Dataset, resolution: Resolution) -> pl.DataFrame:
    """``case_id`` and a column per input that comes from the dataset: ``List(String)`` for ``context`` and ``ground_truth``,
    ``String`` for all others; null where the row has none. Inputs that come from the target are not in it."""
    import polars as pl

    if dataset.cases is None:
        return pl.DataFrame(schema={"case_id": pl.String})
    columns = [dataset.cases["_case_id"].alias("case_id")]
    for name, reference in resolution.used.items():
        if reference.source == DATA:
            columns.append(_input(dataset, name, reference))
    return pl.DataFrame(columns)


_OWN: Final = ("_case_id", "_line", "_name")
_NOTHING: Final = object()
_Values: TypeAlias = Iterator[Any]


def _input(dataset: Dataset, name: str, reference: Reference) -> pl.Series:
    import polars as pl

    assert dataset.cases is not None
    column, rest = _column_and_rest(reference, columns_of(dataset))
    if column is None:
        dtype = pl.List(pl.String) if name in LISTS else pl.String
        return pl.Series(name, [None] * dataset.cases.height, dtype=dtype)
    series = dataset.cases[column]
    if rest or (name in LISTS and series.dtype == pl.String and _all_lists(series)):
        values = _values(dataset, column) if rest or name not in LISTS else map(listed, series)
        found = [_below(value, rest) for value in values]
        if name in LISTS:
            return pl.Series(name, [_texts(value) for value in found], dtype=pl.List(pl.String))
        return pl.Series(name, [_text(value) for value in found], dtype=pl.String)
    if name in LISTS:
        if isinstance(series.dtype, pl.List):
            return series.alias(name)
        empty = series.str.strip_chars().str.len_bytes() == 0
        lists = series.to_frame().select(pl.concat_list(pl.col(column)).alias(name)).to_series()
        nothing = pl.Series(name, [[]], dtype=pl.List(pl.String))
        frame = pl.DataFrame({"value": lists, "empty": empty.fill_null(False), "null": series.is_null()})
        chosen = (
            pl.when(pl.col("null"))
            .then(None)
            .when(pl.col("empty"))
            .then(pl.lit(nothing).first())
            .otherwise(pl.col("value"))
        )
        return frame.select(chosen.alias(name)).to_series()
    if isinstance(series.dtype, pl.List):
        return pl.Series(name, [None if value is None else _text(list(value)) for value in series], dtype=pl.String)
    return series.alias(name)


def _all_lists(series: pl.Series) -> bool:
    """Whether every filled cell is the text of a list of texts, as JSON or Python prints it."""
    filled = series.drop_nulls()
    filled = filled.filter(filled.str.len_bytes() > 0)
    if not filled.len() or not filled.str.starts_with("[").all():
        return False
    return all(isinstance(value, list) for value in map(listed, filled))


def _column_and_rest(reference: Reference, columns: Collection[str]) -> tuple[str | None, tuple[str | int, ...]]:
    """The column a path begins with, whose own name may contain dots (the shortest that fits), and the rest of the path."""
    path = reference.path
    for length in range(1, len(path) + 1):
        if any(isinstance(part, int) for part in path[:length]):
            break
        name = ".".join(map(str, path[:length]))
        if name in columns:
            return name, path[length:]
    return None, ()


def _values(dataset: Dataset, column: str) -> _Values:
    """The values of a column with JSON texts taken for what they hold."""
    assert dataset.cases is not None
    for value in dataset.cases[column]:
        yield _json(value) if isinstance(value, str) else None if value is None else list(value)


def _json(text: str) -> Any:
    if text[:1] not in ("{", "["):
        return text
    try:
        return value_of(text)
    except (ValueError, RecursionError):
        return text


def _below(value: Any, path: Sequence[str | int]) -> Any:
    """The value at a path, ``_NOTHING`` where there is none. Keys may contain dots; a name asked of a list is asked of each."""
    if not path:
        return value
    if isinstance(value, dict):
        for length in range(1, len(path) + 1):
            key = ".".join(map(str, path[:length]))
            if key in value:
                found = _below(value[key], path[length:])
                if found is not _NOTHING:
                    return found
        return _NOTHING
    if isinstance(value, list):
        first = path[0]
        if isinstance(first, int):
            return _below(value[first], path[1:]) if first < len(value) else _NOTHING
        found_all = [each for each in (_below(item, path) for item in value) if each is not _NOTHING]
        return found_all or _NOTHING
    return _NOTHING


def _nearest_below(dataset: Dataset, column: str, rest: Sequence[str | int]) -> str | None:
    keys = {key for value in _values(dataset, column) if isinstance(value, dict) for key in value}
    near = nearest(str(rest[0]), sorted(keys))
    return None if near is None else f"{column}.{near}"


def _text(value: Any) -> str | None:
    if value is None or value is _NOTHING:
        return None
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _texts(value: Any) -> list[str] | None:
    if value is None or value is _NOTHING:
        return None
    if isinstance(value, list):
        return [text for each in value if (text := _text(each)) is not None]
    text = _text(value)
    return [text] if text and text.strip() else []


def _synonym(name: str, columns: Collection[str]) -> str | None:
    by_plain = {plain_name(column): column for column in reversed(list(columns))}
    for word in (name, *SYNONYMS.get(name, ())):
        if word in by_plain:
            return by_plain[word]
    return None
