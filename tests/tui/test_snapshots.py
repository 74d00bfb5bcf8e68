"""How the main screens look, as pictures: a change of looks is seen and agreed to (``pytest --snapshot-update``)."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from textual.pilot import Pilot

from ragtui.datasets.dataset import Column, Dataset, Role, Shape
from ragtui.datasets.findings import Finding, Level
from ragtui.tui.app import RagtuiApp
from ragtui.tui.opened import OpenDataset
from ragtui.tui.workbench import Workbench
from ragtui.workspace import Workspace
from tests.tui.driving import settled
from tests.tui.making import write_experiment

SIZES = pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=["80x24", "120x40"])


def opened() -> OpenDataset:
    """A dataset with findings that no change of a rule changes."""
    rows = [
        (line, f"case-{line}", f"How do I reset token {line}?", "" if line % 7 == 0 else "Press Reset.")
        for line in range(2, 42)
    ]
    frame = pl.DataFrame(rows, schema=["_line", "id", "question", "answer"], orient="row")
    columns = (
        Column("id", Role.ID, 0, 40),
        Column("question", Role.INPUT, 1, 40),
        Column("answer", Role.EXPECTED, 2, 35),
    )
    dataset = Dataset(
        "tokens", "tokens.csv", Path("tokens.csv"), "table", "a table with an input and an expected column", Shape.CASES,
        cases=frame, columns=columns, encoding="utf-8", delimiter=",", header_line=1, counts={"records": 40},
    )  # fmt: skip
    findings = [
        Finding("TBL001", Level.ERROR, "the answer is empty", "tokens.csv", line, 20, "answer")
        for line in range(7, 42, 7)
    ]
    findings.append(
        Finding("TEXT003", Level.WARNING, "a byte order mark inside the text", "tokens.csv", 12, 3, "question")
    )
    counts = Counter({("TBL001", "error"): 5, ("TEXT003", "warning"): 1})
    ready = {"azure": (True, ""), "deepset": (False, "5 errors"), "beir": (False, "beir does not load this format")}
    return OpenDataset("tokens.csv", dataset, findings, counts, ready=ready)


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "support"
    folder.mkdir()
    (folder / "ragtui.toml").write_text('[groups.answers]\nmetrics = ["groundedness", "relevance", "f1", "latency"]\n')
    monkeypatch.chdir(folder)
    monkeypatch.setattr("ragtui.tui.workbench.read", lambda *_: [opened()])
    monkeypatch.setattr("ragtui.tui.opened.rule_names", lambda: {"TBL001": "empty-expected", "TEXT003": "stray-mark"})
    monkeypatch.setattr("ragtui.tui.screens.experiment_views.ago", lambda *_: "just now")
    monkeypatch.delenv("NO_COLOR", raising=False)
    return folder


def app_in(folder: Path, *paths: str, experiment: str | None = None) -> RagtuiApp:
    return RagtuiApp(Workbench(Workspace.open(folder), list(paths)), experiment=experiment)


async def ready(pilot: Pilot[None]) -> None:
    assert isinstance(pilot.app, RagtuiApp)
    await settled(pilot.app, pilot)


def keys(*names: str) -> Any:
    async def before(pilot: Pilot[None]) -> None:
        await ready(pilot)
        await pilot.press(*names)
        await ready(pilot)

    return before


@SIZES
def test_datasets(snap_compare: Any, desk: Path, size: tuple[int, int]) -> None:
    assert snap_compare(app_in(desk, "tokens.csv"), terminal_size=size, run_before=keys("right_square_bracket"))


@SIZES
def test_results(snap_compare: Any, desk: Path, size: tuple[int, int]) -> None:
    app = app_in(desk, "tokens.csv", experiment=write_experiment(desk))
    assert snap_compare(app, terminal_size=size, run_before=keys("m", "j"))


@SIZES
def test_one_case(snap_compare: Any, desk: Path, size: tuple[int, int]) -> None:
    app = app_in(desk, "tokens.csv", experiment=write_experiment(desk))
    before = keys("enter", "right_curly_bracket", "right_curly_bracket")
    assert snap_compare(app, terminal_size=size, run_before=before)


def test_metric_groups(snap_compare: Any, desk: Path) -> None:
    assert snap_compare(app_in(desk, "tokens.csv"), terminal_size=(120, 40), run_before=keys("2", "enter"))


def test_experiments_in_light(snap_compare: Any, desk: Path) -> None:
    write_experiment(desk)
    (desk / "ragtui.toml").write_text('[app]\ntheme = "ragtui-light"\n')
    assert snap_compare(app_in(desk, "tokens.csv"), terminal_size=(120, 40), run_before=keys("3"))


def test_the_keys_that_work_here(snap_compare: Any, desk: Path) -> None:
    app = app_in(desk, "tokens.csv", experiment=write_experiment(desk))
    assert snap_compare(app, terminal_size=(80, 24), run_before=keys("question_mark"))
