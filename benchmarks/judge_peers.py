"""ragtui, azure-ai-evaluation and Ragas side by side: 300 rows of judged metrics, 200 ms a reply, from one loopback server.

    python benchmarks/judge_peers.py [--rows 300] [--delay-ms 200] [--azure VENV] [--ragas VENV]

The peers are installed into throwaway environments (or taken from those given). azure-ai-evaluation runs its own four
evaluators with its own defaults; Ragas runs Faithfulness, LLMContextPrecisionWithReference and LLMContextRecall with its own
(16 jobs at once), which the server answers by the schema in each prompt. ragtui runs dataset, targets, judge and store with
as many in flight as the first reaches (40), and with 16. They ask different questions, so what is compared is the time a call.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.run_throughput import METRICS, once, stats, write_cases

ROOT = Path(__file__).parent.parent
AZURE_FACTOR, RAGAS_FACTOR = 7.0, 4.0
RAGAS_NEEDS = ("ragas==0.4.3", "langchain-openai")

AZURE = """
import json, resource, sys, time
from azure.ai.evaluation import CoherenceEvaluator, FluencyEvaluator, GroundednessEvaluator, RelevanceEvaluator, evaluate
path, url = sys.argv[1:]
config = {"type": "openai", "model": "fake", "base_url": url, "api_key": "none"}
kinds = {"groundedness": GroundednessEvaluator, "relevance": RelevanceEvaluator, "coherence": CoherenceEvaluator}
kinds["fluency"] = FluencyEvaluator
evaluators = {name: kind(config) for name, kind in kinds.items()}
wall, cpu = time.perf_counter(), time.process_time()
evaluate(data=path, evaluators=evaluators)
own = resource.getrusage(resource.RUSAGE_SELF)
print("FIGURES", json.dumps([time.perf_counter() - wall, time.process_time() - cpu, own.ru_maxrss / 1024]))
"""

RAGAS = """
import json, resource, sys, time, types
for name, held in (("langchain_community.chat_models.vertexai", "ChatVertexAI"), ("langchain_community.llms.vertexai", "VertexAI")):
    try:
        __import__(name)
    except ImportError:  # gone from the newest langchain-community; Ragas 0.4.3 imports it and nothing here uses it
        sys.modules[name] = types.ModuleType(name)
        setattr(sys.modules[name], held, type(held, (), {}))
from langchain_openai import ChatOpenAI
from ragas import EvaluationDataset, evaluate
from ragas.llms import LangchainLLMWrapper
from ragas.metrics import Faithfulness, LLMContextPrecisionWithReference, LLMContextRecall
path, url = sys.argv[1:]
data = EvaluationDataset.from_list([json.loads(line) for line in open(path)])
llm = LangchainLLMWrapper(ChatOpenAI(model="fake-schema", base_url=url, api_key="none"))
metrics = [Faithfulness(), LLMContextPrecisionWithReference(), LLMContextRecall()]
wall, cpu = time.perf_counter(), time.process_time()
found = evaluate(data, metrics, llm=llm, show_progress=False).to_pandas()
assert not found.iloc[:, -3:].isna().any().any(), found
own = resource.getrusage(resource.RUSAGE_SELF)
print("FIGURES", json.dumps([time.perf_counter() - wall, time.process_time() - cpu, own.ru_maxrss / 1024]))
"""
RAGAS_NAMES = {
    "query": "user_input",
    "context": "retrieved_contexts",
    "response": "response",
    "ground_truth": "reference",
}


def azure_row(row: dict[str, Any]) -> dict[str, Any]:
    return {**row, "context": "\n".join(row["context"])}


def ragas_row(row: dict[str, Any]) -> dict[str, Any]:
    return {theirs: row[mine] for mine, theirs in RAGAS_NAMES.items()}


def peer(name: str, folder: Path, url: str, venv: Path) -> tuple[float, float, float, int]:
    """Wall and CPU seconds, peak memory in MB, and calls."""
    script, as_row = {"azure": (AZURE, azure_row), "ragas": (RAGAS, ragas_row)}[name]
    rows = [json.loads(line) for line in (folder / "cases.jsonl").read_text().splitlines()]
    path = folder / f"{name}.jsonl"
    path.write_text("".join(json.dumps(as_row(row)) + "\n" for row in rows))
    (folder / "peer.py").write_text(script)
    stats(url, "reset")
    command = [str(venv / "bin" / "python"), "peer.py", str(path), url]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    line = next((each for each in done.stdout.splitlines() if each.startswith("FIGURES")), None)
    if line is None:
        raise SystemExit(f"{name} failed:\n{done.stderr[-2000:]}")
    wall, cpu, memory = json.loads(line.removeprefix("FIGURES"))
    return wall, cpu, memory, int(stats(url)["calls"])


def installed(venv: Path, *packages: str) -> Path:
    subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
    subprocess.run([str(venv / "bin" / "pip"), "install", "-q", *packages], check=True)
    return venv


def ours(folder: Path, url: str, in_flight: int) -> tuple[float, float]:
    once(folder, url, in_flight)  # imports, compiled files
    return min(once(folder, url, in_flight) for _ in range(2))


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=300)
    parser.add_argument("--delay-ms", type=float, default=200)
    parser.add_argument("--azure", type=Path, metavar="VENV")
    parser.add_argument("--ragas", type=Path, metavar="VENV")
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
            azure = peer("azure", folder, url, given.azure or installed(folder / "a", "azure-ai-evaluation"))
            ragas = peer("ragas", folder, url, given.ragas or installed(folder / "r", *RAGAS_NEEDS))
            found = {in_flight: ours(folder, url, in_flight) for in_flight in (40, 16)}
    finally:
        process.terminate()
    print(f"{given.rows} rows × {len(METRICS)} metrics, {given.delay_ms:g} ms a call")
    for name, (wall, cpu, memory, n) in {"azure-ai-evaluation": azure, "ragas": ragas}.items():
        print(f"  {name:20} {wall:6.1f} s, {1000 * cpu / n:5.1f} ms of CPU a call, {memory:.0f} MB, {n:,} calls")
    for in_flight, (wall, cpu) in found.items():
        bound = calls * given.delay_ms / 1000 / in_flight
        print(
            f"  ragtui, {in_flight} in flight {wall:6.1f} s ({wall / bound:.2f} × of the bound), {1000 * cpu / calls:5.1f} ms of CPU a call"
        )
    by_azure = (azure[0] / azure[3]) / (found[40][0] / calls)
    by_ragas = (ragas[0] / ragas[3]) / (found[16][0] / calls)
    print(f"  {by_azure:.1f} × faster than azure-ai-evaluation (promised {AZURE_FACTOR:g})")
    print(f"  {by_ragas:.1f} × faster a call than ragas (promised {RAGAS_FACTOR:g})")
    return 0 if by_azure >= AZURE_FACTOR and by_ragas >= RAGAS_FACTOR else 1


if __name__ == "__main__":
    sys.exit(main())
