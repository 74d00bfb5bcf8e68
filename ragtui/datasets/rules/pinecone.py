"""Rules about data for Pinecone Assistant's evaluation (codes PC…)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ragtui.datasets.containers.table import short
from ragtui.datasets.findings import Finding, Level, More, counted
from ragtui.datasets.formats.pinecone import REQUIRED, PineconeTable, is_extra
from ragtui.datasets.near_names import plain_name
from ragtui.datasets.rules import rule


@rule(
    "PC101", "field-missing", example='{"question": …, "answer": …}', remedy="add ground_truth_answer", on=PineconeTable
)
def missing_field(pinecone: PineconeTable) -> Iterator[Finding]:
    """The endpoint needs question, answer and ground_truth_answer, all three, in every request."""
    table = pinecone.table
    for wanted in REQUIRED:
        name = pinecone.columns.get(wanted)
        if name is None and wanted not in table.repeated():
            found = ", ".join(short(header, 30) for header in table.headers[:8])
            yield table.header_finding("PC101", Level.ERROR, f"{wanted} is missing; columns are: {found}")
        elif (
            name is not None
            and name in table.kinds
            and (count := int((missing := table.kinds[name] == "absent").sum()))
        ):
            message = f"{wanted} is missing in {count:,} of {counted(table.height, 'row')}"
            yield table.finding("PC101", Level.ERROR, message, missing.arg_max() or 0, name)


@rule("PC102", "field-empty", Level.WARNING, platforms=("pinecone",), on=PineconeTable)
def empty_field(pinecone: PineconeTable) -> Iterator[Finding | More]:
    """A required text is empty (or null). Without a ground truth there are no facts; without an answer nothing to compare."""
    table = pinecone.table
    for wanted in REQUIRED:
        if name := pinecone.columns.get(wanted):
            level = Level.ERROR if wanted == "question" else Level.WARNING
            hits = table.rows_where(table.empty(name), name)
            yield from table.findings("PC102", level, name, hits, _says(f"{wanted} is empty"))
            if name in table.kinds:
                nulls = ((row, None) for row in (table.kinds[name] == "null").arg_true().to_list())
                yield from table.findings("PC102", level, name, nulls, _says(f"{wanted} is null"))


@rule(
    "PC103", "field-not-text", fix="safe", example='{"answer": 42}', remedy="put the value in quotes", on=PineconeTable
)
def not_text(pinecone: PineconeTable) -> Iterator[Finding | More]:
    """A required field is a number, a boolean, a list or an object; the endpoint takes strings only."""
    table = pinecone.table
    for wanted in REQUIRED:
        name = pinecone.columns.get(wanted)
        if name is None or name not in table.kinds:
            continue
        kinds = table.kinds[name].cast(str)
        says = f"{wanted} is a {{}}, not a text".format
        for odd, quote in ((["number", "boolean"], True), (["list", "object"], False)):
            rows = ((row, kinds[row]) for row in kinds.is_in(odd).arg_true().to_list())
            yield from table.findings("PC103", Level.ERROR, name, rows, says, quote=quote)


@rule(
    "PC104",
    "misnamed-field",
    Level.WARNING,
    fix="either",
    platforms=("pinecone",),
    example="groundTruth",
    on=PineconeTable,
)
def misnamed_field(pinecone: PineconeTable) -> Iterator[Finding]:
    """A field has nearly the right name (groundTruth is the Node SDK's). The endpoint takes the exact names only; ragtui
    reads it as what was meant."""
    for wanted, name in pinecone.columns.items():
        header = pinecone.table.header_of(name)
        if header != wanted:
            message = f'"{short(header)}" is read as {wanted}'
            fix = pinecone.table.renaming_fix(name, wanted, plain_name(header) == plain_name(wanted))
            yield pinecone.table.header_finding("PC104", Level.WARNING, message, name, fix)


@rule("PC105", "extra-fields", Level.INFO, example='{"question": …, "topic": …}', on=PineconeTable)
def extra_fields(pinecone: PineconeTable) -> Iterator[Finding]:
    """The request takes exactly three fields; others must be left out of it. ragtui keeps them as columns."""
    table = pinecone.table
    known = {*pinecone.columns.values(), *table.repeated()}
    pairs = zip(table.headers, table.names, strict=True)
    extra = [header for header, name in pairs if not {header, name} & known and is_extra(header)]
    if extra:
        shown = ", ".join(short(header, 30) for header in extra[:6])
        yield table.header_finding("PC105", Level.INFO, f"not part of the request: {shown}")


def _says(message: str) -> Callable[[object], str]:
    """The same message for every row."""
    return lambda _: message
