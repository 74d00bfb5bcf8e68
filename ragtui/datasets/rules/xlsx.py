"""Rules about workbooks: cells without a value, merged and hidden ones, numbers that are not what they look like."""

from __future__ import annotations

from collections.abc import Sequence

from ragtui.datasets.containers.table import short
from ragtui.datasets.findings import Finding, Level
from ragtui.datasets.near_names import plain_name
from ragtui.datasets.rules import rule


@rule("XLSX001", "unreadable-workbook", Level.ERROR, remedy="open it in a spreadsheet and save it again as .xlsx")
def unreadable(why: str) -> Finding:
    """The workbook, or one sheet of it, cannot be read at all: it is damaged, protected, or of another kind."""
    return Finding("XLSX001", Level.ERROR, why)


@rule("XLSX002", "no-rows", Level.ERROR, remedy="add a row")
def no_rows(sheet: str, line: int) -> Finding:
    """The sheet has a header but not one row below it."""
    return Finding("XLSX002", Level.ERROR, "there is a header but no row", line=line, sheet=sheet)


@rule(
    "XLSX003",
    "formula-without-result",
    Level.ERROR,
    example="=B3*2, written by a script",
    remedy="open the workbook in a spreadsheet and save it, so that results are stored",
)
def uncached_formula(sheet: str, line: int, cell: str, formula: str, field: str) -> Finding:
    """A cell holds a formula whose result is not stored, as scripts write them. Readers give nothing, 0 or the formula
    itself for it; here its value is unknown, and nothing is made up."""
    message = f"cell {cell} is a formula without a stored result: {short(formula)}"
    return Finding("XLSX003", Level.ERROR, message, line=line, field=field, sheet=sheet, cell=cell)


@rule("XLSX004", "error-cell", Level.ERROR, example="#N/A", remedy="mend the formula")
def error_cell(sheet: str, line: int, cell: str, error: str, field: str) -> Finding:
    """A cell holds a spreadsheet's error. It has no value; some readers take the text of the error for one."""
    return Finding(
        "XLSX004",
        Level.ERROR,
        f"cell {cell} holds the error {short(error)}",
        line=line,
        field=field,
        sheet=sheet,
        cell=cell,
    )


@rule(
    "XLSX005",
    "merged-cells",
    Level.WARNING,
    example="a topic merged over three rows",
    remedy="unmerge and fill the cells",
)
def merged(sheet: str, line: int, cell: str, covered: str, field: str | None) -> Finding:
    """Of merged cells only the first has a value; the others are empty to every reader, so that their rows seem to lack it.
    The range is reported once, and nothing is filled in unasked."""
    message = f"merged cells {covered}: the value is only in {cell}; the rows below it have none"
    return Finding("XLSX005", Level.WARNING, message, line=line, field=field, sheet=sheet, cell=cell)


@rule("XLSX006", "rows-hidden", Level.WARNING, remedy="show the rows, or leave them out with --skip-hidden")
def hidden_rows(sheet: str, rows: Sequence[int]) -> Finding:
    """Rows are hidden, by hand or by a filter. They are loaded like all others, so that there are more cases here than on
    the author's screen."""
    told = ", ".join(str(row) for row in rows[:12]) + (", …" if len(rows) > 12 else "")
    if len(rows) == 1:
        message = f"row {told} is hidden in the sheet and loaded; --skip-hidden leaves it out"
    else:
        head, _, tail = told.rpartition(", ")
        message = f"rows {head} and {tail} are hidden in the sheet and loaded; --skip-hidden leaves them out"
    return Finding("XLSX006", Level.WARNING, message, line=rows[0], sheet=sheet)


@rule("XLSX007", "columns-hidden", Level.INFO)
def hidden_columns(sheet: str, line: int, columns: Sequence[tuple[str, str]]) -> Finding:
    """Columns are hidden in the sheet. They are loaded like all others."""
    told = ", ".join(f'{letters} "{short(header, 30)}"' for letters, header in columns[:12])
    return Finding("XLSX007", Level.INFO, f"hidden in the sheet, and loaded: column {told}", line=line, sheet=sheet)


@rule("XLSX008", "title-rows", Level.INFO)
def title_rows(sheet: str, rows: int) -> Finding:
    """A title stands above the header. The first row that is no title is taken as the header; simpler readers take the
    title."""
    told = "row 1 is a title" if rows == 1 else f"rows 1 to {rows} are a title"
    return Finding("XLSX008", Level.INFO, f"{told}; the header is row {rows + 1}", line=1, sheet=sheet)


@rule(
    "XLSX009",
    "zeros-only-shown",
    Level.WARNING,
    example="7 with the format 000 looks like 007",
    remedy="store the id as text",
)
def shown_with_zeros(sheet: str, line: int, cell: str, field: str, text: str, shown: str, clash: int | None) -> Finding:
    """The cell holds a number; its leading zeros are in the number format alone. Readers get the number, so that an id typed
    as 007 elsewhere does not match."""
    also = f'; the text "{shown}" is in row {clash}' if clash is not None else ""
    message = f'number {text} shown as {shown}; "{text}" is used{also}'
    return Finding("XLSX009", Level.WARNING, message, line=line, field=field, sheet=sheet, cell=cell)


@rule(
    "XLSX010", "digits-lost", Level.ERROR, example="12345678901234567 stored as a number", remedy="store the id as text"
)
def too_many_digits(sheet: str, line: int, cell: str, field: str, text: str) -> Finding:
    """A spreadsheet's number keeps 15 digits. A longer one, mostly an id, was rounded when it was typed: the digits after
    the fifteenth are not what they were."""
    is_id = plain_name(field) == "id" or plain_name(field).endswith("id")
    what = "id" if is_id else "value"
    shown = text if len(text) <= 24 else f"{text[:20]}…"
    message = (
        f"{len(text.lstrip('-'))}-digit {what} stored as a number: the digits after the fifteenth are lost ({shown})"
    )
    level = Level.ERROR if is_id else Level.WARNING
    return Finding("XLSX010", level, message, line=line, field=field, sheet=sheet, cell=cell)


@rule("XLSX011", "sheet-not-explained", Level.INFO)
def unexplained(sheet: str) -> Finding:
    """The values of the sheet were read, but its formulas, hidden rows and number formats could not be looked at."""
    return Finding(
        "XLSX011", Level.INFO, "formulas, hidden rows and number formats could not be looked at", sheet=sheet
    )
