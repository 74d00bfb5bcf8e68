"""How a file that is called JSON lines is really written: one object a line, one array, or objects spread over lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from json import JSONDecodeError, JSONDecoder
from typing import Final

import msgspec

from ragtui.datasets.containers.json_text import Passage, parse, skip_space, syntax_fault
from ragtui.datasets.findings import Edit, Finding

_SPACE: Final = b" \t\r\n"
_REWRITTEN: Final = 1 << 26  # bytes


class Shape(Enum):
    LINES = "one object a line"
    ARRAY = "one array"
    SPREAD = "objects over several lines"


@dataclass(frozen=True, slots=True)
class Element:
    """One record of an array or of spread objects: its bytes, where they begin, on which line, and how many characters stand
    before it on that."""

    raw: bytes
    byte: int
    line: int
    before: int = 0


@dataclass(frozen=True)
class Elements:
    """The records of a document, as far as they could be told apart, and the fault at which that ended."""

    found: list[Element]
    fault: Finding | None = None


def shape_of(data: bytes) -> Shape:
    """The shape of the file that begins with ``data``."""
    rest = data.lstrip(_SPACE)
    first, _, after = rest.partition(b"\n")
    after = after.strip(_SPACE)
    if rest.startswith(b"["):
        return Shape.LINES if after and _is_json(first) else Shape.ARRAY
    return Shape.SPREAD if rest.startswith(b"{") and after and _is_spread(rest, first, after) else Shape.LINES


def _is_spread(rest: bytes, first: bytes, after: bytes) -> bool:
    """Whether the object that begins with the line ``first`` goes on in the lines ``after`` it: no line is cut off there."""
    if not after.startswith((b"{", b"[")) and first.rstrip()[-1:] in (b"{", b",", b"["):
        return True
    if _is_json(first) or _is_json(after.partition(b"\n")[0]):
        return False
    text = rest.decode("utf-8", "replace")
    try:
        JSONDecoder().raw_decode(text)
    except JSONDecodeError as error:
        return error.pos >= len(text.rstrip())  # not a fault: the rest is not seen here
    except RecursionError:
        return False
    return True


def elements(data: bytes, shape: Shape, start: int = 0) -> Elements:
    """The records of a file that is not JSON lines; ``start`` is the byte (after a byte order mark) it begins at."""
    if shape is Shape.ARRAY:
        try:
            parts = msgspec.json.decode(memoryview(data)[start:], type=list[msgspec.Raw])
        except (msgspec.MsgspecError, RecursionError):
            return _one_by_one(data, shape, start)
        return Elements(list(_placed(data, start, [bytes(part) for part in parts])))
    return _one_by_one(data, shape, start)


def as_list(data: bytes, found: Sequence[Element]) -> tuple[Edit, ...]:
    """The edits that make one list of objects that stand one after the other."""
    last = found[-1]
    commas = [Edit(each.byte, each.byte, ",") for each in found[1:]]
    end = last.byte + len(last.raw)
    return (Edit(found[0].byte, found[0].byte, "["), *commas, Edit(end, end, "]"))


def as_lines(data: bytes, start: int, found: Sequence[Element]) -> tuple[Edit, ...]:
    """The edit that writes one record a line; none where the text is too large to be held twice, or is no UTF-8."""
    if len(data) > _REWRITTEN:
        return ()
    # Outside strings a line feed is mere space, and inside them there is none: such a text was read.
    lines = [b" ".join(part.strip() for part in each.raw.split(b"\n")) for each in found]
    try:
        text = b"".join(line + b"\n" for line in lines).decode("utf-8")
    except UnicodeDecodeError:
        return ()
    return (Edit(start, len(data), text),)


def _placed(data: bytes, start: int, parts: list[bytes]) -> Iterator[Element]:
    byte = data.find(b"[", start) + 1
    counted, line, before = start, 1, 0
    for part in parts:
        byte = data.find(part, byte)
        line += data.count(b"\n", counted, byte)
        before = _before(data[counted:byte], before)
        counted = byte
        yield Element(part, byte, line, before)
        byte += len(part)


def _before(between: bytes, before: int) -> int:
    """The characters on a line before a place, from those before an earlier one and the bytes between the two."""
    line_begins = between.rfind(b"\n") + 1
    return (0 if line_begins else before) + len(between[line_begins:].decode("utf-8", "replace"))


def _one_by_one(data: bytes, shape: Shape, start: int) -> Elements:
    """The records up to a fault of syntax, by the standard parser."""
    text = data[start:].decode("utf-8", "surrogateescape")
    passage = Passage(text, 1, start)
    decode = JSONDecoder().raw_decode
    found: list[Element] = []
    position = skip_space(text, 0) + (shape is Shape.ARRAY)
    byte = start + len(_bytes(text[:position]))
    line, counted, before = 1, 0, 0
    try:
        while (begin := skip_space(text, position)) < len(text):
            if shape is Shape.ARRAY and text[begin] == "]":
                _end_of_text(text, begin + 1)
                return Elements(found)
            _, end = decode(text, begin)
            byte += len(_bytes(text[position:begin]))
            line += text.count("\n", counted, begin)
            before = (
                begin - text.rfind("\n", counted, begin) - 1
                if "\n" in text[counted:begin]
                else before + begin - counted
            )
            counted = begin
            raw = _bytes(text[begin:end])
            found.append(Element(raw, byte, line, before))
            byte += len(raw)
            position = end
            if shape is Shape.ARRAY:
                position = skip_space(text, end)
                if text[position : position + 1] not in (",", "]"):
                    raise JSONDecodeError("Expecting ',' delimiter", text, position)
                position += text[position] == ","
                byte += len(_bytes(text[end:position]))
        if shape is Shape.ARRAY:
            raise JSONDecodeError("Expecting value", text, len(text))
    except JSONDecodeError as error:
        return Elements(found, syntax_fault(passage, error, final=True))
    except RecursionError:
        from ragtui.datasets.rules.json import too_deep

        return Elements(found, too_deep(*passage.at(position)))
    return Elements(found)


def _end_of_text(text: str, position: int) -> None:
    if skip_space(text, position) < len(text):
        raise JSONDecodeError("Extra data", text, position)


def _is_json(raw: bytes) -> bool:
    text = raw.decode("utf-8", "replace")
    try:
        return skip_space(text, parse(Passage(text)).end) >= len(text)
    except (JSONDecodeError, RecursionError):
        return False


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
