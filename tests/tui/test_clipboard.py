"""Copying says what it did: the whole value arrives, or it lies in a file, and nothing is claimed that is not known."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
from pathlib import Path

import pytest

from ragtui.tui.clipboard import OSC52_LIMIT, copy

CASE = Path(__file__).parents[1] / "cases" / "95-ui-copy-in-tmux-and-over-ssh" / "copy.jsonl"


@pytest.fixture
def responses() -> dict[str, str]:
    rows = [json.loads(line) for line in CASE.read_text("utf-8").splitlines()]
    return {row.get("id", f"y{number}"): row["response"] for number, row in enumerate(rows, 1)}


def test_outside_tmux_the_whole_value_is_sent_and_nobody_claims_it_arrived(
    tmp_path: Path, responses: dict[str, str]
) -> None:
    sent: list[str] = []
    done = copy(responses["y1"], tmp_path / "copy.txt", sent.append, environment={})
    assert done.way == "terminal"
    assert len(responses["y1"]) == 32
    (sequence,) = sent
    assert sequence.startswith("\x1b]52;c;")
    assert base64.b64decode(sequence.removeprefix("\x1b]52;c;").removesuffix("\x07")).decode() == responses["y1"]
    assert "not every terminal" in done.message


def test_what_is_too_long_for_terminals_lies_in_a_file(tmp_path: Path, responses: dict[str, str]) -> None:
    sent: list[str] = []
    file = tmp_path / "state" / "copy.txt"
    done = copy(responses["y2"], file, sent.append, environment={})
    assert done.way == "file"
    assert sent == []
    assert file.read_text("utf-8") == responses["y2"]
    assert len(responses["y2"]) == 120_000
    assert str(file) in done.message


def test_the_limit_counts_what_is_sent_not_characters(tmp_path: Path) -> None:
    sent: list[str] = []
    fits = "x" * (OSC52_LIMIT // 4 * 3)
    assert copy(fits, tmp_path / "copy.txt", sent.append, environment={}).way == "terminal"
    assert copy(fits + "xyz", tmp_path / "copy.txt", sent.append, environment={}).way == "file"
    assert copy("é" * len(fits), tmp_path / "copy.txt", sent.append, environment={}).way == "file"


def test_inside_a_default_tmux_the_text_arrives_in_its_buffer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which("tmux") is None:
        pytest.skip("tmux is not on this machine")
    socket = tmp_path / "socket"
    start = ["tmux", "-S", str(socket), "-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", "sleep 60"]
    subprocess.run(start, check=True)
    try:
        monkeypatch.setenv("TMUX", f"{socket},1,0")
        text = "first\tcolumn\nsecond – line 日本語"
        done = copy(text, tmp_path / "copy.txt", lambda _: pytest.fail("nothing may be sent to the terminal"))
        assert done.way == "tmux"
        shown = subprocess.run(["tmux", "-S", str(socket), "show-buffer"], capture_output=True, check=True)
        assert shown.stdout.decode() == text
    finally:
        subprocess.run(["tmux", "-S", str(socket), "kill-server"], check=False)


def test_a_tmux_that_does_not_answer_leaves_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    file = tmp_path / "copy.txt"
    done = copy("text", file, lambda _: pytest.fail("tmux would swallow it"), environment={"TMUX": "gone,1,0"})
    assert (done.way, file.read_text()) == ("file", "text")
