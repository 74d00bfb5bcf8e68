"""Kills a run with SIGKILL at 20 random moments and goes on each time: at most the calls in flight are issued again.

    python benchmarks/kill_and_resume.py [--kills 20] [--cases 300] [--in-flight 16] [--delay-ms 40] [--seed N]

The loopback server of tests/fake_judge.py counts the calls; the store says which verdicts were kept.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from ragtui.experiments.progress import Status
from ragtui.experiments.store import Store
from ragtui.workspace import Workspace

METRICS = ("groundedness", "relevance", "coherence", "fluency")


def calls(url: str) -> int:
    with urllib.request.urlopen(url.removesuffix("/v1") + "/stats") as answer:
        return int(json.load(answer)["calls"])


def start(folder: Path, url: str, in_flight: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "ragtui", "run", "cases.jsonl", "--metrics", ",".join(METRICS), "--judge"]
    command += [f"openai:fake@{url}", "--strategy", "rubric", "--concurrency", str(in_flight), "--quiet"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(command, cwd=folder, env=environment, start_new_session=True)


def stored(folder: Path) -> int:
    with Store.open(Workspace.open(folder)) as store:
        return sum(entry.done for entry in store.list())


def write_cases(folder: Path, count: int) -> None:
    rows = (
        {"id": f"c{n}", "query": f"What opens on floor {n}?", "context": f"Floor {n}.", "response": f"Floor {n} opens."}
        for n in range(count)
    )
    (folder / "cases.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--cases", type=int, default=300)
    parser.add_argument("--in-flight", type=int, default=16)
    parser.add_argument("--delay-ms", type=float, default=40)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    given = parser.parse_args()
    chance, whole = random.Random(given.seed), given.cases * len(METRICS)
    server = [sys.executable, str(ROOT / "tests" / "fake_judge.py"), "--port", "0", "--delay-ms", str(given.delay_ms)]
    process = subprocess.Popen(server, stdout=subprocess.PIPE, text=True)
    worst = lost = 0
    try:
        assert process.stdout is not None
        url = process.stdout.readline().split()[2]
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write_cases(folder, given.cases)
            for _ in range(given.kills):
                running = start(folder, url, given.in_flight)
                goal = calls(url) + chance.randint(1, max(2, (whole - calls(url)) // 4))
                while calls(url) < goal and running.poll() is None:
                    time.sleep(0.002)
                time.sleep(chance.random() * 0.05)
                os.killpg(running.pid, signal.SIGKILL)
                running.wait()
                time.sleep(given.delay_ms / 1000)  # what was in flight arrives at the server, and nowhere
                again = calls(url) - stored(folder) - lost
                worst, lost = max(worst, again), lost + again
            status = start(folder, url, given.in_flight).wait()
            made, kept = calls(url), stored(folder)
            with Store.open(Workspace.open(folder)) as store:
                finished = store.list()[0].status is Status.FINISHED
    finally:
        process.terminate()
    print(f"{given.kills} kills (seed {given.seed}) in {whole:,} calls, {given.in_flight} in flight")
    print(f"  calls issued again after one kill: at most {worst}, {lost} after all; calls in all {made:,}")
    print(f"  finished: {finished}, verdicts kept {kept:,} of {whole:,}, exit status {status}")
    good = finished and status == 0 and kept == whole and worst <= given.in_flight and made == whole + lost
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
