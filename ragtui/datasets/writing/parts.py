"""One file as one part of a BEIR set, record by record: a corpus of millions of documents in little memory."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from ragtui.datasets.containers import head_of, reading_of
from ragtui.datasets.containers.delimited_records import Fault, records
from ragtui.datasets.containers.dialect import sniff_dialect
from ragtui.datasets.containers.jsonlines import SUFFIXES
from ragtui.datasets.containers.table import LINE, ROW
from ragtui.datasets.discover import CannotOpen
from ragtui.datasets.formats import Source
from ragtui.datasets.near_names import nearest
from ragtui.datasets.retrieval_lines.records import KINDS, near_miss
from ragtui.datasets.writing.conversion import refuse_ending
from ragtui.datasets.writing.files import write_csv, write_lines

PARTS: Final = {
    "corpus": ("_id", "title", "text"),
    "queries": ("_id", "text"),
    "qrels": ("query-id", "corpus-id", "score"),
}


@dataclass
class Counted:
    """What became of the records."""

    written: int = 0
    unreadable: int = 0
    incomplete: int = 0
    unused: dict[str, None] = field(default_factory=dict)


def write_part(part: str, source: Path, target: Path, mapping: Mapping[str, str]) -> tuple[int, list[str]]:
    """Writes the records of ``source`` as ``corpus``, ``queries`` or ``qrels``; ``mapping`` names the column of a key. Returns
    how many were written and what is lost.

    Raises:
        CannotOpen: the file has no column for a key; the message names those there are. Or the target's ending stands for
            another kind of file.
        OSError: it cannot be read or written.
    """
    refuse_ending(target, f"a part {part}", (".jsonl", ".ndjson", *([".tsv"] if part == "qrels" else [])))
    counted = Counted()
    rows = _made(part, _rows(source, counted), mapping, counted, str(source))
    if part == "qrels" and target.suffix.lower() == ".tsv":
        write_csv(target, PARTS[part], (list(row.values()) for row in rows), "\t")
    else:
        write_lines(target, rows)
    lost = [f"not written: {', '.join(counted.unused)}"] if counted.unused else []
    if counted.unreadable:
        lost.append(f"{_records(counted.unreadable)} that cannot be read")
    if counted.incomplete:
        lost.append(f"{_records(counted.incomplete)} without {PARTS[part][0]} (or, of judgments, a score)")
    return counted.written, lost


def _made(
    part: str, rows: Iterator[dict[str, Any]], mapping: Mapping[str, str], counted: Counted, shown: str
) -> Iterator[dict[str, Any]]:
    keys: dict[str, str] = {}
    for row in rows:
        if not keys or not all(column in row for column in keys.values()):
            keys = _columns(part, list(row), mapping, shown)
        counted.unused.update((name, None) for name in row if name not in keys.values() and name not in counted.unused)
        made: dict[str, Any] = {key: _text(row.get(keys[key])) if key in keys else "" for key in PARTS[part]}
        if part == "qrels":
            made["score"] = _number(made["score"])
        if not made[PARTS[part][0]] or made.get("score", 0) is None:
            counted.incomplete += 1
            continue
        counted.written += 1
        yield made


def _columns(part: str, names: list[str], mapping: Mapping[str, str], shown: str) -> dict[str, str]:
    """The column for each key: the one named, that of the key's name, or one usually called so. A title may be missing."""
    kind = KINDS[part]
    found: dict[str, str] = {}
    for field_ in kind.fields:
        stated = mapping.get(field_.key)
        column = stated or (field_.key if field_.key in names else near_miss(field_, kind, names))
        if stated is not None and stated not in names:
            near = nearest(stated, names)
            hint = f"; nearest is {near!r}" if near else ""
            raise CannotOpen(f"{shown}: has no column {stated!r}{hint}; it has {', '.join(names[:12])}")
        if column is not None:
            found[field_.key] = column
        elif field_.key != "title":
            raise CannotOpen(
                f"{shown}: no column for {field_.key}; name it with --map {field_.key}=COLUMN ({', '.join(names[:12])})"
            )
    return found


def _records(n: int) -> str:
    return f"{n:,} record{'' if n == 1 else 's'}"


def _rows(path: Path, counted: Counted) -> Iterator[dict[str, Any]]:
    """The records of a file by column; delimited text and JSON lines in UTF-8 are read line by line, all else at once."""
    source = Source(path, str(path))
    head = head_of(source)
    if head.encoding == "utf-8" and head.text is not None:
        if path.suffix.lower() in SUFFIXES:
            yield from _json_lines(path, counted)
            return
        if path.suffix.lower() in (".tsv", ".csv", ".tab", ".txt"):
            yield from _delimited(path, head.text, counted)
            return
    reading = reading_of(source)
    if reading.table is None:
        raise CannotOpen(f"{path}: holds no records")
    yield from reading.table.frame.drop(LINE, ROW).iter_rows(named=True)


def _json_lines(path: Path, counted: Counted) -> Iterator[dict[str, Any]]:
    with path.open("rb") as stream:
        for number, raw in enumerate(stream):
            if not raw.strip():
                continue
            try:
                value = json.loads(raw.decode("utf-8-sig" if number == 0 else "utf-8"), parse_int=str, parse_float=str)
            except (ValueError, RecursionError):
                counted.unreadable += 1
                continue
            if isinstance(value, dict):
                yield value
            else:
                counted.unreadable += 1


def _delimited(path: Path, head: str, counted: Counted) -> Iterator[dict[str, Any]]:
    dialect = sniff_dialect(head)
    newline = "\n" if "\n" in head else "\r"
    with path.open(encoding="utf-8-sig", errors="replace", newline=newline) as lines:
        names: list[str] = []
        for record in records(lines, 0, dialect.delimiter, _width(head, dialect.delimiter, dialect.skipped)):
            if record.fault is Fault.BLANK or record.line <= dialect.skipped:
                continue
            if record.fields is None or record.fault is Fault.RAGGED:
                counted.unreadable += 1
            elif not names:
                names = [name.strip() for name in record.fields]
            else:
                yield dict(zip(names, record.fields, strict=False))


def _width(head: str, delimiter: str, skipped: int) -> int:
    from ragtui.datasets.containers.delimited_records import field_spans
    from ragtui.datasets.containers.dialect import lines_of

    return len(field_spans("".join(list(lines_of(head))[skipped:]), delimiter))


def _text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _number(text: str) -> int | float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    if number != number or number in (float("inf"), float("-inf")):
        return None
    return int(number) if number.is_integer() else number
