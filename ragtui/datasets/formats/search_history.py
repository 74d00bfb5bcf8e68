"""Exports of deepset's search history: what was asked of a pipeline and what it said, with the trace of each query."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from ragtui.datasets.containers.table import Table
from ragtui.datasets.dataset import Role
from ragtui.datasets.record_format import Known, RecordFormat, Records

_KEPT: Final = (
    "created_at", "time", "duration", "duration_s", "pipeline", "pipeline_name", "pipeline_version_id", "pipeline_version_name",
    "pipeline_version_number", "feedback", "labels", "note", "haystack_trace", "trace",
)  # fmt: skip
KNOWN: Final = (
    Known("id", Role.ID),
    Known("query", Role.INPUT, "query"),
    Known("filters", Role.INPUT),
    Known("answer", Role.RESPONSE, "response"),
    Known("documents", Role.CONTEXT, "context", is_list=True),
    Known("search_history_id"),
    Known("query_id"),
    Known("session_id"),
    Known("request"),
    Known("response"),
    Known("status"),
    *(Known(name) for name in _KEPT),
)


def _telling(records: Records) -> int:
    names = set(records.table.headers)
    if {"request", "response"} <= names and names & {"search_history_id", "pipeline", "pipeline_version_id"}:
        return 92
    if {"query_id", "haystack_trace"} <= names:
        return 92
    return 85 if {"query", "answer", "created_at", "pipeline_name"} <= names else 0


def _flat(table: Table) -> Table:
    """The table with a column each for what lies deeper: question, filters, answer, documents, and the case's id."""
    if not {"request", "haystack_trace", "pipeline_name"} & set(table.headers):
        return table
    rows = list(table.frame.select(table.names).iter_rows(named=True))
    for name, find in _FOUND.items():
        if name not in table.names:
            table = _with_column(table, name, [find(row) for row in rows])
    return table


def _with_column(table: Table, name: str, values: list[Any]) -> Table:
    import polars as pl

    if all(value is None for value in values):
        return table
    kind: Any = pl.List(pl.String) if any(isinstance(value, list) for value in values) else pl.String
    frame = table.frame.with_columns(pl.Series(name, values, dtype=kind))
    return replace(table, frame=frame, names=(*table.names, name), headers=(*table.headers, name))


def _id(row: Mapping[str, Any]) -> str | None:
    return next((str(row[name]) for name in ("search_history_id", "query_id") if row.get(name)), None)


def _query(row: Mapping[str, Any]) -> str | None:
    return _text(_object(row.get("request")).get("query"))


def _filters(row: Mapping[str, Any]) -> str | None:
    found = _object(row.get("request")).get("filters")
    return json.dumps(found, ensure_ascii=False) if found else None


def _answer(row: Mapping[str, Any]) -> str | None:
    """What was said: the first answer, or what a generator's first reply was."""
    return next(filter(None, (_said(each) for part in _outputs(row) for each in _answers(part))), None)


def _documents(row: Mapping[str, Any]) -> list[str] | None:
    """The texts that the answer was made from: those that the last step passed on."""
    for part in _outputs(row):
        for found in (
            part.get("documents"),
            [each for answer in _answers(part) for each in _below(answer, "documents")],
        ):
            texts = [_text(each.get("content") or each.get("text")) for each in _objects(found)]
            if any(texts):
                return [text for text in texts if text]
    return None


_FOUND: Final[Mapping[str, Callable[[Mapping[str, Any]], Any]]] = {
    "id": _id, "query": _query, "filters": _filters, "answer": _answer, "documents": _documents,
}  # fmt: skip


def _outputs(row: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """What came out of the pipeline, then out of each of its steps, the last first."""
    yield from _objects(_value(row.get("response")))
    spans = _objects(_object(row.get("haystack_trace") or row.get("trace")).get("traces"))
    for span in reversed(spans):
        tags = span.get("tags")
        if isinstance(tags, dict):
            out = next((tags[name] for name in tags if str(name).rpartition(".")[2] in ("output", "outputs")), None)
            yield from _objects(out)


def _answers(part: Mapping[str, Any]) -> list[Any]:
    for name in ("answers", "replies"):
        if isinstance(part.get(name), list):
            return list(part[name])
    return [part] if "answer" in part else []


def _said(answer: Any) -> str | None:
    if isinstance(answer, dict):
        return next((text for name in ("answer", "data", "content", "text") if (text := _text(answer.get(name)))), None)
    return _text(answer)


def _below(value: Any, name: str) -> list[Any]:
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, list) else []


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value.strip() else None


def _value(cell: Any) -> Any:
    if not isinstance(cell, str) or cell.lstrip()[:1] not in ("{", "["):
        return cell
    try:
        return json.loads(cell)
    except (ValueError, RecursionError):
        return None


def _object(cell: Any) -> Mapping[str, Any]:
    value = _value(cell)
    return value if isinstance(value, dict) else {}


def _objects(value: Any) -> list[Mapping[str, Any]]:
    return [each for each in (value if isinstance(value, list) else [value]) if isinstance(each, dict)]


FORMAT: Final = RecordFormat(
    "deepset-history", "deepset search history", KNOWN, _telling, (), frozenset({"json", "jsonl", "csv"}), _flat
)
