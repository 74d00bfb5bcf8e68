"""How near judging comes to the latency bound (1.15 × is promised): 300 cases × 4 metrics, 200 ms a reply, against a loopback server.

    python benchmarks/judge_throughput.py [--in-flight 40] [--cases 300] [--delay-ms 200] [--rounds 3]

Starts the server of tests/fake_judge.py itself. Wall time is from the first question to the last verdict; CPU time is
this process's alone, import of the client included.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import resource
import statistics
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from ragtui.judges.concurrency import Concurrency
from ragtui.judges.engine import ask_all
from ragtui.judges.judge import Question, Verdict
from ragtui.judges.profile import judge
from ragtui.workspace import Workspace

METRICS = ("groundedness", "relevance", "coherence", "fluency")
WALL_RATIO, CPU_MS, MEMORY_MB = 1.15, 6.0, 200


def questions(cases: int, round_: int) -> list[tuple[tuple[int, str], Question]]:
    found = []
    for number in range(cases):
        inputs = {
            "query": f"How long is ticket {round_}-{number} valid?",
            "context": (
                f"Ticket {number} is valid for 90 minutes after stamping. " * 8,
                "Children under six travel free. " * 8,
            ),
            "response": f"Ticket {number} is valid for 90 minutes.",
        }
        found += [((number, name), Question(name, inputs)) for name in METRICS]
    return found


async def once(url: str, in_flight: int, cases: int, round_: int) -> tuple[float, float, Counter[str]]:
    asked = judge(f"openai:fake@{url}", Workspace(Path.cwd()), strategy="rubric")
    states: Counter[str] = Counter()

    def count(_: tuple[int, str], verdict: Verdict) -> None:
        states[verdict.state] += 1

    batch = questions(cases, round_)
    wall, cpu = time.perf_counter(), time.process_time()
    await ask_all(asked, batch, on_verdict=count, concurrency=Concurrency(in_flight))
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    await asked.close()
    return wall, cpu, states


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--in-flight", type=int, default=40)
    parser.add_argument("--cases", type=int, default=300)
    parser.add_argument("--delay-ms", type=float, default=200)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    server = Path(__file__).parent.parent / "tests" / "fake_judge.py"
    process = subprocess.Popen(
        [sys.executable, str(server), "--port", "0", "--delay-ms", str(asked.delay_ms)],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        url = process.stdout.readline().split()[2]
        found = [asyncio.run(once(url, asked.in_flight, asked.cases, n)) for n in range(asked.rounds)]
    finally:
        process.terminate()
        process.wait()
    return report(found, asked.in_flight, asked.cases * len(METRICS), asked.delay_ms / 1000)


def report(found: list[tuple[float, float, Counter[str]]], in_flight: int, calls: int, delay: float) -> int:
    bound = math.ceil(calls / in_flight) * delay
    walls = sorted(wall for wall, _, _ in found)
    cpus = sorted(cpu / calls * 1000 for _, cpu, _ in found)
    scored = all(states == {"scored": calls} for _, _, states in found)
    print(f"{calls} calls, {in_flight} in flight, {delay * 1000:.0f} ms each: latency bound {bound:.2f} s")
    print(
        f"  wall  best {walls[0]:.2f} s ({walls[0] / bound:.2f} ×), median {statistics.median(walls):.2f} s   (promised ≤ {WALL_RATIO} ×)"
    )
    print(f"  CPU   best {cpus[0]:.2f} ms a call, median {statistics.median(cpus):.2f} ms   (promised < {CPU_MS:g} ms)")
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"  peak memory {memory:.0f} MB   (promised < {MEMORY_MB}); all scored: {scored}")
    return 0 if scored and walls[0] <= WALL_RATIO * bound and cpus[0] < CPU_MS and memory < MEMORY_MB else 1


if __name__ == "__main__":
    sys.exit(main())
