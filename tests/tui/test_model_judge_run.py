"""A run against a model judge in the app: calls in flight turned, a budget, one line when the judge cannot go on, resume."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragtui.experiments.progress import Status
from ragtui.experiments.store import Store
from ragtui.tui.offers import options_of
from ragtui.tui.running import expected
from ragtui.tui.widgets.form import Form
from ragtui.workspace import Workspace
from tests.judges.servers import fake_judge
from tests.tui.driving import press, running, shows, type_keys


def desk(folder: Path, url: str, model: str) -> Path:
    profile = (
        f'[judges.lab]\nmodel = "{model}"\nbase_url = "{url}"\nstrategy = "rubric"\nprice_in = 1000\nprice_out = 1000\n'
    )
    (folder / "ragtui.toml").write_text(f'{profile}[app]\njudge = "lab"\n')
    path = folder / "desk.jsonl"
    rows = [{"query": f"When is {n}?", "response": f"At {n}.", "context": f"It is at {n}."} for n in range(12)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


async def test_calls_are_turned_a_budget_pauses_and_a_wrong_key_is_one_line(tmp_path: Path) -> None:
    with fake_judge(delay_ms=400) as server:
        path = desk(tmp_path, server.url, "fake-http401")
        async with running(tmp_path, str(path)) as (app, pilot):
            await press(app, pilot, "x")
            assert app.screen.query_one(Form).values["judge"] == "lab"
            await press(app, pilot, "j", "enter", *"groundedness", "enter")
            await shows(app, pilot, "lab: 12 questions")
            await press(app, pilot, "ctrl+r")
            shown = await shows(app, pilot, "key was refused (401")
            assert "paused" in shown
            assert server.stats()["calls"] == 1, "the first call goes alone, and none after it"
            desk(tmp_path, server.url, "fake")
            app.workbench.workspace = Workspace.open(tmp_path)
            await type_keys(app, "r")
            await shows(app, pilot, "in flight")
            await type_keys(app, "+", "+", "-")
            assert app.workbench.run is not None
            assert app.workbench.run.progress.concurrency == 5, "4 for a server on this machine, one more by hand"
            await shows(app, pilot, "finished: 12 cells")
            calls = server.stats()["calls"]
            assert calls == 13
            await press(app, pilot, "1", "x")
            await press(app, pilot, "j", "enter", *"relevance", "enter", *"jjjjjjj", "enter", *"0.0001", "enter")
            await shows(app, pilot, "lab: 12 questions")
            await press(app, pilot, "ctrl+r")
            await shows(app, pilot, "the budget of 0.0001 USD is spent")
            assert server.stats()["calls"] - calls < 12
    with Store.open(Workspace.open(tmp_path)) as store:
        assert {entry.status for entry in store.list()} == {Status.FINISHED, Status.PAUSED}


def test_a_budget_is_an_amount() -> None:
    assert options_of({"budget": ""}) is None
    found = options_of({"budget": "$2.50"})
    assert found is not None
    assert found.budget == 2.5
    for wrong in ("much", "-1", "0", "nan"):
        with pytest.raises(expected(), match="budget must be an amount"):
            options_of({"budget": wrong})
