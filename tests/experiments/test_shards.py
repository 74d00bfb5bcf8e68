"""Shards merged are the run as one machine would have made it: cell for cell, and without a call more."""

from __future__ import annotations

import json
import os
import shutil
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtui.datasets.check import open_dataset
from ragtui.experiments.merging import chosen, find_shards, merge
from ragtui.experiments.plan import Plan, Side
from ragtui.experiments.planning import make_plan
from ragtui.experiments.progress import Progress, Status
from ragtui.experiments.run import RunOptions, run
from ragtui.experiments.scores_file import write_scores
from ragtui.experiments.shards import Shard, ShardError, at_folder, shard_folder, shard_of
from ragtui.experiments.store import Store, StoreError
from ragtui.judges.profile import Profile
from ragtui.workspace import Workspace
from tests.experiments.command_line import Shell
from tests.experiments.making import store
from tests.experiments.test_resume import IN_FLIGHT, command, start, wait_for_calls, write_cases
from tests.judges.servers import FakeJudge, fake_judge

CASES = 40
METRICS = ("groundedness", "relevance", "f1")
OFFLINE = ("groundedness", "relevance", "f1")


def plan_of(folder: Path, judge: str = "embedded") -> tuple[Plan, Any, Workspace]:
    workspace = Workspace.open(folder)
    dataset, _ = open_dataset(str(folder / "desk.jsonl"))
    strategy = "auto" if judge == "embedded" else "rubric"
    return make_plan(dataset, workspace, metrics=METRICS, judge=judge, strategy=strategy), dataset, workspace


def run_shard(folder: Path, text: str, judge: str = "embedded", fresh: bool = False) -> Status:
    plan, dataset, workspace = plan_of(folder, judge)
    shard = Shard.read(text)
    place = at_folder(workspace, shard_folder(workspace, plan, shard))
    with Store.open(place, write=True) as opened:
        return run(plan, dataset, workspace, opened, Progress(), RunOptions(fresh, IN_FLIGHT, shard=shard))


def merged(folder: Path, *others: Path) -> Any:
    workspace = Workspace.open(folder)
    with Store.open(workspace, write=True) as opened:
        return merge(opened, chosen(find_shards(workspace, others)))


def lines(folder: Path) -> list[dict[str, Any]]:
    """Every cell with all that is known of it, time aside."""
    path = folder / "scores.jsonl"
    with store(folder, write=False) as opened:
        write_scores(opened.results("last"), path)
    found = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return [{name: value for name, value in each.items() if name != "latency_ms"} for each in found]


def figures(folder: Path) -> list[Any]:
    with store(folder, write=False) as opened:
        results = opened.results("last")
        return [*results.summaries(), results.rows(Side.CANDIDATE).write_json(), dict(results.causes())]


def finish_shard(folder: Path, server: FakeJudge, shard: str, kill_at: int = 0) -> int:
    """Runs a shard in a process of its own; with ``kill_at`` it is killed after that many calls."""
    arguments = command(folder, server, "fake", "--shard", shard)
    arguments[arguments.index("--metrics") + 1] = ",".join(METRICS)
    process = start(folder, *arguments)
    if kill_at:
        wait_for_calls(server, kill_at)
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=120)
    return process.returncode


def test_four_shards_one_killed_and_resumed_are_the_run_of_one_machine(tmp_path: Path) -> None:
    spread, alone = tmp_path / "spread", tmp_path / "alone"
    for folder in (spread, alone):
        folder.mkdir()
        write_cases(folder, CASES)
    with fake_judge(delay_ms=10) as server:
        judge = f"openai:fake@{server.url}"
        assert finish_shard(spread, server, "2/4", kill_at=6) != 0
        (killed,) = find_shards(Workspace.open(spread))
        assert killed.entry.status is Status.INTERRUPTED
        stored, before = killed.entry.done, server.stats()["calls"]
        assert finish_shard(spread, server, "2/4") == 0
        whole = find_shards(Workspace.open(spread))[0].entry
        judged = sum(1 for each in whole.plan.metrics if each.question)
        asked = whole.cells // len(METRICS) * judged
        kept = max(0, stored - whole.cells // len(METRICS))  # f1 is computed: at most this many are kept verdicts
        assert server.stats()["calls"] - before <= asked - kept, "a stored call was made again"
        for shard in ("1/4", "3/4", "4/4"):
            assert run_shard(spread, shard, judge) is Status.FINISHED
        calls = server.stats()["calls"]
        assert calls <= CASES * judged + IN_FLIGHT, "more than the calls in flight were lost"
        assert merged(spread).status is Status.FINISHED
        assert server.stats()["calls"] == calls, "merging asked the judge"

        plan, dataset, workspace = plan_of(alone, judge)
        with Store.open(workspace, write=True) as opened:
            assert (
                run(plan, dataset, workspace, opened, Progress(), RunOptions(concurrency=IN_FLIGHT)) is Status.FINISHED
            )
        assert lines(spread) == lines(alone)
        assert figures(spread) == figures(alone)

        calls = server.stats()["calls"]
        plan, dataset, workspace = plan_of(spread, judge)
        with Store.open(workspace, write=True) as opened:
            assert run(plan, dataset, workspace, opened, Progress()) is Status.FINISHED
        assert server.stats()["calls"] == calls, "the whole run asked for what a shard has"


def test_a_missing_shard_is_said_and_its_cases_are_pending(shell: Shell) -> None:
    write_cases(shell.folder, CASES)
    run_line = ("run", "desk.jsonl", "--metrics", ",".join(OFFLINE), "--shard")
    for shard in ("1/3", "3/3"):
        assert shell(*run_line, shard).status == 0
    said = shell("merge", "--fail-under", "relevance=1", "--report", "r.json", "--report", "r.md")
    assert said.status == 3
    assert "shard 2 of 3 is missing; run it with --shard 2/3" in said.err
    there = [at for at in range(CASES) if shard_of(f"d-{at}", 3) != 2]
    report = json.loads((shell.folder / "r.json").read_text("utf-8"))
    relevance = next(each for each in report["metrics"] if each["metric"] == "relevance")
    assert (relevance["n_scored"], relevance["n_total"]) == (len(there), CASES)
    assert relevance["states"]["pending"] == CASES - len(there)
    assert "shard 2 of 3 is missing" in json.dumps(report["gate"])
    assert "shard 2 of 3 is missing" in (shell.folder / "r.md").read_text("utf-8")
    assert "paused" in shell("show").out

    assert shell(*run_line, "2/3").status == 0
    said = shell("merge", "--fail-under", "relevance=1", "--report", "r.json")
    assert said.status == 0, said.err
    report = json.loads((shell.folder / "r.json").read_text("utf-8"))
    assert {each["states"].get("pending", 0) for each in report["metrics"]} == {0}
    assert report["gate"]["passed"] is True


def test_shards_of_other_machines_come_from_wherever_they_were_copied_to(tmp_path: Path) -> None:
    places = []
    for number in (1, 2, 3):
        machine = tmp_path / f"machine-{number}"
        machine.mkdir()
        write_cases(machine, CASES)
        assert run_shard(machine, f"{number}/3") is Status.FINISHED
        places.append(machine)
    home, alone = tmp_path / "home", tmp_path / "alone"
    for folder in (home, alone):
        folder.mkdir()
        write_cases(folder, CASES)
    artefact = tmp_path / "artefact"
    shutil.copytree(places[0] / ".ragtui" / "shards", artefact)
    found = merged(home, artefact, places[1], places[2] / ".ragtui")
    assert (found.status, found.missing) == (Status.FINISHED, ())
    plan, dataset, workspace = plan_of(alone)
    with Store.open(workspace, write=True) as opened:
        run(plan, dataset, workspace, opened, Progress())
    assert lines(home) == lines(alone)


def test_merging_again_keeps_what_was_mended_and_takes_what_was_started_over(tmp_path: Path) -> None:
    write_cases(tmp_path, 12)
    for shard in ("1/2", "2/2"):
        run_shard(tmp_path, shard)
    experiment = merged(tmp_path).experiment
    before = lines(tmp_path)
    spoil = "UPDATE scores SET score = 1.5, reason = 'mended' WHERE metric = 'relevance'"
    with store(tmp_path) as opened:
        opened.connection.execute(spoil)
    merged(tmp_path)
    with store(tmp_path, write=False) as opened:
        assert {row[0] for row in opened.query("SELECT reason FROM scores WHERE metric = 'relevance'")} == {"mended"}
        number = opened.results(experiment).number
    run_shard(tmp_path, "1/2", fresh=True)
    merged(tmp_path)
    with store(tmp_path, write=False) as opened:
        sql = "SELECT case_id, reason FROM scores JOIN cases USING (experiment, position) WHERE metric = 'relevance'"
        mended = {row[0] for row in opened.query(f"{sql} AND experiment = ?", number) if row[1] == "mended"}
    assert mended == {f"d-{at}" for at in range(12) if shard_of(f"d-{at}", 2) == 2}
    assert len(lines(tmp_path)) == len(before)


def test_a_shard_under_another_name_is_found_out(shell: Shell) -> None:
    shell.write(
        "desk.jsonl", [{"id": f"c{n}", "query": f"q{n}", "response": "two", "ground_truth": "two"} for n in range(8)]
    )
    assert shell("run", "desk.jsonl", "-m", "f1", "-q", "--shard", "1/2").status == 0
    (first,) = (shell.folder / ".ragtui" / "shards").glob("*/1-of-2")
    shutil.copytree(first, first.with_name("2-of-2"))
    said = shell("show")
    assert "2 of 2 shards of" in said.out
    assert "not merged: ragtui merge" in said.out
    said = shell("merge")
    assert said.status == 3
    assert "the shards do not hold all of their cases; was a folder renamed?" in said.err
    assert "the shards do not hold all of their cases" in shell("show", "last").out


def test_what_does_not_belong_together_is_refused(tmp_path: Path) -> None:
    write_cases(tmp_path, 12)
    with pytest.raises(StoreError, match="there are no shards"):
        merged(tmp_path)
    run_shard(tmp_path, "1/2")
    run_shard(tmp_path, "1/3")
    with pytest.raises(StoreError, match="shards of 2 and 3"):
        merged(tmp_path)
    (folder,) = (tmp_path / ".ragtui" / "shards").iterdir()
    shutil.rmtree(folder / "1-of-3")
    other = tmp_path / "other"
    other.mkdir()
    shutil.copytree(folder / "1-of-2", other / "2-of-2")
    with store(other) as opened:
        assert opened.list() == []
    import sqlite3

    with sqlite3.connect(other / "2-of-2" / "ragtui.sqlite") as connection:
        connection.execute("UPDATE cases SET case_id = 'elsewhere' WHERE position = 3")
    with pytest.raises(StoreError, match="holds other cases"):
        merged(tmp_path, tmp_path, other)
    (other / "2-of-2" / "ragtui.sqlite").write_bytes(b"no database at all, only text" * 99)
    for name in ("-wal", "-shm"):
        (other / "2-of-2" / f"ragtui.sqlite{name}").unlink(missing_ok=True)
    with pytest.raises(StoreError, match="is damaged"):
        merged(tmp_path, tmp_path, other)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--shard", "5/4"), "write NUMBER/OF"),
        (("--shard", "1/2", "--fail-under", "f1=0.5"), "give it to `ragtui merge`"),
        (("--shard", "1/2", "--report", "r.md", "--scores", "s.jsonl"), "--report, --scores with --shard"),
        (("--shard", "1/2", "--new"), "--fresh starts this shard over"),
    ],
)
def test_options_that_only_the_whole_can_answer_are_refused(shell: Shell, options: tuple[str, ...], told: str) -> None:
    write_cases(shell.folder, 3)
    said = shell("run", "desk.jsonl", "--metrics", "f1", *options)
    assert said.status == 2
    assert told in said.err
    assert not (shell.folder / ".ragtui").exists()


@settings(max_examples=20, deadline=None)
@given(st.lists(st.text(alphabet="aä\ud800日-", max_size=6), unique=True, max_size=20), st.integers(1, 9))
def test_every_case_falls_to_one_shard_wherever_it_stands(ids: list[str], of: int) -> None:
    shards = [Shard(number, of) for number in range(1, of + 1)]
    assert sorted(at for each in shards for at in each.positions(ids)) == list(range(len(ids)))
    backwards = {case_id for at, case_id in enumerate(ids[::-1]) if at in set(shards[0].positions(ids[::-1]))}
    assert backwards == {ids[at] for at in shards[0].positions(ids)}


def test_shards_are_of_like_size_and_stay_what_they_are() -> None:
    sizes = [len(Shard(number, 8).positions([f"case-{at}" for at in range(8_000)])) for number in range(1, 9)]
    assert max(sizes) - min(sizes) < 200
    assert [shard_of(each, 4) for each in ("d-0", "d-1", "d-2", "ä")] == [3, 2, 1, 2]
    with pytest.raises(ShardError):
        Shard.read("0/4")


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 10_000), st.integers(1, 40))
def test_the_rate_limit_is_divided_and_no_shard_is_left_without(limit: int, of: int) -> None:
    profile = Profile("p", "openai", requests_per_minute=limit, tokens_per_minute=None)
    parts = [Shard(number, of).limited(profile) for number in range(1, of + 1)]
    requests = [each.requests_per_minute or 0 for each in parts]
    assert min(requests) >= 1
    assert sum(requests) == max(limit, of)
    assert {each.tokens_per_minute for each in parts} == {None}
    assert replace(parts[0], requests_per_minute=limit) == profile
