"""Rules about JSON itself (codes JSON…): found by the readers of JSON lines and JSON documents."""

from __future__ import annotations

from ragtui.datasets.findings import Edit, Finding, Level
from ragtui.datasets.rules import rule


@rule("JSON001", "invalid-json", example='{"query": "Where?" "response": "Here"}', remedy="repair the line by hand")
def invalid(line: int, column: int, what: str) -> Finding:
    """The text is not JSON, so nothing of this record can be read. The column is where reading stopped; the fault is there
    or shortly before."""
    return Finding("JSON001", Level.ERROR, f"invalid JSON: {what}", line=line, column=column)


@rule("JSON002", "not-an-object", example='["a", "b"]', remedy='write each record as {"key": value, …}')
def not_an_object(line: int, column: int, kind: str) -> Finding:
    """A record is an object with named fields. A list, a text or a number has no names, so no tool can tell what it is."""
    return Finding("JSON002", Level.ERROR, f"the record is {kind}; an object is needed", line=line, column=column)


@rule(
    "JSON003",
    "json-array",
    fix="safe",
    example='[{"_id": "1"}, {"_id": "2"}]',
    remedy="write one object a line, without [ ] and commas",
)
def array(line: int, records: int, noun: str, fault: str = "", fix: tuple[Edit, ...] = ()) -> Finding:
    """JSON lines hold one object a line. Loaders that read line by line fail on an array, or take all of it for one bad
    record. ragtui reads the records of the array all the same."""
    message = f"the file is a JSON array ({records:,} {noun} found); one object a line is needed{fault}"
    return Finding("JSON003", Level.ERROR, message, line=line, fix=fix)


@rule(
    "JSON004",
    "repeated-key",
    Level.WARNING,
    platforms=("mteb",),
    example='{"context": "old", "context": "new"}',
    remedy="keep one of the two",
)
def repeated_key(line: int, column: int, key: str, values: list[str]) -> Finding:
    """A key stands twice in one object. Python's json and most loaders keep the last value, some keep the first, a few
    refuse the file; whoever edits the other one sees no effect. ragtui uses the last."""
    told = " and ".join(f'"{value}"' for value in values)
    message = f'the key "{key}" stands {len(values)} times: {told}; the last is used'
    return Finding("JSON004", Level.WARNING, message, line=line, column=column, field=key)


@rule("JSON005", "not-a-json-number", fix="safe", example='{"score": NaN}', remedy="write null where there is no value")
def constant(
    line: int, column: int, token: str, field: str | None, level: Level = Level.ERROR, fix: tuple[Edit, ...] = ()
) -> Finding:
    """NaN and Infinity are no JSON: some parsers stop at them, others let one such value poison every mean. The value
    counts as missing. In result files, where tools write it for a failed score, this is a warning."""
    return Finding(
        "JSON005", level, f"{token} is not JSON; it is read as no value", line=line, column=column, field=field, fix=fix
    )


@rule(
    "JSON006",
    "lone-surrogate",
    fix="unsafe",
    example='"\\ud83d"',
    remedy="write the whole character, or U+FFFD for a lost one",
)
def lone_surrogate(line: int, column: int, field: str | None, fix: tuple[Edit, ...] = ()) -> Finding:
    """Half of an escaped character, usually from text that was cut in the middle of an emoji. It cannot be written as
    UTF-8: some loaders make the whole text empty, some crash. ragtui shows U+FFFD in its place, and so does the fix, which is
    unsafe because what the whole character was may still be known where the text came from."""
    message = "half of an escaped character (a lone surrogate); the text cannot be stored as it is"
    return Finding("JSON006", Level.ERROR, message, line=line, column=column, field=field, fix=fix)


@rule(
    "JSON007", "several-objects", fix="safe", example='{"_id": "1"}{"_id": "2"}', remedy="begin a new line between them"
)
def several_objects(line: int, column: int, count: int, fix: tuple[Edit, ...]) -> Finding:
    """Two records stand on one line, usually where two files were joined without a line break. Loaders stop there; ragtui
    reads both."""
    return Finding(
        "JSON007", Level.ERROR, f"{count} objects on one line; one is needed", line=line, column=column, fix=fix
    )


@rule("JSON008", "cut-off", example='{"query": "Where is the', remedy="fetch or write the file again")
def cut_off(line: int, column: int, what: str) -> Finding:
    """The file ends in the middle of a record, as after a broken download or a crashed writer. Records before it are
    read; how many are missing after it nobody can tell."""
    message = f"the record is cut off at the end of the file ({what})"
    return Finding("JSON008", Level.ERROR, message, line=line, column=column)


@rule(
    "JSON009",
    "number-out-of-range",
    Level.WARNING,
    fix="unsafe",
    example='{"id": 123456789012345678901}',
    remedy='put an id in quotes: "123456789012345678901"',
    platforms=("azure",),
)
def out_of_range(line: int, column: int, token: str, field: str | None, fix: tuple[Edit, ...] = ()) -> Finding:
    """The number does not fit into 64 bits. Many readers round it, and Azure's refuses the whole file. An id belongs in
    quotes, where the fix puts it; it is unsafe because what is meant as a number becomes a text. ragtui keeps its digits as
    text."""
    shown = token if len(token) <= 24 else f"{token[:20]}… ({len(token)} characters)"
    message = f"the number {shown} does not fit into 64 bits"
    return Finding("JSON009", Level.WARNING, message, line=line, column=column, field=field, fix=fix)


@rule("JSON010", "spread-objects", fix="safe", example='{\n  "_id": "1"\n}', remedy="write each object on one line")
def spread(line: int, records: int, last: int, fix: tuple[Edit, ...] = ()) -> Finding:
    """Objects are written over several lines, as a pretty-printer does. Loaders that read line by line fail at the first
    line. ragtui reads the records all the same."""
    what = f"{records:,} JSON objects are" if records > 1 else "one JSON object is"
    message = f"{what} spread over lines {line:,} to {last:,}; JSON lines hold each record whole on a line of its own"
    return Finding("JSON010", Level.ERROR, message, line=line, fix=fix)


@rule("JSON011", "nested-too-deeply", example="[[[[[[[[…")
def too_deep(line: int, column: int) -> Finding:
    """Brackets are nested so deeply that no parser follows."""
    return Finding("JSON011", Level.ERROR, "nested too deeply to be read", line=line, column=column)


@rule(
    "JSON012", "no-records", example='{"version": 1}', remedy="a list of records, or an object holding one, is needed"
)
def no_records(line: int, what: str) -> Finding:
    """The document is valid JSON but holds no list of records that a dataset could be made of."""
    return Finding("JSON012", Level.ERROR, f"the document is {what}, not a list of records", line=line)


@rule(
    "JSON014",
    "several-documents",
    fix="safe",
    example='{"query": "a"}\n{"query": "b"}',
    remedy="write them as one list, or one object a line in a file named .jsonl",
)
def several_documents(line: int, column: int, records: int, fix: tuple[Edit, ...] = ()) -> Finding:
    """A JSON document is one value. In this one objects stand one after the other, as where several were appended to a
    file: JSON parsers stop after the first ("Extra data"). ragtui reads all of them."""
    message = f"{records:,} JSON objects one after the other; a .json file is one value: a list of them"
    return Finding("JSON014", Level.ERROR, message, line=line, column=column, fix=fix)


@rule(
    "JSON013",
    "json-byte-order-mark",
    Level.WARNING,
    fix="safe",
    platforms=("azure", "beir", "evalscope", "ragas", "deepeval"),
    remedy="remove the three bytes",
)
def byte_order_mark(fix: tuple[Edit, ...]) -> Finding:
    """A JSON file begins with a UTF-8 byte order mark, as some Windows editors write it. JSON has none: BEIR's, EvalScope's
    and Azure's loaders fail at the first line. It is skipped here."""
    return Finding(
        "JSON013",
        Level.WARNING,
        "UTF-8 byte order mark before the first record; JSON has none",
        line=1,
        column=1,
        fix=fix,
    )
