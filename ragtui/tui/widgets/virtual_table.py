"""A table over a Polars frame that shows a million rows as fast as ten: only the visible ones ever become Python objects.

The frame is never copied. What is shown is a view, row numbers in order (``None``: all rows as they are); pages of 256
rows are gathered on demand, lines are kept once drawn, and moving the cursor redraws two of them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from ragtui.tui.actions import bindings
from ragtui.tui.performing import Performs, tell
from ragtui.tui.widgets import frame_view
from ragtui.tui.widgets.choosing import Choice, Choosing
from ragtui.tui.widgets.prompt_line import ask
from ragtui.tui.widgets.table_column import TONES, Painted, TableColumn, fit, over, widths

if TYPE_CHECKING:
    import polars as pl

PAGE: Final = 256
GUTTER: Final = 2  # the cursor's bar and the mark
_IN_A_THREAD: Final = 50_000  # from this many rows on, sorting and searching leave the screen's thread
_KEPT_LINES: Final = 2_000
_CUT: Final = 400  # characters of a text column that are fetched for a cell

Made = TypeVar("Made")


@dataclass(frozen=True)
class Order:
    """A way to sort beyond single columns: ``make`` gives all rows of the frame in order."""

    name: str
    title: str
    make: Callable[[pl.DataFrame], pl.Series]


class VirtualTable(Performs, ScrollView, can_focus=True, inherit_bindings=False):
    """Rows on the keyboard: move, mark, search, filter, sort. Rows are named by their number in the frame."""

    SCOPES = ("table",)
    BINDINGS = bindings("table")
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "table--header", "table--header-current", "table--cursor", "table--cursor-cell", "table--match", "table--bar",
        *(f"table--{tone}" for tone in TONES),
    }  # fmt: skip
    DEFAULT_CSS = """
    VirtualTable {
        overflow-x: hidden; overflow-y: auto;
        scrollbar-size-horizontal: 0; scrollbar-size-vertical: 1;
        & > .table--header { color: $text-muted; text-style: bold; }
        & > .table--header-current { color: $foreground; text-style: bold underline; }
        & > .table--cursor { background: $panel; }
        & > .table--cursor-cell { background: $panel; }
        & > .table--bar { color: $border-blurred; }
        & > .table--match { color: $background; background: $accent; }
        & > .table--good { color: $success; }
        & > .table--bad { color: $error; text-style: bold; }
        & > .table--warn { color: $warning; }
        & > .table--dim { color: $text-muted; }
        & > .table--strong { text-style: bold; }
        & > .table--accent { color: $accent; }
        & > .table--cool { color: $secondary; }
    }
    VirtualTable:focus {
        & > .table--cursor { background: $primary 22%; }
        & > .table--cursor-cell { background: $primary 42%; text-style: bold; }
        & > .table--bar { color: $primary; text-style: bold; }
    }
    VirtualTable:ansi:focus {
        & > .table--cursor { background: ansi_default; text-style: reverse; }
        & > .table--cursor-cell { background: ansi_default; text-style: reverse bold; }
    }
    VirtualTable:ansi {
        & > .table--match { text-style: reverse; }
        & > .table--dim { color: ansi_default; text-style: dim; }
        & > .table--header { color: ansi_default; text-style: bold; }
    }
    """

    @dataclass
    class Moved(Message):
        """The cursor is on another row (``None``: there is none) or the rows changed under it."""

        table: VirtualTable
        row: int | None

        @property
        def control(self) -> VirtualTable:
            return self.table

    @dataclass
    class Opened(Message):
        """Enter was pressed on a row."""

        table: VirtualTable
        row: int
        column: str

        @property
        def control(self) -> VirtualTable:
            return self.table

    @dataclass
    class Changed(Message):
        """Other rows are shown, or in another order, or other ones are marked."""

        table: VirtualTable

        @property
        def control(self) -> VirtualTable:
            return self.table

    def __init__(
        self, *, id: str | None = None, cells: bool = False, frozen: int = 1, empty: str = "", classes: str | None = None
    ) -> None:
        """``cells``: a cell, not just a row, is current. ``frozen`` columns stay when panning. ``empty`` stands where no row is."""
        super().__init__(id=id, classes=classes)
        self.columns: tuple[TableColumn, ...] = ()
        self.frame: pl.DataFrame | None = None
        self.orders: tuple[Order, ...] = ()
        self.marks: set[int] = set()
        self.condition = ""
        self.searched = ""
        self.sorted_by = ""
        self.descending = False
        self.empty = empty
        self.column = 0
        self._cells = cells
        self._frozen = frozen
        self._natural: pl.Series | None = None  # the order before any sorting
        self._order: pl.Series | None = None
        self._kept: pl.Series | None = None  # rows that pass the filter
        self._view: pl.Series | None = None
        self._matched: pl.Series | None = None  # rows that the search found
        self._found: pl.Series | None = None  # and their positions in the view
        self._cursor = 0
        self._first = frozen  # the first column after the frozen ones
        self._widths: list[int] = []
        self._pages: dict[int, list[list[Any]]] = {}
        self._lines: dict[tuple[int, bool], Strip] = {}
        self._styles: dict[str, Style] = {}

    # What is shown

    def show(
        self,
        frame: pl.DataFrame,
        columns: Sequence[TableColumn],
        *,
        order: pl.Series | None = None,
        row: int | None = None,
        keep: bool = False,
    ) -> None:
        """Shows a frame, its rows in ``order``, the cursor on ``row``. ``keep`` keeps filter, marks and cursor: the frame is
        the same one with other values."""
        here = self.row if row is None and keep else row
        fresh = not keep
        self.frame, self.columns = frame, tuple(columns)
        self._natural = order
        if fresh:
            self.marks, self.condition, self.searched = set(), "", ""
            self._kept = self._matched = None
            self.column, self._first = 0, self._frozen
        if fresh or self._order is None:
            self._order, self.sorted_by, self.descending = order, "", False
        self._change_view(here)

    @property
    def count(self) -> int:
        """How many rows are shown."""
        if self.frame is None:
            return 0
        return self.frame.height if self._view is None else len(self._view)

    @property
    def position(self) -> int:
        return self._cursor

    @property
    def row(self) -> int | None:
        """The frame's row under the cursor."""
        return self.row_at(self._cursor)

    def row_at(self, position: int) -> int | None:
        if not 0 <= position < self.count:
            return None
        return position if self._view is None else int(self._view[position])

    def shown_rows(self) -> pl.DataFrame | None:
        """The rows shown, in the order shown."""
        if self.frame is None or self._view is None:
            return self.frame
        return self.frame[self._view]

    def value(self, key: str, row: int | None = None) -> Any:
        """A row's value in a frame's column, whole; of the row under the cursor if none is named."""
        row = self.row if row is None else row
        return None if self.frame is None or row is None else self.frame.item(row, key)

    @property
    def current_column(self) -> str:
        return self.columns[self.column].key if self.columns else ""

    def go_to(self, row: int, column: str | None = None) -> bool:
        """Puts the cursor on a row of the frame; ``False`` if the filter hides it."""
        position = self._position_of(row)
        if position is None:
            return False
        if column is not None:
            self._go_to_column(next((i for i, each in enumerate(self.columns) if each.key == column), self.column))
        self.move_to(position)
        return True

    def find_next(self, test: pl.Series, step: int) -> bool:
        """Moves to the next (``step`` 1) or previous (-1) shown row where ``test``, one truth value a frame's row, holds."""
        truths = test if self._view is None else test.gather(self._view)
        found = truths.fill_null(False).arg_true()
        return self._step_through(found, step)

    # Moving

    def move_to(self, position: int) -> None:
        """Puts the cursor on a position of the view, scrolling by half a page when it leaves the screen."""
        position = max(0, min(position, self.count - 1))
        if position == self._cursor:
            return
        old, self._cursor = self._cursor, position
        if not self._scroll_to_cursor():
            self.refresh_line(old + 1)
            self.refresh_line(position + 1)
        self.post_message(self.Moved(self, self.row))

    def _scroll_to_cursor(self) -> bool:
        page = max(1, self._height - 1)
        top = int(self.scroll_offset.y)
        if top <= self._cursor < top + page:
            return False
        half = page // 2
        wanted = self._cursor - page + 1 + half if self._cursor >= top + page else self._cursor - half
        near = top - page <= self._cursor <= top + 2 * page
        wanted = wanted if near else self._cursor - half
        highest = max(0, self.count - page)
        self.scroll_to(y=max(0, min(wanted, highest)), animate=False)
        return True

    def do_down(self) -> None:
        self.move_to(self._cursor + 1)

    def do_up(self) -> None:
        self.move_to(self._cursor - 1)

    def do_top(self) -> None:
        self.move_to(0)

    def do_bottom(self) -> None:
        self.move_to(self.count - 1)

    def do_half_page_down(self) -> None:
        self.move_to(self._cursor + max(1, self._height // 2))

    def do_half_page_up(self) -> None:
        self.move_to(self._cursor - max(1, self._height // 2))

    def do_page_down(self) -> None:
        self.move_to(self._cursor + max(1, self._height - 2))

    def do_page_up(self) -> None:
        self.move_to(self._cursor - max(1, self._height - 2))

    def do_left(self) -> None:
        self._go_to_column(self.column - 1 if self._cells else self._first - 1)

    def do_right(self) -> None:
        self._go_to_column(self.column + 1 if self._cells else self._first + 1)

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

    def do_open(self) -> None:
        if (row := self.row) is not None:
            self.post_message(self.Opened(self, row, self.current_column))

    def do_mark(self) -> None:
        if (row := self.row) is None:
            return
        self.marks ^= {row}
        self._lines.pop((self._cursor, False), None)
        self.refresh_line(self._cursor + 1)
        self.post_message(self.Changed(self))
        self.move_to(self._cursor + 1)

    # Searching, filtering, sorting

    def do_search(self, text: str = "") -> None:
        if text:
            self.run_worker(self._search(text), group="view", exclusive=True)
        else:
            ask(self, "/", then=lambda typed: self.do_search(typed) if typed else self._forget_search())

    async def _search(self, text: str) -> None:
        frame = self.frame
        if frame is None:
            return
        keys = [column.key for column in self.columns if column.searched]
        found = await self._elsewhere(lambda: frame_view.matching_view(frame, text, keys))
        self.searched, self._matched = text, found
        self._found = frame_view.positions(self._view, found)
        self._lines.clear()
        self.refresh()
        if len(self._found) == 0:
            tell(self, f"not found: {text}", "warning")
        elif self._cursor not in self._found:
            self._step_through(self._found, 1)
        self.post_message(self.Changed(self))

    def _forget_search(self) -> None:
        self.searched, self._matched, self._found = "", None, None
        self._lines.clear()
        self.refresh()

    @property
    def found(self) -> int:
        """How many rows the search found."""
        return 0 if self._found is None else len(self._found)

    def do_next_match(self) -> None:
        self._next_match(1)

    def do_previous_match(self) -> None:
        self._next_match(-1)

    def _next_match(self, step: int) -> None:
        if self._found is None:
            self.do_search()
        elif not self._step_through(self._found, step):
            tell(self, f"not found: {self.searched}", "warning")

    def _step_through(self, positions: pl.Series, step: int) -> bool:
        """The next of some ascending positions, round the end if need be."""
        if len(positions) == 0:
            return False
        if step > 0:
            at = int(positions.search_sorted(self._cursor, side="right"))
        else:
            at = int(positions.search_sorted(self._cursor, side="left")) - 1
        self.move_to(int(positions[at % len(positions)]))
        return True

    def do_filter(self, condition: str = "") -> None:
        if condition:
            self.run_worker(self._filter(condition), group="view", exclusive=True)
            return
        names = [] if self.frame is None else self.frame.columns
        ask(
            self,
            "show rows where",
            value=self.condition,
            then=lambda typed: self.run_worker(self._filter(typed), group="view", exclusive=True) and None,
            complete=lambda typed: frame_view.complete_column(typed, names),
            history="filter",
        )

    async def _filter(self, condition: str) -> None:
        frame = self.frame
        if frame is None:
            return
        condition = condition.strip()
        kept = None
        if condition:
            try:
                kept = await self._elsewhere(lambda: frame_view.filtered_view(frame, condition))
            except frame_view.FilterError as error:
                tell(self, str(error), "error", title="filter")
                return
        here, self.condition, self._kept = self.row, condition, kept
        self._change_view(here)

    def let_go(self) -> bool:
        """Drops the search, else the filter, else the marks; ``False`` if there was none."""
        if self.searched:
            self._forget_search()
        elif self.condition:
            here, self.condition, self._kept = self.row, "", None
            self._change_view(here)
        elif self.marks:
            self.marks.clear()
            self._lines.clear()
            self.refresh()
        else:
            return False
        self.post_message(self.Changed(self))
        return True

    def do_sort(self, name: str = "") -> None:
        if name:
            self.sort(name)
            return
        by_column = [Choice(column.key, column.title.strip() or column.key) for column in self.columns]
        choices = [Choice("", "as it came"), *(Choice(order.name, order.title) for order in self.orders), *by_column]
        start = self.sorted_by or (self.current_column if self._cells else "")
        arrow = "▼" if self.descending else "▲"
        choices = [Choice(c.key, f"{c.title} {arrow}", c.note) if c.key and c.key == self.sorted_by else c for c in choices]
        self.app.push_screen(Choosing("sort by", choices, start), lambda name: None if name is None else self.sort(name))

    def sort(self, name: str, descending: bool | None = None) -> None:
        """Sorts by a column or a named order; the same column again turns the direction round; ``""`` is as it came."""
        self.run_worker(self._sort(name, descending), group="view", exclusive=True)

    async def _sort(self, name: str, descending: bool | None) -> None:
        frame, here = self.frame, self.row
        if frame is None:
            return
        order = next((each for each in self.orders if each.name == name), None)
        if not name:
            self._order, self.sorted_by, self.descending = self._natural, "", False
        elif order is not None:
            self._order = await self._elsewhere(lambda: order.make(frame))
            self.sorted_by, self.descending = name, False
            here = None
        elif name in frame.columns:
            turn = not self.descending if name == self.sorted_by else False
            down = turn if descending is None else descending
            self._order = await self._elsewhere(lambda: frame_view.sorted_view(frame, name, down))
            self.sorted_by, self.descending = name, down
        else:
            tell(self, f"no column {name}", "warning")
            return
        self._change_view(here)

    async def _elsewhere(self, make: Callable[[], Made]) -> Made:
        if self.frame is None or self.frame.height < _IN_A_THREAD:
            return make()
        return await asyncio.to_thread(make)

    def _change_view(self, row: int | None) -> None:
        self._view = self._merged_view()
        self._pages.clear()
        self._lines.clear()
        self._found = None if self._matched is None else frame_view.positions(self._view, self._matched)
        self._cursor = min(self._position_of(row) or 0, max(0, self.count - 1)) if row is not None else 0
        self._measure()
        self.scroll_to(y=0, animate=False)
        self._scroll_to_cursor()
        self.refresh()
        self.post_message(self.Changed(self))
        self.post_message(self.Moved(self, self.row))

    def _merged_view(self) -> pl.Series | None:
        if self._kept is None or self._order is None or self.frame is None:
            return self._order if self._kept is None else self._kept
        import polars as pl

        inside = pl.repeat(False, self.frame.height, dtype=pl.Boolean, eager=True).scatter(self._kept, True)
        return self._order.filter(inside.gather(self._order))

    def _position_of(self, row: int | None) -> int | None:
        if row is None:
            return None
        if self._view is None:
            return row if row < self.count else None
        found = (self._view == row).arg_max()
        return found if found is not None and int(self._view[found]) == row else None

    # Drawing

    @property
    def _room(self) -> int:
        return self.scrollable_content_region.width

    @property
    def _height(self) -> int:
        return self.scrollable_content_region.height

    def _measure(self) -> None:
        if not self.columns or self.frame is None:
            self._widths = []
        else:
            first = self._page(0)
            rows = range(min(self.count, PAGE))
            painted = [[self._paint(column, first, row) for row in rows] for column in self.columns]
            self._widths = widths(self.columns, painted, max(1, self._room - GUTTER), self._gap)
        self.virtual_size = Size(max(1, self._room), self.count + 1)

    @property
    def _gap(self) -> int:
        return 2 if self._room >= 60 else 1

    def _page(self, number: int) -> list[list[Any]]:
        """One page of the view as lists, one a column's needed key, in the order of ``columns`` and their ``keys``."""
        page = self._pages.get(number)
        if page is None:
            import polars as pl

            assert self.frame is not None
            start = number * PAGE
            rows = self.frame.slice(start, PAGE) if self._view is None else self.frame[self._view.slice(start, PAGE)]
            taken = []
            for key in (key for column in self.columns for key in column.keys):
                column = rows[key]
                if column.dtype == pl.String:
                    column = column.str.slice(0, _CUT)
                elif column.dtype == pl.List(pl.String):
                    column = _joined(column)
                taken.append(column.to_list())
            if len(self._pages) > 64:
                self._pages.clear()
            page = self._pages[number] = taken
        return page

    def _paint(self, column: TableColumn, page: list[list[Any]], row: int) -> Painted:
        start = 0
        for each in self.columns:
            if each is column:
                break
            start += len(each.keys)
        return column.paint([page[start + i][row] for i in range(len(column.keys))])

    def _placed(self, whole: bool = False) -> list[tuple[int, int, int]]:
        """The columns on screen: index, x, width. ``whole``: only those that are not cut at the edge."""
        x, room, placed = GUTTER, self._room, []
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
        base = self.rich_style
        if self.frame is None or not self.columns:
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
        row = self.row_at(position)
        page = self._page(position // PAGE)
        base = self._style("cursor") if current else self.rich_style
        bar = self._style("bar")
        marked = row in self.marks
        segments = [
            Segment("▌" if current else " ", base + bar),
            Segment("●" if marked else " ", base + self._style("accent")),
        ]
        x = GUTTER
        for i, left, room in self._placed():
            column = self.columns[i]
            text, tone = self._paint(column, page, position % PAGE)
            style = base + self._style(tone) if tone else base
            if current and self._cells and i == self.column:
                style = style + self._style("cursor-cell")
            segments.append(Segment(" " * (left - x), base))
            segments.extend(self._with_matches(fit(text, room, column.right), style))
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

    def _style(self, name: str) -> Style:
        """A component's style; tones have no background of their own."""
        style = self._styles.get(name)
        if style is None:
            style = self.get_component_rich_style(f"table--{name}")
            style = self._styles[name] = over(style) if name in TONES or name == "bar" else style
        return style

    def _redraw(self) -> None:
        self._styles.clear()
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

    async def on_click(self, event: events.Click) -> None:
        if event.y >= 1:
            same = self._cursor == int(self.scroll_offset.y) + event.y - 1
            self.move_to(int(self.scroll_offset.y) + event.y - 1)
            if same:
                self.do_open()


def _joined(column: pl.Series) -> pl.Series:
    """Lists of texts as one text each: how many, and the beginning."""
    import polars as pl

    lengths = column.list.len()
    first = column.list.eval(pl.element().str.slice(0, _CUT)).list.join("  │  ")
    frame = pl.DataFrame({"n": lengths, "text": first})
    shown = pl.format("[{}] {}", pl.col("n"), pl.col("text").str.slice(0, _CUT))
    return frame.select(pl.when(pl.col("n").is_null()).then(None).otherwise(shown)).to_series()

