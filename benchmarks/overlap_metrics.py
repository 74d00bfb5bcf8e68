"""How fast texts are compared, a row, against azure-ai-evaluation's own evaluators on the same rows.

    python benchmarks/overlap_metrics.py [--rows 100000] [--peer-rows 2000] [--words 40] [--peers DIR]

Makes answers and ground truths that share about two thirds of their words. ragtui scores all rows, the peer (in a throwaway
environment, kept in ``--peers`` if given) the first ``--peer-rows``; both are measured in CPU microseconds a row, so that a
busy machine does not count. The peer's BLEU needs NLTK's data (``NLTK_DATA``) and is left out where it is missing.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

PEERS = ("azure-ai-evaluation==1.18.10",)
METRICS = ("f1", "rougeL", "bleu", "gleu")

CLOCK = """
import json, sys, time
rows = [json.loads(line) for line in open(sys.argv[1], encoding="utf8")][: int(sys.argv[2])]
def clock(name, score):
    score(*rows[0])
    start = time.process_time()
    values = [score(response, truth) for response, truth in rows]
    print(json.dumps({"name": name, "us": (time.process_time() - start) / len(rows) * 1e6, "mean": sum(values) / len(values)}))
"""
RAGTUI = """
from ragtui.metrics.registry import metric
for name in NAMES:
    for spec in (name, name + ":azure"):
        compute = metric(spec).score
        clock(spec, lambda response, truth: compute({"response": response, "ground_truth": (truth,)}).score)
"""
AZURE = """
from azure.ai.evaluation import BleuScoreEvaluator, F1ScoreEvaluator, GleuScoreEvaluator, RougeScoreEvaluator, RougeType
made = {"f1": F1ScoreEvaluator(), "rougeL": RougeScoreEvaluator(RougeType.ROUGE_L)}
if WITH_NLTK:
    made |= {"bleu": BleuScoreEvaluator(), "gleu": GleuScoreEvaluator()}
for name, evaluator in made.items():
    key = {"f1": "f1_score", "rougeL": "rouge_f1_score"}.get(name, name + "_score")
    def score(response, truth):
        found = evaluator(response=response, ground_truth=truth)
        return next(found[each] for each in (key, name, "rouge") if each in found)
    clock(name, score)
"""


def make(path: Path, rows: int, words: int, seed: int = 5) -> None:
    rng = random.Random(seed)
    known = [
        f"{stem}{ending}"
        for stem in ("token", "reset", "portal", "minute", "lock", "desk", "phone", "code")
        for ending in ("", "s", "ed", "ing")
    ]
    known += [
        "the",
        "a",
        "an",
        "of",
        "in",
        "and",
        "after",
        "10",
        "2.5",
        "isn't",
        "Mr.",
        "e.g.",
        "VPN",
        "user's",
        "(optional)",
        "on/off",
    ] * 2
    with path.open("w", encoding="utf-8") as stream:
        for _ in range(rows):
            truth = rng.choices(known, k=words)
            response = [word if rng.random() < 0.67 else rng.choice(known) for word in truth]
            stream.write(json.dumps([_sentences(response), _sentences(truth)]) + "\n")


def _sentences(words: list[str]) -> str:
    return " ".join(" ".join(words[at : at + 12]).capitalize() + "." for at in range(0, len(words), 12))


def peer_python(folder: Path) -> Path:
    """The interpreter of an environment that has the peer."""
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "-q", *PEERS], check=True)
    return python


def measured(python: Path | str, code: str, path: Path, rows: int) -> dict[str, dict[str, float]]:
    here = Path(__file__).resolve().parent.parent
    preamble = f"NAMES = {METRICS!r}\nWITH_NLTK = {bool(os.environ.get('NLTK_DATA'))}\n"
    done = subprocess.run(
        [str(python), "-c", CLOCK + preamble + code, str(path), str(rows)], cwd=here, capture_output=True, text=True
    )
    if done.returncode:
        raise SystemExit(done.stderr[-800:])
    found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"name"')]
    return {row["name"]: row for row in found}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--peer-rows", type=int, default=2_000)
    parser.add_argument("--words", type=int, default=40)
    parser.add_argument("--peers", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        path = Path(temporary) / "rows.jsonl"
        make(path, options.rows, options.words)
        mine = measured(sys.executable, RAGTUI, path, options.rows)
        same = measured(sys.executable, RAGTUI, path, options.peer_rows)
        theirs = measured(peer_python(options.peers or Path(temporary) / "peers"), AZURE, path, options.peer_rows)
    print(f"{options.rows} rows of {options.words} words (the peer: {options.peer_rows}); CPU microseconds a row")
    print(f"{'':<16}{'ragtui':>8}{'azure':>9}{'ratio':>8}   difference of the means")
    for spec, row in mine.items():
        name, _, variant = spec.partition(":")
        peer = theirs.get(name)
        if peer is None:
            print(f"{spec:<16}{row['us']:>8.1f}{'–':>9}")
            continue
        off = f"{abs(same[spec]['mean'] - peer['mean']):.1e}" if variant else "–"
        print(f"{spec:<16}{row['us']:>8.1f}{peer['us']:>9.1f}{peer['us'] / row['us']:>8.1f}   {off}")


if __name__ == "__main__":
    main()
