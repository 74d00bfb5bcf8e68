"""A view of a frame as lines: header, cells in their tones, the cursor, marks, what was searched for.

Lines are kept once drawn. A row is readable without colour: a bar is the cursor, a dot a mark, failing cells say so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from ragtui.tui.widgets.frame_view import PAGE, FrameView
from ragtui.tui.widgets.table_column import Painted, TableColumn, fit, widths
from ragtui.tui.widgets.tones import tones

if TYPE_CHECKING:
    import polars as pl

GUTTER: Final = 2  # the cursor's bar and the mark
_KEPT_LINES: Final = 2_000


class DrawnTable(ScrollView, can_focus=True, inherit_bindings=False):
    """Draws what is visible of a view. What the keys do is the business of ``VirtualTable``."""

    DEFAULT_CSS = """
    DrawnTable {
        overflow-x: hidden; overflow-y: auto; scrollbar-size-horizontal: 0; scrollbar-size-vertical: 1;
    }
    """

    def __init__(
        self,
        *,
        id: str | None = None,
        cells: bool = False,
        frozen: int = 1,
        empty: str = "",
        classes: str | None = None,
    ) -> None:
        """``cells``: a cell, not just a row, is current. ``frozen`` columns stay when panning. ``empty``: what to say
        where there are no rows."""
        super().__init__(id=id, classes=classes)
        self.columns: tuple[TableColumn, ...] = ()
        self.view: FrameView | None = None
        self.marks: set[int] = set()
        self.searched = ""
        self.sorted_by = ""
        self.descending = False
        self.empty = empty
        self.column = 0
        self._cells = cells
        self._frozen = frozen
        self._cursor = 0
        self._first = frozen  # the first column after the frozen ones
        self._widths: list[int] = []
        self._keys: list[str] = []
        self._starts: list[int] = []
        self._lines: dict[tuple[int, bool], Strip] = {}

    @property
    def frame(self) -> pl.DataFrame | None:
        return None if self.view is None else self.view.frame

    @property
    def count(self) -> int:
        """How many rows are shown."""
        return 0 if self.view is None else self.view.count

    @property
    def position(self) -> int:
        return self._cursor

    @property
    def row(self) -> int | None:
        """The frame's row under the cursor."""
        return None if self.view is None else self.view.row_at(self._cursor)

    @property
    def column_widths(self) -> list[int]:
        """How many cells each column has."""
        return list(self._widths)

    def _go_to_column(self, column: int) -> None:
        last = len(self.columns) - 1
        if self._cells:
            self.column = max(0, min(column, last))
            while self.column > self._first and self.column not in (each for each, _, _ in self._placed(whole=True)):
                self._first += 1
            if self._frozen <= self.column < self._first:
                self._first = self.column
        else:
            self._first = max(self._frozen, min(column, last))
        self._lines.clear()
        self.refresh()

    def _scroll_to_cursor(self) -> bool:
        page = max(1, self._height - 1)
        top = int(self.scroll_offset.y)
        if top <= self._cursor < top + page:
            return False
        # By three quarters of a page at a time: what is sent for a held key is a quarter of scrolling line by line.
        kept = page // 4
        near = top - page <= self._cursor <= top + 2 * page
        if not near:
            wanted = self._cursor - page // 2
        else:
            wanted = self._cursor - kept if self._cursor >= top + page else self._cursor - page + 1 + kept
        highest = max(0, self.count - page)
        self.scroll_to(y=max(0, min(wanted, highest)), animate=False)
        return True

    # Drawing

    @property
    def _room(self) -> int:
        return self.scrollable_content_region.width

    @property
    def _height(self) -> int:
        return self.scrollable_content_region.height

    def _measure(self) -> None:
        if not self.columns or self.view is None:
            self._widths = []
        else:
            rows = range(min(self.count, PAGE))
            painted = [[self._paint(number, row) for row in rows] for number in range(len(self.columns))]
            self._widths = widths(self.columns, painted, max(1, self._room - GUTTER), self._gap)
        self.virtual_size = Size(max(1, self._room), self.count + 1)

    @property
    def _gap(self) -> int:
        return 2 if self._room >= 60 else 1

    def _paint(self, number: int, position: int) -> Painted:
        """The cell of a column at a position of the view."""
        assert self.view is not None
        column = self.columns[number]
        page = self.view.page(position // PAGE, self._keys)
        start = self._starts[number]
        return column.paint([values[position % PAGE] for values in page[start : start + len(column.keys)]])

    def _placed(self, whole: bool = False) -> list[tuple[int, int, int]]:
        """The columns on screen: index, x, width. ``whole``: only those that are not cut at the edge."""
        placed: list[tuple[int, int, int]] = []
        x, room = GUTTER, self._room
        wanted = [*range(min(self._frozen, len(self.columns))), *range(self._first, len(self.columns))]
        for i in wanted:
            width = min(self._widths[i], max(0, room - GUTTER)) if i < self._frozen else self._widths[i]
            if x >= room or (whole and placed and x + width > room):
                break
            placed.append((i, x, min(width, room - x)))
            x += width + self._gap
        return placed

    def render_line(self, y: int) -> Strip:
        width = self._room
        base = self._style("")
        if self.view is None or not self.columns or (self.empty and self.view.frame.height == 0):
            return self._empty_line(y, width, base)
        if y == 0:
            return self._header(width)
        position = int(self.scroll_offset.y) + y - 1
        if position >= self.count:
            return self._empty_line(y, width, base) if self.count == 0 else Strip.blank(width, base)
        current = position == self._cursor
        key = (position, current)
        line = self._lines.get(key)
        if line is None:
            line = self._draw(position, current, width)
            if len(self._lines) > _KEPT_LINES:
                self._lines.clear()
            self._lines[key] = line
        return line

    def _empty_line(self, y: int, width: int, base: Style) -> Strip:
        lines = self.empty.splitlines()
        top = 1 if self._height <= len(lines) + 2 else 2
        text = lines[y - top] if 0 <= y - top < len(lines) else ""
        return Strip([Segment(fit("  " + text, width), self._style("dim") if text else base)], width)

    def _header(self, width: int) -> Strip:
        style, current = self._style("header"), self._style("header-current")
        segments, x = [Segment(" " * GUTTER, style)], GUTTER
        placed = self._placed()
        for i, left, room in placed:
            column = self.columns[i]
            title = column.title
            if self.sorted_by == column.key:
                title += "▼" if self.descending else "▲"
            segments.append(Segment(" " * (left - x), style))
            marked = self._cells and i == self.column and self.has_focus
            segments.append(Segment(fit(title, room, column.right), current if marked else style))
            x = left + room
        more = bool(placed) and placed[-1][0] < len(self.columns) - 1
        segments.append(Segment(" " * max(0, width - x), style))
        strip = Strip(segments).adjust_cell_length(width, style)
        return Strip([*strip.crop(0, width - 1), Segment("›", style)], width) if more else strip

    def _draw(self, position: int, current: bool, width: int) -> Strip:
        row = self.view.row_at(position) if self.view is not None else None
        base = self._style(("cursor" if self.has_focus else "cursor-blurred") if current else "")
        bar = base + self._style("bar" if self.has_focus else "bar-blurred") if current else base
        marked = row in self.marks
        segments = [
            Segment("▌" if current else " ", bar),
            Segment("●" if marked else " ", base + self._style("accent") if marked else base),
        ]
        x = GUTTER
        for i, left, room in self._placed():
            column = self.columns[i]
            text, tone = self._paint(i, position)
            style = base + self._style(tone) if tone else base
            shown, gap = fit(text, room, column.right), " " * (left - x)
            if current and self._cells and i == self.column and self.has_focus:
                style = style + self._style("cursor-cell")
                segments.append(Segment(gap, base))
            else:
                shown = gap + shown  # one run of a style instead of two: half of what is sent for a row
            segments.extend(self._with_matches(shown, style))
            x = left + room
        segments.append(Segment(" " * max(0, width - x), base))
        return Strip(Segment.simplify(each for each in segments if each.text)).adjust_cell_length(width, base)

    def _with_matches(self, text: str, style: Style) -> list[Segment]:
        wanted = self.searched
        if not wanted:
            return [Segment(text, style)]
        where, sought = (text, wanted) if wanted != wanted.lower() else (text.lower(), wanted)
        if sought not in where or len(where) != len(text):
            return [Segment(text, style)]
        found, parts, at = style + self._style("match"), [], 0
        while (start := where.find(sought, at)) >= 0:
            parts += [Segment(text[at:start], style), Segment(text[start : start + len(sought)], found)]
            at = start + len(sought)
        return [*parts, Segment(text[at:], style)]

    def _style(self, tone: str) -> Style:
        return tones(self.app)[tone]

    def _redraw(self) -> None:
        self._lines.clear()
        self.refresh()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._redraw()

    def on_focus(self) -> None:
        self._redraw()

    def on_blur(self) -> None:
        self._redraw()

    def on_resize(self, event: events.Resize) -> None:
        self._lines.clear()
        self._measure()
        self._scroll_to_cursor()
