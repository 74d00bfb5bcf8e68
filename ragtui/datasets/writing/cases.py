"""Cases on their way from one format to another: by metric input, with what has no such name beside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from ragtui.datasets.case_ids import CASE_ID
from ragtui.datasets.containers import reading_of
from ragtui.datasets.containers.json_text import value_of
from ragtui.datasets.containers.table import LINE
from ragtui.datasets.conversations import messages_of
from ragtui.datasets.dataset import Dataset, Role, Shape
from ragtui.datasets.findings import counted
from ragtui.datasets.formats import Source
from ragtui.datasets.label_rows import CASE, mixed_columns, told, without_mixed
from ragtui.datasets.list_cells import listed
from ragtui.datasets.mapping import LISTS, column_of, inputs_frame, metric_inputs

if TYPE_CHECKING:
    import polars as pl

INPUTS: Final = (
    "query", "response", "context", "ground_truth", "gold_context", "gold_file_name", "retrieved_ids", "gold_ids",
)  # fmt: skip
TEXTS: Final = ("query", "response")
_BATCH: Final = 2_000  # queries whose documents are fetched at a time


@dataclass(frozen=True)
class WrittenCases:
    """``frame``: ``id`` (null where the file has none of its own), ``query``, ``response``, ``filters`` as ``String``, every
    other of ``INPUTS`` that the dataset has as ``List(String)``. ``extra`` are the other columns by header, with ``kinds``
    saying per row what a JSON value was. ``conversations`` is the column of them, if any. ``source`` is the format read.
    ``labels`` are, by the position of a case that was several rows of labels, those rows by deepset's names; ``mixed`` the
    columns in which they differ, which are empty here."""

    source: str
    frame: pl.DataFrame
    extra: pl.DataFrame
    kinds: Mapping[str, pl.Series]
    headers: Mapping[str, str]  # of an input's own column
    conversation: str | None = None
    notes: tuple[str, ...] = ()
    labels: Mapping[int, Sequence[Mapping[str, str]]] = field(default_factory=dict)
    mixed: Mapping[str, frozenset[int]] = field(default_factory=dict)

    def has(self, name: str) -> bool:
        return name in self.frame.columns and _is_filled(self.frame[name])

    def rows(self) -> Iterator[dict[str, Any]]:
        """The inputs of each case by name, null ones left out."""
        for row in self.frame.iter_rows(named=True):
            yield {name: value for name, value in row.items() if value is not None}

    def extras(self) -> Iterator[dict[str, Any]]:
        """The other values of each case as JSON values: numbers where the file had numbers."""
        kinds = {name: series.cast(str).to_list() for name, series in self.kinds.items()}
        for place, row in enumerate(self.extra.iter_rows(named=True)):
            yield {
                name: _restored(value, kinds[name][place] if name in kinds else "text")
                for name, value in row.items()
                if not (name in kinds and kinds[name][place] == "absent")
            }

    def lost(self, *kept: str, extra: bool = False) -> list[str]:
        """What a format that holds only ``kept`` inputs (and ``extra`` columns) loses, a line each."""
        names = [
            self.headers.get(name, name) for name in self.frame.columns if name not in ("id", *kept) and self.has(name)
        ]
        if not extra:
            there = {*self.mixed, *(name for name in self.extra.columns if _is_filled(self.extra[name]))}
            names += [name for name in self.extra.columns if name not in kept and name in there]
        lines = [f"not written: {', '.join(dict.fromkeys(names))}"] if names else []
        return lines + (told(self.mixed) if extra else [])


def _is_filled(series: pl.Series) -> bool:
    import polars as pl

    if isinstance(series.dtype, pl.List):
        return bool((series.list.len() > 0).any())
    return bool((series.str.len_bytes() > 0).any())


def written_cases(dataset: Dataset, mapping: Mapping[str, str]) -> WrittenCases:
    """The cases of a dataset; of a retrieval set its queries with the documents judged relevant."""
    if dataset.shape is Shape.RETRIEVAL:
        return _queries(dataset)
    import polars as pl

    assert dataset.cases is not None
    found = metric_inputs(dataset, mapping, "", INPUTS)
    resolved = inputs_frame(dataset, found)
    own = next(iter(dataset.columns_with(Role.ID)), None)
    columns = [pl.Series("id", dataset.cases[own].to_list() if own else [None] * dataset.rows, dtype=pl.String)]
    used: dict[str, str] = {}
    for name, reference in found.used.items():
        column, whole = column_of(dataset, reference)
        if column is not None and whole:
            used[name] = column
        series = dataset.cases[column] if column is not None and whole and name not in TEXTS else resolved[name]
        columns.append(series.alias(name) if name in TEXTS else _as_lists(series, name))
    filters = next((each.name for each in dataset.columns if each.name.strip().casefold() == "filters"), None)
    if filters is not None:
        columns.append(dataset.cases[filters].alias("filters"))
    conversation = next((name for name in dataset.cases.columns if name == "conversation"), None)
    mixed = mixed_columns(dataset)
    taken = {*used.values(), own, filters}
    extra = [each.name for each in dataset.columns if each.name not in taken and each.name in dataset.cases.columns]
    notes = (*found.notes(), *(told({own: mixed[own]}) if own in mixed else ()))
    return WrittenCases(
        dataset.format, pl.DataFrame(columns), without_mixed(dataset.cases.select(extra), mixed), _kinds(dataset, extra), used,
        conversation, notes, {} if mapping else _labels(dataset), {name: mixed[name] for name in extra if name in mixed},
    )  # fmt: skip


def _labels(dataset: Dataset) -> dict[int, list[dict[str, str]]]:
    """The rows of cases that are several, by the names deepset has for the columns, where all of them can be told."""
    import polars as pl

    from ragtui.datasets.formats.deepset import LABELS
    from ragtui.datasets.near_names import intended

    if dataset.labels is None:
        return {}
    headers = [each.name for each in dataset.columns]
    columns = intended(headers, headers, LABELS)
    several = dataset.labels.filter(pl.len().over(CASE) > 1)
    rows = several.select(CASE, *(pl.col(name).fill_null("").alias(wanted) for wanted, name in columns.items()))
    found: dict[int, list[dict[str, str]]] = {}
    for row in rows.unique(maintain_order=True).iter_rows(named=True):
        found.setdefault(row.pop(CASE), []).append(row)
    return found


def _as_lists(series: pl.Series, name: str) -> pl.Series:
    """Texts as lists of texts; a cell that prints a list is that list, an empty one is none."""
    import polars as pl

    if isinstance(series.dtype, pl.List):
        return series.alias(name)
    values = [listed(text) if name in LISTS or name.startswith(("gold", "retrieved")) else text for text in series]
    lists = [
        value if value is None or isinstance(value, list) else ([value] if value.strip() else []) for value in values
    ]
    return pl.Series(name, lists, dtype=pl.List(pl.String))


def _kinds(dataset: Dataset, names: list[str]) -> dict[str, pl.Series]:
    """What the values of these columns were in a JSON file, a row a case."""
    import polars as pl

    assert dataset.cases is not None
    if dataset.location.is_dir() or not names:
        return {}
    table = reading_of(Source(dataset.location, dataset.path)).table
    if table is None or table.container not in ("json", "jsonl") or table.frame[LINE].is_duplicated().any():
        return {}
    lines = pl.DataFrame(
        {LINE: table.frame[LINE], **{name: table.kinds[name] for name in names if name in table.kinds}}
    )
    found = dataset.cases.select(LINE).join(lines, on=LINE, how="left", maintain_order="left")
    return {name: found[name] for name in names if name in found.columns}


def _restored(value: Any, kind: str) -> Any:
    if isinstance(value, str) and kind in ("number", "boolean", "list", "object"):
        try:
            return value_of(value)
        except (ValueError, RecursionError):
            return value
    return value


def _queries(dataset: Dataset) -> WrittenCases:
    """``id``, ``query``, ``gold_ids`` and ``gold_context``: the documents judged relevant, best first."""
    import polars as pl

    from ragtui.datasets.texts import documents

    queries = (
        dataset.queries
        if dataset.queries is not None
        else pl.DataFrame(schema={"query_id": pl.String, "text": pl.String})
    )
    relevant = pl.DataFrame(schema={"query_id": pl.String, "gold_ids": pl.List(pl.String)})
    if dataset.qrels is not None:
        ranked = dataset.qrels.filter(pl.col("grade") > 0).sort("grade", descending=True, maintain_order=True)
        relevant = ranked.group_by("query_id", maintain_order=True).agg(pl.col("doc_id").alias("gold_ids"))
    frame = queries.select("query_id", "text").join(relevant, on="query_id", how="left", maintain_order="left")
    contexts: list[list[str] | None] = []
    for start in range(0, frame.height, _BATCH):
        lists = frame["gold_ids"].slice(start, _BATCH).to_list()
        texts = documents(dataset, {doc for ids in lists for doc in ids or ()})
        contexts += [None if ids is None else [texts[doc].whole for doc in ids if doc in texts] for ids in lists]
    frame = frame.rename({"query_id": "id", "text": "query"}).with_columns(
        pl.Series("gold_context", contexts, dtype=pl.List(pl.String)),
        pl.col("gold_ids").alias("gold_file_name"),
    )
    notes = ["the corpus: only documents judged relevant are taken", *(["runs"] if dataset.runs else [])]
    return WrittenCases(
        dataset.format, frame, pl.DataFrame(), {}, {}, None, tuple(f"not written: {note}" for note in notes)
    )


def last_turns(cases: WrittenCases) -> list[str]:
    """The remark for a format that has no conversations."""
    if cases.conversation is None or cases.conversation not in cases.extra.columns:
        return []
    several = sum(len(messages_of(cell)) > 2 for cell in cases.extra[cases.conversation])
    return [f"of {counted(several, 'conversation')} only the last turn"] if several else []


__all__ = ["CASE_ID", "INPUTS", "WrittenCases", "last_turns", "written_cases"]
