"""Experiments: made from what is open, looked at before they run, watched, stopped, gone on with."""

from __future__ import annotations

import json
import re
import shutil
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from ragtui.experiments.progress import Progress, Status
from ragtui.experiments.store import Store
from ragtui.metrics.score import State
from ragtui.tui.screens import experiment_views as views
from ragtui.tui.screens.experiment_form import ExperimentForm
from ragtui.tui.screens.experiments import ExperimentsPane
from ragtui.tui.widgets.form import Form
from ragtui.tui.widgets.virtual_table import VirtualTable
from ragtui.workspace import Workspace, bundled
from tests.tui.driving import NARROW, WIDE, lines_of, press, running, screen_text, shows, type_keys, type_text, until
from tests.tui.making import write_experiment


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    folder = Path(shutil.copytree(bundled("sample_data") / "support-desk", tmp_path / "desk"))
    shutil.copy(bundled("sample_data") / "ragtui.toml", tmp_path)
    return folder / "support.jsonl"


def small(path: Path, rows: int = 6) -> Path:
    """The first rows only, so that a run takes a moment."""
    path.write_text("".join(path.read_text("utf-8").splitlines(keepends=True)[:rows]), "utf-8")
    return path


@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_an_experiment_from_a_dataset_to_its_results_by_keys_alone(desk: Path, size: tuple[int, int]) -> None:
    async with running(desk.parents[1], str(small(desk)), size=size) as (app, pilot):
        await press(app, pilot, "x")
        assert isinstance(app.screen, ExperimentForm)
        await shows(app, pilot, "6 cases × 8 metrics × 2 sides")
        assert "nothing leaves this machine" in screen_text(app)
        await press(app, pilot, "ctrl+r")
        await shows(app, pilot, "finished: 96 cells")
        assert any("✓ finished" in line and "support-quality" in line for line in lines_of(app))
        await press(app, pilot, "enter")
        await shows(app, pilot, "worst first: groundedness")
        assert app.focused is app.main.query_one("#cases")


async def test_the_form_proposes_what_fits_and_follows_the_dataset(desk: Path) -> None:
    beir = str(bundled("sample_data") / "beir")
    async with running(desk.parents[1], str(desk), beir) as (app, pilot):
        await press(app, pilot, "3", "a")
        form = app.screen.query_one(Form)
        assert form.values["metrics"] == "group:support-quality"
        assert (form.values["candidate"], form.values["baseline"]) == (
            "recorded:answers_v2.jsonl", "recorded:answers_v1.jsonl",
        )  # fmt: skip
        await press(app, pilot, "l")
        assert form.values["metrics"] == "group:retrieval"
        assert form.values["candidate"].startswith("run:")
        await shows(app, pilot, "86 of 86")


async def test_what_cannot_run_says_why_and_cannot_be_started(desk: Path) -> None:
    async with running(desk.parents[1], str(small(desk))) as (app, pilot):
        await press(app, pilot, "x", "j", "j", "enter")
        await type_text(app, pilot, "recorded:nosuch")
        await press(app, pilot, "enter")
        shown = await shows(app, pilot, "cannot run")
        assert "nosuch" in shown
        await press(app, pilot, "ctrl+r")
        assert isinstance(app.screen, ExperimentForm)
        assert "nosuch" in str(list(app._notifications)[-1].message)


async def test_a_limit_takes_the_first_rows_only(desk: Path) -> None:
    async with running(desk.parents[1], str(desk)) as (app, pilot):
        await press(app, pilot, "x", *["j"] * 7, "enter", "4", "enter")
        await shows(app, pilot, "4 cases × 8 metrics")


async def test_a_run_shows_how_far_it_is_and_the_keyboard_stays_alive(
    tmp_path: Path, desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    going = threading.Event()

    def slow(plan: Any, dataset: Any, workspace: Any, store: Any, progress: Progress, *_: Any) -> Status:
        progress.total, progress.stage = 1000, "judging"
        for done in range(1000):
            progress.done = done
            progress.states[State.SCORED] = done
            if progress.cancelled or going.wait(0.02):
                break
        progress.status = Status.CANCELLED if progress.cancelled else Status.FINISHED
        return progress.status

    monkeypatch.setattr("ragtui.experiments.run.run", slow)
    async with running(desk.parents[1], str(small(desk))) as (app, pilot):
        await press(app, pilot, "x")
        await shows(app, pilot, "6 cases")
        await press(app, pilot, "ctrl+r")
        shown = await shows(app, pilot, "judging")
        assert " of 1,000 " in shown
        assert "▶" in shown.splitlines()[0]
        await pilot.press("2")
        await shows(app, pilot, "› Metric Groups")
        assert app.workbench.is_running
        await press(app, pilot, "3", "q")
        assert "is still going" in screen_text(app)
        await press(app, pilot, "enter")
        await press(app, pilot, "X")
        await shows(app, pilot, "stopped:")
        assert app.workbench.run is None
    going.set()


async def test_an_interrupted_experiment_goes_on_where_it_stopped(desk: Path) -> None:
    workspace = desk.parents[1]
    async with running(workspace, str(small(desk))) as (app, pilot):
        await press(app, pilot, "x")
        await shows(app, pilot, "6 cases")
        await press(app, pilot, "ctrl+r")
        await shows(app, pilot, "finished: 96 cells")
    with Store.open(Workspace(workspace), write=True) as store:
        store.connection.execute("DELETE FROM scores WHERE position > 2")
        store.connection.execute("UPDATE experiments SET status = 'interrupted', summary = NULL")
    async with running(workspace) as (app, pilot):
        await press(app, pilot, "3")
        assert "↯ interrupted" in screen_text(app)
        await press(app, pilot, "r")
        await shows(app, pilot, "finished:")
        with Store.open(Workspace(workspace)) as store:
            (entry,) = store.list()
            assert (entry.status, entry.done) == (Status.FINISHED, 96)


async def test_a_changed_dataset_is_not_gone_on_with(tmp_path: Path) -> None:
    path = tmp_path / "support.jsonl"
    path.write_text(json.dumps({"query": "q", "response": "r", "context": "c"}) + "\n")
    write_experiment(tmp_path)
    async with running(tmp_path, str(path)) as (app, pilot):
        await press(app, pilot, "3", "r")
        assert "changed since experiment" in str(list(app._notifications)[-1].message)


async def test_the_list_says_status_done_and_errors(tmp_path: Path) -> None:
    write_experiment(tmp_path)
    async with running(tmp_path) as (app, pilot):
        await press(app, pilot, "3")
        table = app.main.query_one("#experiment-list", VirtualTable)
        assert table.render_line(1).text.startswith("▌ ✓ finished  support.jsonl  answers")
        assert isinstance(app.main.pane, ExperimentsPane)
        assert "3.91 ✓" in screen_text(app)


def test_progress_in_three_lines() -> None:
    progress = Progress(
        total=1200, done=412, in_flight=40, concurrency=40, prompt_tokens=81_000, completion_tokens=1_131
    )
    progress.states.update({State.SCORED: 398, State.JUDGE_ERROR: 8, State.NOT_APPLICABLE: 6})
    progress.started = time.monotonic() - 10
    bar, states, flight = (line.plain for line in views.running(progress, "", 120))
    assert "412 of 1,200  34 %" in bar
    assert "41/s" in bar
    assert "0:19 left" in bar
    assert states == "8 judge error  6 not applicable  398 scored"
    assert re.fullmatch(r"40 in flight of 40 · 82,131 tokens \(49\d,\d{3}/min\) · 0:10", flight), flight


@pytest.mark.parametrize("width", [20, 40, 80, 200])
def test_progress_never_breaks_its_line(width: int) -> None:
    progress = Progress(total=10**9, done=10**8, stage="judging " * 40)
    assert all(line.cell_length <= width for line in views.running(progress, "", width))


async def test_an_experiment_is_deleted_and_brought_back(tmp_path: Path) -> None:
    experiment = write_experiment(tmp_path)
    async with running(tmp_path) as (app, pilot):
        await press(app, pilot, "3", "D", "enter")
        assert experiment in screen_text(app)
        await press(app, pilot, "D", "down", "enter")
        assert "No experiment was run in this folder yet" in screen_text(app)
        await press(app, pilot, "u")
        assert "▌ ✓ finished  support.jsonl  answers" in screen_text(app)


async def test_results_show_the_experiment_that_ended_last(desk: Path) -> None:
    async with running(desk.parents[1], str(small(desk))) as (app, pilot):
        await press(app, pilot, "x", "ctrl+r")
        await shows(app, pilot, "finished: 96 cells")
        await press(app, pilot, "4")
        await shows(app, pilot, "worst first")
        (first,) = app.workbench.experiments()
        await press(app, pilot, "1", "x", *["j"] * 7, "enter", "4", "enter", "ctrl+r")
        await until(pilot, lambda: str(len(app.workbench.experiments())), lambda n: n == "2")
        await until(pilot, lambda: str(app.workbench.run), lambda run: run == "None")
        await press(app, pilot, "4")
        shown = await shows(app, pilot, "4 cases")
        assert "› Results ›" in shown.splitlines()[1]
        assert first.id not in shown.splitlines()[1]


async def test_asked_for_too_early_it_starts_when_the_plan_was_looked_at(desk: Path) -> None:
    async with running(desk.parents[1], str(small(desk))) as (app, pilot):
        await type_keys(app, "x", "ctrl+r")
        await shows(app, pilot, "finished: 96 cells")


async def test_leaving_the_form_leads_back_to_where_it_was_asked_for(desk: Path) -> None:
    async with running(desk.parents[1], str(small(desk))) as (app, pilot):
        await press(app, pilot, "x", "escape")
        assert app.main.pane.id == "datasets"
        await press(app, pilot, "3", "a", "escape")
        assert app.main.pane.id == "experiments"
