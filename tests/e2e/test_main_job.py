"""The main job in a real terminal, by keys alone: open, run, read why the worst row is bad, label, undo, come back."""

from __future__ import annotations

import re
import shutil
import sqlite3
from pathlib import Path

import pytest

from ragtui.workspace import bundled
from tests.e2e.in_tmux import Terminal

SIZES = [(80, 24), (160, 45)]


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    shutil.copytree(bundled("sample_data") / "support-desk", tmp_path / "support-desk")
    shutil.copy(bundled("sample_data") / "ragtui.toml", tmp_path)
    return tmp_path


def labels(folder: Path) -> list[tuple[str, str]]:
    with sqlite3.connect(folder / ".ragtui" / "ragtui.sqlite") as connection:
        return connection.execute("SELECT case_id, value FROM labels ORDER BY at").fetchall()


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_from_a_dataset_to_a_label_that_is_there_the_next_time(desk: Path, size: tuple[int, int]) -> None:
    with Terminal(desk, "support-desk/support.jsonl", size=size) as terminal:
        terminal.wait(r"▌ support .* 60 ")
        terminal.press("x")
        terminal.wait("60 of 60")
        terminal.press("C-r")
        terminal.wait("✓ finished")
        terminal.press("Enter")
        shown = terminal.wait(r"worst first: groundedness[\s\S]*groundedness 1 ✗")
        worst = re.findall(r"▌ (desk-\d+)", shown)[-1]
        assert re.search(r"says 14 days|is not in the\s+context|not in the context", shown + terminal.screen)
        terminal.press("m")
        terminal.wait("✎ model")
        terminal.press("u")
        terminal.wait("took back model fault")
        assert labels(desk) == []
        terminal.press("r")
        terminal.wait("✎ retr")
        terminal.press("q")
        assert terminal.ended() == 0
        shown = terminal.wait("ragtui show")
        assert "groundedness" in shown
        assert "▌" not in shown  # the screen is as it was before
    assert labels(desk) == [(worst, "retrieval fault")]
    with Terminal(desk, "support-desk/support.jsonl", size=size) as terminal:
        terminal.wait(r"▌ support .* 60 ")
        terminal.press("3")
        terminal.wait("✓ finished")
        terminal.press("Enter")
        terminal.wait(rf"▌ {worst} +✎ retr")
        terminal.press("u")
        terminal.wait("took back retrieval fault")
        terminal.press("q")
        assert terminal.ended() == 0
    assert labels(desk) == []


@pytest.mark.parametrize(
    ("term", "more"),
    [("screen", {}), ("screen-256color", {}), ("xterm", {"COLORTERM": ""}), ("tmux-256color", {"NO_COLOR": "1"})],
    ids=["screen", "screen-256color", "16 colours", "NO_COLOR"],
)
def test_other_terminals(desk: Path, term: str, more: dict[str, str]) -> None:
    with Terminal(desk, "support-desk/support.jsonl", size=(80, 24), term=term, **more) as terminal:
        terminal.wait(r"▌ support .* 60 ")
        terminal.press("2")
        terminal.wait("support-quality")
        terminal.press("?")
        terminal.wait("keys that work here")
        terminal.escape()
        terminal.press("q")
        assert terminal.ended() == 0


def test_resizing_and_ending_by_a_signal_leave_the_terminal_in_order(desk: Path) -> None:
    with Terminal(desk, "support-desk/support.jsonl", size=(140, 40)) as terminal:
        terminal.wait(r"▌ support .* 60 ")
        for width, height in ((60, 16), (200, 50), (80, 24)):
            terminal.tmux("resize-window", "-t", "e2e", "-x", str(width), "-y", str(height))
            terminal.wait(r"▌ support")
        pane = terminal.tmux("list-panes", "-t", "e2e", "-F", "#{pane_pid}").strip()
        terminal.tmux("run-shell", f"pkill -TERM -P {pane} -f ragtui")
        assert terminal.ended() == 128 + 15
        assert "alternate_on=0" in terminal.tmux("display-message", "-p", "-t", "e2e", "alternate_on=#{alternate_on}")


def test_data_cannot_write_the_clipboard(desk: Path) -> None:
    path = desk / "rows.csv"
    path.write_text("query,expected_answer\n\x1b]52;c;cHduZWQ=\x07\x1b[2Jtext,[red]b[/]\n")
    with Terminal(desk, "rows.csv", size=(80, 24)) as terminal:
        terminal.tmux("set-option", "-s", "set-clipboard", "on")
        shown = terminal.wait(r"␛\]52;c;")
        assert "[red]b[/]" in shown
        terminal.press("Enter", "Enter")
        terminal.wait("expected_answer ─")
        assert "pwned" not in terminal.tmux("show-buffer")
        terminal.escape()
        terminal.press("q")
        assert terminal.ended() == 0


def test_a_copied_cell_arrives_whole_in_tmux(desk: Path) -> None:
    path = desk / "rows.csv"
    path.write_text('query,expected_answer\n"first\tline\nsecond line ' + "x" * 500 + '",b\n')
    with Terminal(desk, "rows.csv", size=(80, 24)) as terminal:
        terminal.wait("first line⏎second line")
        terminal.press("Enter", "l", "y")
        terminal.wait("copied [0-9]+ characters to the tmux buffer")
        assert terminal.tmux("show-buffer").rstrip("\n") == "first\tline\nsecond line " + "x" * 500
        terminal.press("q")
        assert terminal.ended() == 0
