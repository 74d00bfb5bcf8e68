"""Whatever ends a run, what was stored is kept and never asked for again: the server's own count proves it."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from ragtui.datasets.check import open_dataset
from ragtui.experiments.plan import Side
from ragtui.experiments.planning import make_plan
from ragtui.experiments.progress import Progress, Status
from ragtui.experiments.run import RunOptions, run
from ragtui.experiments.scores_file import write_scores
from ragtui.experiments.store import Store
from ragtui.metrics.score import State
from ragtui.workspace import Workspace
from tests.cli.test_check import ragtui
from tests.experiments.making import store
from tests.judges.servers import Canned, FakeJudge, canned, fake_judge, score, user_text

CASES, IN_FLIGHT = 60, 8
METRICS = ("groundedness", "relevance", "coherence", "fluency")


def write_cases(folder: Path, n: int = CASES) -> Path:
    path = folder / "desk.jsonl"
    with path.open("w", encoding="utf-8") as stream:
        for at in range(n):
            row = {
                "id": f"d-{at}",
                "query": f"What opens on floor {at}?",
                "response": f"On floor {at} the archive opens at {at % 12 + 1}.",
                "context": f"The archive on floor {at} opens at {at % 12 + 1}.",
            }
            stream.write(json.dumps(row) + "\n")
    return path


def command(folder: Path, server: FakeJudge, model: str = "fake", *more: str) -> list[str]:
    judge = f"openai:{model}@{server.url}"
    options = ["--judge", judge, "--strategy", "rubric", "--concurrency", str(IN_FLIGHT), "--worst", "0", *more]
    return [sys.executable, "-m", "ragtui", "run", "desk.jsonl", "--metrics", ",".join(METRICS), *options]


def run_here(
    folder: Path, url: str, *, judge: str = "", new: bool = False, fresh: bool = False, budget: float | None = None
) -> Status:
    """The same in this process."""
    workspace = Workspace.open(folder)
    dataset, _ = open_dataset(str(folder / "desk.jsonl"))
    plan = make_plan(
        dataset, workspace, metrics=METRICS, judge=judge or f"openai:fake@{url}", strategy="auto" if judge else "rubric"
    )
    with Store.open(workspace, write=True) as opened:
        if new:
            plan = replace(plan, round=opened.next_round(plan))
        return run(plan, dataset, workspace, opened, Progress(), RunOptions(fresh, IN_FLIGHT, budget))


def start(folder: Path, *arguments: str) -> subprocess.Popen[bytes]:
    root = str(Path(__file__).parents[2])
    environment = {**os.environ, "PYTHONPATH": root, "OPENAI_API_KEY": "none"}
    return subprocess.Popen(
        arguments, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
    )


def finish(folder: Path, *arguments: str) -> tuple[int, str]:
    process = start(folder, *arguments)
    output, _ = process.communicate(timeout=120)
    return process.returncode, output.decode()


def wait_for_calls(server: FakeJudge, n: int) -> None:
    deadline = time.monotonic() + 60
    while server.stats()["calls"] < n:
        assert time.monotonic() < deadline, "the run does not call the judge"
        time.sleep(0.01)


def test_a_killed_run_goes_on_and_asks_for_nothing_it_has(tmp_path: Path) -> None:
    write_cases(tmp_path)
    whole = CASES * len(METRICS)
    with fake_judge(delay_ms=30) as server:
        for kill_at in (random.randint(25, 90), random.randint(110, 190)):
            process = start(tmp_path, *command(tmp_path, server))
            wait_for_calls(server, kill_at)
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
        with store(tmp_path, write=False) as opened:
            (entry,) = opened.list()
        assert entry.status is Status.INTERRUPTED
        assert 0 < entry.done < whole
        stored, before = entry.done, server.stats()["calls"]
        status, output = finish(tmp_path, *command(tmp_path, server))
        assert status == 0, output
        assert server.stats()["calls"] - before <= whole - stored, "a stored call was made again"
        assert server.stats()["calls"] <= whole + 2 * IN_FLIGHT, "more than the calls in flight were lost"
    results = store(tmp_path, write=False).results("last")
    assert results.status is Status.FINISHED
    for summary in results.summaries():
        assert (summary.n_scored, summary.n_total) == (CASES, CASES)


def test_a_finished_run_is_shown_again_without_a_call(tmp_path: Path) -> None:
    write_cases(tmp_path, 5)
    with fake_judge() as server:
        assert run_here(tmp_path, server.url) is Status.FINISHED
        calls = server.stats()["calls"]
        assert run_here(tmp_path, server.url) is Status.FINISHED
        assert server.stats()["calls"] == calls == 5 * len(METRICS)


def test_a_new_round_buys_no_judgement_twice_and_a_fresh_one_all(tmp_path: Path) -> None:
    write_cases(tmp_path, 5)
    with fake_judge() as server:
        run_here(tmp_path, server.url)
        calls = server.stats()["calls"]
        run_here(tmp_path, server.url, new=True)
        assert server.stats()["calls"] == calls
        run_here(tmp_path, server.url, fresh=True)
        assert server.stats()["calls"] == 2 * calls
    assert len(store(tmp_path, write=False).list()) == 2


def test_an_interrupt_stops_the_run_at_once_and_keeps_what_is_done(tmp_path: Path) -> None:
    write_cases(tmp_path)
    with fake_judge(delay_ms=100) as server:
        process = start(tmp_path, *command(tmp_path, server))
        wait_for_calls(server, 20)
        began = time.monotonic()
        os.kill(process.pid, signal.SIGINT)
        output, _ = process.communicate(timeout=30)
    assert time.monotonic() - began < 5
    assert process.returncode == 130, output.decode()
    assert "go on with: ragtui run desk.jsonl" in output.decode()
    (entry,) = store(tmp_path, write=False).list()
    assert entry.status is Status.CANCELLED
    assert f"experiment {entry.id} (cancelled)\n" in ragtui("show", entry.id, cwd=tmp_path).stdout
    assert entry.done > 0


def test_a_wrong_key_pauses_the_run_with_one_clear_line(tmp_path: Path) -> None:
    write_cases(tmp_path)
    with fake_judge() as server:
        status, output = finish(tmp_path, *command(tmp_path, server, "fake-http401"))
        assert status == 3
        assert "Traceback" not in output
        assert server.stats()["calls"] <= IN_FLIGHT, "it asked on with a wrong key"
        assert "go on with: ragtui run" in output
        (entry,) = store(tmp_path, write=False).list()
        assert entry.status is Status.PAUSED
        assert entry.message


async def test_a_run_that_ended_with_errors_asks_only_for_those_again(tmp_path: Path) -> None:
    write_cases(tmp_path, 6)
    broken = True

    def answer(body: dict[str, Any], number: int) -> Canned:
        text = user_text(body)
        if broken and ("floor 2" in text or "floor 4" in text):
            return Canned("I would rather not say.")
        return score(4)

    async with canned(answer) as server:
        assert await asyncio.to_thread(run_here, tmp_path, server.url) is Status.FINISHED
        first = store(tmp_path, write=False).results("last").summaries()
        assert sum(each.errors for each in first) == 2 * len(METRICS)
        asked, broken = len(server.seen), False
        assert await asyncio.to_thread(run_here, tmp_path, server.url) is Status.FINISHED
        assert len(server.seen) - asked == 2 * len(METRICS), "scored cells were asked again"
    assert all(each.n_scored == 6 for each in store(tmp_path, write=False).results("last").summaries())


def test_a_budget_pauses_the_run_and_lets_what_is_in_flight_land(tmp_path: Path) -> None:
    write_cases(tmp_path, 30)
    prices = "price_in = 1000.0\nprice_out = 1000.0\nconcurrency = 4\nstrategy = 'rubric'\n"
    with fake_judge() as server:
        (tmp_path / "ragtui.toml").write_text(f"[judges.dear]\nmodel = 'fake'\nbase_url = '{server.url}'\n{prices}")
        assert run_here(tmp_path, "", judge="dear", budget=3.0) is Status.PAUSED
        calls = server.stats()["calls"]
    (entry,) = store(tmp_path, write=False).list()
    assert "budget of 3 USD is spent" in entry.message
    assert entry.done == calls, "a paid call was not stored"
    assert entry.done < entry.cells


def test_tokens_reasons_and_raw_replies_land(tmp_path: Path) -> None:
    write_cases(tmp_path, 3)
    with fake_judge() as server:
        run_here(tmp_path, server.url)
    results = store(tmp_path, write=False).results("last")
    side = results.detail("d-1").side(Side.CANDIDATE)
    assert side is not None
    for cell in side.cells:
        assert cell.state is State.SCORED
        assert cell.reason.startswith("Let's think step by step")
        assert cell.prompt_tokens
        assert cell.completion_tokens
        assert cell.reply
        assert "floor 1" in (cell.prompt or "")
    write_scores(results, tmp_path / "s.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "s.jsonl").read_text("utf-8").splitlines()]
    assert len(lines) == 3 * len(METRICS)
    assert all(line["attempts"] == 1 and line["judge"].startswith("openai:fake@") for line in lines)


def test_a_second_interrupt_ends_everything_at_once_and_says_how_to_go_on(tmp_path: Path) -> None:
    """The metric's process would not be waited for otherwise, nor end by itself."""
    write_cases(tmp_path, 3)
    (tmp_path / "metrics").mkdir()
    code = "import os, time\ndef evaluate(session):\n    open('pid', 'w').write(str(os.getpid()))\n    time.sleep(25)\n"
    (tmp_path / "metrics" / "slow.py").write_text(code)
    process = start(tmp_path, sys.executable, "-m", "ragtui", "run", "desk.jsonl", "--metrics", "f1,slow", "--yes")
    try:
        deadline = time.monotonic() + 30
        while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
            assert time.monotonic() < deadline, "it never began"
            time.sleep(0.02)
        worker = int((tmp_path / "pid").read_text())
        os.kill(process.pid, signal.SIGINT)
        assert process.stdout is not None
        while b"again stops at once" not in (said := process.stdout.readline()):
            assert said, "it ended by the first one"
        os.kill(process.pid, signal.SIGINT)
        output, _ = process.communicate(timeout=10)
    finally:
        process.kill()
    assert process.returncode == 130
    assert output.decode().count("everything done is kept; go on with: ragtui run desk.jsonl") == 1
    assert b"Traceback" not in output
    deadline = time.monotonic() + 10
    while alive(worker):
        assert time.monotonic() < deadline, "the metric's process goes on"
        time.sleep(0.01)
    (entry,) = store(tmp_path, write=False).list()
    assert (entry.status, entry.resumable) == (Status.INTERRUPTED, True)


def alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and is not yet waited for does not."""
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0] not in "ZX"
    except ProcessLookupError:
        return False
    except OSError:
        return not Path("/proc").is_dir()
