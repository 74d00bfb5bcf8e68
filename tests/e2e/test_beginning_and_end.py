"""The first run, and every way in which the app can end."""

from __future__ import annotations

import fcntl
import os
import pty
import shutil
import signal
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from ragtui.experiments.store import Store
from ragtui.workspace import Workspace
from tests.e2e.terminal import LARGE, RAGTUI, ROOT, SMALL, Terminal, needs_tmux

pytestmark = needs_tmux


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    shutil.copytree(ROOT / "sample_data", folder, ignore=shutil.ignore_patterns(".ragtui"))
    return folder


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["80x24", "160x45"])
def test_in_an_empty_folder_four_lines_say_what_to_do_and_d_opens_the_demo(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    here = tmp_path / "empty"
    here.mkdir()
    with Terminal(RAGTUI, cwd=here, home=tmp_path / "home", size=size) as app:
        app.wait("Nothing is open here yet")
        shown = app.wait("press d for the demo")
        lines = shown.splitlines()
        first = next(i for i, line in enumerate(lines) if "Nothing is open here yet" in line)
        assert all("press" in line for line in lines[first + 1 : first + 4])
        app.press("d")
        app.wait("demo")
        app.wait("worst first: groundedness", 60)
        app.wait("▌ +desk-")
        app.press("q")
        assert app.status() == 0
        assert "ragtui show" in app.scrollback()
    assert list(here.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP], ids=["SIGTERM", "SIGHUP"])
def test_a_signal_leaves_a_usable_terminal(desk: Path, number: signal.Signals) -> None:
    with Terminal([*RAGTUI, "support-desk"], cwd=desk, home=desk.parent / "home") as app:
        app.wait("3 datasets")
        assert app.flags()["alternate_on"] == "1"
        app.signal(number)
        assert app.status() == 128 + number
        assert app.shell_works()


def start_experiment(app: Terminal) -> None:
    app.wait("3 datasets")
    app.press("G", "x")
    app.wait("New experiment")
    app.wait("ready")
    app.press("C-r")
    app.wait(r"[1-9]\d* of 960")


@pytest.mark.parametrize(
    "number", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL], ids=["SIGTERM", "SIGHUP", "SIGKILL"]
)
def test_a_run_that_is_cut_off_goes_on_where_it_was(desk: Path, number: signal.Signals) -> None:
    with Terminal([*RAGTUI, "support-desk"], cwd=desk, home=desk.parent / "home") as app:
        start_experiment(app)
        app.signal(number)
        assert app.status() == 128 + number
        if number != signal.SIGKILL:
            assert app.shell_works()
    with Store.open(Workspace(desk)) as store:
        (entry,) = store.list()
        kept = entry.done
        assert 0 < kept < 960
        assert entry.resumable

    with Terminal([*RAGTUI, "support-desk"], cwd=desk, home=desk.parent / "home") as app:
        app.wait("3 datasets")
        app.press("3")
        app.wait(r"interrupted|cancelled")
        app.wait(f"{kept:,} of 960 cells are done")
        app.press("r")
        app.wait("finished: 960 cells")
        app.press("q")
        assert app.status() == 0


def test_quitting_while_it_runs_asks_first_and_loses_nothing(desk: Path) -> None:
    with Terminal([*RAGTUI, "support-desk"], cwd=desk, home=desk.parent / "home") as app:
        start_experiment(app)
        app.press("q")
        app.wait("is still going")
        app.press("Enter")  # stay
        app.wait_gone("is still going")
        app.press("q")
        app.wait("is still going")
        app.press("Down", "Enter")
        assert app.status() == 0
        left = app.scrollback()
        assert "Traceback" not in left
    with Store.open(Workspace(desk)) as store:
        (entry,) = store.list()
    assert f"experiment {entry.id} stopped at {entry.done} of 960" in left


def test_ctrl_c_quits(desk: Path) -> None:
    with Terminal([*RAGTUI, "support-desk"], cwd=desk, home=desk.parent / "home") as app:
        app.wait("3 datasets")
        app.press("C-c")
        assert app.status() == 0
        assert app.shell_works()


def test_a_path_that_is_not_there_is_one_line(desk: Path) -> None:
    done = subprocess.run(
        [*RAGTUI, "nowhere.jsonl"], cwd=desk, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True
    )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "nowhere.jsonl" in done.stderr
    assert sys.executable not in done.stderr


@pytest.mark.parametrize("keys", [b"", b"q"], ids=["at rest", "while it quits"])
def test_a_terminal_that_vanishes_leaves_no_process_behind(desk: Path, keys: bytes) -> None:
    terminal, inside = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "HOME": str(desk.parent), "PYTHONPATH": str(ROOT)}

    def own_terminal() -> None:
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    app = subprocess.Popen(
        [*RAGTUI, "support-desk"], cwd=desk, env=environment, stdin=inside, stdout=inside, stderr=inside,
        preexec_fn=own_terminal,
    )  # fmt: skip
    try:
        os.close(inside)
        seen = b""
        while b"datasets" not in seen and app.poll() is None:
            seen += os.read(terminal, 1 << 16)
        os.write(terminal, keys)
        os.close(terminal)
        assert app.wait(40) is not None
    finally:
        app.kill()
