"""Ten thousand cases × five metrics from a local function and the embedded judge, end to end: does a case cost the same?

    nice -n 10 python benchmarks/run_live_target.py [--cases 10000] [--small 1000] [--rounds 2]

Cases are asked of a Python function in its own process, answers stored as they come, two metrics computed, three judged by
the embedded judge in processes of its own. CPU is this process and all its children, a run of a few cases (imports, start of
processes) taken off; the promise is that a case at 10,000 costs within 10 % of a case at 1,000.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

METRICS: Final = "groundedness,relevance,response_completeness,f1,latency"
BOT: Final = """
def answer(query):
    number = query.split()[3]
    return {"response": f"Ticket {number} is valid for 90 minutes after stamping.",
            "contexts": [f"Ticket {number} is valid for 90 minutes after it was stamped. Children pay half.",
                         "The last tram leaves at midnight."]}
"""
_RUN: Final = """
import sys, resource
from ragtui.cli import app
try:
    app(sys.argv[1:])
finally:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss,
          file=sys.stderr)
"""


def write_cases(path: Path, cases: int) -> None:
    with path.open("w", encoding="utf-8") as stream:
        for n in range(cases):
            row = {
                "id": f"c{n}",
                "query": f"How long is {n} valid?",
                "ground_truth": f"Ticket {n} is valid for 90 minutes.",
            }
            stream.write(json.dumps(row) + "\n")


def once(folder: Path, cases: int) -> tuple[float, float, int, int]:
    """CPU and wall seconds of one run from the command line, and the largest memory in MB of it and of a process of it."""
    name = f"cases-{cases}.jsonl"
    write_cases(folder / name, cases)
    command = [
        sys.executable,
        "-c",
        _RUN,
        "run",
        name,
        "--candidate",
        "python:bot:answer",
        "--metrics",
        METRICS,
        "--new",
        "-q",
    ]
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(__file__).parent.parent),
        "XDG_STATE_HOME": str(folder / "state"),
    }
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    wall = time.monotonic() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise SystemExit(f"the run ended with {done.returncode}: {done.stderr}")
    own, child = (int(each) // 1024 for each in done.stderr.split()[-2:])
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall, own, child


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--small", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=2)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "bot.py").write_text(BOT)
        once(folder, 200)  # compiled files
        costs = {}
        for cases in (200, asked.small, asked.cases):
            found = [once(folder, cases) for _ in range(asked.rounds)]
            cpu, wall = min(each[0] for each in found), min(each[1] for each in found)
            costs[cases] = cpu
            print(
                f"{cases:6,} cases × 5: CPU {cpu:6.1f} s, wall {wall:6.1f} s, {5 * cases / wall:7,.0f} scores a second, "
                f"memory {found[-1][2]} MB, of one of its processes {found[-1][3]} MB"
            )
    small = (costs[asked.small] - costs[200]) / (asked.small - 200)
    large = (costs[asked.cases] - costs[200]) / (asked.cases - 200)
    print(
        f"CPU a case: {1000 * small:.2f} ms at {asked.small:,}, {1000 * large:.2f} ms at {asked.cases:,}, ratio {large / small:.2f}"
    )
    return 0 if large / small <= 1.1 else 1


if __name__ == "__main__":
    raise SystemExit(main())
