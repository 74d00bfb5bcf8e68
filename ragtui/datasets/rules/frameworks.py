"""Rules about the data of evaluation frameworks: Ragas, DeepEval, Langfuse, Haystack and others (codes EV…)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from ragtui.datasets.containers.json_text import value_of
from ragtui.datasets.containers.table import LINE, Table, short
from ragtui.datasets.findings import Edit, Finding, Level, More, counted
from ragtui.datasets.list_cells import ListColumn
from ragtui.datasets.near_names import plain_name
from ragtui.datasets.record_format import Records
from ragtui.datasets.rules import rule

_NEEDED: Final = ("query", "response", "context", "ground_truth")


@rule(
    "EV101",
    "older-names",
    Level.INFO,
    fix="unsafe",
    platforms=("ragas", "deepeval"),
    example="question for user_input",
    on=Records,
)
def older_names(records: Records) -> Iterator[Finding]:
    """Columns have the names of an earlier version (or of another dialect) of the framework. They are read as what they are
    called today; the framework itself loads such rows without complaint as rows of nothing."""
    if records.older:
        shown = ", ".join(f"{old} as {new}" for new, old in records.older.items())
        fix = tuple(edit for new, old in records.older.items() for edit in records.table.renaming_fix(old, new, False))
        yield _at_top(records.table, "EV101", Level.INFO, f"column names of another version; read {shown}", fix=fix)


@rule("EV102", "misspelt-name", fix="either", example="retreived_contexts", remedy="rename the column", on=Records)
def misspelt_names(records: Records) -> Iterator[Finding]:
    """A column has nearly the name of one that is known. The framework does not find it and says that a column is missing
    although the data is there. ragtui reads it as what was meant."""
    for wanted, name in records.misspelt.items():
        header = records.table.header_of(name)
        message = f"{short(header)} should be {wanted}; it is read as that"
        fix = records.table.renaming_fix(name, wanted, plain_name(header) == plain_name(wanted))
        yield _at_top(records.table, "EV102", Level.ERROR, message, name, fix)


@rule("EV103", "question-empty", remedy="write the question, or remove the row", on=Records)
def empty_question(records: Records) -> Iterator[Finding | More]:
    """The row asks nothing."""
    table, column = records.table, records.column_for("query")
    if column is not None:
        yield from _rows(table, "EV103", Level.ERROR, column, table.rows_where(table.empty(column), column), "is empty")
        null = ((row, "") for row in _of_kinds(table, column, "null"))
        yield from _rows(table, "EV103", Level.ERROR, column, null, "is null")


@rule("EV104", "value-empty", Level.WARNING, on=Records)
def empty_values(records: Records) -> Iterator[Finding | More]:
    """A response, a reference or the contexts are empty in a row: metrics that need them are not applicable there."""
    table = records.table
    for each in records.format.known:
        column = records.columns.get(each.name)
        if column is None or each.input not in _NEEDED[1:]:
            continue
        if each.name in records.lists:
            cells = enumerate(records.lists[each.name].cells)
            empty = ((row, cell) for row, cell in cells if cell is not None and not cell.items and cell.how != "broken")
            none = ((row, "is empty" if cell.how == "empty" else "has no items") for row, cell in empty)
            header = short(table.header_of(column))
            yield from table.findings("EV104", Level.WARNING, column, none, f"{header} {{}}".format)
        else:
            nothing = table.empty(column) | (table.text(column) == "[]" if column in table.kinds else False)
            yield from _rows(table, "EV104", Level.WARNING, column, table.rows_where(nothing, column), "is empty")


@rule(
    "EV105",
    "printed-list",
    Level.INFO,
    fix="safe",
    platforms=("ragas", "evalscope", "deepeval"),
    example="\"['a', 'b']\" in a CSV cell",
    on=Records,
)
def printed_lists(records: Records) -> Iterator[Finding]:
    """A cell holds a list as Python prints it, as pandas writes to CSV. It is read as that list; Ragas cannot read back what
    it wrote so itself. JSON lists, or JSON lines for the whole, travel better."""
    for column in records.lists.values():
        rows = [row for row, cell in enumerate(column.cells) if cell is not None and cell.how == "python"]
        if rows:
            where = f"in {counted(len(rows), 'row')}" if len(rows) > 1 else "here"
            message = f"{short(records.table.header_of(column.name))} is a Python list in text {where}; read as a list"
            fix = tuple(edit for row in rows for edit in _as_json(records.table, column, row))
            yield records.table.finding("EV105", Level.INFO, message, rows[0], column.name, fix)


def _as_json(table: Table, column: ListColumn, row: int) -> tuple[Edit, ...]:
    """The fix that writes a printed list as a JSON list."""
    cell = column.cells[row]
    if cell is None or cell.items is None or table.container != "csv":
        return ()
    return table.cell_fix(row, column.name, json.dumps(cell.items, ensure_ascii=False))


@rule(
    "EV106", "text-for-list", Level.WARNING, platforms=("ragas", "deepeval"), example='"Boats run hourly."', on=Records
)
def text_for_list(records: Records) -> Iterator[Finding | More]:
    """A list is needed and the cell holds a plain text. It is read as a list of that one text; a framework takes each of its
    letters for a context, or fails."""
    for column in records.lists.values():
        if column.was_text:
            yield from _cells(
                records.table, column, "EV106", Level.WARNING, "plain", "is plain text; used as a list of one"
            )


@rule("EV107", "broken-list", example="\"['a' 'b']\"", remedy="write a JSON list", on=Records)
def broken_lists(records: Records) -> Iterator[Finding | More]:
    """A cell begins like a list but is none: an array's print has no commas, and Python would silently glue its strings into
    one context. It counts as missing."""
    for column in records.lists.values():
        faults = (
            (row, cell.fault) for row, cell in enumerate(column.cells) if cell is not None and cell.how == "broken"
        )
        header = short(records.table.header_of(column.name))
        yield from records.table.findings("EV107", Level.ERROR, column.name, faults, f"{header}: {{}}".format)


@rule("EV108", "joined-list", Level.INFO, example="first context|second context", on=Records)
def joined_lists(records: Records) -> Iterator[Finding]:
    """Lists are joined by a character, as DeepEval writes them to CSV. A context that holds the character itself, such as a
    table in Markdown, falls apart."""
    for column in records.lists.values():
        rows = [row for row, cell in enumerate(column.cells) if cell is not None and cell.how == "joined"]
        if rows:
            message = f"{short(records.table.header_of(column.name))} is split at | in {counted(len(rows), 'row')}"
            yield records.table.finding("EV108", Level.INFO, message, rows[0], column.name)


@rule("EV109", "several-references", Level.WARNING, platforms=("ragas",), remedy="choose one, or join them", on=Records)
def several_references(records: Records) -> Iterator[Finding | More]:
    """A row has several references where the framework takes one. ragtui keeps them all; a score is the best over them."""
    column = records.column_for("ground_truth")
    name = next((name for name, each in records.columns.items() if each == column), "")
    if column is None or not _is_list(records.table, column):
        return
    sizes = records.table.frame[column].list.len().to_list()
    several = ((row, size) for row, size in enumerate(sizes) if size is not None and size > 1)
    message = f"{short(records.table.header_of(column))} has {{}} items, {name} takes one".format
    yield from records.table.findings("EV109", Level.WARNING, column, several, message)


@rule("EV110", "key-absent", Level.WARNING, example="reference in 30 of 130 rows", on=Records)
def absent_keys(records: Records) -> Iterator[Finding]:
    """Some rows lack a key that others have. Ragas looks at the first row only and fails in the middle of a run."""
    table = records.table
    for each in records.format.known:
        column = records.columns.get(each.name)
        if column is None or each.input not in _NEEDED or column not in table.kinds:
            continue
        missing = table.kinds[column] == "absent"
        if count := int(missing.sum()):
            level = Level.ERROR if each.input == "query" else Level.WARNING
            message = f"{short(table.header_of(column))} is missing in {count:,} of {counted(table.height, 'row')}"
            yield table.finding("EV110", level, message, missing.arg_max() or 0, column)


@rule("EV111", "value-not-text", fix="safe", example='{"response": 42}', remedy="put the value in quotes", on=Records)
def not_text(records: Records) -> Iterator[Finding | More]:
    """A text is a number or a boolean; frameworks refuse the row or fail in the middle of a run."""
    table = records.table
    for each in records.format.known:
        column = records.columns.get(each.name)
        if column is None or each.input not in _NEEDED or column not in table.kinds:
            continue
        cells = ((row, table.frame[column][row]) for row in _of_kinds(table, column, "number", "boolean"))
        header = short(table.header_of(column))
        says = f"{header} is {{}}, not a text".format
        yield from table.findings("EV111", Level.ERROR, column, cells, says, quote=True)


@rule(
    "EV112",
    "item-not-text",
    Level.WARNING,
    platforms=("ragas", "evalscope", "deepeval"),
    example='["Boats run hourly.", 7]',
    remedy="write each item as a text",
    on=Records,
)
def items_not_text(records: Records) -> Iterator[Finding | More]:
    """An item of a list of texts is a number, null, a list or an object. Ragas and DeepEval refuse the row; ragtui takes it as
    its text."""
    for column in records.lists.values() if records.format.id in ("ragas", "deepeval") else ():
        odd = ((row, cell.fault) for row, cell in enumerate(column.cells) if cell is not None and cell.how == "json")
        header = short(records.table.header_of(column.name))
        faults = ((row, fault) for row, fault in odd if fault)
        yield from records.table.findings("EV112", Level.WARNING, column.name, faults, f"{header}: {{}}".format)


@rule(
    "EV113",
    "list-for-text",
    Level.INFO,
    platforms=("ragas", "evalscope", "deepeval"),
    example='"reference": ["Hourly."]',
    remedy="write the one text",
    on=Records,
)
def lists_for_texts(records: Records) -> Iterator[Finding]:
    """A list or an object stands where the framework takes a text, and refuses anything else."""
    table = records.table
    for each in records.format.known:
        column = records.columns.get(each.name)
        if (
            each.is_list
            or each.input not in _NEEDED
            or column is None
            or records.format.id not in ("ragas", "deepeval")
        ):
            continue
        every = range(table.height) if _is_list(table, column) else _of_kinds(table, column, "list", "object")
        rows = [
            row for row in every if table.frame[column][row] is not None and not _is_messages(table.frame[column][row])
        ]
        if rows:
            message = f"{short(table.header_of(column))} is a list or an object in {counted(len(rows), 'row')}; a text is needed"
            yield table.finding("EV113", Level.INFO, message, rows[0], column)


@rule(
    "EV201",
    "wrapped-column",
    Level.WARNING,
    fix="safe",
    example='"{""input"": ""Where?""}" in column input',
    remedy="unwrap it",
    on=Records,
)
def wrapped_columns(records: Records) -> Iterator[Finding]:
    """Every cell of a column is an object with one key, the column's own name: an upload wrapped them, and another one would
    wrap them again, so that prompts hold JSON. The fix takes all layers off."""
    table = records.table
    for name in table.names:
        header = table.header_of(name)
        cells = [] if _is_list(table, name) else table.frame[name].to_list()
        filled = [(row, cell) for row, cell in enumerate(cells) if cell is not None and cell.strip()]
        if not filled or not filled[0][1].lstrip().startswith("{"):
            continue
        inner = [(row, _unwrapped(cell, header)) for row, cell in filled]
        if all(value is not _AS_IS for _, value in inner):
            first = short(_text(inner[0][1]), 40)
            message = f'each value of {short(header)} is wrapped under its own column name; the first is "{first}"'
            fix = _unwrapping(table, name, inner)
            yield _at_top(table, "EV201", Level.WARNING, message, name, fix)


_AS_IS: Final = object()


def _unwrapped(cell: str, key: str) -> Any:
    """What lies under all layers of one key, ``_AS_IS`` where there is none."""
    try:
        value = value_of(cell)
    except (ValueError, RecursionError):
        return _AS_IS
    if not (isinstance(value, dict) and value.keys() == {key}):
        return _AS_IS
    while isinstance(value, dict) and value.keys() == {key}:
        value = value[key]
    return value


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _unwrapping(table: Table, name: str, inner: list[tuple[int, Any]]) -> tuple[Edit, ...]:
    if table.places is None:
        return ()
    position, lines = table.names.index(name), table.frame[LINE].to_list()
    return tuple(edit for row, value in inner for edit in table.places.edit(lines[row], position, _text(value)))


def _at_top(
    table: Table, code: str, level: Level, message: str, name: str | None = None, fix: tuple[Edit, ...] = ()
) -> Finding:
    """A finding about the whole file: at its header, or at its first record where it has none."""
    if table.header_line or not table.height:
        return table.header_finding(code, level, message, name, fix)
    return table.finding(code, level, message, 0, name, fix)


def _cells(table: Table, column: ListColumn, code: str, level: Level, how: str, says: str) -> Iterator[Finding | More]:
    rows = ((row, says) for row, cell in enumerate(column.cells) if cell is not None and cell.how == how)
    yield from table.findings(code, level, column.name, rows, f"{short(table.header_of(column.name))} {{}}".format)


def _rows(
    table: Table, code: str, level: Level, name: str, hits: Iterator[tuple[int, str]], says: str
) -> Iterator[Finding | More]:
    header = short(table.header_of(name))
    yield from table.findings(code, level, name, ((row, says) for row, _ in hits), f"{header} {{}}".format)


def _of_kinds(table: Table, name: str, *kinds: str) -> list[int]:
    """The rows in which a column holds one of these in the file."""
    return [] if name not in table.kinds else list(table.kinds[name].cast(str).is_in(kinds).arg_true())


def _is_messages(cell: Any) -> bool:
    """Whether a cell is a conversation, which Ragas takes for a question."""
    try:
        value = value_of(cell) if isinstance(cell, str) else None
    except (ValueError, RecursionError):
        return False
    return isinstance(value, list) and bool(value) and all(isinstance(each, dict) for each in value)


def _is_list(table: Table, name: str) -> bool:
    import polars as pl

    return isinstance(table.type_of(name), pl.List)
