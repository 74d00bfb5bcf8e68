"""What fixes change, as a unified diff that ``patch`` takes. Lines are split at line feeds only, as files are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import Final

_AROUND: Final = 3
_COMPARED: Final = 4_000  # lines that are worth a search for the smallest difference
_NO_END: Final = "\\ No newline at end of file"


def unified(before: Path, after: Path, shown: str) -> Iterator[str]:
    """The difference of two files as lines without their ends; none where they are equal. Text that is not UTF-8 comes with
    U+FFFD, and where only the encoding differs, that is said."""
    old, new = before.read_bytes(), after.read_bytes()
    if old == new:
        return
    one, other = _lines(old), _lines(new)
    yield f"--- {shown}"
    yield f"+++ {shown}"
    for group in _grouped(list(_changes(one, other)), len(one)):
        yield from _hunk(one, other, group)


def _lines(data: bytes) -> list[str]:
    """Lines with their line feeds."""
    for mark, encoding in ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if data.startswith(mark):
            return _split(data.decode(encoding, "replace"))
    return _split(data.decode("utf-8", "replace"))


def _split(text: str) -> list[str]:
    lines = text.split("\n")
    last = lines.pop()
    return [f"{line}\n" for line in lines] + ([last] if last else [])


Change = tuple[int, int, int, int]  # lines from, to (exclusive) of the old file, and of the new one


def _changes(one: Sequence[str], other: Sequence[str]) -> Iterator[Change]:
    """Runs of lines that differ. Files of as many lines are compared line by line, which is what most fixes leave."""
    if len(one) == len(other):
        start = None
        for place in range(len(one) + 1):
            differs = place < len(one) and one[place] != other[place]
            if differs and start is None:
                start = place
            elif not differs and start is not None:
                yield start, place, start, place
                start = None
        return
    head = 0
    while head < min(len(one), len(other)) and one[head] == other[head]:
        head += 1
    tail = 0
    while tail < min(len(one), len(other)) - head and one[-1 - tail] == other[-1 - tail]:
        tail += 1
    first, second = one[head : len(one) - tail], other[head : len(other) - tail]
    if max(len(first), len(second)) > _COMPARED:
        yield head, len(one) - tail, head, len(other) - tail
        return
    for tag, a, b, c, d in SequenceMatcher(None, first, second, autojunk=False).get_opcodes():
        if tag != "equal":
            yield head + a, head + b, head + c, head + d


def _grouped(changes: Sequence[Change], total: int) -> Iterator[list[Change]]:
    """Changes whose surroundings meet are shown as one."""
    group: list[Change] = []
    for change in changes:
        if group and change[0] - group[-1][1] > 2 * _AROUND:
            yield group
            group = []
        group.append(change)
    if group:
        yield group


def _hunk(one: Sequence[str], other: Sequence[str], group: Sequence[Change]) -> Iterator[str]:
    first, last = group[0], group[-1]
    before = min(_AROUND, first[0])
    after = min(_AROUND, len(one) - last[1])
    a, b, c, d = first[0] - before, last[1] + after, first[2] - before, last[3] + after
    yield f"@@ -{_range(a, b)} +{_range(c, d)} @@"
    place = a
    for start, end, new, new_end in group:
        yield from _marked(" ", one[place:start])
        yield from _marked("-", one[start:end])
        yield from _marked("+", other[new:new_end])
        place = end
    yield from _marked(" ", one[place:b])


def _range(start: int, end: int) -> str:
    size = end - start
    return str(start + 1) if size == 1 else f"{start + (size > 0)},{size}"


def _marked(mark: str, lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        if line.endswith("\n"):
            yield mark + line[:-1]
        else:
            yield mark + line
            yield _NO_END
