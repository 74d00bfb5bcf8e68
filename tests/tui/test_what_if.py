"""Ranking metrics at other cuts in the app: K on results, from what the experiment kept."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from ragtui.datasets.check import open_dataset
from ragtui.experiments.planning import make_plan
from ragtui.experiments.progress import Progress
from ragtui.experiments.run import run
from ragtui.experiments.store import Store
from ragtui.workspace import Workspace
from tests.tui.driving import NARROW, press, running, screen_text, shows, type_text


def lines(path: Path, rows: list[dict[str, object]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def write_ranked(tmp_path: Path) -> str:
    """A finished experiment over a small retrieval set; returns its id."""
    folder = tmp_path / "set"
    folder.mkdir()
    lines(folder / "corpus.jsonl", [{"_id": f"d{n}", "text": f"document {n}"} for n in range(12)])
    lines(folder / "queries.jsonl", [{"_id": f"q{n}", "text": f"query {n}"} for n in range(4)])
    lines(folder / "qrels.jsonl", [{"query-id": f"q{n}", "corpus-id": "d3", "score": 1} for n in range(4)])
    hits = [{"query-id": f"q{n}", "corpus-id": f"d{d}", "score": -d} for n in range(4) for d in range(8)]
    lines(folder / "a.run.jsonl", hits)  # the one right document is always the fourth
    workspace = Workspace(tmp_path)
    dataset, _ = open_dataset(str(folder))
    plan = make_plan(dataset, workspace, metrics="MRR@10,Recall@3", candidate=f"run:{folder / 'a.run.jsonl'}")
    with Store.open(workspace, write=True) as store:
        run(plan, dataset, workspace, store, Progress())
    return plan.id


async def test_the_metrics_are_shown_at_other_cuts(tmp_path: Path) -> None:
    experiment = await asyncio.to_thread(write_ranked, tmp_path)
    async with running(tmp_path, experiment=experiment) as (app, pilot):
        await press(app, pilot, "4")
        await press(app, pilot, "K")
        shown = screen_text(app)
        assert "nothing was run again" in shown
        recall = next(line for line in shown.splitlines() if "Recall" in line and "1.00" in line)
        figures = recall.split("Recall", 1)[1].split()[:8]
        assert figures == ["0.00", "0.00", "0.00", "1.00", "1.00", "1.00", "1.00", "1.00"]
        assert any("MRR" in line and "0.25" in line for line in shown.splitlines())
        await press(app, pilot, "escape")
        assert "nothing was run again" not in screen_text(app)


def write_sliced(tmp_path: Path) -> str:
    answers = [{"id": f"c{n}", "query": f"question {n}", "ground_truth": "yes", "topic": "ab"[n % 2],
                "response": "yes" if n % 2 or n == 4 else "no"} for n in range(20)]  # fmt: skip
    lines(tmp_path / "desk.jsonl", answers)
    workspace = Workspace(tmp_path)
    dataset, _ = open_dataset(str(tmp_path / "desk.jsonl"))
    plan = make_plan(dataset, workspace, metrics="exact_match")
    with Store.open(workspace, write=True) as store:
        run(plan, dataset, workspace, store, Progress())
    return plan.id


async def test_the_figures_per_value_of_a_column_are_shown(tmp_path: Path) -> None:
    experiment = await asyncio.to_thread(write_sliced, tmp_path)
    async with running(tmp_path, experiment=experiment, size=NARROW) as (app, pilot):
        await press(app, pilot, "4", "%")
        assert "by which column?" in await shows(app, pilot, "topic")
        await type_text(app, pilot, "topic")
        await press(app, pilot, "enter")
        shown = await shows(app, pilot, "to the rest")
        assert "exact_match is worse where topic is a" in shown
        assert any("a " in line and "0.10 (10/10)" in line for line in shown.splitlines())
        assert any("b " in line and "1.00 (10/10)" in line for line in shown.splitlines())
