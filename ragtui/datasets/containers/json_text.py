"""One JSON text taken apart by hand: every member with its place, every fault with its line and column.

This is the slow way, for texts the fast parser refuses and for the few whose places are asked for.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from json.decoder import JSONDecodeError, scanstring  # type: ignore[attr-defined]
from typing import Any, Final

from ragtui.datasets.findings import Edit, Finding, Report
from ragtui.datasets.rules import json as rules

_SPACE: Final = re.compile(r"[ \t\n\r]*")
_SURROGATE: Final = re.compile(r"[\ud800-\udfff]")
_ESCAPED_SURROGATE: Final = re.compile(r"\\u[dD][89a-fA-F]")
_CONSTANT: Final = re.compile(r"NaN|-?Infinity")
_ESCAPE: Final = re.compile(  # pairs and other escapes, too, so that no half of them is taken for a lone one
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<lone>\\u[dD][89a-fA-F][0-9a-fA-F]{2})|\\.",
    re.DOTALL,
)
_NUMBER: Final = re.compile(r'"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?', re.DOTALL)
_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|-?Infinity|NaN', re.DOTALL)  # strings, too, so that none is looked into
_SHOWN: Final = 60

# A byte that is no UTF-8, which Python reads as U+DC00 plus the byte, as what Windows-1252 says.
_FROM_ESCAPED: Final = {0xDC00 + byte: bytes([byte]).decode("cp1252", "replace") for byte in range(0x80, 0x100)}


class Passage:
    """A piece of a file's text that knows its place: ``line`` and ``byte`` are where it begins.

    ``before`` are the characters that stand before it on its line. ``exact`` is false where the text is not, character by
    character, the file's UTF-8; then no fix can be placed.
    """

    def __init__(self, text: str, line: int = 1, byte: int = 0, exact: bool = True, before: int = 0) -> None:
        self.text = text
        self.line = line
        self.byte = byte
        self.exact = exact
        self.before = before

    def at(self, position: int) -> tuple[int, int]:
        """Line and 1-based column of a character."""
        breaks = bisect_left(self._breaks, position)
        return self.line + breaks, position - (self._breaks[breaks - 1] if breaks else -1 - self.before)

    def edits(self, start: int, end: int, text: str, safe: bool = True) -> tuple[Edit, ...]:
        """The fix that puts ``text`` in place of the characters from ``start`` to ``end``."""
        if not self.exact:
            return ()
        first = self._byte(start)
        return (Edit(first, first + len(self.text[start:end].encode()), text, safe),)

    @cached_property
    def _breaks(self) -> list[int]:
        if "\n" not in self.text:
            return []
        return [match.start() for match in re.finditer("\n", self.text)]

    @cached_property
    def _line_bytes(self) -> list[int]:
        sizes, start, total = [], 0, 0
        for end in self._breaks:
            total += len(self.text[start : end + 1].encode())
            sizes.append(total)
            start = end + 1
        return sizes

    def _byte(self, position: int) -> int:
        if self.text.isascii():
            return self.byte + position
        before = bisect_left(self._breaks, position)
        start, size = (self._breaks[before - 1] + 1, self._line_bytes[before - 1]) if before else (0, 0)
        return self.byte + size + len(self.text[start:position].encode())


@dataclass(frozen=True, slots=True)
class Member:
    """One ``"key": value`` of an object, with the positions of both in the passage."""

    key: str
    value: Any
    key_start: int
    key_end: int
    start: int
    end: int


@dataclass(slots=True)
class Parsed:
    """One JSON value: ``members`` if it is an object (of repeated keys the last), its place, and what is wrong with it."""

    value: Any
    start: int
    end: int
    members: dict[str, Member] = field(default_factory=dict)
    faults: list[Finding] = field(default_factory=list)

    @property
    def is_object(self) -> bool:
        return isinstance(self.value, dict)


def is_utf8(raw: bytes) -> bool:
    """Whether bytes are UTF-8."""
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def parse(passage: Passage, start: int = 0) -> Parsed:
    """The value that begins at ``start`` (spaces before it are skipped), with every fault but a broken syntax.

    Raises:
        JSONDecodeError: the syntax is broken; ``pos`` says where.
        RecursionError: it is nested too deeply.
    """
    text = passage.text
    start = skip_space(text, start)
    scanner = _Scanner(passage)
    if text[start : start + 1] != "{":
        value, end = scanner.value(start, None)
        return Parsed(value, start, end, {}, scanner.faults)
    members: dict[str, list[Member]] = {}
    end = start + 1
    for member, end in _members(scanner, text, start):  # noqa: B007
        members.setdefault(member.key, []).append(member)
    if not members:
        end = skip_space(text, start + 1) + 1
    for key, same in members.items():
        if len(same) > 1:
            line, column = passage.at(same[1].key_start)
            scanner.faults.append(rules.repeated_key(line, column, key, [shorten(each.value) for each in same]))
    last = {key: same[-1] for key, same in members.items()}
    return Parsed({key: member.value for key, member in last.items()}, start, end, last, scanner.faults)


def value_of(text: str, **hooks: Any) -> Any:
    """What ``json.loads`` reads from the text of a cell; half of an escaped character, which no frame can hold, becomes
    U+FFFD.

    Raises:
        JSONDecodeError: it is no JSON.
        RecursionError: it is nested too deeply.
    """
    value = json.loads(text, **hooks)
    return scrubbed(value) if _ESCAPED_SURROGATE.search(text) else value


def passage_of(raw: bytes, line: int, byte: int, report: Report, before: int = 0) -> Passage:
    """A line as text; bytes that are not UTF-8 become what Windows-1252 says, with a finding."""
    try:
        return Passage(raw.decode("utf-8"), line, byte, before=before)
    except UnicodeDecodeError as error:
        from ragtui.datasets.rules import text as text_rules  # only for the few that need it: processes start sooner

        column = before + len(raw[: error.start].decode("utf-8")) + 1
        meant = bytes([raw[error.start]]).decode("cp1252", "replace")
        fix = (Edit(byte + error.start, byte + error.start + 1, meant, False),)
        report.add(text_rules.not_utf8(line, column, raw[error.start], fix))
        return Passage(
            raw.decode("utf-8", "surrogateescape").translate(_FROM_ESCAPED), line, byte, exact=False, before=before
        )


def without_end(raw: bytes) -> bytes:
    """A line without its line feed and the carriage return before that."""
    return raw.removesuffix(b"\n").removesuffix(b"\r")


def syntax_fault(passage: Passage, error: JSONDecodeError, final: bool = False) -> Finding:
    """The finding for a broken syntax. ``final`` says that the file ends with this passage, without a line break."""
    text = passage.text
    what = _explained(text, error)
    ended = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")
    line, column = passage.at(error.pos)
    if final and ended:
        return rules.cut_off(line, column, what)
    return rules.invalid(line, column, what)


def skip_space(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position


def kind_of(value: object) -> str:
    """What a JSON value is, with its article, for messages."""
    if value is None:
        return "null"
    names = {bool: "a boolean", int: "a number", float: "a number", str: "a string", list: "a list", dict: "an object"}
    return names.get(type(value), "a number")


def shorten(value: object) -> str:
    """A value as shown in a message: short, one line."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    text = " ".join(text.split())
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


class _Scanner:
    """Reads values with the standard parser and notes what it would pass over in silence."""

    def __init__(self, passage: Passage) -> None:
        self.passage = passage
        self.faults: list[Finding] = []
        self._repeated: list[tuple[str, list[Any]]] = []
        self._constants: list[str] = []
        self._out_of_range: list[str] = []
        self._decode = json.JSONDecoder(
            object_pairs_hook=self._object,
            parse_constant=self._constant,
            parse_int=self._integer,
            parse_float=self._float,
        ).raw_decode

    def value(self, start: int, name: str | None) -> tuple[Any, int]:
        """The value at ``start`` and where it ends; ``name`` is the field findings name."""
        text = self.passage.text
        value, end = self._decode(text, start)
        if self._repeated or self._constants or self._out_of_range:
            self._tell(start, end, name)
        if _ESCAPED_SURROGATE.search(text, start, end) and _has_surrogate(value):
            match = _ESCAPED_SURROGATE.search(text, start, end)
            line, column = self.passage.at(match.start() if match else start)
            fix = tuple(
                edit
                for escape in _ESCAPE.finditer(text, start, end)
                if escape["lone"]
                for edit in self.passage.edits(escape.start(), escape.end(), "\\ufffd", safe=False)
            )
            self.faults.append(rules.lone_surrogate(line, column, name, fix))
            value = scrubbed(value)
        return value, end

    def _tell(self, start: int, end: int, name: str | None) -> None:
        text = self.passage.text
        for key, values in self._repeated:
            line, column = self.passage.at(start)
            self.faults.append(rules.repeated_key(line, column, key, [shorten(value) for value in values]))
        if self._constants:
            match = _CONSTANT.search(text, start, end)
            line, column = self.passage.at(match.start() if match else start)
            fix = tuple(
                edit
                for token in _TOKEN.finditer(text, start, end)
                if token.group()[0] != '"'
                for edit in self.passage.edits(token.start(), token.end(), "null")
            )
            self.faults.append(rules.constant(line, column, self._constants[0], name, fix=fix))
        for token in self._out_of_range:
            found = next((each for each in _NUMBER.finditer(text, start, end) if each.group() == token), None)
            line, column = self.passage.at(found.start() if found else start)
            fix = self.passage.edits(found.start(), found.end(), f'"{token}"', safe=False) if found else ()
            self.faults.append(rules.out_of_range(line, column, token, name, fix))
        self._repeated.clear()
        self._constants.clear()
        self._out_of_range.clear()

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) < len(pairs):
            keys = [key for key, _ in pairs]
            for key in made:
                if keys.count(key) > 1:
                    self._repeated.append((key, [value for other, value in pairs if other == key]))
        return made

    def _constant(self, token: str) -> None:
        self._constants.append(token)

    def _integer(self, token: str) -> int | str:
        if len(token) < 19:
            return int(token)
        number = int(token) if len(token) <= 64 else 1 << 64
        if -(1 << 63) <= number < 1 << 64:
            return number
        self._out_of_range.append(token)
        return token

    def _float(self, token: str) -> float | str:
        number = float(token)
        if number in (float("inf"), float("-inf")):
            self._out_of_range.append(token)
            return token
        return number


def _members(scanner: _Scanner, text: str, start: int) -> Iterator[tuple[Member, int]]:
    """The members of the object at ``start``, each with where the object goes on after it."""
    position = skip_space(text, start + 1)
    if text[position : position + 1] == "}":
        return
    while True:
        if text[position : position + 1] != '"':
            raise JSONDecodeError("Expecting property name enclosed in double quotes", text, position)
        key_start = position
        key, key_end = scanstring(text, position + 1, True)
        position = skip_space(text, key_end)
        if text[position : position + 1] != ":":
            raise JSONDecodeError("Expecting ':' delimiter", text, position)
        begin = skip_space(text, position + 1)
        if begin >= len(text):
            raise JSONDecodeError("Expecting value", text, begin)
        value, end = scanner.value(begin, key)
        position = skip_space(text, end)
        follows = text[position : position + 1]
        yield (
            Member(scrubbed(key) if _SURROGATE.search(key) else key, value, key_start, key_end, begin, end),
            position + 1,
        )
        if follows == "}":
            return
        if follows != ",":
            raise JSONDecodeError("Expecting ',' delimiter", text, position)
        position = skip_space(text, position + 1)


def _explained(text: str, error: JSONDecodeError) -> str:
    """What is wrong, in words that say what to do."""
    found = _visible(text[error.pos : error.pos + 1])
    before = text[: error.pos].rstrip()[-1:]
    if error.msg.startswith("Unterminated string"):
        return "a string is not closed"
    if error.msg.startswith("Invalid control character"):
        return f"control character U+{ord(text[error.pos : error.pos + 1] or ' '):04X} in a string must be escaped"
    if error.msg.startswith("Invalid") and "escape" in error.msg:
        return "a backslash in a string must begin an escape such as \\n or \\\\"
    if error.pos >= len(text.rstrip()):
        return "it ends early"
    if found == "'":
        return "strings need double quotes, these are single"
    if (before == "," and found in "}]") or "trailing comma" in error.msg:
        return "a comma before the closing bracket"
    word = re.match(r"[A-Za-z_]+", text[error.pos : error.pos + 12])
    if error.msg.startswith("Expecting value") and word:
        literal = {"None": "null", "True": "true", "False": "false"}.get(word[0])
        return f"{word[0]} is not JSON" + (f", write {literal}" if literal else "")
    if error.msg.startswith("Expecting ',' delimiter"):
        return f'a comma or a closing bracket is missing before "{found}"'
    if error.msg.startswith("Expecting ':' delimiter"):
        return f'a colon is missing before "{found}"'
    if error.msg.startswith("Expecting property name"):
        return f'a key in double quotes is missing before "{found}"'
    if error.msg.startswith("Extra data"):
        return f'more text after the end of the record, from "{found}" on'
    return f'a value is missing before "{found}"'


def _visible(char: str) -> str:
    """A character, or what it is called where one does not see it."""
    return char if not char or (char.isprintable() and not char.isspace()) else f"U+{ord(char):04X}"


def _has_surrogate(value: Any) -> bool:
    if isinstance(value, str):
        return _SURROGATE.search(value) is not None
    if isinstance(value, dict):
        return any(_has_surrogate(key) or _has_surrogate(each) for key, each in value.items())
    return isinstance(value, list) and any(_has_surrogate(each) for each in value)


def scrubbed(value: Any) -> Any:
    """``value`` with every lone surrogate as U+FFFD."""
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {scrubbed(key): scrubbed(each) for key, each in value.items()}
    return [scrubbed(each) for each in value] if isinstance(value, list) else value
