"""Are a million cases reported in bounded memory?

    nice -n 10 python benchmarks/million_cases.py [--cases 1000000] [--small 250000] [--folder DIR]

A store with that many cases, two metrics and both sides is made without running anything, then each report is written by a
process of its own; shown are its seconds, its size and the most memory it took. A line fails where memory is over the limit,
or grows faster than the number of cases from the small store to the large one.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

LIMIT_MB: Final = 4_000
FORMS: Final = ("json", "md", "html", "xml", "csv", "jsonl", "parquet", "azure.json", "ragtui")
HERE: Final = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[1])}
METRICS: Final = ("groundedness", "f1")
_AT_ONCE: Final = 50_000


def make(folder: Path, cases: int) -> None:
    """A finished experiment of two sides, written as a run would leave it."""
    import numpy as np

    from ragtui.experiments import diagnoses
    from ragtui.experiments.finished_frame import write_frame
    from ragtui.experiments.plan import Plan, PlannedMetric
    from ragtui.experiments.store import Store
    from ragtui.workspace import Workspace

    metrics = (
        PlannedMetric("groundedness", threshold=3.0, scale=(1.0, 5.0), kind="judged", question="groundedness"),
        PlannedMetric("f1", threshold=0.5, kind="overlap"),
    )
    plan = Plan("large", "azure", "0" * 16, metrics, baseline="recorded:v1", judge_model="embedded")
    rng = np.random.default_rng(0)
    with Store.open(Workspace(folder), write=True) as store:
        connection = store.connection
        connection.execute("PRAGMA synchronous=OFF")
        text = "The archive on the second floor opens at nine and closes when the last visitor has left. " * 2
        number = connection.execute(
            "INSERT INTO experiments(id, plan, source, status, cases, cells, created, updated) VALUES (?,?,?,?,?,?,?,?)",
            (plan.id, plan.to_json(), "large.jsonl", "finished", cases, cases * 4, "2026-01-01", "2026-01-01"),
        ).lastrowid
        for start in range(0, cases, _AT_ONCE):
            part = range(start, min(start + _AT_ONCE, cases))
            connection.execute("BEGIN")
            connection.executemany(
                "INSERT INTO cases VALUES (?,?,?,?,?,?,NULL)",
                ((number, at, f"case-{at}", f"When does floor {at} open?", json.dumps({"query": f"When does floor {at} open?"}),
                  json.dumps({"ground_truth": f"At {at % 12}."})) for at in part),
            )  # fmt: skip
            for side in ("candidate", "baseline"):
                connection.executemany(
                    "INSERT INTO responses VALUES (?,?,?,'scored',NULL,'',?,?,NULL,NULL,NULL,NULL,NULL,NULL)",
                    ((number, side, at, f"It opens at {at % 12}.", json.dumps([text])) for at in part),
                )
                grades, shares = rng.integers(1, 6, len(part)).tolist(), rng.random(len(part)).tolist()
                for metric, scores in zip(METRICS, (grades, shares), strict=True):
                    connection.executemany(
                        "INSERT INTO scores VALUES (?,?,?,?,1,'scored',NULL,?,'says 3 where the context has 4',NULL,NULL)",
                        ((number, side, metric, at, score) for at, score in zip(part, scores, strict=True)),
                    )
            connection.execute("COMMIT")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        write_frame(store, int(number or 0), plan)
        diagnoses.keep(store.results(plan.id))


def export(folder: Path, form: str) -> tuple[float, float, float]:
    """Seconds, MB of the file, and the most MB of memory that one export took."""
    code = (
        "import resource, sys\n"
        "from ragtui.cli import app\n"
        "try:\n    app(sys.argv[1:])\n"
        "except SystemExit as ended:\n    assert not ended.code, ended.code\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)\n"
    )
    file = folder / f"out.{form}"
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code, "export", "last", str(file)],
        cwd=folder,
        env=HERE,
        capture_output=True,
        text=True,
        check=False,
    )
    seconds = time.perf_counter() - started
    if done.returncode:
        raise SystemExit(f"{form}: {done.stderr[-500:]}")
    size = file.stat().st_size / 1e6
    file.unlink()
    return seconds, size, int(done.stdout.split()[-1]) / 1e3


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=1_000_000)
    parser.add_argument("--small", type=int, default=250_000)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--forms", nargs="+", default=FORMS)
    parser.add_argument("--make", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.make is not None:
        make(asked.make, asked.cases)
        return 0
    failed = 0
    with tempfile.TemporaryDirectory(dir=asked.folder) as made:
        folders = {n: Path(made, str(n)) for n in (asked.small, asked.cases)}
        for n, folder in folders.items():
            folder.mkdir()
            # in a process of its own: what is started from here would be counted with the memory that this has taken
            subprocess.run([sys.executable, __file__, "--make", str(folder), "--cases", str(n)], env=HERE, check=True)
        for form in asked.forms:
            (_, _, small), (seconds, size, large) = (export(folders[n], form) for n in (asked.small, asked.cases))
            wrong = large > LIMIT_MB or large > small * asked.cases / asked.small
            failed += wrong
            print(
                f"{form:10}  {asked.cases:,} cases: {seconds:5.1f} s, {size:7.1f} MB written, {large:6.0f} MB of memory"
                f" ({small:.0f} MB with {asked.small:,}){' !' if wrong else ''}",
                flush=True,
            )
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
