"""The table: keys as in vim and with arrows, marks, search, filter, sort; as fast for a million rows as for ten thousand."""

from __future__ import annotations

import csv
from pathlib import Path

import polars as pl
import pytest
from rich.cells import cell_len
from textual.app import App, ComposeResult
from textual.binding import Binding

from ragtui.text import cell
from ragtui.tui.widgets.prompt_line import PromptLine
from ragtui.tui.widgets.table_column import TableColumn
from ragtui.tui.widgets.virtual_table import Order, VirtualTable

CASES = Path(__file__).parents[1] / "cases"


class OneTable(App[None]):
    BINDINGS = [Binding("q", "quit")]  # noqa: RUF012

    def __init__(self, frame: pl.DataFrame, *columns: TableColumn, cells: bool = True) -> None:
        super().__init__()
        self.frame = frame
        self.columns = columns or tuple(TableColumn(name, name) for name in frame.columns)
        self.cells = cells
        self.opened: list[tuple[int, str]] = []

    def compose(self) -> ComposeResult:
        yield VirtualTable(cells=self.cells)
        yield PromptLine()

    def on_mount(self) -> None:
        self.table.show(self.frame, self.columns)
        self.table.focus()

    @property
    def table(self) -> VirtualTable:
        return self.query_one(VirtualTable)

    def on_virtual_table_opened(self, event: VirtualTable.Opened) -> None:
        self.opened.append((event.row, event.column))

    def lines(self) -> list[str]:
        return [self.table.render_line(y).text for y in range(self.table.size.height)]


def numbers(count: int) -> pl.DataFrame:
    return pl.DataFrame(
        {"id": [f"row {i}" for i in range(count)], "n": range(count), "odd": [i % 2 for i in range(count)]}
    )


@pytest.mark.parametrize(
    ("keys", "row"),
    [
        ("j", 1),
        ("down down", 2),
        ("j j k", 1),
        ("G", 499),
        ("end home", 0),
        ("G g", 0),
        ("k", 0),
        ("G j", 499),
        ("ctrl+d", 11),
        ("ctrl+d ctrl+u", 0),
        ("pagedown", 20),
        ("pagedown pageup", 0),
    ],
)
async def test_moving(keys: str, row: int) -> None:
    app = OneTable(numbers(500))
    async with app.run_test(size=(60, 23)) as pilot:
        await pilot.press(*keys.split())
        assert app.table.row == row
        assert any(line.startswith("▌") and f"row {row} " in line for line in app.lines())


async def test_the_cursor_is_always_on_the_screen_and_scrolling_jumps() -> None:
    app = OneTable(numbers(500))
    async with app.run_test(size=(60, 23)) as pilot:
        tops = []
        for _ in range(60):
            await pilot.press("j")
            top = int(app.table.scroll_offset.y)
            assert top <= app.table.position < top + 21
            tops.append(top)
        assert sorted(set(tops)) == [0, 16, 32, 48]  # by most of a page, not a line at a time


async def test_marks_move_on_and_are_taken_away_again() -> None:
    app = OneTable(numbers(9))
    async with app.run_test(size=(60, 23)) as pilot:
        await pilot.press("space", "space", "k", "space")
        assert app.table.marks == {0}
        assert app.lines()[1].startswith(" ●")


async def test_enter_opens_the_row_and_the_column_one_stands_on() -> None:
    app = OneTable(numbers(9))
    async with app.run_test(size=(60, 23)) as pilot:
        await pilot.press("j", "l", "enter")
        await pilot.pause()
        assert app.opened == [(1, "n")]


async def test_search_finds_and_steps_round_the_ends() -> None:
    app = OneTable(numbers(100))
    async with app.run_test(size=(60, 23)) as pilot:
        await pilot.press("slash", "7", "7", "enter")
        await pilot.pause()
        assert (app.table.row, app.table.found) == (77, 1)
        await pilot.press("slash", "9", "8", "enter", "n", "N")
        await pilot.pause()
        assert app.table.row == 98


async def test_a_filter_is_an_sql_condition_and_keeps_the_row() -> None:
    app = OneTable(numbers(100))
    async with app.run_test(size=(60, 23)) as pilot:
        app.table.go_to(51)
        app.table.do_filter("odd = 1 and n > 10")
        await pilot.pause(0.1)
        assert (app.table.count, app.table.row) == (45, 51)
        assert app.table.let_go()
        assert (app.table.count, app.table.row) == (100, 51)
        assert not app.table.let_go()


async def test_a_wrong_filter_says_why_and_changes_nothing() -> None:
    app = OneTable(numbers(100))
    async with app.run_test(size=(60, 23)) as pilot:
        app.table.do_filter("nn > 10")
        await pilot.pause(0.1)
        assert app.table.count == 100
        assert [notification.message for notification in app._notifications] == ["at 1: no column nn; did you mean n?"]


async def test_sorting_keeps_the_row_and_turns_round_the_second_time() -> None:
    app = OneTable(numbers(100))
    async with app.run_test(size=(60, 23)) as pilot:
        app.table.go_to(30)
        app.table.sort("odd")
        await pilot.pause(0.1)
        assert (app.table.row, app.table.position) == (30, 15)
        assert "odd▲" in app.lines()[0]
        app.table.sort("odd")
        await pilot.pause(0.1)
        assert (app.table.row, app.table.position) == (30, 65)
        assert "odd▼" in app.lines()[0]
        app.table.sort("")
        await pilot.pause(0.1)
        assert app.table.position == 30


async def test_the_sort_menu_offers_orders_that_mean_something() -> None:
    app = OneTable(numbers(10))
    async with app.run_test(size=(60, 23)) as pilot:
        app.table.orders = (Order("back", "from the back", lambda frame: frame["n"].reverse().cast(pl.UInt32)),)
        await pilot.press("s", *"back", "enter")
        await pilot.pause(0.1)
        assert app.table.view is not None
        assert app.table.view.row_at(0) == 9


async def test_columns_that_do_not_fit_are_reached_with_l_and_the_first_stays() -> None:
    frame = pl.DataFrame({"id": ["x"], **{f"column{i}": ["v" * 20] for i in range(8)}})
    app = OneTable(frame)
    async with app.run_test(size=(60, 10)) as pilot:
        assert app.lines()[0].rstrip().endswith("›")
        await pilot.press(*["l"] * 8)
        assert app.table.current_column == "column7"
        assert app.lines()[0].lstrip().startswith("id")
        assert "column7" in app.lines()[0]
        await pilot.press(*["h"] * 8)
        assert "column0" in app.lines()[0]


async def test_other_values_keep_cursor_marks_filter_and_order() -> None:
    app = OneTable(numbers(100))
    async with app.run_test(size=(60, 23)) as pilot:
        app.table.do_filter("odd = 1")
        await pilot.pause(0.1)
        app.table.sort("n", descending=True)
        await pilot.pause(0.1)
        app.table.go_to(51)
        app.table.marks = {3}
        app.table.show(app.frame.with_columns(id=pl.lit("other")), app.columns, keep=True)
        assert (app.table.row, app.table.count, app.table.marks) == (51, 50, {3})
        assert "other" in app.lines()[1]


@pytest.mark.parametrize("width", [80, 40])
async def test_wide_and_joined_characters_do_not_move_the_next_column(width: int) -> None:
    with (CASES / "93-ui-wide-and-joined-characters" / "wide.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    frame = pl.DataFrame(rows)
    columns = [TableColumn("id", "id"), TableColumn("query", "query", most=width - 20), TableColumn("score", "score")]
    app = OneTable(frame, *columns)
    async with app.run_test(size=(width, 12)):
        lines = app.lines()
        at = lines[0].index("score")
        for row, line in zip(rows, lines[1:], strict=False):
            before = line[: line.rindex(row["score"])]
            assert cell_len(before) == at
            assert cell_len(line) == app.table.size.width


@pytest.mark.parametrize("row", range(8))
async def test_markup_in_data_is_shown_as_it_stands(row: int) -> None:
    with (CASES / "91-ui-markup-in-data" / "brackets.csv").open(encoding="utf-8", newline="") as stream:
        texts = [each[1] for each in csv.reader(stream)][1:]
    app = OneTable(pl.DataFrame({"text": texts}), TableColumn("text", "[red]text[/]", most=70))
    async with app.run_test(size=(80, 12)):
        assert "[red]text[/]" in app.lines()[0]
        assert cell(texts[row]) in app.lines()[row + 1]


async def test_a_million_rows_are_walked_to_the_end_and_back() -> None:
    frame = pl.select(pl.int_range(1_000_000).alias("n")).with_columns(text=pl.lit("a long text about nothing " * 20))
    app = OneTable(frame)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("G")
        assert app.table.row == app.table.count - 1 == 999_999
        await pilot.press("k", "g", "j")
        assert app.table.row == 1
