"""How the app feels while it judges: 300 cases × 4 metrics, a judge that answers after 200 ms, 40 questions in flight.

    python benchmarks/app_while_running.py [--cases 300] [--in-flight 40] [--delay-ms 200] [--headless]

Runs the real app in a terminal of its own (a pty), starts the experiment with the keyboard, and presses ``j`` some times a
second until it has ended: how long until each press is drawn? With ``--headless`` runs ``ragtui run`` instead, for its wall
time alone. The judge is the server of tests/fake_judge.py. Promised: wall time from the first question to the last
verdict within 1.3 of the latency bound, a key drawn within 100 ms.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import json
import math
import os
import pty
import re
import select
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
METRICS = ("groundedness", "relevance", "coherence", "fluency")
WALL_RATIO, DRAWN_WITHIN = 1.3, 0.1
BETWEEN_KEYS = 0.12  # seconds


def workspace(folder: Path, url: str, cases: int, in_flight: int) -> Path:
    """A folder with cases, a group and a judge."""
    context = ["Ticket {n} is valid for 90 minutes after stamping. " * 8, "Children under six travel free. " * 8]
    with (folder / "tickets.jsonl").open("w") as stream:
        for n in range(cases):
            row = {"id": f"t{n:04}", "query": f"How long is ticket {n} valid?", "response": f"Ticket {n}: 90 minutes."}
            stream.write(json.dumps({**row, "context": [each.format(n=n) for each in context]}) + "\n")
    (folder / "ragtui.toml").write_text(
        f"[groups.quality]\nmetrics = {json.dumps(METRICS)}\n\n"
        f'[judges.loopback]\nmodel = "fake"\nbase_url = "{url}"\nstrategy = "rubric"\nconcurrency = {in_flight}\n'
    )
    return folder / "tickets.jsonl"


@contextlib.contextmanager
def judge(delay_ms: float) -> Iterator[str]:
    server = [sys.executable, str(ROOT / "tests" / "fake_judge.py"), "--port", "0", "--delay-ms", str(delay_ms)]
    process = subprocess.Popen(server, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield process.stdout.readline().split()[2]
    finally:
        process.terminate()
        process.wait()


def stats(url: str) -> dict[str, Any]:
    with urllib.request.urlopen(f"{url.removesuffix('/v1')}/stats") as answer:
        return dict(json.load(answer))


@dataclass
class Screen:
    """The app in a pty; what it draws is only read, never laid out: what is waited for must be drawn in one piece."""

    process: subprocess.Popen[bytes]
    terminal: int
    drawn: bytearray = field(default_factory=bytearray)

    def press(self, keys: str) -> None:
        os.write(self.terminal, keys.encode())

    def read(self, seconds: float) -> None:
        if select.select([self.terminal], [], [], max(0.0, seconds))[0]:
            self.drawn += os.read(self.terminal, 1 << 16)

    def wait(self, pattern: bytes, seconds: float = 30.0, since: int = 0) -> float:
        """When a pattern was drawn, on the clock of ``time.perf_counter``."""
        until = time.perf_counter() + seconds
        while not re.search(pattern, self.drawn[since:]):
            if time.perf_counter() > until:
                raise SystemExit(f"never drawn: {pattern!r}; last: {bytes(self.drawn[-3000:])!r}")
            self.read(until - time.perf_counter())
        return time.perf_counter()


@contextlib.contextmanager
def app(folder: Path, path: Path) -> Iterator[Screen]:
    terminal, inside = pty.openpty()
    fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", 45, 160, 0, 0))
    environment = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES", "NO_COLOR", "TMUX")}
    environment |= {
        "TERM": "xterm-256color",
        "COLORTERM": "truecolor",
        "OPENAI_API_KEY": "none",
        "PYTHONPATH": str(ROOT),
    }
    command = [sys.executable, "-m", "ragtui", path.name]
    process = subprocess.Popen(
        command, cwd=folder, env=environment, stdin=inside, stdout=inside, stderr=inside, start_new_session=True
    )
    os.close(inside)
    try:
        yield Screen(process, terminal)
    finally:
        process.send_signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(10)
        process.kill()
        os.close(terminal)


def launch(screen: Screen) -> None:
    """From the dataset to the experiment that is about to run."""
    screen.wait(rb"1 dataset ")
    screen.press("x")
    screen.wait(rb"ready: ")
    mark = len(screen.drawn)
    screen.press("jjjj" + "l")  # the judge
    screen.wait(rb"looking at every case", since=mark)
    mark = len(screen.drawn)
    screen.wait(rb"ready: ", since=mark)


def pressed_while_running(screen: Screen, cases: int) -> list[float]:
    """Seconds until each press was drawn, from the start of the run to its end; the cursor moves in the rows."""
    screen.press("1\r")
    screen.wait(rb"(?<!\d)1 of %d\b" % cases)
    found: list[float] = []
    position, step = 1, 1
    while b"finished: " not in screen.drawn:
        mark, pressed = len(screen.drawn), time.perf_counter()
        step = 1 if position == 1 else -1 if position == cases else step
        screen.press("j" if step > 0 else "k")
        position += step
        found.append(screen.wait(rb"(?<!\d)%d of %d\b" % (position, cases), 10, mark) - pressed)
        pause = time.perf_counter() + BETWEEN_KEYS
        while (left := pause - time.perf_counter()) > 0:
            screen.read(left)
    return found


def in_the_app(folder: Path, path: Path, cases: int) -> tuple[float, list[float]]:
    with app(folder, path) as screen:
        launch(screen)
        started = time.perf_counter()
        screen.press("\x12")  # ctrl+r
        latencies = pressed_while_running(screen, cases)
        return time.perf_counter() - started, latencies


def headless(folder: Path, path: Path) -> float:
    environment = {**os.environ, "OPENAI_API_KEY": "none", "PYTHONPATH": str(ROOT)}
    command = [
        sys.executable,
        "-m",
        "ragtui",
        "run",
        path.name,
        "-g",
        "quality",
        "-j",
        "loopback",
        "--strategy",
        "rubric",
    ]
    started = time.perf_counter()
    done = subprocess.run([*command, "--worst", "0"], cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    return time.perf_counter() - started


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=300)
    parser.add_argument("--in-flight", type=int, default=40)
    parser.add_argument("--delay-ms", type=float, default=200)
    parser.add_argument("--headless", action="store_true")
    asked = parser.parse_args()
    calls = asked.cases * len(METRICS)
    bound = math.ceil(calls / asked.in_flight) * asked.delay_ms / 1000
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as name, judge(asked.delay_ms) as url:
        folder = Path(name)
        path = workspace(folder, url, asked.cases, asked.in_flight)
        latencies: list[float] = []
        if asked.headless:
            whole = headless(folder, path)
        else:
            whole, latencies = in_the_app(folder, path, asked.cases)
        served = stats(url)
    wall = served["last"] - served["first"]
    print(f"{calls} calls, {served['peak_in_flight']} in flight: latency bound {bound:.2f} s; load {load:.1f} before")
    print(f"  first question to last verdict {wall:.2f} s ({wall / bound:.2f} ×, promised ≤ {WALL_RATIO} ×)")
    print(f"  {'the whole command' if asked.headless else 'from the key to the results'} {whole:.2f} s")
    good = served["calls"] == calls and wall <= WALL_RATIO * bound
    if latencies:
        worst, p95 = max(latencies), statistics.quantiles(latencies, n=20)[-1]
        median = statistics.median(latencies)
        print(
            f"  {len(latencies)} keys drawn after: median {median * 1000:.0f} ms, p95 {p95 * 1000:.0f} ms, "
            f"worst {worst * 1000:.0f} ms   (promised < {DRAWN_WITHIN * 1000:.0f} ms)"
        )
        good = good and worst < DRAWN_WITHIN
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
