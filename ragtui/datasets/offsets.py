"""Answer offsets that do not slice to the answer: what is wrong, and what is right."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_NEAR: Final = 2  # a span that is off by no more can only have meant the nearest of several places
_FAR: Final = 50  # how many characters off a span may be to be called shifted


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What is wrong with a span: ``cause`` in one word, ``says`` for people, the ``right`` span where there is one.

    ``safe`` means that putting ``right`` in cannot be wrong: the text occurs once, or one shift of the span finds it.
    """

    cause: str
    says: str
    right: tuple[int, int] | None = None
    safe: bool = False


def diagnose(text: str, context: str, start: int, end: int) -> Diagnosis | None:
    """Why ``context[start:end]`` (code points, ``end`` exclusive) is not ``text``; ``None`` where it is.

    A context whose line ends are written as the two characters ``\\n`` is tried as they are meant, too.
    """
    if _fits(context, text, start, end):
        return None
    if "\\n" in context:
        meant = context.replace("\\n", "\n")
        if _fits(meant, text, start, end) or _fits(meant, text.replace("\\n", "\n"), start, end):
            return None
    places = _occurrences(context, text)
    if not places and "\\n" in context:
        context = context.replace("\\n", "\n")
        places = _occurrences(context, text)
    once = len(places) == 1
    for cause, right, says in _explanations(text, context, start, end):
        if _fits(context, text, *right):
            return Diagnosis(cause, f"{says}: use {right[0]}..{right[1]}", right, True)
    nearest = min(places, key=lambda place: abs(place - start), default=None)
    use = (nearest, nearest + len(text)) if nearest is not None else None
    advice = f"; use {use[0]}..{use[1]}" if use else ""
    found = _shown(context[start:end]) if 0 <= start < end else ""
    if start > end:
        return Diagnosis("swapped", f"start {start} is after end {end}{advice}", use, once)
    if start < 0 or end > len(context):
        says = f"offsets {start}..{end} are beyond the context (length {len(context)}){advice}"
        return Diagnosis("beyond", says, use, once)
    if _folded(context[start:end]) == _folded(text):
        return Diagnosis("spelling", f"text differs from the slice only in case and spaces ({found})")
    if use is None:
        return Diagnosis("absent", f"text does not occur in the context; the slice {start}..{end} is {found}")
    shift = start - use[0]
    if end - start == len(text) and abs(shift) <= _FAR:
        alone = abs(shift) <= _NEAR and sum(1 for place in places if abs(place - start) == abs(shift)) == 1
        return Diagnosis(
            "shifted", f"slice is {found}: shifted by {shift:+d}, use {use[0]}..{use[1]}", use, once or alone
        )
    return Diagnosis("elsewhere", f"slice is {found}{advice}", use, once)


def _explanations(text: str, context: str, start: int, end: int) -> list[tuple[str, tuple[int, int], str]]:
    """Ways of counting that people and tools use instead, with the span each comes to in code points."""
    slice_ = _shown(context[start:end]) if 0 <= start < end else "empty"
    ways = [
        ("swapped", (end, start), f"start {start} is after end {end}"),
        ("inclusive", (start, end + 1), f"slice is {slice_}: end looks inclusive"),
    ]
    if not context.isascii() and 0 <= start <= end:
        units = _units(context, start, end, "utf-16-le", 2)
        octets = _units(context, start, end, "utf-8", 1)
        ways[:0] = [("utf-16", units, f"slice is {slice_}: counted in UTF-16 units it fits")] if units else []
        ways += [("bytes", octets, f"slice is {slice_}: counted in UTF-8 bytes it fits")] if octets else []
    if "\r\n" in context:
        shift_start = len(_as_crlf(context, start)) if start >= 0 else start
        shift_end = len(_as_crlf(context, end)) if end >= 0 else end
        ways.append(("crlf", (shift_start, shift_end), f"slice is {slice_}: with each CR LF counted once it fits"))
    return ways


def _units(context: str, start: int, end: int, encoding: str, size: int) -> tuple[int, int] | None:
    """The code points at the given code units, ``None`` where a unit lies inside a character."""
    data = context.encode(encoding, "surrogatepass")
    if end * size > len(data):
        return None
    try:
        return len(data[: start * size].decode(encoding)), len(data[: end * size].decode(encoding))
    except UnicodeDecodeError:
        return None


def _as_crlf(context: str, count: int) -> str:
    """The part of ``context`` that is ``count`` characters long with CR LF as one."""
    return context.replace("\r\n", "\n")[:count].replace("\n", "\r\n") if "\n" in context else context[:count]


def _fits(context: str, text: str, start: int, end: int) -> bool:
    return 0 <= start <= end <= len(context) and context[start:end] == text


def _occurrences(context: str, text: str) -> list[int]:
    return [match.start() for match in re.finditer(f"(?={re.escape(text)})", context)][:1000] if text else []


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _shown(text: str) -> str:
    cut = text if len(text) <= 40 else text[:39] + "…"
    return "'" + cut.replace("\n", "⏎") + "'"
