"""Rules about CSV itself: delimiters, quotes, the number of fields, headers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ragtui.datasets.containers.dialect import NAMES
from ragtui.datasets.containers.table import Table, short
from ragtui.datasets.findings import Edit, Finding, Level
from ragtui.datasets.rules import rule

_COMMA_ONLY: Final = ("deepset", "deepset-dataset", "azure", "pinecone", "ragas", "deepeval")


@rule("CSV001", "no-rows", Level.ERROR, example="a file that ends after its header", remedy="add a row")
def no_rows(line: int) -> Finding:
    """There is a header but not one row: whatever is computed over such a file says nothing, and a gate over it is green
    for no reason."""
    return Finding("CSV001", Level.ERROR, "there is a header but no row", line=line)


@rule(
    "CSV002",
    "not-comma-separated",
    Level.WARNING,
    fix="safe",
    example="question;text;context",
    remedy="save as comma separated CSV",
    platforms=_COMMA_ONLY,
)
def other_delimiter(delimiter: str, declared: bool, line: int, fix: tuple[Edit, ...] = ()) -> Finding:
    """The file is read here with the delimiter it uses. Platforms that need comma separated CSV see one column; a sep= line,
    which only spreadsheets understand, becomes their header."""
    name = NAMES.get(delimiter, repr(delimiter))
    message = f'a "sep=" line says the file is {name} separated' if declared else f"the file is {name} separated"
    told = f"{message}; tools that need comma CSV do not read it"
    return Finding("CSV002", Level.WARNING, told, line=line, fix=fix)


@rule(
    "CSV003",
    "repeated-header",
    Level.ERROR,
    example="question,answer,answer",
    remedy="rename one of the columns",
    on=Table,
)
def repeated_headers(table: Table) -> Iterator[Finding]:
    """Two columns have one name. Readers take the last, the first, or rename one in silence; here neither is used until it
    is chosen by its position, as answer#2."""
    for header, positions in table.repeated().items():
        numbers = ", ".join(str(position) for position in positions[:-1]) + f" and {positions[-1]}"
        by = " or ".join(f'"{header.strip()}#{position}"' for position in positions)
        message = (
            f'column "{short(header)}" appears {len(positions)} times (columns {numbers}); map it by position: {by}'
        )
        yield table.header_finding("CSV003", Level.ERROR, message, table.names[positions[-1] - 1])


@rule(
    "CSV004", "blank-header", Level.WARNING, example="question,,text", remedy="name the column or remove it", on=Table
)
def blank_headers(table: Table) -> Iterator[Finding]:
    """A column with values has no name, so nothing can refer to it. A column that is blank altogether (a comma at the end
    of every line) is no finding."""
    for position, (header, name) in enumerate(zip(table.headers, table.names, strict=True), 1):
        if not header.strip() and table.filled(name):
            what = (
                "a key is blank"
                if table.container.startswith("json")
                else f"column {position} has values but no header"
            )
            message = f'{what}; it is read as "{name}"'
            yield table.header_finding("CSV004", Level.WARNING, message, name)


@rule(
    "CSV005",
    "field-count",
    Level.ERROR,
    example="seven columns in the header, eight fields in a row",
    remedy='put a field that holds a delimiter in quotes, and double the quotes inside: "{""key"": ""value""}"',
)
def field_count(line: int, row: int, found: int, wanted: int, fields: list[str], delimiter: str) -> Finding:
    """A row has more or fewer fields than the header. Some readers stop here, others shift or pad the values in silence.
    The row is not loaded, because nobody can say which value belongs where."""
    hint = ""
    if found > wanted:
        start = next((place for place, value in enumerate(fields) if value.lstrip().startswith(("{", "["))), None)
        if start is not None and any(value.rstrip().endswith(("}", "]")) for value in fields[start:]):
            hint = ": JSON is not quoted; put it in quotes and double its inner quotes"
        elif any(value.startswith(' "') for value in fields):
            hint = ": a space stands before an opening quote"
        else:
            hint = f": a {NAMES.get(delimiter, 'delimiter')} in a text needs quotes around it"
    message = f"{found} {'field' if found == 1 else 'fields'}, the header has {wanted}{hint}"
    return Finding("CSV005", Level.ERROR, message, line=line, row=row)


@rule(
    "CSV006", "text-after-quote", Level.ERROR, example='"day" pass,3', remedy='double the quotes inside: """day"" pass"'
)
def text_after_quote(line: int, column: int, row: int, field: str | None) -> Finding:
    """After a closing quote only a delimiter or the end of the line may follow. Strict readers refuse the file, lax ones
    drop the quotes. The row is not loaded."""
    return Finding(
        "CSV006", Level.ERROR, "text after a closing quote; a quote inside a text is written twice",
        line=line, column=column, row=row, field=field,
    )  # fmt: skip


@rule("CSV007", "open-quote", Level.ERROR, example='"How long?,24 hours', remedy="close the quote")
def open_quote(line: int, column: int, row: int, field: str | None, until: int) -> Finding:
    """A quote is opened and never closed, so that readers swallow the following lines into one field, in the worst case the
    rest of the file, without a word. The row is not loaded; reading goes on with the next line."""
    return Finding(
        "CSV007", Level.ERROR, f"this quote is not closed; it would swallow everything up to line {until}",
        line=line, column=column, row=row, field=field,
    )  # fmt: skip


@rule(
    "CSV008",
    "bare-quote",
    Level.WARNING,
    fix="safe",
    example='5" pipe,3',
    remedy='put the field in quotes and double the inner one: "5"" pipe"',
)
def bare_quote(line: int, column: int, row: int, field: str | None, fix: tuple[Edit, ...]) -> Finding:
    """A quote stands inside a field that is not quoted. It is read as it stands, as most readers do; strict ones (RFC 4180,
    Polars) refuse the file."""
    return Finding(
        "CSV008",
        Level.WARNING,
        "quote inside a field that is not in quotes",
        line=line,
        column=column,
        row=row,
        field=field,
        fix=fix,
    )


@rule("CSV009", "stray-return", Level.ERROR, example="a CR in the middle of a line", remedy="put the field in quotes")
def stray_return(line: int, row: int) -> Finding:
    """A carriage return without line feed stands outside quotes. Some readers end the row there, others do not. The row is
    not loaded."""
    return Finding("CSV009", Level.ERROR, "carriage return in the middle of a row, outside quotes", line=line, row=row)


@rule("CSV010", "empty-row", Level.INFO, example=",,,,", remedy="remove the line")
def empty_row(line: int, count: int) -> Finding:
    """Blank lines between rows, and rows of nothing but delimiters, are skipped. Other readers turn them into rows without
    values. There is no fix: an empty row may stand where a case was lost, which only its author can tell."""
    many = (
        "a row without any value is skipped"
        if count == 1
        else f"{count:,} rows without any value are skipped, the first here"
    )
    return Finding("CSV010", Level.INFO, many, line=line)
