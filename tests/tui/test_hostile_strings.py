"""Any number of hostile strings in a table and in a text: no crash, nothing raw, and what stands beside them stays in line.

``RAGTUI_INPUTS=10000`` is a thorough look; ``benchmarks/hostile_strings.py`` looks with a terminal's own eyes.
"""

from __future__ import annotations

import os
from typing import Final

import polars as pl
from rich.cells import cell_len
from textual.app import App, ComposeResult
from textual.containers import Horizontal
from textual.strip import Strip

from ragtui.text import storable
from ragtui.tui.widgets.passage import Passage
from ragtui.tui.widgets.table_column import TableColumn
from ragtui.tui.widgets.virtual_table import VirtualTable
from ragtui.tui.widgets.wrapped_text import WrappedText
from tests.hostile import came_through, strings

INPUTS: Final = int(os.environ.get("RAGTUI_INPUTS", "200"))
ALIGNED: Final = "|end|"


class TableAndText(App[None]):
    def __init__(self, hostile: list[str]) -> None:
        super().__init__()
        self.frame = pl.DataFrame(
            {"id": range(len(hostile)), "text": hostile, "list": [[each] for each in hostile], "end": ALIGNED}
        )
        self.passage = Passage()
        for number, each in enumerate(hostile):
            self.passage.heading(f"{number} {each}", each)
            self.passage.text(each, tone="bad", indent=2, bar="good")
            self.passage.line((each, "strong"), (each, ""), hang=4)

    def compose(self) -> ComposeResult:
        with Horizontal():
            yield VirtualTable(cells=True)
            yield WrappedText()

    def on_mount(self) -> None:
        names = ("id", "text", "list", "end")
        self.query_one(VirtualTable).show(self.frame, [TableColumn(name, name, most=16) for name in names])
        self.query_one(WrappedText).show(self.passage)


def judge(strip: Strip, width: int) -> str:
    """The line's text, if it fits its place and holds nothing that a terminal, or the toolkit, would act on."""
    text = "".join(segment.text for segment in strip)
    assert came_through(text) == []
    assert "\n" not in text
    assert "\t" not in text
    assert strip.cell_length == sum(cell_len(segment.text) for segment in strip) == width
    assert not any(segment.style and (segment.style.link or "@click" in segment.style.meta) for segment in strip)
    return text


async def test_nothing_of_hostile_strings_comes_through_and_columns_stay_in_line() -> None:
    hostile = [storable(each) for each in strings(INPUTS, longest=100 * INPUTS)]
    app = TableAndText(hostile)
    async with app.run_test(size=(140, 40)) as pilot:
        table, text = app.query_one(VirtualTable), app.query_one(WrappedText)
        width, page = table.scrollable_content_region.width, table.scrollable_content_region.height - 1
        column = cell_len(judge(table.render_line(0), width).partition("end")[0])
        for top in range(0, len(hostile), page):
            table.scroll_to(y=min(top, len(hostile) - page), animate=False, immediate=True)
            for y in range(1, page + 1):
                line = judge(table.render_line(y), width)
                assert cell_len(line.partition(ALIGNED)[0]) == column, line
        while not text.wrapped:
            await pilot.pause(0.01)
        width, height = text.scrollable_content_region.width, text.virtual_size.height
        for top in range(0, height, 40):
            text.scroll_to(y=top, animate=False, immediate=True)
            for y in range(40):
                judge(text.render_line(y), width)
        assert height > 3 * len(hostile)
