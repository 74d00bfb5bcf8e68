"""Test cases in a table: CSV, TSV, XLSX, JSON or JSON lines, by the name of the file. Nothing but structure is lost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from ragtui.datasets.writing.cases import WrittenCases
from ragtui.datasets.writing.files import cell, write_csv, write_json

_NAMES: Final = {
    "id": "id",
    "query": "query",
    "filters": "filters",
    "response": "response",
    "context": "context",
    "ground_truth": "expected_answer",
    "gold_context": "expected_context",
    "gold_file_name": "expected_file_name",
    "retrieved_ids": "retrieved_ids",
    "gold_ids": "expected_ids",
}
_OWN_NAMES: Final = frozenset({"table", "azure"})  # formats whose headers say to this one, too, what they mean


class Table:
    id = "table"
    title = "table of test cases"
    folders = False
    endings: tuple[str, ...] = (".csv", ".tsv", ".tab", ".xlsx", ".json", ".jsonl", ".ndjson")

    def write(self, cases: WrittenCases, path: Path) -> list[str]:
        keep = cases.headers if cases.source in _OWN_NAMES else {}
        names = {
            name: keep.get(name, _NAMES.get(name, name))
            for name in cases.frame.columns
            if cases.has(name) or name == "query"
        }
        extra = [name for name in cases.extra.columns if name not in names.values()]
        suffix = path.suffix.lower()
        if suffix in (".json", ".jsonl", ".ndjson"):
            write_json(path, _records(cases, names, extra))
            return cases.lost(*names, extra=True)
        rows = (
            [cell(record.get(key)) for key in (*names.values(), *extra)] for record in _records(cases, names, extra)
        )
        header = [*names.values(), *extra]
        if suffix == ".xlsx":
            _write_workbook(path, header, rows)
        else:
            write_csv(path, header, rows, "\t" if suffix in (".tsv", ".tab") else ",")
        return cases.lost(*names, extra=True)


def _records(cases: WrittenCases, names: dict[str, str], extra: Sequence[str]) -> Iterator[dict[str, Any]]:
    others = cases.extras() if cases.extra.width else iter(dict, None)
    for row, other in zip(cases.rows(), others, strict=False):
        record = {key: _alone(row[name]) for name, key in names.items() if name in row}
        yield record | {name: other[name] for name in extra if name in other}


def _alone(value: Any) -> Any:
    """A list of one text as that text, which reads back as the list."""
    if isinstance(value, list) and len(value) < 2:
        return value[0] if value else ""
    return value


def _write_workbook(path: Path, header: Sequence[str], rows: Iterator[list[str]]) -> None:
    from io import BytesIO

    import xlsxwriter

    from ragtui.workspace import replacing

    made = BytesIO()
    with xlsxwriter.Workbook(made, {"in_memory": True}) as book:
        sheet = book.add_worksheet("Cases")
        for place, row in enumerate([list(header), *rows]):
            for column, text in enumerate(row):
                sheet.write_string(place, column, text)  # as text: 007 stays 007, and = begins no formula
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as stream:
        stream.write(made.getvalue())


WRITER: Final = Table()
