"""Rules about data for Azure AI evaluation (codes AZ…)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from ragtui.datasets.containers.json_text import value_of
from ragtui.datasets.containers.table import LINE, Table, short
from ragtui.datasets.findings import Finding, Level, More, counted
from ragtui.datasets.formats.azure import TEXTS, AzureTable
from ragtui.datasets.pandas_cells import missing
from ragtui.datasets.rules import rule

_SPOKEN: Final = ("query", "response")  # may be lists of messages
_REFERABLE: Final = re.compile(r"[A-Za-z0-9_]+")
_TIMES: Final = re.compile(r"date|datetime|timestamp.*|modified|.*_at|.*_time", re.IGNORECASE)
_DATE_LIKE: Final = r"^\s*[0-9]{4}-[0-9]{2}-[0-9]{2}([T ].*)?\s*$"
_FIRST_YEAR: Final = 31_536_000  # seconds; smaller numbers are not taken for times where every row has one
_ROLES: Final = {"user", "assistant", "system", "tool", "developer"}


@rule("AZ101", "no-azure-column", Level.WARNING, remedy="rename columns, or map them: --mapping FILE", on=AzureTable)
def no_known_column(azure: AzureTable) -> Iterator[Finding]:
    """None of the columns has a name that an evaluator looks for: query, response, context, ground_truth, conversation.
    Without a column_mapping the evaluators find nothing, and Azure's run ends green with no score."""
    if not azure.columns and not azure.mapped:
        shown = ", ".join(short(header, 30) for header in azure.table.headers[:8])
        yield azure.table.header_finding(
            "AZ101", Level.WARNING, f"no column an evaluator knows by name; columns are: {shown}"
        )


@rule("AZ102", "query-empty", example='{"query": "", …}', remedy="write the query, or remove the row", on=AzureTable)
def empty_query(azure: AzureTable) -> Iterator[Finding | More]:
    """The row asks nothing. A judge is called all the same and gives a score."""
    if "query" in azure.columns:
        yield from _empty(azure.table, "AZ102", Level.ERROR, azure.columns["query"])


@rule("AZ103", "value-empty", Level.WARNING, example='{"ground_truth": "", …}', on=AzureTable)
def empty_value(azure: AzureTable) -> Iterator[Finding | More]:
    """Response, context or ground truth is empty. Azure judges the row as it is; here, metrics that need it are not
    applicable."""
    for wanted in TEXTS[1:]:
        if wanted in azure.columns:
            yield from _empty(azure.table, "AZ103", Level.WARNING, azure.columns[wanted])


@rule(
    "AZ104",
    "key-absent",
    Level.WARNING,
    platforms=("azure",),
    example="ground_truth in 30 of 130 rows",
    remedy="leave these rows to a file of their own",
    on=AzureTable,
)
def absent_key(azure: AzureTable) -> Iterator[Finding]:
    """Some rows lack a key that others have. Azure turns it into NaN, and a judge is called with the text "nan", whose
    score counts. Here, metrics that need it are not applicable in these rows."""
    table = azure.table
    for wanted in TEXTS:
        name = azure.columns.get(wanted)
        kinds = table.kinds.get(name) if name else None
        if name is None or kinds is None:
            continue
        missing = (kinds == "absent") if table.container != "csv" else table.frame[name].is_null()
        conversation = azure.columns.get("conversation")
        if conversation is not None:
            missing = missing & table.frame[conversation].is_null()
        if count := int(missing.sum()):
            level = Level.ERROR if wanted == "query" else Level.WARNING
            message = f"{short(table.header_of(name))} is missing in {count:,} of {counted(table.height, 'row')}"
            yield table.finding("AZ104", level, message, missing.arg_max() or 0, name)


@rule(
    "AZ105",
    "value-null",
    Level.WARNING,
    platforms=("azure",),
    example='{"ground_truth": null, …}',
    remedy="leave these rows to a file of their own",
    on=AzureTable,
)
def null_value(azure: AzureTable) -> Iterator[Finding | More]:
    """A value is null. Azure turns it into NaN or None, and judges are called with that word for a text."""
    table = azure.table
    for wanted in TEXTS:
        name = azure.columns.get(wanted)
        if name is not None and name in table.kinds:
            level = Level.ERROR if wanted == "query" else Level.WARNING
            rows = _of_kind(table, name, ["null"])
            header = short(table.header_of(name))
            yield from table.findings(
                "AZ105", level, name, ((row, header) for row in rows), lambda header: f"{header} is null"
            )


@rule(
    "AZ106",
    "value-not-text",
    fix="safe",
    example='{"response": 42, …}',
    remedy="put the value in quotes",
    on=AzureTable,
)
def not_text(azure: AzureTable) -> Iterator[Finding | More]:
    """A text is a number or a boolean. Azure's text metrics fail on the row ('int' object has no attribute 'lower'); an
    answer of digits must be in quotes. Query and response may be lists of messages, but no other list and no object."""
    table = azure.table
    for wanted in TEXTS:
        name = azure.columns.get(wanted)
        if name is not None and name in table.kinds:
            rows = _of_kind(table, name, ["number", "boolean"])
            cells = ((row, str(table.frame[name][row])) for row in rows)
            header = short(table.header_of(name))
            found = table.findings("AZ106", Level.ERROR, name, cells, f"{header} is {{}}, not a text".format)
            yield from (_quoted(table, name, each) for each in found)
            structures = ((row, kind) for kind in ("list", "object") for row in _of_kind(table, name, [kind]))
            odd = (
                (row, kind)
                for row, kind in structures
                if wanted in _SPOKEN and not _is_messages(table.frame[name][row])
            )
            yield from table.findings("AZ106", Level.ERROR, name, odd, f"{header} is {{}}, not a text".format)


@rule(
    "AZ107",
    "context-is-a-list",
    Level.INFO,
    example='{"context": ["a", "b"], …}',
    remedy='nothing to do for use here; for Azure\'s own judges join the chunks into one text: "a\\nb"',
    on=AzureTable,
)
def list_context(azure: AzureTable) -> Iterator[Finding]:
    """Contexts are lists. Here each text of a list is a chunk. Azure's judges are shown the list as Python prints it, with
    brackets and quotes, which may cost points but stops nothing."""
    name = azure.columns.get("context")
    if name is not None and name in azure.table.kinds and (rows := _of_kind(azure.table, name, ["list"])):
        shown = f"{short(azure.table.header_of(name))} is a list in {counted(len(rows), 'row')}"
        message = f"{shown}: chunks here; Azure's judges see brackets and quotes"
        yield azure.table.finding("AZ107", Level.INFO, message, rows[0], name)


@rule(
    "AZ108",
    "conversation-shape",
    example='{"conversation": "Hi"}',
    remedy='{"messages": [{"role", "content"}, …]}',
    on=AzureTable,
)
def conversation_shape(azure: AzureTable) -> Iterator[Finding | More]:
    """A conversation is an object with a list of messages (not that list itself), each with a role (user, assistant, …) and
    content, of which one at least is the assistant's."""
    import polars as pl

    name = azure.columns.get("conversation")
    if name is None:
        return
    frame = azure.table.frame
    nothing = frame.select(pl.all_horizontal(pl.col(list(azure.columns.values())).is_null())).to_series()
    faults = (
        (row, fault)
        for row, (cell, empty) in enumerate(zip(frame[name].to_list(), nothing.to_list(), strict=True))
        if (fault := "is null, and nothing else is in the row" if empty else _conversation_fault(cell))
    )
    yield from azure.table.findings("AZ108", Level.ERROR, name, faults, lambda fault: f"conversation {fault}")


@rule("AZ109", "conversation-and-query", Level.WARNING, remedy="leave one of the two out", on=AzureTable)
def conversation_and_query(azure: AzureTable) -> Iterator[Finding | More]:
    """A row has a conversation and a query or response as well. Azure's evaluators take one or the other and fail on both."""
    table = azure.table
    conversation = azure.columns.get("conversation")
    others = [azure.columns[wanted] for wanted in ("query", "response") if wanted in azure.columns]
    if conversation is None or not others:
        return
    import polars as pl

    both = table.frame.select(
        pl.col(conversation).is_not_null() & pl.any_horizontal(pl.col(others).is_not_null())
    ).to_series()
    rows = ((row, None) for row in both.arg_true().to_list())
    yield from table.findings(
        "AZ109", Level.WARNING, conversation, rows, lambda _: f"conversation and {' or '.join(others)} in one row"
    )


@rule(
    "AZ110",
    "time-like-column",
    Level.WARNING,
    platforms=("azure",),
    example="a column created_at of dates",
    on=AzureTable,
)
def time_like_columns(azure: AzureTable) -> Iterator[Finding]:
    """A column called date, datetime, timestamp, modified, *_at or *_time holds dates or seconds since 1970. Azure's loader
    turns it into timestamps and, with output_path set, loses the whole finished run: they cannot be written as JSON."""
    import polars as pl

    table = azure.table
    for name in table.names if table.container == "jsonl" else ():
        if not _TIMES.fullmatch(table.header_of(name)) or table.type_of(name) != pl.String:
            continue
        filled = table.frame[name].drop_nulls()
        numbers = filled.cast(pl.Float64, strict=False)
        late = filled.len() < table.height or bool((numbers > _FIRST_YEAR).all())
        if filled.len() and (filled.str.contains(_DATE_LIKE).all() or (late and not numbers.has_nulls())):
            message = (
                f"Azure's loader makes timestamps of column {short(table.header_of(name))} and cannot write them back"
            )
            yield table.finding("AZ110", Level.WARNING, message, 0, name)


@rule(
    "AZ111",
    "unreferable-column",
    Level.INFO,
    example="a column called expected answer",
    remedy="rename it",
    on=AzureTable,
)
def unreferable_columns(azure: AzureTable) -> Iterator[Finding]:
    """${data.NAME} takes ASCII letters, digits and underscores only: a column with spaces, hyphens or accents cannot be
    mapped in Azure's SDK. ragtui takes ${data["any name"]}."""
    table = azure.table
    odd = [header for header in table.headers if header and not _REFERABLE.fullmatch(header)]
    if odd:
        shown = ", ".join(f'"{short(header, 30)}"' for header in odd[:5])
        line = table.header_line or (int(table.frame[LINE][0]) if table.height else 0)
        yield Finding(
            "AZ111", Level.INFO, f"cannot be mapped in Azure's SDK: {shown}", line=line, field=odd[0], sheet=table.sheet
        )


@rule("AZ112", "retrieved-documents-shape", remedy='[{"document_id": "d1", "relevance_score": 0.7}]', on=AzureTable)
def document_lists(azure: AzureTable) -> Iterator[Finding | More]:
    """retrieved_documents is a list of {document_id, relevance_score}, retrieval_ground_truth one of {document_id,
    query_relevance_label} with whole-number labels; both hold at most 10,000, the second at least one. Ids compare by
    type: 1 is not "1"."""
    table = azure.table
    for wanted, number in (
        ("retrieved_documents", "relevance_score"),
        ("retrieval_ground_truth", "query_relevance_label"),
    ):
        name = azure.columns.get(wanted)
        if name is None:
            continue
        cells = table.frame[name].to_list()
        faults = ((row, fault) for row, cell in enumerate(cells) if (fault := _documents_fault(cell, number)))
        yield from table.findings("AZ112", Level.ERROR, name, faults, lambda fault, name=name: f"{name} {fault}")  # type: ignore[misc]


@rule(
    "AZ116",
    "label-beyond-scale",
    Level.WARNING,
    platforms=("azure",),
    example='"query_relevance_label": 7',
    remedy="grade from 0 to 4, or set ground_truth_label_max in the evaluator",
    on=AzureTable,
)
def label_beyond_scale(azure: AzureTable) -> Iterator[Finding | More]:
    """A label of retrieval_ground_truth is not from 0 to 4, the scale of Azure's document retrieval unless told otherwise. The
    evaluator fails on the row."""
    name = azure.columns.get("retrieval_ground_truth")
    if name is None:
        return
    cells = azure.table.frame[name].to_list()
    odd = ((row, label) for row, cell in enumerate(cells) if (label := _odd_label(_json(cell))) is not None)
    yield from azure.table.findings("AZ116", Level.WARNING, name, odd, "the label {} is not from 0 to 4".format)


@rule("AZ113", "misnamed-column", Level.WARNING, platforms=("azure",), example="Query, ground-truth", on=AzureTable)
def misnamed_columns(azure: AzureTable) -> Iterator[Finding]:
    """A column has nearly the name an evaluator looks for, in another case or misspelt. Azure compares names exactly and
    finds nothing; ragtui reads it as what was meant."""
    for wanted, name in azure.columns.items():
        header = azure.table.header_of(name)
        if header != wanted:
            yield azure.table.header_finding("AZ113", Level.WARNING, f'"{short(header)}" is read as {wanted}', name)


@rule(
    "AZ114",
    "read-as-missing",
    platforms=("azure",),
    advice=True,
    example="the answer NA in a CSV",
    remedy="write the data as JSON lines",
    on=AzureTable,
)
def read_as_missing(azure: AzureTable) -> Iterator[Finding | More]:
    """A cell of a CSV is empty or holds NA, None, null or the like. Azure's loader takes it for no value, and judges are called
    with the text "nan", whose score counts. Given with --for azure."""
    for wanted in TEXTS if azure.table.container == "csv" else ():
        if (name := azure.columns.get(wanted)) is not None:
            header = short(azure.table.header_of(name))
            hits = missing(azure.table, name)
            yield from azure.table.findings(
                "AZ114", Level.ERROR, name, hits, f"{header}: Azure reads {{}} as nan".format
            )


@rule(
    "AZ115",
    "not-called-csv",
    Level.INFO,
    platforms=("azure",),
    example="rows.txt",
    remedy="call it .csv",
    on=AzureTable,
)
def not_called_csv(azure: AzureTable) -> Iterator[Finding]:
    """Azure's loader goes by the name: what does not end in .csv is read as JSON lines, and fails."""
    if azure.table.container == "csv" and azure.table.path.suffix.lower() != ".csv":
        suffix = azure.table.path.suffix or "no ending"
        yield Finding("AZ115", Level.INFO, f"a CSV called {suffix}; Azure reads only .csv as one")


def _empty(table: Table, code: str, level: Level, name: str) -> Iterator[Finding | More]:
    hits = table.rows_where(table.empty(name), name)
    yield from table.findings(code, level, name, hits, lambda _: f"{short(table.header_of(name))} is empty")


def _of_kind(table: Table, name: str, kinds: list[str]) -> list[int]:
    wanted = table.kinds[name].cast(str).is_in(kinds)
    return list(wanted.arg_true())


def _is_messages(cell: Any) -> bool:
    value = _json(cell)
    return isinstance(value, list) and bool(value) and all(isinstance(each, dict) and "role" in each for each in value)


def _quoted(table: Table, name: str, finding: Finding | More) -> Finding | More:
    """The finding with the fix that puts the value in quotes."""
    from dataclasses import replace

    if isinstance(finding, More) or table.places is None or table.container not in ("json", "jsonl"):
        return finding
    cell = table.frame.filter(table.frame[LINE] == finding.line)[name][0]
    return replace(finding, fix=table.places.edit(finding.line, table.names.index(name), str(cell)))


def _conversation_fault(cell: Any) -> str | None:
    value = _json(cell)
    if value is None:
        return None
    if isinstance(value, list):
        return 'is a list; an object with "messages" is needed'
    messages = value.get("messages") if isinstance(value, dict) else None
    if not isinstance(messages, list):
        return 'has no list "messages"'
    if not messages:
        return "has no messages"
    for place, message in enumerate(messages, 1):
        if not isinstance(message, dict) or "role" not in message:
            return f"message {place} has no role"
        if not isinstance(message["role"], str) or message["role"] not in _ROLES:
            return f"message {place} has the unknown role {short(str(message['role']))!r}"
        if message.get("content") is None and not message.get("tool_calls"):
            return f"message {place} has no content"
    return None if any(message["role"] == "assistant" for message in messages) else "has no message of the assistant"


def _documents_fault(cell: Any, number: str) -> str | None:
    value = _json(cell)
    if value is None:
        return None
    if not isinstance(value, list):
        return "is no list"
    if number == "query_relevance_label" and not value:
        return "is empty"
    if len(value) > 10_000:
        return f"has {len(value):,} documents; Azure takes 10,000"
    for place, each in enumerate(value, 1):
        if not isinstance(each, dict) or "document_id" not in each or number not in each:
            return f"entry {place} lacks document_id or {number}"
        found = each[number]
        if isinstance(found, bool) or not isinstance(found, int if number == "query_relevance_label" else int | float):
            return (
                f"entry {place}: {number} is {json.dumps(found)}, not a {'whole ' if 'label' in number else ''}number"
            )
    return None


def _odd_label(value: Any) -> int | None:
    entries = value if isinstance(value, list) else []
    labels = [each.get("query_relevance_label") for each in entries if isinstance(each, dict)]
    return next((label for label in labels if isinstance(label, int) and not 0 <= label <= 4), None)


def _json(cell: Any) -> Any:
    if not isinstance(cell, str):
        return None if cell is None else list(cell)
    try:
        return value_of(cell)
    except (ValueError, RecursionError):
        return cell
