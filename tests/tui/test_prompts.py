"""Prompts: a key that opens one does so in every part, and what is typed then never runs as keys."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Input

from ragtui.experiments import labels
from ragtui.experiments.store import Store
from ragtui.tui.widgets.virtual_table import VirtualTable
from ragtui.workspace import Workspace
from tests.tui.driving import NARROW, press, running, screen_text, type_text
from tests.tui.making import write_experiment


@pytest.mark.parametrize("way", ["beside", "whole"])
async def test_f_filters_the_rows_from_a_text_and_labels_nothing(tmp_path: Path, way: str) -> None:
    experiment = write_experiment(tmp_path)
    async with running(tmp_path, experiment=experiment, size=NARROW) as (app, pilot):
        await press(app, pilot, "tab" if way == "beside" else "enter", "f")
        await type_text(app, pilot, "groundedness = 5")
        await press(app, pilot, "enter")
        table = app.main.query_one("#cases", VirtualTable)
        assert table.condition == "groundedness = 5"
        assert table.row is not None
        assert str(table.value("case_id")) in screen_text(app)
        with Store.open(Workspace(tmp_path)) as store:
            assert not labels.labels(store, "support.jsonl")


async def test_s_sorts_the_rows_from_a_case_and_shows_the_one_at_the_cursor(tmp_path: Path) -> None:
    experiment = write_experiment(tmp_path)
    async with running(tmp_path, experiment=experiment, size=NARROW) as (app, pilot):
        await press(app, pilot, "enter", "s")
        await type_text(app, pilot, "worst latency")
        await press(app, pilot, "enter")
        assert "desk-012" in screen_text(app).splitlines()[0]


async def test_a_filter_that_leaves_no_case_is_dropped_there(tmp_path: Path) -> None:
    experiment = write_experiment(tmp_path)
    async with running(tmp_path, experiment=experiment, size=NARROW) as (app, pilot):
        await press(app, pilot, "enter", "f")
        await type_text(app, pilot, "groundedness = 77")
        await press(app, pilot, "enter")
        assert app.main.query_one("#cases", VirtualTable).count == 12


async def test_a_bad_filter_keeps_the_prompt_with_its_text_and_says_why(tmp_path: Path) -> None:
    experiment = write_experiment(tmp_path)
    async with running(tmp_path, experiment=experiment, size=NARROW) as (app, pilot):
        await press(app, pilot, "f")
        await type_text(app, pilot, "grounded < 3")
        await press(app, pilot, "enter")
        assert isinstance(app.focused, Input)
        assert app.focused.value == "grounded < 3"
        assert "✗ at 1: no column" in screen_text(app).splitlines()[-2]
        table = app.main.query_one("#cases", VirtualTable)
        assert table.count == 12
        await type_text(app, pilot, "ness")  # the cursor stands where the fault is
        assert app.focused.value == "groundedness < 3"
        await press(app, pilot, "enter")
        assert app.focused is table
        assert table.count == 4


async def test_the_footer_shows_the_keys_of_a_prompt_and_a_long_fault_whole(tmp_path: Path) -> None:
    experiment = write_experiment(tmp_path)
    async with running(tmp_path, experiment=experiment, size=NARROW) as (app, pilot):
        before = screen_text(app).splitlines()[-1]
        await press(app, pilot, "f")
        footer = screen_text(app).splitlines()[-1]
        assert footer.strip().startswith("⏎ takes it  esc leaves  tab completes")
        assert "quit" not in footer
        await type_text(app, pilot, "groundedness + 12345678901")
        await press(app, pilot, "enter")
        assert "not a condition; compare it, as with = or <" in screen_text(app).splitlines()[-1]
        await press(app, pilot, "backspace")
        assert "esc leaves" in screen_text(app).splitlines()[-1]
        await press(app, pilot, "escape")
        assert screen_text(app).splitlines()[-1] == before
