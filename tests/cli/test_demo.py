"""``ragtui demo`` as it is called: without a terminal it prints, ends well, and leaves no trace where it was called."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]


def demo(home: Path, cwd: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("XDG_")}
    return subprocess.run(
        [sys.executable, "-m", "ragtui", "demo", *arguments],
        cwd=cwd,
        env={**inherited, "HOME": str(home), "PYTHONPATH": str(ROOT), **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def test_without_a_terminal_it_prints_every_figure_and_ends_well(tmp_path: Path) -> None:
    home, here = tmp_path / "home", tmp_path / "here"
    home.mkdir()
    here.mkdir()
    started = time.monotonic()
    done = demo(home, here)
    assert done.returncode == 0, done.stderr
    assert time.monotonic() - started < 30
    assert "Traceback" not in done.stderr
    assert list(here.iterdir()) == []

    out = done.stdout
    for metric in (
        "groundedness",
        "relevance",
        "response_completeness",
        "correctness",
        "completeness",
        "f1",
        "latency",
    ):
        assert re.search(rf"^{metric} +candidate +[\d.]+.* \(\d+/60", out, re.MULTILINE), metric
    groundedness = out[out.index("groundedness") :]
    assert re.search(r"candidate +\d\.\d\d \(\d+/60; \d+ n/a\) +\[\d\.\d\d, \d\.\d\d\] +\d+ %", groundedness)
    assert re.search(r"Δ +\+\d\.\d\d \(\d+ pairs\) +\[\+\d\.\d\d, \+\d\.\d\d\] +p <?\.\d+", groundedness)
    worst = out[out.index("worst by groundedness") : out.index("worst by relevance")]
    assert len(re.findall(r"^ +\d  desk-\d{3}  .+\n +\S", worst, re.MULTILINE)) == 5
    assert "heuristic" in out

    workspace = Path(out.rstrip().rpartition("workspace is ")[2])
    assert workspace.is_relative_to(home)
    assert (workspace / ".ragtui").is_dir()

    again = demo(home, here)
    assert again.returncode == 0
    assert again.stdout == out


def test_a_folder_of_ones_own(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    done = demo(home, tmp_path, "--to", "kept", "--worst", "0")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "kept" / "ragtui.toml").is_file()
    assert "worst by" not in done.stdout
    assert list(home.rglob("*.jsonl")) == []
    assert "\x1b" not in done.stdout


def test_a_folder_that_holds_something_else_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("")
    done = demo(tmp_path, tmp_path, "--to", ".")
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert "not empty" in done.stderr
