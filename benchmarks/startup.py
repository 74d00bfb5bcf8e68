"""How much CPU ragtui needs before it is of use: ``--help``, a check of a small file, and the app's first screen.

Prints each figure beside its limit, best of several runs, a bare interpreter taken off. Wall time depends on what else
the machine does; CPU time hardly does. Exits 1 if a limit is missed. Linux only (it reads /proc).

usage: python benchmarks/startup.py [RUNS]
"""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[1]
RAGTUI = [sys.executable, "-m", "ragtui"]
FIRST_SCREEN = b"Datasets"


def cpu_of(command: list[str]) -> float:
    """CPU seconds of a command from start to end, its children included."""
    before = os.times()
    subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def cpu_to_first_screen(command: list[str], size: tuple[int, int] = (24, 80)) -> float:
    """CPU seconds a full-screen program has used when its first screen has been written to the terminal.

    Raises:
        TimeoutError: nothing was drawn within 20 seconds.
    """
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(ROOT)
        os.environ.update(TERM="xterm-256color")
        os.execvp(command[0], command)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
    seen, started = b"", time.monotonic()
    try:
        while FIRST_SCREEN not in seen:
            if time.monotonic() - started > 20:
                raise TimeoutError(f"{command} drew nothing")
            if select.select([terminal], [], [], 0.02)[0]:
                seen += os.read(terminal, 1 << 16)
        fields = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(terminal)


def best(runs: int, measure: Callable[[], float]) -> float:
    return min(measure() for _ in range(runs))


def main() -> int:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    bare = best(runs, lambda: cpu_of([sys.executable, "-c", "pass"]))
    promises: list[tuple[str, Callable[[], float], float]] = [
        ("ragtui --help", lambda: cpu_of([*RAGTUI, "--help"]), 0.200),
        ("ragtui, first screen at 80x24", lambda: cpu_to_first_screen([*RAGTUI, "sample_data"]), 0.600),
    ]
    print(f"CPU over a bare interpreter ({bare * 1000:.0f} ms), best of {runs}:")
    kept = True
    for name, measure, limit in promises:
        took = best(runs, measure) - bare
        kept &= took <= limit
        print(f"  {name:<32} {took * 1000:5.0f} ms   limit {limit * 1000:.0f} ms   {took / limit:.2f} of it")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
