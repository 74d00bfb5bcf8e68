"""The report as a workbook: figures, comparison, a row a case. Text is written as text, never as formula or link."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from ragtui.experiments.gates import Judgement
from ragtui.experiments.plan import Side
from ragtui.experiments.reports.json_report import content
from ragtui.experiments.reports.spreadsheet import sheets
from ragtui.experiments.results import Results

if TYPE_CHECKING:
    import polars as pl

SUFFIX: Final = ".xlsx"
CELL_LIMIT: Final = 32_767
ROW_LIMIT: Final = 1_048_575
CUT: Final = " … [cut: {n} characters do not fit in a cell]"


def render(results: Results, judgement: Judgement) -> bytes:
    import xlsxwriter

    buffer = io.BytesIO()
    options = {
        "constant_memory": True,
        "strings_to_formulas": False,
        "strings_to_urls": False,
        "strings_to_numbers": False,
    }
    with xlsxwriter.Workbook(buffer, options) as book:
        report = content(results, judgement)
        _rows(book.add_worksheet("metrics"), [_flat(each) for each in report["metrics"]])
        if report["comparison"]:
            _rows(book.add_worksheet("comparison"), [_flat(each) for each in report["comparison"]])
        _cases(book, sheets(results, Side.CANDIDATE))
    return buffer.getvalue()


def _cases(book: Any, frames: Iterator[pl.DataFrame]) -> None:
    """As many pages as the rows need, each with a header."""
    pages, at = 0, ROW_LIMIT
    for frame in frames:
        rest = frame
        while rest.height or not pages:
            if at == ROW_LIMIT:
                pages, at = pages + 1, 0
                page = book.add_worksheet("cases" if pages == 1 else f"cases {pages}")
                _line(page, 0, frame.columns)
            part = rest.head(ROW_LIMIT - at)
            for row in part.iter_rows():
                at += 1
                _line(page, at, row)
            rest = rest.slice(part.height)


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    """An interval as two columns, states as a column each."""
    out: dict[str, Any] = {}
    for key, value in row.items():
        if key == "ci95":
            out["low95"], out["high95"] = value or (None, None)
        elif isinstance(value, dict):
            out |= value
        else:
            out[key] = value
    return out


def _rows(page: Any, rows: list[dict[str, Any]]) -> None:
    columns = list(dict.fromkeys(key for row in rows for key in row))
    _line(page, 0, columns)
    for at, row in enumerate(rows, start=1):
        _line(page, at, [row.get(key) for key in columns])


def _line(page: Any, row: int, values: Any) -> None:
    for column, value in enumerate(values):
        if isinstance(value, bool):
            page.write_boolean(row, column, value)
        elif isinstance(value, int | float):
            page.write_number(row, column, value)
        elif value is not None:
            page.write_string(row, column, fitting(str(value)))


def fitting(text: str) -> str:
    """Text that fits in a cell; where it had to be cut, the cell says so and how much."""
    if len(text) <= CELL_LIMIT:
        return text
    note = CUT.format(n=len(text) - CELL_LIMIT + len(CUT) + 6)
    return text[: CELL_LIMIT - len(note)] + note
