"""How many judge's verdicts a second the store takes, each committed before the next: prompt, reply, score and evidence.

    python benchmarks/store_commits.py [--verdicts 5000]

Printed beside a bare SQLite insert of the same bytes with a commit each, in the same folder. It must be no bottleneck:
at least 1,000 a second, where the fastest measured judge gives 480.
"""

from __future__ import annotations

import argparse
import random
import sqlite3
import string
import tempfile
import time
from pathlib import Path

import polars as pl

from ragtui.experiments.plan import Plan, PlannedMetric, Side
from ragtui.experiments.store import Store
from ragtui.judges.judge import Verdict
from ragtui.metrics.score import Evidence, State, scored
from ragtui.workspace import Workspace

NEEDED = 1_000
REASON = "Supported by the context, but the second statement is not there."
REPLY = '{"reason": "Supported by the context.", "score": 4, "status": "completed"}'


def prompts(n: int) -> list[str]:
    rng = random.Random(7)
    words = ["".join(rng.choices(string.ascii_lowercase, k=rng.randint(2, 9))) for _ in range(2_000)]
    return [" ".join(rng.choices(words, k=500)) for _ in range(n)]


def through_the_store(folder: Path, texts: list[str]) -> float:
    n = len(texts)
    plan = Plan("cases", "table", "0", (PlannedMetric("groundedness", question="groundedness"),))
    cases = pl.DataFrame(
        {"case_id": [str(i) for i in range(n)], "name": [""] * n, "inputs": ["{}"] * n, "expected": ["{}"] * n,
         "judgments": pl.Series([None] * n, dtype=pl.String)}
    )  # fmt: skip
    evidence = (Evidence("the first statement", "entailed", 0, 0, 40), Evidence("the second statement", "neutral"))
    with Store.open(Workspace(folder), write=True) as store, store.begin(plan, "cases", cases) as recorder:
        began = time.perf_counter()
        for at, prompt in enumerate(texts):
            verdict = Verdict(State.SCORED, 4.0, reason=REASON, prompt=prompt, reply=REPLY, attempts=1)
            outcome = [("groundedness", scored(4.0, REASON, evidence))]
            recorder.judge(Side.CANDIDATE, at, "groundedness", 1, "openai:m", verdict, outcome)
        return n / (time.perf_counter() - began)


def bare(folder: Path, texts: list[str]) -> float:
    connection = sqlite3.connect(folder / "bare.sqlite", isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute("CREATE TABLE verdicts(prompt TEXT, reply TEXT, reason TEXT, score REAL)")
    began = time.perf_counter()
    for prompt in texts:
        connection.execute("INSERT INTO verdicts VALUES (?,?,?,?)", (prompt, REPLY, REASON, 4.0))
    return len(texts) / (time.perf_counter() - began)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--verdicts", type=int, default=5_000)
    texts = prompts(parser.parse_args().verdicts)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        without, found = bare(folder, texts), through_the_store(folder, texts)
    print(f"store {found:,.0f} verdicts/s, bare insert {without:,.0f}/s, ratio {found / without:.2f}")
    return 0 if found >= NEEDED else 1


if __name__ == "__main__":
    raise SystemExit(main())
