"""A text pane that wraps itself: fast for long texts, scrolls to named places, marks what was searched for."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import ClassVar, Final, Protocol, runtime_checkable

from rich.cells import cell_len, get_character_cell_size
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import BindingType
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget

from ragtui.tui.actions import bindings
from ragtui.tui.performing import Performs, tell
from ragtui.tui.widgets.passage import Paragraph, Passage, Span
from ragtui.tui.widgets.prompt_line import ask
from ragtui.tui.widgets.tones import tones

_SLICE: Final = 0.008  # seconds of wrapping at a time, so that a long text never holds a key up
_GROWS: Final = 0.2  # seconds between two looks at how long it has become: each lays the screen out anew

Row = tuple[int, int, int]
"""A wrapped line: paragraph number, start and end in its text."""


class Rows(Protocol):
    """What a text asks of the table it belongs to."""

    def do_filter(self, condition: str = "") -> None: ...
    def ask_filter(self, where: Widget, then: Callable[[], object] = ...) -> None: ...
    def do_sort(self, name: str = "") -> None: ...
    def choose_sort(self, then: Callable[[], object]) -> None: ...


@runtime_checkable
class HasRows(Protocol):
    """A pane or screen whose texts speak of the rows of a table."""

    def rows_table(self) -> Rows: ...
    def rows_changed(self) -> None: ...


class WrappedText(Performs, ScrollView, can_focus=True, inherit_bindings=False):
    """Shows a passage. Scrolls by half pages, like the table, for the sake of slow links."""

    SCOPES = ("text",)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("text")]
    DEFAULT_CSS = """
    WrappedText {
        overflow-x: hidden; overflow-y: auto; scrollbar-size-horizontal: 0; scrollbar-size-vertical: 1;
    }
    """

    def __init__(self, *, id: str | None = None, empty: str = "", classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.passage = Passage()
        self.empty = empty
        self.searched = ""
        self.current = ""  # the place whose marks stand out
        self._rows: list[Row] = []
        self._places: dict[str, int] = {}
        self._work: Iterator[None] | None = None
        self._wanted_place = ""
        self._found: list[int] = []
        self._strips: dict[int, Strip] = {}
        self._wrapped_at = 0
        self._sized_at = 0.0

    def show(self, passage: Passage, *, keep: bool = False) -> None:
        """Shows another passage from its beginning, or, with ``keep``, from where the last one was scrolled to."""
        self.passage = passage
        if not keep:
            self.current = self._wanted_place = ""
        y = self.scroll_offset.y if keep else 0
        self._wrap()
        self.scroll_to(y=min(y, max(0, len(self._rows) - self._height)), animate=False)

    def go_to(self, place: str) -> None:
        """Scrolls to a named place and makes it stand out, as soon as it is wrapped."""
        self.current = self._wanted_place = place
        self._strips.clear()
        self.refresh()
        self._reach_wanted()

    def _reach_wanted(self) -> None:
        at = self._places.get(self._wanted_place)
        if at is not None:
            self._wanted_place = ""
            self.scroll_to(y=max(0, at - 2), animate=False)

    @property
    def _room(self) -> int:
        return self.scrollable_content_region.width

    @property
    def _height(self) -> int:
        return self.scrollable_content_region.height

    # Wrapping

    def _wrap(self) -> None:
        self._rows, self._places, self._found = [], {}, []
        self._strips.clear()
        self._wrapped_at = self._room
        self._work = self._wrapping(max(4, self._room - 1))
        self._sized_at = 0.0
        self._wrap_more()

    def _wrap_more(self) -> None:
        """Wraps for one slice of time; the rest comes after whatever else waits."""
        if self._work is None:
            return
        until = time.perf_counter() + _SLICE
        for _ in self._work:
            if time.perf_counter() > until:
                self.call_later(self._wrap_more)
                break
        else:
            self._work = None
            if self.searched:
                self._find(self.searched)
        if self._work is None or until - self._sized_at > _GROWS:
            self._sized_at = until
            self.virtual_size = Size(max(1, self._room), len(self._rows))
            self._reach_wanted()
            self.refresh()

    def _wrapping(self, width: int) -> Iterator[None]:
        for number, paragraph in enumerate(self.passage.paragraphs):
            if paragraph.place:
                self._places.setdefault(paragraph.place, len(self._rows))
            bar = 2 if paragraph.bar else 0
            first = max(4, width - paragraph.indent - bar)
            named = [span for span in paragraph.spans if span.place]
            for count, (start, end) in enumerate(wrapped(paragraph.text, first, max(4, first - paragraph.hang))):
                for span in named:
                    if start <= span.start < end:
                        self._places.setdefault(span.place, len(self._rows))
                self._rows.append((number, start, end))
                if count % 64 == 63:
                    yield
            if number % 16 == 15:
                yield

    @property
    def wrapped(self) -> bool:
        """Whether all of the passage is wrapped."""
        return self._work is None

    # Moving

    def _scroll_by(self, lines: int) -> None:
        highest = max(0, len(self._rows) - self._height)
        self.scroll_to(y=max(0, min(int(self.scroll_offset.y) + lines, highest)), animate=False)

    def do_down(self) -> None:
        self._scroll_by(3)

    def do_up(self) -> None:
        self._scroll_by(-3)

    def do_top(self) -> None:
        self.scroll_to(y=0, animate=False)

    def do_bottom(self) -> None:
        self._scroll_by(len(self._rows))

    def do_half_page_down(self) -> None:
        self._scroll_by(max(1, self._height // 2))

    def do_half_page_up(self) -> None:
        self._scroll_by(-max(1, self._height // 2))

    def do_page_down(self) -> None:
        self._scroll_by(max(1, self._height - 1))

    def do_page_up(self) -> None:
        self._scroll_by(-max(1, self._height - 1))

    # The rows that the text belongs to

    def why_not(self, name: str) -> str | None:
        if name in ("filter", "sort") and self._rows_host() is None:
            return "there are no rows here"
        return None

    def _rows_host(self) -> HasRows | None:
        return next((each for each in self.ancestors if isinstance(each, HasRows)), None)

    def do_filter(self, condition: str = "") -> None:
        if (host := self._rows_host()) is not None:
            table = host.rows_table()
            table.do_filter(condition) if condition else table.ask_filter(self, host.rows_changed)

    def do_sort(self, name: str = "") -> None:
        if (host := self._rows_host()) is not None:
            table = host.rows_table()
            table.do_sort(name) if name else table.choose_sort(host.rows_changed)

    # Searching

    def do_search(self, text: str = "") -> None:
        if not text:
            ask(self, "/", then=lambda typed: self._look_for(typed))
        else:
            self._look_for(text)

    def _look_for(self, text: str) -> None:
        self.searched = text
        self._find(text)
        self._strips.clear()
        self.refresh()
        if text and not self._found:
            tell(self, f"not found: {text}", "warning")
        elif self._found:
            self._step(1, including_here=True)

    def _find(self, text: str) -> None:
        self._found = []
        sought = text.lower() if text == text.lower() else text
        for at, (number, start, end) in enumerate(self._rows if text else []):
            line = self.passage.paragraphs[number].text[start : end + len(text) - 1]
            if sought in (line.lower() if text == text.lower() else line):
                self._found.append(at)

    def do_next_match(self) -> None:
        self._step(1)

    def do_previous_match(self) -> None:
        self._step(-1)

    def _step(self, step: int, including_here: bool = False) -> None:
        if not self._found:
            return
        here = int(self.scroll_offset.y) + 2
        later = [at for at in self._found if at >= here] if including_here else [at for at in self._found if at > here]
        earlier = [at for at in self._found if at < here]
        at = (later or self._found)[0] if step > 0 else (earlier or self._found)[-1]
        self.scroll_to(y=max(0, at - 2), animate=False)

    # Drawing

    def render_line(self, y: int) -> Strip:
        width, base = self._room, self._style("")
        at = int(self.scroll_offset.y) + y
        if at >= len(self._rows):
            if y == 1 and self.empty and not self.passage.paragraphs:
                return Strip([Segment("  " + self.empty, self._style("dim"))]).adjust_cell_length(width, base)
            return Strip.blank(width, base)
        strip = self._strips.get(at)
        if strip is None:
            if len(self._strips) > 1000:
                self._strips.clear()
            strip = self._strips[at] = self._draw(*self._rows[at], width)
        return strip

    def _draw(self, number: int, start: int, end: int, width: int) -> Strip:
        paragraph, base = self.passage.paragraphs[number], self._style("")
        pad = " " * (paragraph.indent + (paragraph.hang if start else 0))
        segments = [Segment("▎ ", base + self._style(paragraph.bar))] if paragraph.bar else []
        segments.append(Segment(pad, base))
        segments += self._toned(paragraph, start, end, base)
        if paragraph.rule:
            used = sum(cell_len(segment.text) for segment in segments)
            segments.append(Segment("─" * max(0, width - used - 1), base + self._style("rule")))
        return Strip(segment for segment in segments if segment.text).adjust_cell_length(width, base)

    def _toned(self, paragraph: Paragraph, start: int, end: int, base: Style) -> list[Segment]:
        text, spans = paragraph.text, [s for s in paragraph.spans if s.start < end and s.end > start]
        spans = [
            replace(span, tone="current") if self.current and span.place == self.current else span for span in spans
        ]
        spans += self._matches(text, start, end)
        if not spans:
            return [Segment(text[start:end], base)]
        cuts = sorted({start, end, *(max(start, min(c, end)) for s in spans for c in (s.start, s.end))})
        segments = []
        for a, b in pairwise(cuts):
            style = base
            for span in spans:
                if span.tone and span.start <= a and span.end >= b:
                    style = style + self._style(span.tone)
            segments.append(Segment(text[a:b], style))
        return segments

    def _matches(self, text: str, start: int, end: int) -> list[Span]:
        if not self.searched:
            return []
        sought = self.searched
        where = text.lower() if sought == sought.lower() else text
        if len(where) != len(text):
            return []
        spans, at = [], max(0, start - len(sought) + 1)
        while (found := where.find(sought, at, end + len(sought) - 1)) >= 0:
            spans.append(Span(max(found, start), min(found + len(sought), end), "match"))
            at = found + len(sought)
        return spans

    def _style(self, tone: str) -> Style:
        return tones(self.app)[tone]

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._strips.clear()

    def on_resize(self, event: events.Resize) -> None:
        if self._room != self._wrapped_at:
            top = self._rows[int(self.scroll_offset.y)] if int(self.scroll_offset.y) < len(self._rows) else (0, 0, 0)
            self._wrap()
            at = next((i for i, row in enumerate(self._rows) if row[0] == top[0] and row[2] >= top[1]), 0)
            self.scroll_to(y=at, animate=False)


def wrapped(text: str, first: int, rest: int) -> Iterator[tuple[int, int]]:
    """Where to break a line: (start, end) of each piece, the first at most ``first`` cells wide, the others ``rest``.

    Breaks at spaces where there are any; the spaces at a break are not shown.
    """
    if len(text) <= first and text.isascii():
        yield 0, len(text)
        return
    ends = None if text.isascii() else _ends(text)
    start, room = 0, first
    while start < len(text):
        if ends is None:
            limit = start + room
        else:
            limit = max(start + 1, bisect_right(ends, (ends[start - 1] if start else 0) + room))
        if limit >= len(text):
            yield start, len(text)
            return
        space = text.rfind(" ", start, limit + 1)
        end = space if space > start else limit
        yield start, end
        start = end
        while start < len(text) and text[start] == " ":
            start += 1
        room = rest
    if not text:
        yield 0, 0


def _ends(text: str) -> list[int]:
    """For each character, in which cell it ends."""
    # A variation selector may widen what is before it; counting it as one cell breaks a little early, never late.
    cells = {character: 1 if character == "\ufe0f" else get_character_cell_size(character) for character in set(text)}
    return list(accumulate(map(cells.__getitem__, text)))
