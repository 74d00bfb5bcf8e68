"""The whole loop in a real terminal of each kind: open, check, group, run, triage, undo, filter, compare, copy, export."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.e2e.terminal import LARGE, RAGTUI, ROOT, SMALL, Terminal, needs_tmux

pytestmark = needs_tmux

KINDS = {
    "160x45": (LARGE, "tmux-256color", {"COLORTERM": "truecolor"}),
    "screen": (SMALL, "screen", {}),
    "16 colours": (SMALL, "xterm", {}),
    "no colour": (SMALL, "tmux-256color", {"NO_COLOR": "1"}),
}
ROWS = 20


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """A folder with the two versions of the sample's answers, and nothing else."""
    folder = tmp_path / "work"
    shutil.copytree(ROOT / "sample_data" / "support-desk", folder / "support-desk")
    return folder


def first_run(app: Terminal) -> None:
    app.wait("3 datasets")
    app.press("G")
    app.wait("3 of 3")
    app.press("k", "k")
    app.wait("AZ107")  # what is wrong with it, at once
    app.press("]", "i")
    app.wait("rule AZ107")
    app.press("Escape")
    app.wait_gone("rule AZ107")


def make_group(app: Terminal, desk: Path) -> None:
    app.press("2", "a")
    app.wait("name of the new group")
    app.type("triage")
    app.press("Enter")
    app.wait("metrics for triage")
    app.type("groundedness")
    app.press("Tab")
    app.wait("● groundedness ")
    app.press("Enter")
    app.wait(r"triage · 1 metric")
    assert "[groups.triage]" in (desk / "ragtui.toml").read_text()


def launch(app: Terminal) -> None:
    app.press("1", "G", "x")
    app.wait("New experiment")
    app.wait("60 cases × 1 metric")
    app.wait("ready")
    app.press("C-r")
    app.wait("finished: 120 cells")
    app.press("Enter")
    app.wait("worst first: groundedness")
    app.wait(r"▌ +desk-\d+ .*1✗")


def triage(app: Terminal) -> None:
    """Twenty rows by two keys each, three of them taken back, the last one again."""
    app.type("r.m.b.i." * (ROWS // 4))
    app.wait(rf"{ROWS + 1} of 60")
    app.press("u", "u", "u")
    app.wait(r"took back retrieval fault of desk-\d+|took back model fault of desk-\d+")
    app.press("i")
    app.press("f")
    app.wait("show rows where")
    app.type("label is nul")
    app.press("Enter")
    app.wait("at 10:")  # says where it is wrong, and stays
    app.type("l and groundedness <= 5")
    app.press("Enter")
    app.wait(r"of \d+ \(60 in all\)")
    app.press("f")
    app.wait("show rows where")
    app.press("C-u")
    app.type("label is not null")
    app.press("Enter")
    app.wait(rf"of {ROWS - 2} \(60 in all\)")


def export(app: Terminal, desk: Path) -> None:
    app.press("x")
    app.wait("export")
    app.press("Enter")
    app.wait(rf"wrote {ROWS - 2} rows to rows.csv")
    lines = (desk / "rows.csv").read_text("utf-8-sig").splitlines()
    assert len(lines) == 1 + ROWS - 2
    app.press("C-p")
    app.wait("every action here")
    app.type("differences to the")
    app.press("Enter")
    app.wait("largest regression: groundedness")


def copy(app: Terminal) -> None:
    """What is copied is in the buffer of a tmux as it comes."""
    app.press("c")
    app.wait("worst first: groundedness")
    app.press("Enter")
    shown = app.wait(r"case \d+ of \d+")
    case = re.search(r"desk-\d+", shown)
    assert case is not None
    app.press("y")
    app.wait("copy")
    app.press("Enter")
    app.wait("to the tmux buffer")
    app.press("Escape")
    app.wait("worst first: groundedness")
    assert app.buffer().strip()
    assert app.buffer().strip() in app_text(case[0])


def app_text(case: str) -> str:
    """Everything the sample knows of a case, decoded."""
    import json

    found = []
    for name in ("support", "answers_v1", "answers_v2"):
        for line in (ROOT / "sample_data" / "support-desk" / f"{name}.jsonl").read_text("utf-8").splitlines():
            record = json.loads(line)
            if record.get("id") == case:
                found += [str(value) for value in record.values()]
    return "\n".join(found)


@pytest.mark.parametrize("kind", KINDS)
def test_the_whole_loop(desk: Path, kind: str) -> None:
    size, term, environment = KINDS[kind]
    with Terminal(
        [*RAGTUI, "support-desk"], cwd=desk, home=desk.parent / "home", size=size, term=term, environment=environment
    ) as app:
        first_run(app)
        make_group(app, desk)
        launch(app)
        triage(app)
        export(app, desk)
        copy(app)
        app.press("q")
        assert app.status() == 0
        assert "ragtui show" in app.scrollback()
        assert app.shell_works()
