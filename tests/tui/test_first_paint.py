"""The first paint waits for no data: little CPU, and neither Polars nor a judge's client is loaded before it."""

from __future__ import annotations

import fcntl
import os
import pty
import resource
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
BUDGET = 0.6  # seconds of CPU, interpreter included
TEXTUAL_ALONE = 0.23  # what importing Textual takes where the budget was measured: other machines are scaled by it


def test_first_paint_stays_in_its_budget(tmp_path: Path) -> None:
    scale = max(1.0, min(cost_of("import textual.app") for _ in range(3)) / TEXTUAL_ALONE)
    best = min(cpu_until_painted(tmp_path) for _ in range(3))
    assert best < BUDGET * scale


def test_nothing_heavy_is_loaded_before_the_first_paint(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from ragtui.tui.app import RagtuiApp\n"
        "from ragtui.tui.workbench import Workbench\n"
        "from ragtui.workspace import Workspace\n"
        "class Painted(RagtuiApp):\n"
        "    def _after_first_paint(self, problems):\n"
        "        self.exit()\n"
        "app = Painted(Workbench(Workspace.open('.'), ['rows.csv']))\n"
        "app.run(headless=True, size=(80, 24))\n"
        "print(sorted({'polars', 'numpy', 'openai', 'openpyxl', 'tomlkit', 'typer'} & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment(), capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def environment() -> dict[str, str]:
    clean = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "LINES", "NO_COLOR", "TMUX")}
    return {**clean, "PYTHONPATH": str(ROOT), "TERM": "xterm-256color"}


def cost_of(code: str) -> float:
    """CPU seconds of a Python that runs ``code``."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code], env=environment(), check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def cpu_until_painted(folder: Path) -> float:
    """CPU seconds from the start of ``ragtui`` on a terminal to text on it."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.execve(sys.executable, [sys.executable, "-m", "ragtui"], environment())
    try:
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        shown, until = b"", time.monotonic() + 30
        while b"Datasets" not in shown and time.monotonic() < until:
            if select.select([terminal], [], [], 0.01)[0]:
                shown += os.read(terminal, 65536)
        assert b"Datasets" in shown
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(terminal)
