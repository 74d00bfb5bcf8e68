"""A whole run against a model judge: dataset, targets, store and judge together, beside the latency bound.

    python benchmarks/run_throughput.py [--in-flight 40] [--cases 300] [--delay-ms 200] [--rounds 3]

300 cases × 4 metrics, 200 ms a reply, from the loopback server of tests/fake_judge.py. Wall time is the server's own, from
the first request to the last; the bound is calls × delay / calls in flight. CPU time is this process's, imports left out.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

from ragtui.datasets.check import open_dataset
from ragtui.experiments.planning import make_plan
from ragtui.experiments.progress import Progress, Status
from ragtui.experiments.run import RunOptions, run
from ragtui.experiments.store import Store
from ragtui.workspace import Workspace

METRICS = ("groundedness", "relevance", "coherence", "fluency")
WALL_RATIO, CPU_MS = 1.15, 6.0


def write_cases(path: Path, cases: int) -> None:
    with path.open("w", encoding="utf-8") as stream:
        for number in range(cases):
            row = {
                "id": f"c{number}",
                "query": f"How long is ticket {number} valid?",
                "context": [f"Ticket {number} is valid for 90 minutes after stamping. " * 8] * 2,
                "response": f"Ticket {number} is valid for 90 minutes.",
                "ground_truth": f"Ticket {number} is valid for 90 minutes.",
            }
            stream.write(json.dumps(row) + "\n")


def stats(url: str, path: str = "stats") -> dict[str, Any]:
    method = "POST" if path == "reset" else "GET"
    request = urllib.request.Request(url.removesuffix("/v1") + f"/{path}", method=method)
    with urllib.request.urlopen(request) as answer:
        found: dict[str, Any] = json.load(answer)
        return found


def once(folder: Path, url: str, in_flight: int) -> tuple[float, float]:
    """Wall seconds between first and last request, and CPU seconds of a run."""
    workspace = Workspace.open(folder)
    dataset, _ = open_dataset(str(folder / "cases.jsonl"))
    plan = make_plan(dataset, workspace, metrics=METRICS, judge=f"openai:fake@{url}", strategy="rubric")
    stats(url, "reset")
    with Store.open(workspace, write=True) as store:
        cpu = time.process_time()
        status = run(plan, dataset, workspace, store, Progress(), RunOptions(fresh=True, concurrency=in_flight))
        cpu = time.process_time() - cpu
    assert status is Status.FINISHED
    seen = stats(url)
    assert seen["calls"] == dataset.rows * len(METRICS)
    return seen["last"] - seen["first"], cpu


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--in-flight", type=int, default=40)
    parser.add_argument("--cases", type=int, default=300)
    parser.add_argument("--delay-ms", type=float, default=200)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    server = Path(__file__).parent.parent / "tests" / "fake_judge.py"
    command = [sys.executable, str(server), "--port", "0", "--delay-ms", str(asked.delay_ms)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        url = process.stdout.readline().split()[2]
        with tempfile.TemporaryDirectory() as name:
            write_cases(Path(name) / "cases.jsonl", asked.cases)
            once(Path(name), url, asked.in_flight)  # imports, compiled files
            found = [once(Path(name), url, asked.in_flight) for _ in range(asked.rounds)]
    finally:
        process.terminate()
    calls = asked.cases * len(METRICS)
    bound = calls * asked.delay_ms / 1000 / asked.in_flight
    wall, cpu = min(each[0] for each in found), min(each[1] for each in found)
    print(f"{calls} calls, {asked.in_flight} in flight: {wall:.2f} s, bound {bound:.2f} s, ratio {wall / bound:.2f}")
    print(f"CPU {1000 * cpu / calls:.1f} ms a call, storing included")
    return 0 if wall / bound <= WALL_RATIO and 1000 * cpu / calls <= CPU_MS else 1


if __name__ == "__main__":
    raise SystemExit(main())
