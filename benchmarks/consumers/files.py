"""Files of test cases as they should be and as they come: what the sets for each platform are made with."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

Row = dict[str, Any]
QUESTIONS: Final = (
    "How often does the ferry run?",
    "What does a single cost?",
    "May I bring my dog?",
    "And in a storm?",
)
ANSWERS: Final = (
    "Every hour.",
    "A single is 4.20, \u201ccash only\u201d.",
    "Yes,\non a lead.",
    "No boat leaves the harbour.",
)
TRUTHS: Final = ("Hourly, from eight to six.", "4.20", "Dogs on a lead are welcome.", "None above force eight.")
CONTEXTS: Final = (
    ("Boats run every hour from eight to six.", "The last boat leaves at six."),
    ("A single costs 4.20, a return 7.00.",),
    ("Dogs on a lead are welcome.", "They stay on deck; \u2028cats too."),
    ("Above force eight no boat leaves.",),
)


ASKS_NOTHING: Final = "the row asks nothing; it is judged all the same"


@dataclass(frozen=True)
class Fault:
    """A file of a platform's own format, and the rows that were meant."""

    name: str
    data: bytes
    file: str
    intended: Any
    stricter: str | None = None


def jsonl(rows: Sequence[Any]) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def pretty(rows: Sequence[Any]) -> bytes:
    return json.dumps(rows, ensure_ascii=False, indent=2).encode()


def table(rows: Sequence[Row], delimiter: str = ",", cell: Callable[[Any], Any] = lambda value: value) -> bytes:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    writer.writerow(rows[0])
    writer.writerows([[cell(value) for value in row.values()] for row in rows])
    return out.getvalue().encode()


def at(rows: Sequence[Row], place: int, **values: Any) -> list[Row]:
    """The rows with other values in one."""
    return [{**row, **values} if number == place else dict(row) for number, row in enumerate(rows)]


def less(rows: Sequence[Row], name: str, *places: int) -> list[Row]:
    """The rows without a key, all or some."""
    drop = places or tuple(range(len(rows)))
    return [{k: v for k, v in row.items() if k != name or number not in drop} for number, row in enumerate(rows)]


def renamed(rows: Sequence[Row], **names: str) -> list[Row]:
    return [{names.get(name, name): value for name, value in row.items()} for row in rows]


def bytes_of(name: str, file: str, data: bytes, rows: Sequence[Any]) -> Iterator[Fault]:
    """What can befall any text file on its way."""
    text = data.decode()
    yield Fault("sound", data, file, rows)
    yield Fault("CRLF", text.replace("\n", "\r\n").encode(), file, _crlf(rows) if name == "csv" else rows)
    yield Fault("no line feed at the end", data.rstrip(b"\n"), file, rows)
    yield Fault("byte order mark", b"\xef\xbb\xbf" + data, file, rows)
    yield Fault("UTF-16", text.encode("utf-16"), file, rows)
    yield Fault(
        "CP1252",
        text.replace("\u2028", " ").encode("cp1252"),
        file,
        json.loads(json.dumps(rows).replace("\\u2028", " ")),
    )
    yield Fault("empty", b"", file, rows)
    if name != "json":
        yield Fault("a blank line", _spliced(text, 1, "\n").encode(), file, rows)
        yield Fault("a blank last line", data + b"\n", file, rows)


def _crlf(rows: Sequence[Row]) -> list[Row]:
    """In CSV the line feeds inside cells are replaced as well."""
    return json.loads(json.dumps(rows).replace("\\n", "\\r\\n"))  # type: ignore[no-any-return]


def _spliced(text: str, line: int, more: str) -> str:
    lines = text.splitlines(keepends=True) if "\u2028" not in text else [each + "\n" for each in text.split("\n")[:-1]]
    return "".join([*lines[:line], more, *lines[line:]])


def lines_of(rows: Sequence[Row], file: str = "rows.jsonl") -> Iterator[Fault]:
    """What can befall JSON lines."""
    lines = jsonl(rows).decode().split("\n")[:-1]
    yield Fault("a broken line", "\n".join([*lines[:1], lines[1][:-9], *lines[2:]]).encode(), file, rows)
    yield Fault("cut off", "\n".join(lines)[:-9].encode(), file, rows)
    yield Fault("a list in one line", ("[" + ", ".join(lines) + "]").encode(), file, rows)
    yield Fault("a pretty list", pretty(rows), file, rows)
    yield Fault("pretty objects", "\n".join(json.dumps(row, indent=1) for row in rows).encode(), file, rows)
    yield Fault("two objects on a line", ("".join(lines[:2]) + "\n" + "\n".join(lines[2:])).encode(), file, rows)
    yield Fault("a number on a line", "\n".join([*lines, "7", ""]).encode(), file, rows)
    twice = lines[1][:-1] + ', "' + next(iter(rows[0])) + '": ' + json.dumps(next(iter(rows[1].values()))) + "}"
    yield Fault("a key twice, the same", "\n".join([lines[0], twice, *lines[2:]]).encode(), file, rows)
    half = lines[1].replace("4.20", "\\ud83d", 1)
    yield Fault("half of a surrogate pair", "\n".join([lines[0], half, *lines[2:]]).encode(), file, rows)
