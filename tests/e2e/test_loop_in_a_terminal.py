"""The main job in a real terminal, on the keyboard alone: from a dataset to a label that is still there the next day."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import pytest

from tests.e2e.terminal import Terminal

ROOT = Path(__file__).parents[2]
RAGTUI = [sys.executable, "-m", "ragtui"]

pytestmark = [
    pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed"),
    pytest.mark.xdist_group("terminal"),
]


@pytest.fixture
def samples(tmp_path: Path) -> Path:
    ignored = shutil.ignore_patterns(".ragtui")
    return shutil.copytree(ROOT / "sample_data", tmp_path / "samples", ignore=ignored)


def terminal(samples: Path, size: tuple[int, int], *arguments: str) -> Terminal:
    environment = {"PYTHONPATH": str(ROOT), "HOME": str(samples.parent), "TERM": "tmux-256color"}
    return Terminal([*RAGTUI, *arguments], samples, size, environment)


@pytest.mark.parametrize("size", [(80, 24), (160, 45)], ids=["80x24", "160x45"])
def test_from_a_dataset_to_a_label_that_is_still_there_when_the_app_is_opened_again(
    samples: Path, size: tuple[int, int]
) -> None:
    with terminal(samples, size, "support-desk/support.jsonl") as app:
        app.wait_for(r"desk-001 +How do I reset")
        app.press("x")
        form = app.wait_for(r"ready: ctrl\+r")
        assert re.search(r"candidate .*recorded:answers_v2\.jsonl", form)
        assert re.search(r"baseline .*recorded:answers_v1\.jsonl", form)
        assert "nothing leaves this machine" in form

        app.press("C-r")
        app.wait_for(r"finished: 960")
        app.press("4")
        app.wait_for("worst first: groundedness")
        worst = re.search(r"▌ (desk-\d+)", app.wait_for(r"▌ desk-\d+"))
        assert worst is not None
        app.wait_for(r"groundedness 1 ✗ +\(threshold 3\) +“")

        app.press("Enter")
        app.wait_for(rf"^ ?{worst[1]} ")
        app.press("m")
        app.wait_for("✎ model fault")
        app.press("u")
        app.wait_for(rf"took back model fault of {worst[1]}")
        assert "✎" not in app.screen()
        app.press("m")
        app.wait_for("✎ model fault")
        app.press("Escape", "q")
        assert app.exit_status() == 0
        farewell = app.screen()
        assert re.search(r"groundedness +\d\.\d\d \(\d+/60", farewell)
        assert "ragtui show" in farewell

    with terminal(samples, size) as app:
        app.wait_for("1 experiment")
        app.press("4")
        app.wait_for(rf"{worst[1]} +✎ model")
        app.press("q")
        assert app.exit_status() == 0


def test_the_demo_opens_on_its_results(samples: Path) -> None:
    with terminal(samples, (80, 24), "demo") as app:
        shown = app.wait_for(r"worst first: groundedness")
        assert "answers_v2.jsonl" in shown
        app.press("q")
        assert app.exit_status() == 0
        app.wait_for("The demo's workspace is")
    assert not (samples / ".ragtui").exists()


def test_a_finding_leads_to_its_row(samples: Path) -> None:
    with terminal(samples, (160, 45), "broken/deepset-qa.csv") as app:
        app.wait_for("DS301")
        app.press("]")
        app.wait_for(r"▌ +5  ")
        app.press("[")
        app.wait_for(r"▌ +3  ")
        app.press("q")
        assert app.exit_status() == 0
