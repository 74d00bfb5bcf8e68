"""1,000 cases × 4 metrics against a server that fails in every way there is: each cell must end in its one right state.

    python benchmarks/judge_faults.py [--cases 1000] [--in-flight 40]

Whole runs with dataset, targets and store. The server (tests/judges/fated.py) settles the fate of every cell beforehand:
429 with both forms of Retry-After, 500, 503, dropped connections, slow answers and hangs, replies that are fenced, cut off,
garbage, out of range, empty, refused or filtered; and it refuses temperature and max_tokens. Prints cells that ended in
another state, cells judged twice, and requests that the store does not know of; all must be 0.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from ragtui.datasets.check import open_dataset
from ragtui.experiments.planning import make_plan
from ragtui.experiments.progress import Progress, Status
from ragtui.experiments.run import RunOptions, run
from ragtui.experiments.store import Store
from ragtui.metrics.score import State
from ragtui.workspace import Workspace
from tests.judges.fated import METRICS, OUTCOMES, Fates, case, fate_of, score_of
from tests.judges.servers import canned


def once(folder: Path, url: str, in_flight: int) -> tuple[Status, float]:
    (folder / "ragtui.toml").write_text(f'[judges.fated]\nmodel = "fake"\nbase_url = "{url}"\ntimeout = 4\n')
    workspace = Workspace.open(folder)
    dataset, _ = open_dataset(str(folder / "gates.jsonl"))
    plan = make_plan(dataset, workspace, metrics=METRICS, judge="fated", strategy="rubric")
    started = time.perf_counter()
    with Store.open(workspace, write=True) as store:
        status = run(plan, dataset, workspace, store, Progress(), RunOptions(concurrency=in_flight))
    return status, time.perf_counter() - started


def wrong(folder: Path, fates: Fates) -> tuple[list[str], int, Counter[str]]:
    """Cells that are not as they must be, requests unknown to the store, and the states."""
    faults, attempts, states = [], 0, Counter[str]()
    with Store.open(Workspace.open(folder)) as store:
        for case_id, cell in store.results("last").all_cells():
            key = (int(case_id.removeprefix("g-")), cell.metric)
            fate = fate_of(*key)
            attempts += cell.attempts
            states[str(cell.state) + (f" {cell.cause}" if cell.cause else "")] += 1
            score = score_of(*key) if OUTCOMES[fate][0] is State.SCORED else None
            if (cell.state, cell.cause, cell.score) != (*OUTCOMES[fate], score):
                faults.append(f"{key} {fate}: {cell.state} {cell.cause} {cell.score}: {cell.reason}")
            if fates.usable[key] > 1:
                faults.append(f"{key} {fate}: judged {fates.usable[key]} times")
    return faults, abs(attempts - fates.requests.total()), states


async def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--in-flight", type=int, default=40)
    given = parser.parse_args()
    fates = Fates()
    with tempfile.TemporaryDirectory() as name:
        rows = ({"id": f"g-{number}", **case(number)} for number in range(given.cases))
        (Path(name) / "gates.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        async with canned(fates.answer) as server:
            status, seconds = await asyncio.to_thread(once, Path(name), server.url, given.in_flight)
        faults, unknown, states = wrong(Path(name), fates)
    print(f"{given.cases} cases × {len(METRICS)}: {status}, {fates.requests.total():,} requests in {seconds:.0f} s")
    for state, count in states.most_common():
        print(f"  {count:>6,}  {state}")
    print(f"cells in a wrong state or judged twice: {len(faults)}; requests unknown to the store: {unknown}")
    print("\n".join(faults[:20]))
    return 0 if status is Status.FINISHED and not faults and not unknown else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
