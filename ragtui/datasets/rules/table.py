"""Rules about tables of test cases: roles, inputs, expected values."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial

from ragtui.datasets.containers.table import Table, short
from ragtui.datasets.dataset import Dataset, Role, Shape
from ragtui.datasets.findings import Finding, Level, More, counted
from ragtui.datasets.formats.table import Cases
from ragtui.datasets.list_cells import ContextColumns, ListCell, printed_list
from ragtui.datasets.rules import rule


@rule(
    "TBL101",
    "no-input",
    Level.ERROR,
    remedy="call a column query, or say what columns are for (R in the app; --map query=COLUMN in a run)",
    on=Cases,
)
def no_input(cases: Cases) -> Iterator[Finding]:
    """No column is an input, so there is nothing to ask and no row has a name. Input columns are sent to the pipeline;
    expected ones only an evaluator sees."""
    if not cases.having(Role.INPUT):
        columns = ", ".join(short(header, 30) for header in cases.table.headers[:12])
        yield cases.table.header_finding("TBL101", Level.ERROR, f"no input column; columns are: {columns}")


@rule("TBL102", "input-empty", Level.ERROR, remedy="fill the cell, or remove the row", on=Cases)
def empty_input(cases: Cases) -> Iterator[Finding | More]:
    """The row has nothing to ask: its query (or first input) is empty."""
    if cases.question is not None:
        yield from _empty(cases.table, "TBL102", Level.ERROR, cases.question)


@rule("TBL103", "expected-empty", Level.WARNING, remedy="fill the cell, or leave the row out", on=Cases)
def empty_expected(cases: Cases) -> Iterator[Finding | More]:
    """The row has no expected value: metrics that need one are not applicable to it, and means are over fewer rows. The
    texts NA, None and null are values, and kept."""
    for name in cases.having(Role.EXPECTED):
        yield from _empty(cases.table, "TBL103", Level.WARNING, name)


@rule("TBL104", "key-absent", Level.WARNING, remedy="add the key, or leave the rows out", on=Cases)
def absent_keys(cases: Cases) -> Iterator[Finding]:
    """Some records of a JSON file lack a key that others have, so that metrics which need it are not applicable there."""
    table = cases.table
    if table.container not in ("json", "jsonl"):
        return
    for name in table.names:
        if cases.roles.get(name) in (Role.INPUT, Role.EXPECTED, Role.RESPONSE):
            missing = table.frame[name].is_null()
            if count := int(missing.sum()):
                level = Level.ERROR if name == cases.question else Level.WARNING
                message = f"{short(name)} is missing in {count:,} of {counted(table.height, 'record')}"
                yield table.finding("TBL104", level, message, missing.arg_max() or 0, name)


@rule(
    "TBL105",
    "spaces-in-header",
    Level.WARNING,
    fix="safe",
    example='" query"',
    remedy="write the header without them",
    on=Cases,
)
def spaced_headers(cases: Cases) -> Iterator[Finding]:
    """A header has spaces or invisible characters around it. It is read as if it had none; tools that compare names exactly
    do not find the column."""
    table = cases.table
    for position, (header, name) in enumerate(zip(table.headers, table.names, strict=True)):
        clean = header.strip("\u200b\u200c\u200d\u2060\ufeff \t\r\n\u00a0")
        if header == name and clean and clean != header:
            fix = (
                table.places.edit(table.header_line, position, clean)
                if table.places and clean not in table.headers
                else ()
            )
            message = f'header "{short(header)}" has spaces or invisible characters around "{short(clean)}"'
            yield table.header_finding("TBL105", Level.WARNING, message, name, fix)


@rule(
    "TBL106",
    "printed-list",
    Level.WARNING,
    fix="safe",
    example="\"['a', 'b']\"",
    remedy="write a JSON list",
    on=ContextColumns,
)
def printed_contexts(contexts: ContextColumns) -> Iterator[Finding | More]:
    """A context is a list as Python prints it, as pandas writes to CSV. It is read as that list; tools that take a context as
    text show the judge its brackets, quotes and escapes. JSON lists travel better."""
    yield from _printed(contexts, "TBL106", "python", "is a Python list in text; read as a list of {}".format)


@rule("TBL107", "broken-list", Level.WARNING, example="\"['a' 'b']\"", remedy="write a JSON list", on=ContextColumns)
def broken_contexts(contexts: ContextColumns) -> Iterator[Finding | More]:
    """A context begins like a list of texts but is none: an array's print has no commas, or the cell was cut. It is read as
    one text, brackets and all."""
    yield from _printed(contexts, "TBL107", "broken", "begins like a list but is read as one text: {}".format)


def _printed(
    contexts: ContextColumns, code: str, how: str, message: Callable[[object], str]
) -> Iterator[Finding | More]:
    import polars as pl

    table = contexts.table
    for name in contexts.names:
        if table.type_of(name) != pl.String:
            continue
        bracketed = table.rows_where(pl.col(name).str.contains(r"^\s*(array\()?\["), name)
        read = ((row, cell) for row, text in bracketed if (cell := printed_list(text)) is not None and cell.how == how)
        header = short(table.header_of(name))
        mended = _as_json if how == "python" and table.container == "csv" else None
        yield from table.findings(code, Level.WARNING, name, read, partial(_told, header, message), mended)


def _told(header: str, message: Callable[[object], str], cell: ListCell) -> str:
    return f"{header} {message(len(cell.items) if cell.items is not None else cell.fault)}"


def _as_json(cell: ListCell) -> str:
    return json.dumps(cell.items, ensure_ascii=False)


@rule(
    "TBL108",
    "question-not-text",
    Level.WARNING,
    fix="safe",
    example='{"query": 42}',
    remedy="put it in quotes",
    on=Cases,
)
def question_not_text(cases: Cases) -> Iterator[Finding | More]:
    """In a JSON file the query (or first input) of a record is a number or a boolean. It is read as its text; other tools
    refuse it, or send the number."""
    table, name = cases.table, cases.question
    if name is None or name not in table.kinds or table.container not in ("json", "jsonl"):
        return
    rows = table.kinds[name].cast(str).is_in(["number", "boolean"]).arg_true().to_list()
    cells = ((row, table.frame[name][row]) for row in rows)
    yield from table.findings(
        "TBL108", Level.WARNING, name, cells, f"{short(table.header_of(name))} is {{}}, not a text".format, quote=True
    )


@rule("TBL501", "over-100-cases", Level.ERROR, platforms=("deepset-dataset",), advice=True, on=Dataset)
def over_100_cases(dataset: Dataset) -> Iterator[Finding]:
    """A deepset Dataset holds at most 100 test cases."""
    if dataset.shape is Shape.CASES and dataset.rows > 100:
        yield Finding("TBL501", Level.ERROR, f"{dataset.rows:,} cases; a deepset Dataset holds at most 100")


def _empty(table: Table, code: str, level: Level, name: str) -> Iterator[Finding | More]:
    hits = table.rows_where(table.empty(name), name)
    yield from table.findings(code, level, name, hits, lambda _: f"{short(table.header_of(name))} is empty")
