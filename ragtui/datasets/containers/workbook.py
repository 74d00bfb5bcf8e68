"""XLSX workbooks: each visible sheet with a header is a table, with the sheet's own row numbers."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ragtui.datasets.containers import Head, Reading
from ragtui.datasets.containers.sheet_extent import beyond_reading
from ragtui.datasets.containers.table import KINDS, LINE, ROW, Table, column_letters, unique_names
from ragtui.datasets.damaged_zip import NO_ZIP
from ragtui.datasets.findings import Finding, Report
from ragtui.datasets.rules import xlsx as rules

if TYPE_CHECKING:
    from ragtui.datasets.containers.sheet_oddities import Oddities
    from ragtui.datasets.formats import Source

_EXACT_DIGITS: Final = 15  # more than a spreadsheet's number can hold


class Workbook:
    """The container of XLSX files; each sheet is one table."""

    id = "xlsx"

    def claims(self, source: Source, head: Head) -> int:
        return 100 if is_workbook(source.path) else 0

    def read(self, source: Source) -> Reading:
        return read_sheet(source)


CONTAINER: Final = Workbook()


def is_workbook(path: Path) -> bool:
    """Whether a file is an XLSX package: looks inside, not at the name."""
    with path.open("rb") as stream:
        if stream.read(4) != b"PK\x03\x04":
            return False
    import zipfile

    try:
        with zipfile.ZipFile(path) as package:
            return "xl/workbook.xml" in package.namelist()
    except (*NO_ZIP, OSError):
        return False


@dataclass(frozen=True)
class SheetCells:
    """A sheet as read: values row by row from row 1, and the merged ranges as ``((row, column), (row, column))``."""

    rows: list[list[Any]]
    merged: tuple[tuple[tuple[int, int], tuple[int, int]], ...]


def visible_sheets(path: Path) -> list[str]:
    """The names of the visible sheets that have a header, in order; empty where the workbook cannot be read."""
    from python_calamine import CalamineError, CalamineWorkbook, SheetTypeEnum, SheetVisibleEnum

    try:
        with CalamineWorkbook.from_path(str(path)) as book:
            named = [
                sheet.name
                for sheet in book.sheets_metadata
                if sheet.typ == SheetTypeEnum.WorkSheet and sheet.visible == SheetVisibleEnum.Visible
            ]
            return [
                name for name in named if beyond_reading(path, name) or book.get_sheet_by_name(name).end is not None
            ]
    except (CalamineError, OSError):
        return []


def read_sheet(source: Source) -> Reading:
    """Reads the sheet ``source.sheet``, or the first visible one."""
    report = Report(source.file)
    sheet = source.sheet or next(iter(visible_sheets(source.path)), None)
    try:
        cells = _cells(source.path, sheet)
    except _Unreadable as error:
        report.add(rules.unreadable(str(error)))
        return Reading(None, report)
    assert sheet is not None
    header = _header_row(cells)
    if header is None:
        return Reading(None, report)
    table = _table(source, sheet, cells, header, report)
    return Reading(table, report)


class _Unreadable(Exception):
    pass


def _cells(path: Path, sheet: str | None) -> SheetCells:
    from python_calamine import CalamineError, CalamineWorkbook, PasswordError

    if sheet is None:
        raise _Unreadable("the workbook has no visible sheet with anything in it, or cannot be read")
    if (why := beyond_reading(path, sheet)) is not None:
        raise _Unreadable(why)
    try:
        with CalamineWorkbook.from_path(str(path)) as book:
            opened = book.get_sheet_by_name(sheet)
            return SheetCells(opened.to_python(skip_empty_area=False), tuple(opened.merged_cell_ranges or ()))
    except PasswordError as error:
        raise _Unreadable("the workbook is protected by a password") from error
    except CalamineError as error:
        raise _Unreadable(f"the workbook cannot be read: {error}") from error


def _header_row(cells: SheetCells) -> int | None:
    """The 0-based row of the header: the first one that is no title (a merged cell over all, or one cell above several)."""
    filled = [(number, sum(1 for value in row if value != "")) for number, row in enumerate(cells.rows)]
    rows = [(number, count) for number, count in filled if count]
    for place, (number, count) in enumerate(rows):
        merged = any(start[0] <= number <= end[0] and end[1] > start[1] for start, end in cells.merged)
        below = rows[place + 1][1] if place + 1 < len(rows) else 0
        if count == 1 and below > 1 and (merged or place == 0):
            continue
        return number
    return None


def _table(source: Source, sheet: str, cells: SheetCells, header: int, report: Report) -> Table:
    import polars as pl

    from ragtui.datasets.containers.sheet_oddities import Oddities, oddities

    width = max((place + 1 for row in cells.rows[header:] for place, value in enumerate(row) if value != ""), default=0)
    headers = [_text(value).text for value in _padded(cells.rows[header], width)]
    names = unique_names(headers)
    odd = oddities(source.path, sheet)
    if odd is None:
        report.add(rules.unexplained(sheet))
        odd = Oddities()
    unknown = odd.unknown
    lines: list[int] = []
    columns: list[list[str | None]] = [[] for _ in names]
    kinds: list[list[str]] = [[] for _ in names]
    for place in range(header + 1, len(cells.rows)):
        line, row = place + 1, _padded(cells.rows[place], width)
        gaps = {column for column in range(width) if (line, column) in unknown}
        if not gaps and all(value == "" for value in row):
            continue
        lines.append(line)
        for column, value in enumerate(row):
            cell = _text(value)
            columns[column].append(None if column in gaps else cell.text)
            kinds[column].append("absent" if column in gaps else cell.kind)
    frame = pl.DataFrame(
        [pl.Series(LINE, lines, dtype=pl.UInt32), pl.Series(ROW, range(1, len(lines) + 1), dtype=pl.UInt32)]
        + [pl.Series(name, values, dtype=pl.String) for name, values in zip(names, columns, strict=True)]
    )
    kind = pl.Enum(KINDS)
    loaded = set(lines)
    table = Table(
        path=source.path, file=source.file, container="xlsx", headers=tuple(headers), names=names, frame=frame,
        header_line=header + 1, encoding="", sheet=sheet, lines=len(cells.rows),
        kinds={name: pl.Series(values, dtype=kind) for name, values in zip(names, kinds, strict=True) if set(values) - {"text"}},
        facts={"hidden_rows": tuple(line for line in odd.hidden_rows if line in loaded)},
    )  # fmt: skip
    report.extend(_sheet_findings(table, cells, header, odd))
    return table


def _sheet_findings(table: Table, cells: SheetCells, header: int, odd: Oddities) -> Iterator[Finding]:
    sheet, headers = table.sheet or "", table.headers
    if not table.height:
        yield rules.no_rows(sheet, header + 1)
    if any(value != "" for row in cells.rows[:header] for value in row):
        yield rules.title_rows(sheet, header)
    for (top, left), (bottom, right) in cells.merged:
        if top > header:
            first = f"{column_letters(left)}{top + 1}"
            covered = f"{first}:{column_letters(right)}{bottom + 1}"
            yield rules.merged(sheet, top + 1, first, covered, headers[left] if left < len(headers) else None)
    hidden = table.facts["hidden_rows"]
    if isinstance(hidden, tuple) and hidden:
        yield rules.hidden_rows(sheet, hidden)
    shown = [column for column in odd.hidden_columns if column < len(headers)]
    if shown:
        yield rules.hidden_columns(sheet, header + 1, [(column_letters(column), headers[column]) for column in shown])
    for found, build in ((odd.formulas, rules.uncached_formula), (odd.errors, rules.error_cell)):
        for (line, column), what in found.items():
            if line > header + 1 and column < len(headers):
                yield build(sheet, line, f"{column_letters(column)}{line}", what, headers[column])
    yield from _number_findings(table, cells, odd)


def _number_findings(table: Table, cells: SheetCells, odd: Oddities) -> Iterator[Finding]:
    """Whole numbers that look otherwise on screen, or have more digits than a spreadsheet's number can keep."""
    sheet = table.sheet or ""
    numeric = [column for column, name in enumerate(table.names) if name in table.kinds]
    for line in table.frame[LINE].to_list() if numeric else ():
        row = cells.rows[line - 1]
        for column in numeric:
            value = row[column] if column < len(row) else ""
            if not isinstance(value, float) or not value.is_integer():
                continue
            text, cell, header = shortest(value), f"{column_letters(column)}{line}", table.headers[column]
            digits = odd.zeros.get((line, column), 0)
            if len(text) < digits:
                shown = text.zfill(digits)
                same = table.frame.filter(table.frame[table.names[column]] == shown)
                yield rules.shown_with_zeros(
                    sheet, line, cell, header, text, shown, int(same[LINE][0]) if same.height else None
                )
            elif len(text.lstrip("-")) > _EXACT_DIGITS:
                yield rules.too_many_digits(sheet, line, cell, header, text)


@dataclass(frozen=True, slots=True)
class _Cell:
    text: str
    kind: str


def _text(value: Any) -> _Cell:
    """A cell's value as text: numbers in their shortest form, dates as ISO, TRUE and FALSE as the sheet shows them."""
    if isinstance(value, str):
        return _Cell(value, "text")
    if isinstance(value, bool):
        return _Cell("TRUE" if value else "FALSE", "boolean")
    if isinstance(value, (int, float)):
        return _Cell(shortest(float(value)), "number")
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return _Cell(value.isoformat(sep=" ") if isinstance(value, datetime.datetime) else value.isoformat(), "date")
    return _Cell(str(value), "date" if isinstance(value, datetime.timedelta) else "text")


def shortest(number: float) -> str:
    """The shortest digits that are this number, never in exponents: 84, 1, 0.25, 12345678901234570."""
    if number != number or number in (float("inf"), float("-inf")):
        return str(number)
    text = format(Decimal(repr(number)), "f")
    return text.rstrip("0").rstrip(".") or "0" if "." in text else text


def _padded(row: Sequence[Any], width: int) -> list[Any]:
    return [*row[:width], *([""] * (width - len(row)))]
