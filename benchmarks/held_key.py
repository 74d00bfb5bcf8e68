"""What a held key sends over the line: bytes a press at 80×24, in the rows of the demo's results.

    python benchmarks/held_key.py [--presses 40]

Runs the real app in a pty. Exits 1 if a press sends more than promised (1.5 kB). Unix only.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MOST = 1500  # bytes a press
REPEAT = 1 / 30  # seconds, as keyboards repeat


def read(terminal: int, seconds: float) -> bytes:
    """What arrives until nothing has arrived for that long."""
    seen = b""
    while select.select([terminal], [], [], seconds)[0]:
        seen += os.read(terminal, 1 << 16)
    return seen


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--presses", type=int, default=40)
    presses = parser.parse_args().presses
    terminal, inside = pty.openpty()
    fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    hidden = ("COLUMNS", "LINES", "NO_COLOR", "TMUX")
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    environment |= {"TERM": "xterm-256color", "PYTHONPATH": str(ROOT)}
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "ragtui", "demo", "--to", folder]
        app = subprocess.Popen(
            command, env=environment, stdin=inside, stdout=inside, stderr=inside, start_new_session=True
        )
        try:
            seen, until = b"", time.monotonic() + 60
            while b"worst first" not in seen and time.monotonic() < until:
                seen += read(terminal, 0.2)
            read(terminal, 1.0)
            sent, due = 0, time.monotonic()
            for _ in range(presses):
                os.write(terminal, b"j")
                due += REPEAT
                while (left := due - time.monotonic()) > 0 and select.select([terminal], [], [], left)[0]:
                    sent += len(os.read(terminal, 1 << 16))
            sent += len(read(terminal, 0.5))
        finally:
            app.send_signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                app.wait(10)
            app.kill()
    mean = sent / presses
    print(f"{presses} presses of j at 80×24, held: {mean:,.0f} bytes each (promised ≤ {MOST:,})")
    return 0 if mean <= MOST else 1


if __name__ == "__main__":
    sys.exit(main())
