"""How fast a 200 MB CSV is checked whole, against ``polars.read_csv`` of the same file, which checks nothing.

    python benchmarks/check_csv.py [--megabytes 200] [--runs 3] [--keep FILE]

Makes a sound deepset-qa file in a temporary folder (contexts with line feeds, quotes and letters beyond ASCII, offsets that
fit), then runs in turn, each in a fresh interpreter: ``polars.read_csv`` and ``ragtui check``. Prints the best wall and CPU
time of each, the ratios (whole process against whole process), and the peak memory.
"""

from __future__ import annotations

import argparse
import csv
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PEER = "import sys, polars as pl; pl.read_csv(sys.argv[1])"
LIMIT = 4.0
HEADER = ["question", "text", "context", "file_name", "answer_start", "answer_end", "filters"]


def make(path: Path, size: int, seed: int = 7) -> int:
    """Writes the file and returns its rows."""
    rng = random.Random(seed)
    words = [
        f"{start}{middle}" for start in ("pier", "boat", "pass", "night", "café", "Zürich") for middle in range(400)
    ]
    rows = 0
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(HEADER)
        while stream.tell() < size:
            parts = rng.choices(words, k=130)
            parts[20] = '"quoted"' if rows % 5 == 0 else parts[20]
            parts[60] += ",\n" if rows % 3 == 0 else "."
            context = " ".join(parts)
            start = rng.randrange(len(context) - 40)
            answer = context[start : start + 30]
            filters = '{"lang": "en"}' if rows % 10 == 0 else ""
            question = f"What about {parts[0]} and {parts[1]}, number {rows}?"
            writer.writerow([question, answer, context, f"file{rows % 500}.txt", start, start + 30, filters])
            rows += 1
    return rows


def run(command: list[str]) -> tuple[float, float, float]:
    """Wall and CPU seconds and peak MB of a command."""
    watched = [sys.executable, "-c", _WATCH, *command]
    told = subprocess.run(watched, check=True, capture_output=True, text=True).stdout.split()
    wall, cpu, peak = (float(number) for number in told[-3:])
    return wall, cpu, peak


_WATCH = """
import resource, subprocess, sys, time
start = time.perf_counter()
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
wall = time.perf_counter() - start
used = resource.getrusage(resource.RUSAGE_CHILDREN)
assert code == 0, code
print(wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--megabytes", type=int, default=200)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--keep", type=Path, help="use (or make) the file there")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = options.keep or Path(folder) / "labels.csv"
        if not path.exists():
            make(path, options.megabytes * 1_000_000)
        commands = {
            "polars.read_csv": [sys.executable, "-c", PEER, str(path)],
            "ragtui check": [sys.executable, "-m", "ragtui", "check", str(path)],
        }
        best = {name: [float("inf")] * 3 for name in commands}
        for _ in range(options.runs):
            for name, command in commands.items():
                best[name] = [min(pair) for pair in zip(best[name], run(command), strict=True)]
                time.sleep(0.1)
    print(f"{path.name}: {options.megabytes} MB, best of {options.runs}")
    for name, (wall, cpu, peak) in best.items():
        print(f"{name:<16} {wall:6.2f} s wall {cpu:6.2f} s CPU {peak:7.0f} MB peak")
    peer, ours = best["polars.read_csv"], best["ragtui check"]
    print(f"ratio            {ours[0] / peer[0]:6.2f} wall   {ours[1] / peer[1]:6.2f} CPU   (limit {LIMIT:.0f} wall)")
    sys.exit(0 if ours[0] <= LIMIT * peer[0] else 1)


if __name__ == "__main__":
    main()
