"""RAGChecker inputs and results: one JSON object with a list of results, each with its retrieved chunks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from ragtui.datasets.containers.json_text import value_of
from ragtui.datasets.containers.table import Table
from ragtui.datasets.dataset import Role
from ragtui.datasets.record_format import Known, RecordFormat, Records

_IDS: Final = "retrieved_context_ids"

KNOWN: Final = (
    Known("query_id", Role.ID),
    Known("query", Role.INPUT, "query"),
    Known("gt_answer", Role.EXPECTED, "ground_truth"),
    Known("response", Role.RESPONSE, "response"),
    Known("retrieved_context", Role.CONTEXT, "context", is_list=True),
    Known(_IDS, Role.RETRIEVED_IDS, "retrieved_ids", is_list=True),
    Known("response_claims"),
    Known("gt_answer_claims"),
    Known("metrics"),
)


def _telling(records: Records) -> int:
    sure = {name for name in records.columns if name not in records.misspelt}
    return 85 if {"query", "gt_answer"} <= sure and sure & {"response", "retrieved_context"} else 0


def _with_document_ids(table: Table) -> Table:
    """The table with the ids of the retrieved chunks as a column of their own."""
    import polars as pl

    kinds = table.kinds.get("retrieved_context")
    if kinds is None or _IDS in table.names or table.frame.schema["retrieved_context"] != pl.String:
        return table
    chunks = [_chunks(cell) for cell in table.frame["retrieved_context"].to_list()]
    if not any(isinstance(each, dict) and "doc_id" in each for row in chunks for each in row or ()):
        return table
    ids = [
        None if row is None else [str(each.get("doc_id")) for each in row if isinstance(each, dict)] for row in chunks
    ]
    frame = table.frame.with_columns(pl.Series(_IDS, ids, dtype=pl.List(pl.String)))
    return replace(table, frame=frame, headers=(*table.headers, _IDS), names=(*table.names, _IDS))


def _chunks(cell: str | None) -> list[Any] | None:
    try:
        value = value_of(cell or "null")
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, list) else None


FORMAT: Final = RecordFormat(
    "ragchecker", "RAGChecker results", KNOWN, _telling, ("ragchecker",), prepare=_with_document_ids
)
