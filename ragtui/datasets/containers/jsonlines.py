"""JSON lines: one object a line. Split at line feeds only, never at the other characters some readers take for line ends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from ragtui.datasets.containers import HEAD_BYTES, Head, Reading
from ragtui.datasets.containers.encoding import decode
from ragtui.datasets.containers.json_records import JsonPlaces, places_of, rows_of, table_of
from ragtui.datasets.containers.json_shape import Element, Shape, as_lines, elements, shape_of
from ragtui.datasets.findings import Edit, Finding, Report
from ragtui.datasets.rules import json as rules

if TYPE_CHECKING:
    from pathlib import Path

    from ragtui.datasets.formats import Source

SUFFIXES: Final = {".jsonl", ".ndjson", ".jsonlines"}
_BOM: Final = b"\xef\xbb\xbf"


class JsonLines:
    """The container of everything that is called JSON lines, and of other files written so."""

    id = "jsonl"

    def claims(self, source: Source, head: Head) -> int:
        if head.text is None:
            return 0
        if source.path.suffix.lower() in SUFFIXES:
            return 95
        lines = [line for line in head.text.split("\n", 3)[:2] if line.strip()]
        several = len(lines) > 1 and all(line.startswith("{") and line.rstrip().endswith("}") for line in lines)
        return 90 if several else 0

    def read(self, source: Source) -> Reading:
        report = Report(source.file)
        report.watch = source.watch
        data, start, exact, encoding = utf8_of(source.path, report)
        shape = shape_of(data[start : start + HEAD_BYTES])
        found = _elements(data, start, shape, report, exact)
        rows = rows_of(found, report, exact)
        places = JsonPlaces(
            source.path, tuple(dict.fromkeys(key for row in rows for key in row.values)), places_of(rows),
            exact, shape is Shape.LINES,
        )  # fmt: skip
        table = table_of(
            rows, source.path, source.file, self.id, encoding=encoding, places=places, plain=_is_plain(data),
            lines=data.count(b"\n") + bool(data and not data.endswith(b"\n")),
        )  # fmt: skip
        return Reading(table, report)


CONTAINER: Final = JsonLines()


def utf8_of(path: Path, report: Report) -> tuple[bytes, int, bool, str]:
    """A file's text as UTF-8, the byte it begins at, whether these are the file's own bytes, and its encoding."""
    data = path.read_bytes()
    decoded = decode(data)
    marked = data.startswith(_BOM)
    if marked:
        report.add(rules.byte_order_mark((Edit(0, len(_BOM), ""),)))
    report.extend(each for each in decoded.findings if not (isinstance(each, Finding) and each.code == "TEXT001"))
    own = decoded.encoding == "utf-8" and not any(
        isinstance(each, Finding) and each.code == "TEXT004" for each in decoded.findings
    )
    if own:
        return data, len(_BOM) if marked else 0, True, decoded.encoding
    return decoded.text.encode("utf-8", "replace"), 0, False, decoded.encoding


def _elements(data: bytes, start: int, shape: Shape, report: Report, exact: bool) -> Iterator[Element] | list[Element]:
    if shape is Shape.LINES:
        return _lines(data, start)
    found = elements(data, shape, start)
    fix = as_lines(data, start, found.found) if exact and found.fault is None else ()
    line = data[: len(data) - len(data[start:].lstrip(b" \t\r\n"))].count(b"\n") + 1
    if shape is Shape.ARRAY:
        aside = f"; it breaks off at line {found.fault.line}: {found.fault.message}" if found.fault else ""
        report.add(rules.array(line, len(found.found), "records", aside, fix))
    else:
        if found.found:
            report.add(rules.spread(line, len(found.found), data.rstrip(b" \t\r\n").count(b"\n") + 1, fix))
        report.extend([found.fault] if found.fault else [])
    return [Element(each.raw + b"\n", each.byte, each.line, each.before) for each in found.found]


def _lines(data: bytes, start: int) -> Iterator[Element]:
    byte = start
    number = 0
    while byte < len(data):
        end = data.find(b"\n", byte) + 1 or len(data)
        number += 1
        yield Element(data[byte:end], byte, number)
        byte = end


def _is_plain(data: bytes) -> bool:
    """Whether nothing but printable ASCII is in the texts: no letter beyond it, no escape that could stand for one."""
    return data.isascii() and b"\\u" not in data and b"\\b" not in data and b"\\f" not in data
