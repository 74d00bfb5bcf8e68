"""Rules about what the frameworks' own readers make of a sound file (codes EV4xx), given with ``--for`` one of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import Final

from ragtui.datasets.containers.table import Table, short
from ragtui.datasets.findings import Edit, Finding, Level, More, counted
from ragtui.datasets.pandas_cells import is_guessed, missing
from ragtui.datasets.record_format import Records
from ragtui.datasets.rules import rule

_TEXTS: Final = ("query", "response", "ground_truth")
_NEEDED: Final = (*_TEXTS, "context")


@rule(
    "EV401",
    "read-as-missing",
    platforms=("ragas", "deepeval"),
    advice=True,
    example="the answer NA in a CSV",
    remedy="write the data as JSON lines",
    on=Records,
)
def read_as_missing(records: Records) -> Iterator[Finding | More]:
    """A cell of a CSV holds NA, None, null or the like, or nothing. pandas, with which such files are read, takes it for no
    value; Ragas then refuses the row, DeepEval loses the answer."""
    blank = records.format.id == "ragas"
    for column in _text_columns(records):
        hits = missing(records.table, column, blank or column == records.column_for("query"))
        header = short(records.table.header_of(column))
        yield from records.table.findings(
            "EV401", Level.ERROR, column, hits, f"{header}: {{}} is read as no value".format
        )


@rule(
    "EV402",
    "read-as-numbers",
    platforms=("ragas", "deepeval"),
    advice=True,
    example="007 and 12 as the only answers of a CSV",
    remedy="write the data as JSON lines",
    on=Records,
)
def read_as_numbers(records: Records) -> Iterator[Finding]:
    """Every cell of a column of texts looks like a number, or like true and false. pandas, with which CSVs are read, makes
    numbers of them, 7 of 007, and Ragas and DeepEval refuse those for texts."""
    for column in _text_columns(records):
        if is_guessed(records.table, column):
            message = f"{short(records.table.header_of(column))} holds only numbers, and is read as such"
            yield records.table.finding("EV402", Level.ERROR, message, 0, column)


@rule(
    "EV403",
    "list-in-a-cell",
    platforms=("ragas", "deepeval"),
    advice=True,
    example='"[""a"", ""b""]" in a CSV',
    remedy="write the data as JSON lines; for DeepEval join the items with |",
    on=Records,
)
def lists_in_cells(records: Records) -> Iterator[Finding]:
    """A column of lists stands in a table. Ragas reads no list back from text, however it is written; DeepEval splits at |
    and takes a JSON list for one item."""
    if records.table.container not in ("csv", "xlsx"):
        return
    wrong = ("json",) if records.format.id == "deepeval" else ("json", "plain", "single", "joined")
    for column in records.lists.values():
        rows = [row for row, cell in enumerate(column.cells) if cell is not None and cell.how in wrong]
        if rows:
            message = (
                f"{short(records.table.header_of(column.name))} is a list in a cell in {counted(len(rows), 'row')}"
            )
            yield records.table.finding("EV403", Level.ERROR, message, rows[0], column.name)


@rule(
    "EV404",
    "first-row-lacks",
    platforms=("ragas", "evalscope"),
    advice=True,
    example='{"user_input": "Where?"} before a row with a reference',
    remedy="put a row that has it first",
    on=Records,
)
def first_row_lacks(records: Records) -> Iterator[Finding]:
    """The first row has no value where others have one. Ragas looks at the first row only to see which columns there are, and
    refuses every metric that needs this one."""
    for column in _columns(records, _NEEDED[1:]):
        nothing = [kind in ("absent", "null") for kind in _kinds(records.table, column)]
        if nothing and nothing[0] and not all(nothing):
            message = (
                f"{short(records.table.header_of(column))} is missing in the first row, so Ragas takes it for absent"
            )
            yield records.table.finding("EV404", Level.ERROR, message, 0, column)


@rule(
    "EV405",
    "absent-becomes-empty",
    platforms=("evalscope",),
    advice=True,
    example="reference in 30 of 130 records of a JSON list",
    remedy="write null there",
    on=Records,
)
def absent_becomes_empty(records: Records) -> Iterator[Finding]:
    """Some records of a JSON list lack a key that others have. EvalScope puts an empty text there (an empty list for contexts,
    also for null), which judges then score."""
    table, contexts = records.table, records.column_for("context")
    for column in _columns(records, _NEEDED) if table.container == "json" else ():
        lacking = [
            row for row, kind in enumerate(_kinds(table, column)) if kind in ("absent", column == contexts and "null")
        ]
        if lacking:
            message = f"{short(table.header_of(column))} is absent in {counted(len(lacking), 'row')}; EvalScope puts an empty one there"
            yield table.finding("EV405", Level.ERROR, message, lacking[0], column)


@rule(
    "EV406",
    "blank-line",
    fix="safe",
    platforms=("ragas", "evalscope"),
    advice=True,
    remedy="remove the line",
    on=Records,
)
def blank_lines(records: Records) -> Iterator[Finding]:
    """A line of a JSON lines file is blank. Ragas stops at it; ragtui and others pass over it."""
    if records.table.container != "jsonl" or records.format.id != "ragas":
        return
    lines = records.table.read_bytes().split(b"\n")
    blank = [line for line, raw in enumerate(lines[:-1], 1) if not raw.strip()]
    if lines[-1] and not lines[-1].strip():
        blank.append(len(lines))
    if blank:
        message = f"{len(blank):,} blank lines" if len(blank) > 1 else "blank line"
        fix = _without_lines(lines, blank) if records.table.encoding == "utf-8" else ()
        yield Finding("EV406", Level.ERROR, message, line=blank[0], fix=fix)


def _without_lines(lines: list[bytes], blank: list[int]) -> tuple[Edit, ...]:
    """The fix that removes lines, which are counted from 1."""
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    return tuple(Edit(starts[line - 1], min(starts[line], starts[-1] - 1), "") for line in blank)


@rule(
    "EV407",
    "not-for-evalscope",
    platforms=("evalscope",),
    advice=True,
    example="rows.csv",
    remedy="write a JSON list, or JSON lines called .jsonl with today's names",
    on=Records,
)
def not_for_evalscope(records: Records) -> Iterator[Finding]:
    """EvalScope's RAG evaluation reads a JSON list, in which older names and a text for a list are taken too, or a file called
    .jsonl, exactly as Ragas reads it. Everything else fails there or is read as rows of nothing."""
    table = records.table
    lines = table.path.suffix == ".jsonl"
    if table.container not in ("json", "jsonl"):
        yield Finding("EV407", Level.ERROR, f"EvalScope reads JSON; this is {table.container.upper()}")
    elif table.container == "jsonl" and not lines:
        yield Finding("EV407", Level.ERROR, f"EvalScope takes {table.path.suffix or 'no ending'} for one JSON document")
    elif lines and records.older:
        yield Finding("EV407", Level.ERROR, "EvalScope reads older names in a JSON list only, not in JSON lines")
    elif lines and any(cell.how == "plain" for each in records.lists.values() for cell in each.cells if cell):
        yield Finding("EV407", Level.ERROR, "EvalScope takes a text for a list in a JSON list only, not in JSON lines")


@rule(
    "EV408", "workbook", platforms=("deepeval",), advice=True, example="goldens.xlsx", remedy="save as CSV", on=Records
)
def workbook(records: Records) -> Iterator[Finding]:
    """DeepEval reads CSV, JSON and JSON lines, no workbooks."""
    if records.table.container == "xlsx":
        yield Finding("EV408", Level.ERROR, "DeepEval reads no workbooks", sheet=records.table.sheet)


@rule(
    "EV409",
    "not-a-list",
    platforms=("deepeval", "evalscope"),
    advice=True,
    example='{"goldens": […]}',
    remedy="write the list alone",
    on=Records,
)
def not_a_list(records: Records) -> Iterator[Finding]:
    """A file called .json is not one list of records: they stand under a key, or one a line. DeepEval and EvalScope take the
    list only."""
    table, strict = records.table, records.format.id == "deepeval"
    if table.container == "json" and table.facts.get("records_at"):
        key = short(str(next(iter(table.facts["records_at"]))))  # type: ignore[call-overload]
        yield Finding("EV409", Level.ERROR, f'the records stand under "{key}"; a list alone is needed', line=1)
    elif table.container == "json" and strict and table.read_bytes().lstrip()[:1] != b"[":
        yield Finding("EV409", Level.ERROR, "the file is one record; a list is needed", line=1)
    elif table.container == "jsonl" and strict and table.path.suffix == ".json":
        yield Finding("EV409", Level.ERROR, "JSON lines called .json; DeepEval reads such a file as one list", line=1)


def _columns(records: Records, inputs: Iterable[str]) -> Iterator[str]:
    return (column for each in inputs if (column := records.column_for(each)) is not None)


def _text_columns(records: Records) -> Iterator[str]:
    """The columns of a CSV that hold texts."""
    return _columns(records, _TEXTS) if records.table.container == "csv" else iter(())


def _kinds(table: Table, column: str) -> list[str]:
    """What each cell was in the file; empty where all are texts."""
    return table.kinds[column].cast(str).to_list() if column in table.kinds else []
