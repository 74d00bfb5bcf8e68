"""A table over a Polars frame that shows a million rows as fast as ten: only visible ones become Python objects.

The frame is never copied. Pages of 256 rows are gathered on demand, lines are kept once drawn, and moving the cursor
redraws two of them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeVar

from textual import events
from textual.binding import BindingType
from textual.message import Message
from textual.widget import Widget

from ragtui.tui.actions import bindings
from ragtui.tui.performing import Performs, tell, work
from ragtui.tui.widgets import frame_view, row_filter
from ragtui.tui.widgets.choosing import Choice, Choosing
from ragtui.tui.widgets.drawn_table import DrawnTable
from ragtui.tui.widgets.frame_view import FrameView
from ragtui.tui.widgets.prompt_line import Fault, ask
from ragtui.tui.widgets.table_column import TableColumn

if TYPE_CHECKING:
    import polars as pl

_IN_A_THREAD: Final = 50_000  # from this many rows on, sorting and searching leave the screen's thread

Made = TypeVar("Made")


@dataclass(frozen=True)
class Order:
    """A way to sort beyond single columns: ``make`` gives all rows of the frame in order."""

    name: str
    title: str
    make: Callable[[pl.DataFrame], pl.Series]


@dataclass
class OfTable(Message):
    """What a table has to say."""

    table: VirtualTable

    @property
    def control(self) -> VirtualTable:
        return self.table


class VirtualTable(Performs, DrawnTable):
    """Rows on the keyboard: move, mark, search, filter, sort. Rows are named by their number in the frame."""

    SCOPES = ("table",)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("table")]

    @dataclass
    class Moved(OfTable):
        """The cursor is on another row (``None``: there is none) or the rows changed under it."""

        row: int | None

    @dataclass
    class Opened(OfTable):
        """Enter was pressed on a row."""

        row: int
        column: str

    @dataclass
    class Sorted(OfTable):
        """The user chose what to sort by."""

        by: str

    @dataclass
    class Filtered(OfTable):
        """The user filtered by a condition."""

        condition: str

    @dataclass
    class Changed(OfTable):
        """Other rows are shown, or in another order, or other ones are marked."""

    def __init__(
        self,
        *,
        id: str | None = None,
        cells: bool = False,
        frozen: int = 1,
        empty: str = "",
        classes: str | None = None,
    ) -> None:
        super().__init__(id=id, cells=cells, frozen=frozen, empty=empty, classes=classes)
        self.orders: tuple[Order, ...] = ()
        self.condition = ""

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
        """Shows a frame, its rows in ``order``, the cursor on ``row``.

        ``keep`` keeps filter, sorting, marks and cursor: the frame is the same one with other values.
        """
        here = self.row if row is None and keep else row
        if keep and self.view is not None and self.view.frame.height == frame.height:
            self.view = self.view.over(frame, order)
        else:
            self.view = FrameView(frame, order)
            self.marks, self.condition, self.searched = set(), "", ""
            self.sorted_by, self.descending = "", False
        if not keep:
            self.column, self._first = 0, self._frozen
        self.columns = tuple(columns)
        self.column, self._first = (
            max(0, min(self.column, len(columns) - 1)),
            min(self._first, max(self._frozen, len(columns) - 1)),
        )
        self._keys = [key for column in self.columns for key in column.keys]
        self._starts = [0, *accumulate(len(column.keys) for column in self.columns)]
        self._changed(here)

    def value(self, key: str, row: int | None = None) -> Any:
        """A row's value in a frame's column, whole; of the row under the cursor if none is named."""
        row = self.row if row is None else row
        return None if self.frame is None or row is None else self.frame.item(row, key)

    def shown_rows(self) -> pl.DataFrame | None:
        """The rows shown, in the order shown."""
        return None if self.view is None else self.view.shown()

    @property
    def current_column(self) -> str:
        return self.columns[self.column].key if self.columns else ""

    def go_to(self, row: int, column: str | None = None) -> bool:
        """Puts the cursor on a row of the frame; ``False`` if the filter hides it."""
        position = None if self.view is None else self.view.position_of(row)
        if position is None:
            return False
        if column is not None:
            self._go_to_column(next((i for i, each in enumerate(self.columns) if each.key == column), self.column))
        self.move_to(position)
        return True

    def find_next(self, test: pl.Series, step: int) -> bool:
        """Moves to the next (``step`` 1) or previous (-1) shown row where ``test``, a truth value a row, holds."""
        return self.view is not None and self._step_to(self.view.where(test), step)

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
            work(self, partial(self._search, text), "view")
        else:
            ask(self, "/", then=lambda typed: self.do_search(typed) if typed else self._forget_search())

    async def _search(self, text: str) -> None:
        if (view := self.view) is None:
            return
        keys = [column.key for column in self.columns if column.searched]
        found = await self._elsewhere(lambda: frame_view.matching_view(view.frame, text, keys))
        self.searched = text
        view.match(found)
        self._redraw()
        if self.found == 0:
            tell(self, f"not found: {text}", "warning")
        elif view.found is not None and self._cursor not in view.found:
            self._step_to(view.found, 1)
        self.post_message(self.Changed(self))

    def _forget_search(self) -> None:
        self.searched = ""
        if self.view is not None:
            self.view.match(None)
        self._redraw()

    @property
    def found(self) -> int:
        """How many rows the search found."""
        return 0 if self.view is None or self.view.found is None else len(self.view.found)

    def do_next_match(self) -> None:
        self._next_match(1)

    def do_previous_match(self) -> None:
        self._next_match(-1)

    def _next_match(self, step: int) -> None:
        if self.view is None or self.view.found is None:
            self.do_search()
        elif not self._step_to(self.view.found, step):
            tell(self, f"not found: {self.searched}", "warning")

    def _step_to(self, positions: pl.Series, step: int) -> bool:
        at = frame_view.step_from(self._cursor, positions, step)
        if at is not None:
            self.move_to(at)
        return at is not None

    def do_filter(self, condition: str = "") -> None:
        if condition:
            work(self, partial(self._filter, condition), "view")
            return
        self.ask_filter(self)

    def ask_filter(self, where: Widget, then: Callable[[], object] = lambda: None) -> None:
        """Asks for a condition on the screen that ``where`` is on; ``then`` is called when the rows are narrowed."""
        names = [] if self.frame is None else self.frame.columns
        ask(
            where,
            "show rows where",
            value=self.condition,
            then=lambda _: then(),
            check=self.narrow,
            complete=lambda typed: row_filter.complete_column(typed, names),
            history="filter",
        )

    async def _filter(self, condition: str) -> None:
        if (fault := await self.narrow(condition)) is not None:
            tell(self, fault.message, "error", title="filter")

    async def narrow(self, condition: str) -> Fault | None:
        """Shows only rows where an SQL condition holds; returns what is wrong with it, and then changes nothing."""
        if (view := self.view) is None:
            return None
        condition = condition.strip()
        kept = None
        if condition:
            try:
                kept = await self._elsewhere(lambda: row_filter.filtered_view(view.frame, condition))
            except row_filter.FilterError as error:
                return Fault(str(error), error.at)
            self.post_message(self.Filtered(self, condition))
        self._keep(condition, kept)
        return None

    def _keep(self, condition: str, kept: pl.Series | None) -> None:
        here, self.condition = self.row, condition
        if self.view is not None:
            self.view.keep(kept)
        self._changed(here)

    def let_go_of_filter(self) -> None:
        """Shows all rows again."""
        self._keep("", None)

    def let_go(self) -> bool:
        """Drops the search, else the filter, else the marks; ``False`` if there was none."""
        if self.searched:
            self._forget_search()
        elif self.condition:
            self._keep("", None)
        elif self.marks:
            self.marks.clear()
            self._redraw()
        else:
            return False
        self.post_message(self.Changed(self))
        return True

    def do_sort(self, name: str = "") -> None:
        if name:
            self._chosen(name)
        else:
            self.choose_sort(lambda: None)

    def choose_sort(self, then: Callable[[], object]) -> None:
        """Asks what to sort by; ``then`` is called when the rows are sorted."""
        by_column = [Choice(column.key, column.title.strip() or column.key) for column in self.columns]
        choices = [Choice("", "as it came"), *(Choice(order.name, order.title) for order in self.orders), *by_column]
        start = self.sorted_by or (self.current_column if self._cells else "")
        arrow = "▼" if self.descending else "▲"
        choices = [
            Choice(c.key, f"{c.title} {arrow}", c.note) if c.key and c.key == self.sorted_by else c for c in choices
        ]
        self.app.push_screen(
            Choosing("sort by", choices, start), lambda name: None if name is None else self._chosen(name, then)
        )

    def _chosen(self, name: str, then: Callable[[], object] = lambda: None) -> None:
        async def sort() -> None:
            await self._sort(name, None)
            self.post_message(self.Sorted(self, name))
            then()

        work(self, sort, "view")

    def sort(self, name: str, descending: bool | None = None) -> None:
        """Sorts by a column or a named order; the same column again turns the direction round; ``""`` is as it came."""
        work(self, partial(self._sort, name, descending), "view")

    async def _sort(self, name: str, descending: bool | None) -> None:
        view, here = self.view, self.row
        if view is None:
            return
        special = next((each for each in self.orders if each.name == name), None)
        down = False
        if not name:
            order = view.natural
        elif special is not None:
            order, here = await self._elsewhere(lambda: special.make(view.frame)), None
        elif name in view.frame.columns:
            down = (not self.descending and name == self.sorted_by) if descending is None else descending
            order = await self._elsewhere(lambda: frame_view.sorted_view(view.frame, name, down))
        else:
            tell(self, f"no column {name}", "warning")
            return
        self.sorted_by, self.descending = name, down
        view.order(order)
        self._changed(here)

    async def _elsewhere(self, make: Callable[[], Made]) -> Made:
        if self.frame is None or self.frame.height < _IN_A_THREAD:
            return make()
        return await asyncio.to_thread(make)

    def _changed(self, row: int | None) -> None:
        """Other rows, or in another order: the cursor stays on its row if it is still there."""
        at = self.view.position_of(row) if self.view is not None else None
        self._cursor = at or 0
        self._lines.clear()
        self._measure()
        self.scroll_to(y=0, animate=False)
        self._scroll_to_cursor()
        self.refresh()
        self.post_message(self.Changed(self))
        self.post_message(self.Moved(self, self.row))

    async def on_click(self, event: events.Click) -> None:
        if event.y >= 1:
            same = self._cursor == int(self.scroll_offset.y) + event.y - 1
            self.move_to(int(self.scroll_offset.y) + event.y - 1)
            if same:
                self.do_open()
