"""JSON documents: a list of objects, or an object that holds one, or a single record."""

from __future__ import annotations

from dataclasses import replace
from json import JSONDecodeError
from typing import TYPE_CHECKING, Any, Final

from ragtui.datasets.containers import Head, Reading
from ragtui.datasets.containers.json_records import JsonPlaces, places_of, rows_of, table_of
from ragtui.datasets.containers.json_shape import Element, Shape, as_list, elements
from ragtui.datasets.containers.json_text import Parsed, Passage, parse, skip_space, syntax_fault
from ragtui.datasets.containers.jsonlines import utf8_of
from ragtui.datasets.findings import Report
from ragtui.datasets.rules import json as rules

if TYPE_CHECKING:
    from ragtui.datasets.formats import Source

_SPACE: Final = b" \t\r\n"
_DEPTH: Final = 3


class JsonDocument:
    """The container of a file that is one JSON value."""

    id = "json"

    def claims(self, source: Source, head: Head) -> int:
        if head.text is None or head.text.lstrip("\ufeff \t\r\n")[:1] not in ("{", "["):
            return 0
        return 85 if source.path.suffix.lower() == ".json" else 40

    def read(self, source: Source) -> Reading:
        """The records of the document. The table's ``facts`` hold ``document``: all of it but the records' list, and
        ``records_at``: the path of keys that leads there."""
        report = Report(source.file)
        document: dict[str, Any] = {}
        path: tuple[str, ...] = ()
        data, start, exact, encoding = utf8_of(source.path, report)
        if data[start:].lstrip(_SPACE).startswith(b"["):
            found = elements(data, Shape.ARRAY, start)
            listed = found.found
            report.extend([found.fault] if found.fault else [])
        else:
            listed, document, path = _inside(data, start, exact, report)
        rows = rows_of([Element(each.raw + b"\n", each.byte, each.line, each.before) for each in listed], report, exact)
        if not rows:
            return Reading(None, report)
        keys = tuple(dict.fromkeys(key for row in rows for key in row.values))
        places = JsonPlaces(source.path, keys, places_of(rows), exact, one_line=False)
        table = table_of(
            rows, source.path, source.file, self.id, encoding=encoding, places=places, lines=data.count(b"\n") + 1
        )
        return Reading(replace(table, facts={"document": document, "records_at": path}), report)


CONTAINER: Final = JsonDocument()


def _inside(
    data: bytes, start: int, exact: bool, report: Report
) -> tuple[list[Element], dict[str, Any], tuple[str, ...]]:
    """The records of an object: its longest list of objects, else the object itself."""
    passage = Passage(data[start:].decode("utf-8", "replace"), 1, start, exact)
    try:
        parsed = parse(passage)
    except JSONDecodeError as error:
        report.add(syntax_fault(passage, error, final=True))
        return [], {}, ()
    except RecursionError:
        report.add(rules.too_deep(1, 1))
        return [], {}, ()
    rest = skip_space(passage.text, parsed.end)
    if parsed.is_object and rest < len(passage.text):
        return _several(data, start, exact, passage.at(rest), report), {}, ()
    best = max(_lists(parsed.value, ()), key=lambda found: len(found[1]), default=None)
    if best is None or not best[1]:
        line, _ = passage.at(parsed.start)
        whole = passage.text[parsed.start : parsed.end].encode()
        _, column = passage.at(parsed.start)
        return [Element(whole, start + len(passage.text[: parsed.start].encode()), line, column - 1)], {}, ()
    path, records = best
    document = {key: value for key, value in parsed.value.items() if key != path[0]}
    begin, end = _span(passage, parsed, path)
    first, last = passage.at(begin), passage.at(end)
    report.extend(
        each for each in parsed.faults if not first <= (each.line, each.column) < last
    )  # the records tell theirs
    return _placed(passage, begin, len(records)), document, path


def _several(data: bytes, start: int, exact: bool, place: tuple[int, int], report: Report) -> list[Element]:
    """Objects that stand one after the other, the second at ``place``."""
    found = elements(data, Shape.SPREAD, start)
    if len(found.found) > 1:
        fix = as_list(data, found.found) if exact and found.fault is None else ()
        report.add(rules.several_documents(*place, len(found.found), fix))
    report.extend([found.fault] if found.fault else [])
    return found.found


def _lists(value: Any, path: tuple[str, ...]) -> list[tuple[tuple[str, ...], list[Any]]]:
    """Every list of objects in an object of objects, with the keys that lead there."""
    found: list[tuple[tuple[str, ...], list[Any]]] = []
    if isinstance(value, dict) and len(path) < _DEPTH:
        for key, inner in value.items():
            if isinstance(inner, list) and inner and all(isinstance(each, dict) for each in inner):
                found.append(((*path, key), inner))
            else:
                found += _lists(inner, (*path, key))
    return found


def _span(passage: Passage, parsed: Parsed, path: tuple[str, ...]) -> tuple[int, int]:
    """Where the list at ``path`` begins and ends."""
    member = parsed.members[path[0]]
    for key in path[1:]:
        member = parse(passage, member.start).members[key]
    return member.start, member.end


def _placed(passage: Passage, begin: int, count: int) -> list[Element]:
    """The elements of the list that begins there, each with its place."""
    line, column = passage.at(begin)
    byte = passage.byte + len(passage.text[:begin].encode())
    rest = passage.text[begin:].encode()
    return [
        Element(each.raw, byte + each.byte, line + each.line - 1, each.before + (column - 1 if each.line == 1 else 0))
        for each in elements(rest, Shape.ARRAY).found[:count]
    ]
