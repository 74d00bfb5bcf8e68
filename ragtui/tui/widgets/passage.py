"""A passage: text with tones and places, made safe as it is put together, before any width is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Final

from ragtui.text import block, cell

LONGEST: Final = 200_000  # characters of one text that are shown; the pager shows all


@dataclass(frozen=True, slots=True)
class Span:
    """Characters ``start`` to ``end`` (exclusive) have a tone; ``place`` names them for going there."""

    start: int
    end: int
    tone: str
    place: str = ""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One line before wrapping. Wrapped lines after the first are indented by ``hang`` cells, all by ``indent``.

    ``place`` names it for scrolling to; ``rule`` draws a line after the text to the edge.
    """

    text: str
    spans: tuple[Span, ...] = ()
    indent: int = 0
    hang: int = 0
    place: str = ""
    rule: bool = False
    bar: str = ""  # tone of a bar at the left edge


@dataclass
class Passage:
    """Built from top to bottom; every text that is put in goes through the door."""

    paragraphs: list[Paragraph] = field(default_factory=list)

    def heading(self, title: str, note: str = "", *, tone: str = "dim", place: str = "") -> None:
        """A title and a note in ``tone``, with a line to the edge."""
        if self.paragraphs:
            self.gap()
        title, note = cell(title), cell(note)
        text = f"{title}  {note} " if note else f"{title} "
        spans = (Span(0, len(title), "title"), Span(len(title), len(text), tone))
        self.paragraphs.append(Paragraph(text, spans, place=place, rule=True))

    def gap(self) -> None:
        """One empty line; two in a row are never made."""
        if self.paragraphs and self.paragraphs[-1].text:
            self.paragraphs.append(Paragraph(""))

    def line(
        self,
        *parts: tuple[str, str],
        indent: int = 0,
        hang: int = 0,
        place: str = "",
        bar: str = "",
        named: dict[int, str] | None = None,
    ) -> None:
        """One line of (text, tone) parts; ``named`` gives parts, by their number, places of their own."""
        text, spans = "", []
        for number, (raw, tone) in enumerate(parts):
            part = cell(raw, limit=LONGEST)
            name = (named or {}).get(number, "")
            if part and (tone or name):
                spans.append(Span(len(text), len(text) + len(part), tone, name))
            text += part
        self.paragraphs.append(Paragraph(text, tuple(spans), indent, hang, place, bar=bar))

    def text(
        self,
        raw: str,
        marks: Sequence[Span] = (),
        *,
        tone: str = "",
        indent: int = 0,
        place: str = "",
        bar: str = "",
    ) -> None:
        """A text of many lines; ``marks`` are in characters of ``raw``."""
        cut = raw[:LONGEST]
        safe, spans = _safe_with_marks(cut, marks)
        at = 0
        for number, line in enumerate(safe.split("\n")):
            end = at + len(line)
            here = [
                replace(s, start=max(s.start, at) - at, end=min(s.end, end) - at)
                for s in spans
                if s.start < end and s.end > at
            ]
            if tone:
                here.insert(0, Span(0, len(line), tone))
            self.paragraphs.append(Paragraph(line, tuple(here), indent, 0, place if number == 0 else "", bar=bar))
            at = end + 1
        if len(raw) > LONGEST:
            self.line((f"… {len(raw) - LONGEST:,} more characters; o opens all of it", "dim"), indent=indent)


def _safe_with_marks(raw: str, marks: Sequence[Span]) -> tuple[str, list[Span]]:
    """The displayable text, and the marks moved to where their characters are in it."""
    if not marks:
        return block(raw), []
    cuts = sorted({0, len(raw), *(max(0, min(c, len(raw))) for m in marks for c in (m.start, m.end))})
    where, pieces, length = {0: 0}, [], 0
    for start, end in pairwise(cuts):
        piece = block(raw[start:end])
        pieces.append(piece)
        length += len(piece)
        where[end] = length
    ends = [(max(0, min(m.start, len(raw))), max(0, min(m.end, len(raw)))) for m in marks]
    moved = [replace(m, start=where[a], end=where[b]) for m, (a, b) in zip(marks, ends, strict=True)]
    return "".join(pieces), [m for m in moved if m.end > m.start]
