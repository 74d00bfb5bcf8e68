"""Objects as rows: the table that JSON lines and JSON documents become, and where their values lie in the file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from json import JSONDecodeError
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ragtui.datasets.containers.json_shape import Element
from ragtui.datasets.containers.json_text import (
    Member,
    Parsed,
    Passage,
    is_utf8,
    kind_of,
    parse,
    skip_space,
    syntax_fault,
    without_end,
)
from ragtui.datasets.containers.table import KINDS, LINE, ROW, Table, unique_names
from ragtui.datasets.findings import Edit, Report
from ragtui.datasets.rules import json as rules

if TYPE_CHECKING:
    import polars as pl

_KIND_OF_TYPE: Final = {
    str: "text", int: "number", float: "number", bool: "boolean", list: "list", dict: "object", type(None): "null",
}  # fmt: skip
_decode: Final = msgspec.json.Decoder().decode


_OFTEN: Final = 1 << 20  # bytes between two steps; half of the work is what comes after


@dataclass(frozen=True, slots=True)
class Row:
    """One record: its values by key, its first line, its number, where its bytes begin."""

    values: Mapping[str, Any]
    line: int
    number: int
    byte: int


def rows_of(elements: Iterable[Element], report: Report, exact: bool = True) -> list[Row]:
    """The objects among ``elements``, each a JSON text (blank ones are passed over); all faults are reported.

    ``exact`` says that the bytes are the file's own, so that fixes can be placed.
    """
    rows: list[Row] = []
    number, told = 0, 0
    for element in elements:
        raw = element.raw
        if element.byte - told > _OFTEN:
            report.step((element.byte - told) // 2)
            told = element.byte
        if not raw.strip():
            continue
        number += 1
        try:
            value = _decode(raw)
        except (msgspec.MsgspecError, RecursionError):
            value = None
        if type(value) is dict and not _is_doubtful(raw, value):
            rows.append(Row(value, element.line, number, element.byte))
            continue
        found = examine(element, report, exact)
        rows += [Row(each.value, element.line, number + place, element.byte) for place, each in enumerate(found)]
        number += max(len(found) - 1, 0)
    return rows


def examine(element: Element, report: Report, exact: bool = True) -> list[Parsed]:
    """The objects on one line (or in one element), taken apart; every fault is reported."""
    passage = Passage(
        without_end(element.raw).decode("utf-8", "replace"), element.line, element.byte, exact, element.before
    )
    found: list[Parsed] = []
    position = 0
    broken = False
    try:
        while position < len(passage.text):
            found.append(parse(passage, position))
            position = skip_space(passage.text, found[-1].end)
            if position < len(passage.text) and not (found[-1].is_object and passage.text[position] == "{"):
                raise JSONDecodeError("Extra data", passage.text, position)
    except JSONDecodeError as error:
        broken = True
        report.add(syntax_fault(passage, error, final=not element.raw.endswith(b"\n")))
    except RecursionError:
        report.add(rules.too_deep(passage.line, 1))
        return []
    if broken and len(found) < 2:
        return []
    if len(found) > 1:
        second = found[1].start
        report.add(rules.several_objects(*passage.at(second), len(found), passage.edits(second, second, "\n")))
    for each in found:
        report.extend(each.faults)
        if not each.is_object:
            report.add(rules.not_an_object(*passage.at(each.start), kind_of(each.value)))
    return [each for each in found if each.is_object]


def places_of(rows: Iterable[Row]) -> dict[int, int]:
    """The byte each record begins at, by its line; lines on which several begin are left out."""
    places: dict[int, int] = {}
    several: set[int] = set()
    for row in rows:
        if places.setdefault(row.line, row.byte) != row.byte:
            several.add(row.line)
    return {line: byte for line, byte in places.items() if line not in several}


def table_of(rows: list[Row], path: Path, file: str, container: str, **more: Any) -> Table:
    """The table of ``rows``; keys are columns in the order they first appear."""
    import polars as pl

    keys = list(dict.fromkeys(key for row in rows for key in row.values))
    names = unique_names(keys)
    columns = [
        pl.Series(LINE, [row.line for row in rows], dtype=pl.UInt32),
        pl.Series(ROW, [row.number for row in rows], dtype=pl.UInt32),
    ]
    kinds: dict[str, pl.Series] = {}
    for key, name in zip(keys, names, strict=True):
        column, kind = _column(name, [row.values.get(key, _ABSENT) for row in rows])
        columns.append(column)
        if kind is not None:
            kinds[name] = kind
    return Table(path, file, container, tuple(keys), names, pl.DataFrame(columns), kinds=kinds, **more)


_ABSENT: Final = object()


def _column(name: str, values: list[Any]) -> tuple[pl.Series, pl.Series | None]:
    """The values as a column and, unless all are texts, what each was."""
    import polars as pl

    types = {type(value) for value in values}
    if types <= {str}:
        return pl.Series(name, values, dtype=pl.String), None
    kind = pl.Series(
        name,
        [_KIND_OF_TYPE.get(type(value), "absent" if value is _ABSENT else "number") for value in values],
        dtype=pl.Enum(KINDS),
    )
    filled = [value for value in values if value is not None and value is not _ABSENT]
    if filled and all(type(value) is list and all(type(each) is str for each in value) for value in filled):
        lists = [value if type(value) is list else None for value in values]
        return pl.Series(name, lists, dtype=pl.List(pl.String)), kind
    return pl.Series(name, [_text(value) for value in values], dtype=pl.String), kind


def _text(value: Any) -> str | None:
    if value is None or value is _ABSENT:
        return None
    return value if type(value) is str else json.dumps(value, ensure_ascii=False)


def _is_doubtful(raw: bytes, record: dict[str, Any]) -> bool:
    """Whether there may be what decoding passes over in silence: a key twice, a number too large, bad bytes."""
    nested = False
    for key, value in record.items():
        if raw.count(b'"%b"' % key.encode()) > 1 or (type(value) is int and not -(1 << 63) <= value < 1 << 64):
            return True
        nested = nested or type(value) in (dict, list)
    return (nested and raw.count(b"{") > 1) or not (raw.isascii() or is_utf8(raw))


@dataclass(frozen=True)
class JsonPlaces:
    """Where values lie in a JSON file: ``bytes_of`` gives the byte at which the record on a line begins (``places_of``),
    ``one_line`` says that it ends there too, ``exact`` that these are the file's own bytes."""

    path: Path
    headers: tuple[str, ...]
    bytes_of: Mapping[int, int]
    exact: bool = True
    one_line: bool = True

    def column(self, line: int, position: int) -> int:
        found = self._member(line, position)
        if found is None:
            return 0
        passage, member = found
        at, column = passage.at(member.start)
        return column + self._before(line) if at == line else 0

    def edit(self, line: int, position: int, text: str, safe: bool = True) -> tuple[Edit, ...]:
        found = self._member(line, position)
        if found is None or not self.exact:
            return ()
        passage, member = found
        return passage.edits(member.start, member.end, json.dumps(text, ensure_ascii=False), safe)

    def rename(self, line: int, position: int, text: str, safe: bool = True) -> tuple[Edit, ...]:
        found = self._member(line, position)
        if found is None or not self.exact:
            return ()
        passage, member = found
        return passage.edits(member.key_start, member.key_end, json.dumps(text, ensure_ascii=False), safe)

    def _before(self, line: int) -> int:
        """How many characters stand before the record on its line."""
        byte = self.bytes_of[line]
        start = self._data.rfind(b"\n", 0, byte) + 1
        return len(self._data[start:byte].decode("utf-8-sig" if start == 0 else "utf-8", "replace"))

    def _member(self, line: int, position: int) -> tuple[Passage, Member] | None:
        byte = self.bytes_of.get(line)
        if byte is None or position >= len(self.headers):
            return None
        end = self._data.find(b"\n", byte) if self.one_line else self._next.get(byte, -1)
        text = self._data[byte : end if end >= 0 else None].decode("utf-8", "replace")
        passage = Passage(text, line, byte, self.exact)
        try:
            member = parse(passage).members.get(self.headers[position])
        except (JSONDecodeError, RecursionError):
            return None
        return None if member is None else (passage, member)

    @cached_property
    def _next(self) -> dict[int, int]:
        """Where the record after one begins, by where that begins: one is read without all that follows it."""
        begins = sorted(self.bytes_of.values())
        return dict(pairwise(begins))

    @cached_property
    def _data(self) -> bytes:
        return self.path.read_bytes()
