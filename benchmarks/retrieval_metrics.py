"""How fast rankings are read and scored, against pytrec_eval and ranx on the same files.

    python benchmarks/retrieval_metrics.py [--queries 100000] [--depth 100] [--runs 3] [--peers DIR] [--without ranx]

Makes judgments and a run (JSON lines, sorted and shuffled) in a temporary folder, and the peers in a throwaway environment
(kept in ``--peers`` if given). Each contestant runs in turn in a fresh interpreter: reading both files, then nDCG@10, MAP@100,
Recall@100, MRR and P@10 for every query. Prints the best of the runs, the ratio to ragtui, and peak memory; the means of all
contestants must agree. ranx is measured with its compilation cache warm.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from typing import Any

PEERS = ("numpy<2.4", "pandas<3", "pytrec_eval-terrier==0.5.11", "orjson", "ranx==0.3.21")
METRICS = ("nDCG@10", "MAP@100", "Recall@100", "MRR@all", "Precision@10")

CLOCK = """
import json, resource, sys, time
folder, run_name = sys.argv[1:3]
def report(start, read, done, means):
    rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps({"read": read - start, "score": done - read, "cpu": time.process_time(), "rss": rss, "means": means}))
"""
RAGTUI = """
import pathlib
import polars as pl
from ragtui.metrics.registry import metric
from ragtui.metrics.rankings.averages import averages
from ragtui.metrics.rankings.ranking import evaluate
from ragtui.targets.run_file import read_run_file
start = time.perf_counter()
run = read_run_file(pathlib.Path(folder) / run_name)
kinds = {"query-id": pl.String, "corpus-id": pl.String, "score": pl.Int64}
qrels = pl.scan_ndjson(folder + "/qrels.jsonl", schema=kinds).collect()
qrels = qrels.rename({"query-id": "query_id", "corpus-id": "doc_id", "score": "grade"})
read = time.perf_counter()
scores = evaluate(qrels, run, [metric(name) for name in NAMES])
means = averages(scores, "trec_eval")["mean"].to_list()
report(start, read, time.perf_counter(), means)
"""
DICTS = """
import orjson
def load(name, cast):
    out = {}
    with open(folder + "/" + name, "rb") as stream:
        for line in stream:
            row = orjson.loads(line)
            out.setdefault(row["query-id"], {})[row["corpus-id"]] = cast(row["score"])
    return out
"""
PYTREC = (
    DICTS
    + """
import pytrec_eval
start = time.perf_counter()
run, qrels = load(run_name, float), load("qrels.jsonl", int)
read = time.perf_counter()
names = ["ndcg_cut_10", "map_cut_100", "recall_100", "recip_rank", "P_10"]
scores = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.10", "map_cut.100", "recall.100", "recip_rank", "P.10"}).evaluate(run)
means = [sum(each[name] for each in scores.values()) / len(scores) for name in names]
report(start, read, time.perf_counter(), means)
"""
)
RANX = (
    DICTS
    + """
import ranx
start = time.perf_counter()
run, qrels = ranx.Run(load(run_name, float)), ranx.Qrels(load("qrels.jsonl", int))
read = time.perf_counter()
names = ["ndcg@10", "map@100", "recall@100", "mrr", "precision@10"]
found = ranx.evaluate(qrels, run, names, make_comparable=True)
report(start, read, time.perf_counter(), [float(found[name]) for name in names])
"""
)


def make(folder: Path, queries: int, depth: int, seed: int = 1) -> None:
    """Scores to three decimals, best first; about five judgments a query, three of them retrieved; grades 0 to 3."""
    import numpy as np
    import polars as pl

    rng = np.random.default_rng(seed)
    query = np.repeat(np.arange(queries), depth)
    document = (
        rng.integers(0, 1_000_000, queries * depth).reshape(queries, depth) // depth * depth + np.arange(depth)
    ).ravel()
    score = np.sort(rng.random((queries, depth)) * 30, axis=1)[:, ::-1].ravel().round(3)
    run = _named(query, document).with_columns(score=pl.Series(score))
    run.write_ndjson(folder / "run.jsonl")
    run.sample(fraction=1.0, shuffle=True, seed=3).write_ndjson(folder / "shuffled.jsonl")
    judged = run.select("query-id", "corpus-id").filter(pl.Series(rng.random(run.height) < 3 / depth))
    other = _named(rng.integers(0, queries, queries * 2), rng.integers(0, 1_000_000, queries * 2))
    qrels = pl.concat([judged, other]).unique(maintain_order=True).sample(fraction=1.0, shuffle=True, seed=2)
    qrels.with_columns(score=pl.Series(rng.choice([0, 1, 1, 2, 3], qrels.height))).write_ndjson(folder / "qrels.jsonl")


def _named(query: Any, document: Any) -> Any:
    import polars as pl

    return pl.DataFrame({"q": query, "d": document}).select(
        pl.format("q{}", pl.col("q").cast(pl.String).str.zfill(6)).alias("query-id"),
        pl.format("d{}", pl.col("d").cast(pl.String).str.zfill(7)).alias("corpus-id"),
    )


def peer_python(folder: Path) -> Path:
    """The interpreter of an environment that has the peers."""
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "-q", *PEERS], check=True)
    return python


def run(python: Path | str, code: str, folder: Path, name: str) -> dict[str, Any]:
    here = Path(__file__).resolve().parent.parent
    command = [str(python), "-c", CLOCK + f"NAMES = {METRICS!r}\n" + code, str(folder), name]
    done = subprocess.run(command, cwd=here, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{name}: {done.stderr[-800:]}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--queries", type=int, default=100_000)
    parser.add_argument("--depth", type=int, default=100)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--peers", type=Path)
    parser.add_argument("--without", action="append", default=[], choices=["pytrec_eval", "ranx"])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        make(folder, options.queries, options.depth)
        peers = peer_python(options.peers or folder / "peers")
        contestants = {
            "ragtui": (sys.executable, RAGTUI, "run.jsonl"),
            "ragtui, shuffled run": (sys.executable, RAGTUI, "shuffled.jsonl"),
            "pytrec_eval": (peers, PYTREC, "run.jsonl"),
            "ranx": (peers, RANX, "run.jsonl"),
        }
        if "ranx" not in options.without:
            run(peers, RANX, folder, "run.jsonl")  # compiles
        rows = {}
        for name, contestant in contestants.items():
            if name not in options.without:
                python, code, file = contestant
                tries = [run(python, code, folder, file) for _ in range(options.runs)]
                rows[name] = min(tries, key=lambda each: each["read"] + each["score"])
    show(rows, options.queries, options.depth)


def show(rows: dict[str, dict[str, Any]], queries: int, depth: int) -> None:
    print(f"{queries} queries x {depth}: {', '.join(METRICS)}")
    print(f"{'':<22}{'read s':>8}{'score s':>9}{'both s':>8}{'CPU s':>8}{'MB':>7}{'ratio':>8}")
    mine = rows["ragtui"]["read"] + rows["ragtui"]["score"]
    for name, row in rows.items():
        both = row["read"] + row["score"]
        print(
            f"{name:<22}{row['read']:>8.2f}{row['score']:>9.2f}{both:>8.2f}{row['cpu']:>8.1f}{row['rss']:>7}{both / mine:>8.2f}"
        )
    for name, row in rows.items():
        off = max(abs(a - b) for a, b in zip(row["means"], rows["ragtui"]["means"], strict=True))
        print(f"largest difference of a mean, {name}: {off:.1e}")


if __name__ == "__main__":
    main()
