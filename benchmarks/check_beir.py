"""How fast a BEIR folder is checked whole, against the bare loops over the same bytes, and how much memory that takes.

    python benchmarks/check_beir.py [--documents 1000000] [--queries 100000] [--judgments 500000] [--runs 3] [--faulty]

Makes the data in a temporary folder, then runs in turn, each in a fresh interpreter: a bare msgspec loop (one process,
nothing checked), the json.loads loop that BEIR's and EvalScope's loaders are, and ``ragtui check``. Prints the best of the
runs, the ratios, and the peak memory of all processes of ``ragtui check`` together. ``--faulty`` gives every document a
number for an id.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import NamedTuple

MSGSPEC_LOOP = """
import sys, msgspec
class Text(msgspec.Struct, gc=False, rename={"id": "_id"}):
    id: str | int
    text: str
    title: str | None = None
class Judgment(msgspec.Struct, gc=False, rename={"query": "query-id", "document": "corpus-id"}):
    query: str
    document: str
    score: float
for name, kind in (("corpus", Text), ("queries", Text), ("qrels", Judgment)):
    decode = msgspec.json.Decoder(kind).decode
    with open(f"{sys.argv[1]}/{name}.jsonl", "rb", buffering=1 << 20) as stream:
        for line in stream:
            decode(line)
"""
JSON_LOOP = """
import sys, json
corpus, queries, qrels = {}, {}, {}
for line in open(f"{sys.argv[1]}/corpus.jsonl", encoding="utf8"):
    line = json.loads(line)
    corpus[line.get("_id")] = {"text": line.get("text"), "title": line.get("title")}
for line in open(f"{sys.argv[1]}/queries.jsonl", encoding="utf8"):
    line = json.loads(line)
    queries[line.get("_id")] = line.get("text")
for line in open(f"{sys.argv[1]}/qrels.jsonl", encoding="utf8"):
    line = json.loads(line)
    qrels.setdefault(line["query-id"], {})[line["corpus-id"]] = line["score"]
"""


def make(folder: Path, documents: int, queries: int, judgments: int, faulty: bool, seed: int = 7) -> None:
    """Texts of about 500 bytes with what English ones have: a quote in one of six, letters beyond ASCII in two of five."""
    rng = random.Random(seed)
    letters = "etaoinshrdlucmfwypvbgk"
    words = ["".join(rng.choices(letters, k=rng.randint(2, 9))) for _ in range(600)]
    sentences = []
    for number in range(4000):
        sentence = rng.choices(words, k=16)
        if number % 10 == 0:
            sentence[rng.randrange(16)] = rng.choice(["café", "naïve", "Zürich", "–", "it’s"])
        if number % 30 == 0:
            sentence[rng.randrange(16)] = '"quoted"'
        sentences.append(" ".join(sentence).capitalize() + ". ")
    with (folder / "corpus.jsonl").open("w", encoding="utf-8") as stream:
        for number in range(documents):
            text = "".join(rng.choices(sentences, k=5)) + ("\n" if number % 3 else "")
            identity = number if faulty else f"doc{number:07d}"
            record = {"_id": identity, "title": f"Title {number}", "text": text}
            stream.write(json.dumps(record, ensure_ascii=False) + "\n")
    with (folder / "queries.jsonl").open("w", encoding="utf-8") as stream:
        for number in range(queries):
            stream.write(
                json.dumps({"_id": f"q{number:06d}", "text": rng.choice(sentences)}, ensure_ascii=False) + "\n"
            )
    with (folder / "qrels.jsonl").open("w", encoding="utf-8") as stream:
        for number in range(judgments):
            document = rng.randrange(documents)
            record = {
                "query-id": f"q{number % queries:06d}",
                "corpus-id": str(document) if faulty else f"doc{document:07d}",
                "score": 1 + number % 2,
            }
            stream.write(json.dumps(record) + "\n")


class Result(NamedTuple):
    """Wall and CPU seconds, peak resident memory in MB of the process and all its children together, exit status."""

    seconds: float
    cpu: float
    memory: float
    status: int


def timed(command: list[str]) -> Result:
    """Runs a command from the project's folder, so that it is this ragtui that is measured. Modules are compiled once and
    kept, as an installation keeps them."""
    peak = 0.0
    done = threading.Event()
    before = os.times()
    start = time.perf_counter()
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = str(Path(tempfile.gettempdir()) / "ragtui-benchmark-bytecode")
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, cwd=Path(__file__).resolve().parent.parent, env=environment
    )

    def watch() -> None:
        nonlocal peak
        while not done.wait(0.1):  # seldom, as it takes CPU from what is measured
            peak = max(peak, sum(resident(each) for each in family(process.pid)))

    watcher = threading.Thread(target=watch)
    watcher.start()
    status = process.wait()
    seconds = time.perf_counter() - start
    after = os.times()
    done.set()
    watcher.join()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return Result(seconds, cpu, peak, status)


def family(root: int) -> list[int]:
    """A process and all below it (Linux)."""
    found = [root]
    for each in found:
        try:
            found += map(int, Path(f"/proc/{each}/task/{each}/children").read_text().split())
        except (OSError, ValueError):
            continue
    return found


def resident(process: int) -> float:
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--documents", type=int, default=1_000_000)
    options.add_argument("--queries", type=int, default=100_000)
    options.add_argument("--judgments", type=int, default=500_000)
    options.add_argument("--runs", type=int, default=3)
    options.add_argument("--faulty", action="store_true")
    asked = options.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "set"
        folder.mkdir()
        make(folder, asked.documents, asked.queries, asked.judgments, asked.faulty)
        size = sum(path.stat().st_size for path in folder.iterdir()) / 1e6
        commands = {
            "bare msgspec loop": [sys.executable, "-c", MSGSPEC_LOOP, str(folder)],
            "json.loads loop": [sys.executable, "-c", JSON_LOOP, str(folder)],
            "ragtui check": [sys.executable, "-m", "ragtui", "check", str(folder), "--output-format", "json"],
        }
        best: dict[str, Result] = {}
        for _ in range(asked.runs):
            for label, command in commands.items():
                result = timed(command)
                best[label] = min(best.get(label, result), result)
    print(f"{asked.documents:,} documents, {asked.queries:,} queries, {asked.judgments:,} judgments, {size:.0f} MB")
    print(f"{os.cpu_count()} CPUs, load {os.getloadavg()[0]:.0f}; best of {asked.runs}")
    for label, (seconds, cpu, memory, status) in best.items():
        speed = f"{size / seconds:6.0f} MB/s"
        print(f"{label:18} {seconds:6.2f} s {speed}  CPU {cpu:6.2f} s  peak {memory:5.0f} MB  exit {status}")
    ours = best["ragtui check"].seconds
    print(
        f"speed relative to the bare msgspec loop: {best['bare msgspec loop'].seconds / ours:.2f} (wanted: 0.7 or more)"
    )
    print(f"speed relative to the json.loads loop:   {best['json.loads loop'].seconds / ours:.2f} (wanted: 3 or more)")


if __name__ == "__main__":
    main()
