"""The columns of a table: which are shown, in which order, how wide; the table itself below, as it becomes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content

from ragtui.text import cell
from ragtui.tui.actions import bindings
from ragtui.tui.performing import tell
from ragtui.tui.screens.over import OverScreen
from ragtui.tui.screens.pane import Pane
from ragtui.tui.widgets.arrangement import NARROWEST, WIDEST, Place, arranged, natural, places_of
from ragtui.tui.widgets.part import Part
from ragtui.tui.widgets.prompt_line import Line, PromptLine
from ragtui.tui.widgets.table_column import Painted, TableColumn
from ragtui.tui.widgets.virtual_table import VirtualTable

if TYPE_CHECKING:
    import polars as pl

_PREVIEWED = 100  # rows
_STEP = 2  # cells that one key makes a column wider


def _shown(values: Sequence[Any]) -> Painted:
    return ("✓", "good") if values[0] else ("·", "dim")


def _named(values: Sequence[Any]) -> Painted:
    return cell(values[0]), "" if values[1] else "dim"


def _width(values: Sequence[Any]) -> Painted:
    return (str(values[0]), "strong") if values[0] else ("auto", "dim")


_COLUMNS = (
    TableColumn("shown", "", paint=_shown, width=1),
    TableColumn("title", "column", ("shown",), paint=_named, most=30),
    TableColumn("width", "width", paint=_width, right=True),
    TableColumn("key", "in a filter", paint=lambda values: (cell(values[0]), "dim"), most=40),
    TableColumn("first", "first row", paint=lambda values: (cell(values[0]), "dim"), grow=True, most=60),
)


def arrange(pane: Pane, name: str, title: str, columns: Sequence[TableColumn], then: Callable[[], object]) -> None:
    """Lets the user arrange the ``columns`` of a pane's rows, and keeps them under ``name``; then calls ``then``."""
    table, kept = pane.rows_table(), pane.workbench.kept
    if table.frame is None:
        return

    def chosen(places: list[Place] | None) -> None:
        if places is None:
            return
        try:
            kept.arrange(name, None if places == natural(columns) else places)
        except OSError as error:
            tell(pane, f"not kept for the next time: {error.strerror or error}", "warning")
        then()

    pane.app.push_screen(ColumnsScreen(title, table.frame, columns, kept.columns(name), table.current_column), chosen)


class ColumnList(VirtualTable, inherit_bindings=False):
    """The columns, one a row."""

    SCOPES = ("columns",)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("columns")]

    def __init__(
        self, columns: Sequence[TableColumn], places: Sequence[Place], frame: pl.DataFrame, start: str = ""
    ) -> None:
        """``start`` is the key of the column that the cursor is on to begin with."""
        super().__init__(id="column-list", frozen=2)
        self._start = start
        self._choice = {column.key: column for column in columns}
        self._example = frame.head(1)
        self.places = list(places)

    def on_mount(self) -> None:
        self._list(next((i for i, place in enumerate(self.places) if place.key == self._start), 0))

    def _list(self, row: int) -> None:
        import polars as pl

        from ragtui.tui.widgets.row_filter import quoted

        rows = [
            {
                "shown": place.shown,
                "title": self._choice[place.key].title.strip() or place.key,
                "width": place.width,
                "key": quoted(place.key),
                "first": self._first_of(place.key),
            }
            for place in self.places
        ]
        schema = {"shown": pl.Boolean, "title": pl.String, "width": pl.Int64, "key": pl.String, "first": pl.String}
        self.show(pl.DataFrame(rows, schema=schema), _COLUMNS, row=row)

    def _first_of(self, key: str) -> str:
        column = self._choice[key]
        if self._example.is_empty():
            return ""
        from ragtui.tui.widgets.frame_view import FrameView

        return column.paint([values[0] for values in FrameView(self._example).page(0, column.keys)])[0]

    def _change(self, place: Place) -> None:
        if self.row is not None:
            self.places[self.row] = place
            self._list(self.row)

    def do_toggle(self) -> None:
        if (row := self.row) is not None:
            place = self.places[row]
            if place.shown and sum(each.shown for each in self.places) == 1:
                return  # one has to stay
            self._change(replace(place, shown=not place.shown))

    def do_move_down(self) -> None:
        self._move(1)

    def do_move_up(self) -> None:
        self._move(-1)

    def _move(self, step: int) -> None:
        if (row := self.row) is not None and 0 <= row + step < len(self.places):
            self.places.insert(row + step, self.places.pop(row))
            self._list(row + step)

    def do_wider(self) -> None:
        self._widen(_STEP)

    def do_narrower(self) -> None:
        self._widen(-_STEP)

    def _widen(self, step: int) -> None:
        if (row := self.row) is None:
            return
        place = self.places[row]
        now = place.width or self.shown_widths().get(place.key, 12)
        self._change(replace(place, width=max(NARROWEST, min(now + step, WIDEST))))

    def shown_widths(self) -> dict[str, int]:
        """How wide the columns are in the table below, by key."""
        below = self.screen.query_one("#columns-table", VirtualTable)
        return dict(zip((column.key for column in below.columns), below.column_widths, strict=True))

    def do_automatic(self) -> None:
        if (row := self.row) is not None:
            self._change(replace(self.places[row], width=0))

    def do_natural(self) -> None:
        self.places = natural(list(self._choice.values()))
        self._list(0)


class ColumnsScreen(OverScreen["list[Place] | None"], inherit_bindings=False):
    """Ends with the places to keep; ``None`` if it was left."""

    SCOPES = ("arranging",)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("arranging")]
    LINES = ("columns-title",)
    DEFAULT_CSS = """
    ColumnsScreen #columns-part { height: 1fr; }
    ColumnsScreen #columns-below { height: 30%; }
    """

    def __init__(
        self, title: str, frame: pl.DataFrame, columns: Sequence[TableColumn], kept: Sequence[Place], start: str = ""
    ) -> None:
        super().__init__()
        self._heading, self._frame, self._columns = title, frame.head(_PREVIEWED), list(columns)
        self._places = places_of(columns, kept)
        self._start = start

    def parts(self) -> ComposeResult:
        with Part("columns", id="columns-part"):
            yield ColumnList(self._columns, self._places, self._frame, self._start)
        with Part("so it looks", id="columns-below"):
            below = VirtualTable(id="columns-table")
            below.can_focus = False
            yield below

    def on_mount(self) -> None:
        name = Content.styled(" Columns ", "bold $background on $primary")
        self.query_one("#columns-title", Line).show(Content.assemble(name, "  ", cell(self._heading)))
        self.query_one(PromptLine).status(Content("⏎ keeps it for this workspace · esc leaves it as it was"))
        self.set_focus(self.query_one(ColumnList))

    def on_virtual_table_changed(self, event: VirtualTable.Changed) -> None:
        found = self.query_one(ColumnList)
        if event.table is not found:
            return
        self.query_one("#columns-table", VirtualTable).show(self._frame, arranged(self._columns, found.places))
        shown = sum(place.shown for place in found.places)
        self.query_one("#columns-part", Part).title("columns", f"{shown} of {len(found.places)} shown")

    def do_keep(self) -> None:
        self.dismiss(self.query_one(ColumnList).places)
