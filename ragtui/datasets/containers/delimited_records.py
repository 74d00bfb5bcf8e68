"""The exact way through a delimited file: the standard library's reader, record by record, going on after every fault."""

from __future__ import annotations

import csv
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum, auto
from functools import cache
from typing import Final

_AGAIN: Final = 20  # a file is never read more often than this, however many quotes are left open in it

csv.field_size_limit(min(sys.maxsize, 2**31 - 1))


class Fault(Enum):
    RAGGED = auto()
    TEXT_AFTER_QUOTE = auto()
    OPEN_QUOTE = auto()
    STRAY_RETURN = auto()
    BARE_QUOTE = auto()  # the record is read nevertheless
    BLANK = auto()  # no record at all


@dataclass(frozen=True, slots=True)
class Record:
    """One record: the physical ``line`` it starts at and its number. ``fields`` is ``None`` where it cannot be read.

    Of a fault, ``at`` is ``(line, 1-based column, 0-based field)`` and ``until`` the last line it would swallow.
    """

    line: int
    row: int
    fields: list[str] | None
    fault: Fault | None = None
    at: tuple[int, int, int] = (0, 0, 0)
    until: int = 0


class _Lines:
    """Physical lines one by one, some of which can be put back; ``current`` are those of the record being read."""

    def __init__(self, lines: Iterable[str], number: int) -> None:
        self._lines = iter(lines)
        self._again: list[str] = []
        self.number = number
        self.current: list[str] = []

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._again.pop() if self._again else next(self._lines)
        self.number += 1
        self.current.append(line)
        return line

    def put_back(self, lines: list[str]) -> None:
        self._again.extend(reversed(lines))
        self.number -= len(lines)


def records(lines: Iterable[str], skipped_lines: int, delimiter: str, columns: int) -> Iterator[Record]:
    """Every record after the header. ``lines`` are physical lines with their ends, of which ``skipped_lines`` came before."""
    source = _Lines(lines, skipped_lines)
    reader = csv.reader(source, delimiter=delimiter, strict=True)
    row, resyncing, budget = 0, False, 0
    while True:
        source.current = []
        fault = None
        try:
            fields: list[str] | None = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            fields, fault = None, str(error)
        start = source.number - len(source.current) + 1
        budget += len(source.current)
        if fields == []:
            yield Record(start, row, None, Fault.BLANK)
            continue
        if resyncing and (fields is None or len(fields) != columns) and columns > 1:
            source.put_back(source.current[1:] if budget < _AGAIN * source.number + 1000 else [])
            continue
        resyncing = False
        row += 1
        if fields is not None:
            yield _checked(source.current, start, row, fields, delimiter, columns)
            continue
        record = _broken(fault or "", source.current, start, row, delimiter, columns)
        if record.fault is Fault.OPEN_QUOTE:
            resyncing = True
            source.put_back(source.current[1:] if budget < _AGAIN * source.number + 1000 else [])
        yield record


def _checked(raw: list[str], start: int, row: int, fields: list[str], delimiter: str, columns: int) -> Record:
    if len(fields) != columns:
        return Record(start, row, fields, Fault.RAGGED)
    if any('"' in field for field in fields):
        text = "".join(raw)
        for place, (begin, end) in enumerate(field_spans(text, delimiter)):
            if '"' in text[begin:end] and text[begin] != '"':
                return Record(start, row, fields, Fault.BARE_QUOTE, _at(text, start, begin, place))
    return Record(start, row, fields)


def _broken(message: str, raw: list[str], start: int, row: int, delimiter: str, columns: int) -> Record:
    """What is wrong with lines the reader gave up on."""
    text = "".join(raw)
    until = start + len(raw) - 1
    spans = field_spans(text, delimiter)
    if "new-line character" in message:
        return Record(start, row, None, Fault.STRAY_RETURN)
    opened = next((place for place, (begin, end) in enumerate(spans) if _unsound(text[begin:end])), len(spans) - 1)
    at = _at(text, start, spans[opened][0], opened)
    ends_early = "unexpected end" in message
    if ends_early or (len(raw) > 1 and _is_record(raw[-1], delimiter, columns)):
        return Record(start, row, None, Fault.OPEN_QUOTE, at, until)
    closing = _QUOTED.match(text, spans[opened][0])
    if closing:
        at = _at(text, start, closing.end(), opened)
    return Record(start, row, None, Fault.TEXT_AFTER_QUOTE, at, until)


def _is_record(line: str, delimiter: str, columns: int) -> bool:
    try:
        return len(next(csv.reader([line], delimiter=delimiter, strict=True), [])) == columns
    except csv.Error:
        return False


def _at(text: str, start: int, offset: int, field: int) -> tuple[int, int, int]:
    """``(line, column, field)`` of an offset in a record that begins at line ``start``."""
    end = "\n" if "\n" in text else "\r"
    return start + text.count(end, 0, offset), offset - (text.rfind(end, 0, offset) + 1) + 1, field


_QUOTED: Final = re.compile('"[^"]*(?:""[^"]*)*"')


@cache
def _field_pattern(delimiter: str) -> re.Pattern[str]:
    mark = re.escape(delimiter)
    return re.compile(rf'(?:"[^"]*(?:""[^"]*)*"(?=[{mark}\r\n]|\Z)|[^{mark}\r\n]*)(?P<end>[{mark}]|\r\n|\n|\r|\Z)')


def field_spans(text: str, delimiter: str) -> list[tuple[int, int]]:
    """Where the fields of the first record of ``text`` lie, quotes included."""
    pattern = _field_pattern(delimiter)
    spans, at = [], 0
    while match := pattern.match(text, at):
        spans.append((match.start(), match.start("end")))
        at = match.end()
        if match["end"] != delimiter:
            break
    return spans


def _unsound(field: str) -> bool:
    return field.startswith('"') and _QUOTED.fullmatch(field) is None
