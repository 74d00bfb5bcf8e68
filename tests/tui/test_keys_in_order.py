"""Keys that come in one go, as over a slow link, do what they would have done one by one."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from ragtui.tui.app import RagtuiApp
from ragtui.tui.screens.experiment_form import ExperimentForm
from ragtui.tui.widgets.choosing import Choosing
from ragtui.tui.widgets.form import Form
from ragtui.tui.widgets.virtual_table import VirtualTable
from tests.tui.driving import running, screen_text, settled, type_keys


async def burst(app: RagtuiApp, keys: str) -> None:
    """All keys are in the queue before the first is handled; waits until the last one is."""
    await type_keys(app, *("enter" if key == "\r" else "tab" if key == "\t" else key for key in keys))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rows = "".join(f'{{"query": "question {n}", "response": "answer {n}", "context": "c"}}\n' for n in range(30))
    for name in ("ants", "bees", "cats"):
        (tmp_path / f"{name}.jsonl").write_text(rows)
    return tmp_path


async def test_a_search_and_a_move_after_it(folder: Path) -> None:
    async with running(folder, "ants.jsonl", "bees.jsonl", "cats.jsonl") as (app, pilot):
        await burst(app, "/bees\rj")
        await settled(app, pilot)
        table = app.main.query_one("#list", VirtualTable)
        assert table.searched == "bees"
        assert table.value("name") == "cats"


async def test_a_filter_that_is_checked_elsewhere_and_moves_after_it(folder: Path) -> None:
    async with running(folder, "ants.jsonl") as (app, pilot):
        await burst(app, "\rf_line < 9\rjjj")
        await settled(app, pilot)
        table = app.main.query_one("#rows", VirtualTable)
        assert table.condition == "_line < 9"
        assert table.position == 3


async def test_a_list_that_opens_takes_what_was_typed_before_it_was_there(folder: Path) -> None:
    async with running(folder, "ants.jsonl") as (app, pilot):
        await burst(app, "?zoom")
        await settled(app, pilot)
        assert isinstance(app.screen, Choosing)
        assert "zoom" in screen_text(app)
        await burst(app, "\r")
        await settled(app, pilot)
        assert app.screen is app.main


async def test_a_form_that_opens_takes_the_keys_that_were_meant_for_it(folder: Path) -> None:
    async with running(folder, "ants.jsonl", "bees.jsonl") as (app, pilot):
        await burst(app, "jxjjjjjjjl")
        await settled(app, pilot)
        assert isinstance(app.screen, ExperimentForm)
        assert app.screen.query_one(Form).values["limit"] == "10"


async def test_panes_are_changed_in_order(folder: Path) -> None:
    async with running(folder, "ants.jsonl") as (app, pilot):
        await burst(app, "23412")
        await settled(app, pilot)
        assert app.main.pane.id == "groups"


async def test_a_hundred_moves_take_no_noticeable_time(folder: Path) -> None:
    async with running(folder, "ants.jsonl") as (app, pilot):
        await burst(app, "\r")
        await settled(app, pilot)
        table = app.main.query_one("#rows", VirtualTable)
        started = time.process_time()
        await burst(app, "jk" * 50 + "jjj")
        assert table.position == 3
        assert time.process_time() - started < 2.0
