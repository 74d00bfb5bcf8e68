"""The main job from end to end, in a real terminal, with the keyboard alone."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from ragtui.experiments.store import Store
from ragtui.workspace import Workspace
from tests.e2e.terminal import RAGTUI, ROOT, SMALL, Terminal, needs_tmux

pytestmark = needs_tmux


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """A copy of the sample data without any state, as a user's own folder."""
    folder = tmp_path / "work"
    shutil.copytree(ROOT / "sample_data", folder, ignore=shutil.ignore_patterns(".ragtui"))
    return folder


def open_app(desk: Path, *paths: str) -> Terminal:
    return Terminal([*RAGTUI, *paths], cwd=desk, home=desk.parent / "home", size=SMALL)


def stored_reason(desk: Path, case_id: str) -> str:
    """What the judge said about a case's groundedness, on one line."""
    with Store.open(Workspace(desk)) as store:
        results = store.results(store.list()[0].id)
        (cell,) = [each for each in results.detail(case_id).sides[0].cells if each.metric == "groundedness"]
    assert len(cell.reason) > 20
    return " ".join(cell.reason.split())


def test_from_a_folder_to_a_label_that_is_found_again(desk: Path) -> None:
    with open_app(desk, "support-desk") as app:
        app.wait("3 datasets")
        app.wait("AZ107")  # what is wrong with the first dataset is seen at once

        # A group of one's own.
        app.press("2")
        app.wait("support-quality")
        app.press("a")
        app.wait("name of the new group")
        app.type("triage")
        app.press("Enter")
        app.wait("metrics for triage")
        for metric in ("groundedness", "relevance"):
            app.type(metric)
            app.press("Tab")
            app.wait(f"● {metric} ")
            app.press("C-u")
            app.wait(r"nDCG@1 ")
        app.press("Enter")
        app.wait(r"triage · 2 metrics")
        assert "[groups.triage]" in (desk / "ragtui.toml").read_text()

        # An experiment with it.
        app.press("1", "G", "x")
        app.wait("New experiment")
        app.wait("ready")
        app.press("j")  # to the metrics
        app.press("Enter")
        app.wait("type to find")
        app.type("triage")
        app.press("Enter")
        app.wait(r"metrics +‹ triage ›")
        app.wait("60 cases × 2 metrics × 2 sides")
        app.wait("ready")
        app.press("C-r")
        app.wait(r"running · support")
        app.wait(r"[1-9]\d* of 240")
        app.wait("finished: 240 cells")

        # The worst row, and why.
        app.press("Enter")
        app.wait("worst first: groundedness")
        shown = app.wait(r"▌ +desk-\d+ .*1✗")
        case = re.search(r"▌ +(desk-\d+)", shown[shown.index("worst first") :])
        assert case is not None
        app.wait(f"─ {case[1]} ─")
        app.wait(r"groundedness 1 ✗ \(threshold 3\) +says 14 days")

        app.press("Enter")
        app.wait("case 1 of 60")
        app.press("z")
        app.wait_gone("contexts ·")
        assert stored_reason(desk, case[1]) in app.words()
        app.press("z")
        app.wait("contexts ·")

        # The label: given, taken back, given again.
        app.press("m")
        app.wait("✎ model fault")
        app.wait(r"1 of \d+ failing rows labelled")
        app.press("u")
        app.wait(f"took back model fault of {case[1]}")
        app.wait_gone("✎ model fault")
        app.press("r")
        app.wait("✎ retrieval fault")
        app.press("Escape")
        app.wait(r"· 1 labelled")
        app.press("q")
        assert app.status() == 0
        left = app.scrollback()
        assert re.search(r"groundedness +\d\.\d\d \(\d+/60; \d+ n/a\)", left)
        experiment = re.search(r"experiment (\w+): ragtui show \1", left)
        assert experiment is not None
        assert app.shell_works()

    with open_app(desk, "support-desk") as again:
        again.wait("1 experiment$|1 experiment[^s]")
        again.press("3")
        again.wait("✓ finished")
        again.press("Enter")
        again.wait(r"· 1 labelled")
        again.wait(rf"─ {case[1]} ─")
        again.wait("✎ retrieval fault")
        again.press("q")
        assert again.status() == 0
