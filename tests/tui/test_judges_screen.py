"""Judges in the app: listed, added, probed, checked on gold claims, asked by what the check found, picked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragtui.judges.profile import profile
from ragtui.judges.strategy_check import StrategyCheck, Tried, known_check
from ragtui.tui.screens.experiment_form import ExperimentForm
from ragtui.tui.screens.judges import JudgesScreen
from ragtui.tui.widgets.form import Form
from ragtui.workspace import Workspace
from tests.judges.servers import fake_judge
from tests.tui.driving import NARROW, press, running, screen_text, shows, type_keys, type_text

KEY = "sk-planted-3b9d17c0ee"


async def test_from_nothing_to_a_judge_that_new_experiments_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAB_KEY", KEY)
    (tmp_path / "desk.jsonl").write_text(
        json.dumps({"query": "When?", "response": "At nine.", "context": "At nine.", "ground_truth": "Nine."}) + "\n"
    )
    with fake_judge() as server:
        async with running(tmp_path, str(tmp_path / "desk.jsonl"), size=NARROW) as (app, pilot):
            await press(app, pilot, "3", "J")
            assert isinstance(app.screen, JudgesScreen)
            assert "a heuristic over words" in screen_text(app)
            await press(app, pilot, "a")
            await type_text(app, pilot, f"lab openai:fake@{server.url} {KEY}")
            await press(app, pilot, "enter")
            assert "never the key" in screen_text(app).replace("\n", " ")
            await press(app, pilot, "a")
            await type_text(app, pilot, f"lab openai:fake@{server.url} LAB_KEY")
            await press(app, pilot, "enter")
            shown = screen_text(app)
            assert "LAB_KEY is set" in shown
            assert "not checked" in shown
            await press(app, pilot, "p")
            assert "does not answer as asked" in await shows(app, pilot, "one tiny question")
            await press(app, pilot, "c")
            shown = await shows(app, pilot, "not to be trusted")
            # The fake judge scores at random and never answers yes or no: rubric it is, and no good.
            assert "rubric: right on" in shown
            assert "replies usable 0%" in shown
            calls = server.stats()["calls"]
            await press(app, pilot, "t")
            await type_text(app, pilot, "claims")
            await press(app, pilot, "enter")
            assert 'strategy = "claims"' in (tmp_path / "ragtui.toml").read_text()
            await press(app, pilot, "u", "escape", "1", "x")
            assert isinstance(app.screen, ExperimentForm), screen_text(app)
            assert app.screen.query_one(Form).values["judge"] == "lab"
            shown = await shows(app, pilot, "127.0.0.1")
            assert server.stats()["calls"] == calls, "a form asks nobody"
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or KEY.encode() not in path.read_bytes(), path
    workspace = Workspace.open(tmp_path)
    found = known_check(workspace, profile("lab", workspace))
    assert found is not None
    assert found.tried["rubric"].asked == 30
    assert found.tried["claims"].right == 0


async def test_a_check_is_stopped_a_wrong_key_is_one_line_and_a_judge_is_taken_out(tmp_path: Path) -> None:
    with fake_judge(delay_ms=1000) as server:
        text = (
            f'[judges.lab]\nmodel = "fake"\nbase_url = "{server.url}"\n'
            f'[judges.shut]\nmodel = "fake-http401"\nbase_url = "{server.url}"\n[judges.odd]\nmodle = "x"\n'
        )
        (tmp_path / "ragtui.toml").write_text(text)
        async with running(tmp_path) as (app, pilot):
            await press(app, pilot, ":")
            await type_text(app, pilot, "judges")
            await press(app, pilot, "enter", "j")
            await type_keys(app, "c")
            await shows(app, pilot, "claims judged")
            await press(app, pilot, "X")
            assert "✗ stopped" in screen_text(app), screen_text(app)
            await press(app, pilot, "j", "p")
            assert "the key was refused (401" in screen_text(app)
            await press(app, pilot, "j")
            assert "did you mean model" in screen_text(app)
            await press(app, pilot, "D", "down", "enter")
            assert "odd" not in (tmp_path / "ragtui.toml").read_text()


def check(rubric: int, claims: int) -> StrategyCheck:
    return StrategyCheck(
        {"rubric": Tried(rubric, 30, 1, 30), "claims": Tried(claims, 30, 1, 45)}, "2026-01-01T00:00:00Z"
    )


def test_the_better_strategy_is_chosen_and_one_call_where_both_are_as_good() -> None:
    assert check(29, 30).strategy == "rubric"
    assert check(20, 28).strategy == "claims"
    assert check(28, 20).strategy == "rubric"
    assert check(20, 28).trusted
    assert not check(15, 18).trusted
    assert check(20, 28).said() == "claims: right on 28 of 30 (rubric 20 of 30)"


async def test_the_embedded_judge_is_tried_on_all_claims_and_says_what_it_is(tmp_path: Path) -> None:
    async with running(tmp_path) as (app, pilot):
        await press(app, pilot, "3", "J", "c")
        shown = await shows(app, pilot, "of 233")
        assert "It does not reason" in shown
        assert "not to be trusted" not in shown
        await press(app, pilot, "p")
        assert "is part of ragtui" in screen_text(app)
    assert not list(tmp_path.iterdir()), "looking writes nothing"
