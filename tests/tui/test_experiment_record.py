"""What is done with experiments that were run: tagged, noted, plotted, told apart, copied with changes, scored anew; and
the question before code of a configuration runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragtui import trust
from ragtui.experiments.store import Store
from ragtui.tui.screens.experiment_form import ExperimentForm
from ragtui.tui.screens.experiments import ExperimentsPane
from ragtui.tui.widgets.form import Form
from ragtui.workspace import Workspace
from tests.experiments.command_line import Shell
from tests.tui.driving import lines_of, press, running, screen_text, shows, type_text

BOT = 'def answer(query):\n    open("seen.txt", "a").write("x")\n    return "On floor two."\n'


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    return Shell(tmp_path, capsys, monkeypatch)


@pytest.fixture
def desk(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two experiments on one dataset, and a target in ``ragtui.toml`` that was never allowed to run."""
    monkeypatch.setattr(
        "platformdirs.user_state_path", lambda name: shell.folder.parent / f"{shell.folder.name}-home" / name
    )
    monkeypatch.setattr(trust, "_allowed_here", set())
    rows = [
        {"id": f"c{n}", "query": f"q{n}", "ground_truth": "On floor two.", "v1": "No.", "v2": "On floor two."}
        for n in range(4)
    ]
    shell.write("desk.jsonl", rows)
    (shell.folder / "bot.py").write_text(BOT)
    (shell.folder / "ragtui.toml").write_text('[targets]\nbot = "python:bot:answer"\n')
    for version, metrics in (("v1", "f1,rougeL"), ("v2", "f1")):
        assert shell("run", "desk.jsonl", "--candidate", f"recorded:{version}", "--metrics", metrics, "-q").status == 0
    return shell.folder


async def test_tags_notes_plot_and_differences(desk: Path) -> None:
    async with running(desk) as (app, pilot):
        await press(app, pilot, "3")
        await press(app, pilot, "#")
        await type_text(app, pilot, "release, fast")
        await press(app, pilot, "enter", "t")
        await type_text(app, pilot, "the one to keep")
        await press(app, pilot, "enter")
        assert "release, fast" in lines_of(app)[4], "in the list"
        assert "the one to keep" in screen_text(app)
        await press(app, pilot, "=")
        assert "mark another experiment first" in str(list(app._notifications)[-1].message)
        await press(app, pilot, "space", "=")
        shown = await shows(app, pilot, "What differs")
        assert "candidate differs: recorded:v1 and recorded:v2" in shown
        assert "rougeL is only in" in shown
        words = " ".join(shown.replace("│", " ").split())
        assert "f1 A 0.00 (4/4) B 1.00 (4/4)" in words
        assert "no difference shown, +1.00 all by as much, p (Holm) .125" in words
        assert "4 pairs: 4 better, 0 equal, 0 worse" in words
        await press(app, pilot, "escape", "p")
        await shows(app, pilot, "plot which metric?")
        await press(app, pilot, "enter")
        shown = await shows(app, pilot, "f1 on desk")
        assert "0.00 (4/4) recorded:v1" in shown
        assert "1.00 (4/4) recorded:v2" in shown
        assert "●" in shown


async def test_a_copy_begins_with_the_same_settings_and_stored_responses_are_scored_anew(desk: Path) -> None:
    async with running(desk) as (app, pilot):
        await press(app, pilot, "3", "c")
        await shows(app, pilot, "before it runs")
        assert isinstance(app.screen, ExperimentForm)
        values = app.screen.query_one(Form).values
        assert (values["candidate"], values["metrics"], values["baseline"]) == ("recorded:v2", "f1", "")
        await press(app, pilot, "escape")
        assert isinstance(app.main.pane, ExperimentsPane)
        await press(app, pilot, "R")
        await shows(app, pilot, "no target is called")
        await press(app, pilot, "j", "enter")
        await type_text(app, pilot, "rouge1")
        await press(app, pilot, "enter")
        await shows(app, pilot, "4 cases × 1 metric")
        await press(app, pilot, "ctrl+r")
        await shows(app, pilot, "finished: 4 cells")
    with Store.open(Workspace(desk)) as store:
        newest = store.list()[0]
        assert (newest.plan.responses_of is not None, newest.means) == (True, {"rouge1": 1.0})


async def test_code_of_a_configuration_runs_only_after_a_yes(desk: Path) -> None:
    async with running(desk) as (app, pilot):
        await press(app, pilot, "3", "c")
        await shows(app, pilot, "before it runs")
        await press(app, pilot, "j", "j", "enter")
        await type_text(app, pilot, "bot")
        await press(app, pilot, "enter")
        await shows(app, pilot, "bot is asked for the answers to 4 cases")
        await press(app, pilot, "ctrl+r")
        shown = await shows(app, pilot, "this runs code you have not allowed yet")
        assert "python:bot:answer" in shown
        assert "bot.py" in shown
        await press(app, pilot, "enter")
        assert not (desk / "seen.txt").exists()
        await press(app, pilot, "c")
        await shows(app, pilot, "before it runs")
        await press(app, pilot, "j", "j", "enter")
        await type_text(app, pilot, "bot")
        await press(app, pilot, "enter")
        await shows(app, pilot, "bot is asked for the answers")
        await press(app, pilot, "ctrl+r")
        await shows(app, pilot, "this runs code you have not allowed yet")
        await press(app, pilot, "down", "enter")
        await shows(app, pilot, "finished: 4 cells")
        assert (desk / "seen.txt").read_text() == "xxxx"


def test_the_same_from_the_command_line(desk: Path, shell: Shell) -> None:
    assert "release, fast" in shell("experiment", "tag", "last", "release,fast").out
    assert "release, fast, slow" in shell("experiment", "tag", "last", "slow", "--add").out
    assert "to keep" in shell("experiment", "note", "last", "to keep").out
    with Store.open(Workspace(desk)) as store:
        newest, older = (each.id for each in store.list())
    said = shell("experiment", "differences", older, newest).out
    assert "candidate differs: recorded:v1 and recorded:v2" in said
    plotted = shell("experiment", "history", "f1").out.splitlines()
    assert [line.count("●") for line in plotted] == [0, 1, 1, 0]
    assert plotted[1].index("●") < plotted[2].index("●")
    assert shell("experiment", "history", "bleu").status == 2
    assert shell("experiment", "delete", newest).status == 0
    assert newest in shell("experiment", "undelete").out
    assert "is longer than 40 characters" in shell("experiment", "tag", "last", "x" * 41).err


def test_a_break_in_the_plot_says_what_changed(desk: Path, shell: Shell) -> None:
    rows = [json.loads(line) for line in (desk / "desk.jsonl").read_text().splitlines()]
    shell.write("desk.jsonl", rows[:3])
    assert shell("run", "desk.jsonl", "--candidate", "recorded:v2", "--metrics", "f1", "-q").status == 0
    assert "┄ other data" in shell("experiment", "history", "f1").out
