"""The store commits a score as it lands, says who writes, keeps what was stored, and never shows a traceback."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ragtui.experiments import database, writer_lock
from ragtui.experiments.database import StoreError
from ragtui.experiments.plan import Plan, Side
from ragtui.experiments.progress import Status
from ragtui.experiments.store import Store
from ragtui.judges.judge import Verdict
from ragtui.metrics.score import Evidence, Outcome, State, not_applicable, scored
from ragtui.targets.target import Response
from tests.experiments import making


def filled(folder: Path, plan: Plan | None = None, status: Status = Status.FINISHED) -> Store:
    plan = plan or making.plan(baseline="recorded:old")
    store = making.store(folder)
    with store.begin(plan, "desk.csv", making.cases("abc")) as recorder:
        recorder.status(Status.RUNNING)
        for side, shift in ((Side.CANDIDATE, 0), (Side.BASELINE, 1)):
            answers = [
                (at, Response(case, text=f"answer {case}", contexts=("one", "two"))) for at, case in enumerate("abc")
            ]
            recorder.respond(side, answers)
            for at in range(3):
                verdict = Verdict(State.SCORED, 4 - at, prompt="judge this", reply='{"score": 4}', attempts=1)
                evidence = (Evidence("a claim", "entailed", 0, 0, 3),)
                outcome = scored(5 - at - shift, f"reason {at}", evidence)
                recorder.judge(side, at, "groundedness", 1, "openai:m", verdict, [("groundedness", outcome)])
            recorder.score(
                side, "f1", [(0, 1, scored(1.0)), (1, 1, scored(0.25)), (2, 1, not_applicable("no reference"))]
            )
        recorder.end(status)
    return store


def test_an_experiment_reads_back_as_it_was_written(tmp_path: Path) -> None:
    results = filled(tmp_path).results("last")
    assert results.metrics == ("groundedness", "f1")
    detail = results.detail("b")
    assert detail.inputs == {"query": "question b"}
    assert detail.expected == {"ground_truth": "answer b"}
    candidate = detail.side(Side.CANDIDATE)
    assert candidate is not None
    assert (candidate.response, candidate.contexts) == ("answer b", ("one", "two"))
    groundedness, f1 = candidate.cells
    assert (groundedness.score, groundedness.passed, groundedness.reason) == (4.0, True, "reason 1")
    assert groundedness.evidence == (Evidence("a claim", "entailed", 0, 0, 3),)
    assert (groundedness.prompt, groundedness.reply, groundedness.attempts) == ("judge this", '{"score": 4}', 1)
    assert (f1.score, f1.passed, f1.judge) == (0.25, False, None)


def test_an_unknown_case_is_a_key_error(tmp_path: Path) -> None:
    with pytest.raises(KeyError):
        filled(tmp_path).results("last").detail("nobody")


def test_the_list_shows_status_progress_and_means(tmp_path: Path) -> None:
    (entry,) = filled(tmp_path).list()
    assert (entry.status, entry.done, entry.cells, entry.cases) == (Status.FINISHED, 12, 12, 3)
    assert entry.means == {"groundedness": 4.0, "f1": 0.625}


def test_nothing_is_written_by_looking(tmp_path: Path) -> None:
    assert making.store(tmp_path, write=False).list() == []
    assert list(tmp_path.iterdir()) == []


def test_an_experiment_is_found_by_the_beginning_of_its_id(tmp_path: Path) -> None:
    store = filled(tmp_path)
    plan = store.list()[0].plan
    assert store.entry(plan.id[:4]).id == plan.id
    with pytest.raises(StoreError, match="no experiment 'zzz'"):
        store.entry("zzz")


def test_equal_plans_are_one_experiment_and_a_changed_one_another(tmp_path: Path) -> None:
    filled(tmp_path)
    filled(tmp_path)
    filled(tmp_path, making.plan(baseline="recorded:old", repeats=2))
    assert len(making.store(tmp_path).list()) == 2


def test_a_deleted_experiment_comes_back_with_undo(tmp_path: Path) -> None:
    store = filled(tmp_path)
    deleted = store.delete("last")
    assert store.list() == []
    assert store.undelete() == deleted
    assert store.results(deleted).summaries()[0].n_scored == 3


def test_running_a_deleted_plan_again_starts_empty(tmp_path: Path) -> None:
    store = filled(tmp_path)
    plan = store.list()[0].plan
    store.delete("last")
    with store.begin(plan, "desk.csv", making.cases("abc")) as recorder:
        assert recorder.done(0, 3) == set()


def test_a_new_round_of_a_plan_is_another_experiment(tmp_path: Path) -> None:
    store = filled(tmp_path)
    assert store.next_round(store.list()[0].plan) == 2


HOLD = """
import sys, time
from pathlib import Path
from ragtui.experiments import writer_lock
with writer_lock.held(Path(sys.argv[1]), "abc123"):
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_second_run_is_told_who_holds_the_workspace(tmp_path: Path) -> None:
    store = filled(tmp_path)
    other = subprocess.Popen([sys.executable, "-c", HOLD, str(store.workspace.state)], stdout=subprocess.PIPE)
    try:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        with (
            pytest.raises(StoreError, match=rf"already running experiment abc123 .*\(process {other.pid} on "),
            store.begin(making.plan(), "desk.csv", making.cases("a")),
        ):
            pass
    finally:
        other.kill()
        other.wait()
        if other.stdout:
            other.stdout.close()
    assert writer_lock.holder(store.workspace.state) is None
    with store.begin(making.plan(), "desk.csv", making.cases("a")):
        pass


def test_a_run_whose_process_is_gone_is_interrupted(tmp_path: Path) -> None:
    store = filled(tmp_path, status=Status.RUNNING)
    assert store.list()[0].status is Status.INTERRUPTED
    assert store.list()[0].resumable


def test_a_run_is_seen_running_by_others(tmp_path: Path) -> None:
    store = making.store(tmp_path)
    with store.begin(making.plan(), "desk.csv", making.cases("a")) as recorder:
        recorder.status(Status.RUNNING)
        assert making.store(tmp_path, write=False).list()[0].status is Status.RUNNING


@pytest.fixture
def shelf() -> Iterator[Path]:
    """A folder that others may look into, with an experiment in it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        filled(folder).close()
        yield folder


def as_nobody(do: Callable[[], object]) -> str:
    """What ``do`` says in a process that may write nowhere (root may, so it becomes nobody first)."""
    receive, send = multiprocessing.Pipe(duplex=False)

    def child() -> None:
        if os.geteuid() == 0:
            os.setuid(65534)
        try:
            send.send(str(do()))
        except StoreError as error:
            send.send(f"refused: {error}")

    process = multiprocessing.get_context("fork").Process(target=child)
    process.start()
    said = receive.recv() if receive.poll(20) else "nothing"
    process.join()
    return str(said)


def read_only(folder: Path) -> None:
    for path in [*folder.rglob("*"), folder]:
        path.chmod(path.stat().st_mode & ~0o222)


def test_a_read_only_workspace_is_one_clear_line(shelf: Path) -> None:
    shutil.rmtree(shelf / ".ragtui")
    read_only(shelf)
    assert as_nobody(lambda: making.store(shelf)).startswith(
        f"refused: {shelf}/.ragtui/ragtui.sqlite: Permission denied"
    )


def test_a_store_in_a_read_only_folder_can_still_be_read(shelf: Path) -> None:
    read_only(shelf)
    assert as_nobody(lambda: making.store(shelf, write=False).list()[0].done) == "12"
    assert "cannot be written; make its folder writable" in as_nobody(lambda: filled(shelf))


def test_a_full_disk_is_one_clear_line_and_loses_nothing(tmp_path: Path) -> None:
    store = filled(tmp_path)
    pages = store.connection.execute("PRAGMA page_count").fetchone()[0]
    store.connection.execute(f"PRAGMA max_page_count={pages}")
    plan = store.list()[0].plan
    long = "x" * 100_000
    with (
        store.begin(plan, "desk.csv", making.cases("abc")) as recorder,
        pytest.raises(StoreError, match="disk is full"),
    ):
        recorder.score(Side.CANDIDATE, "f1", [(at, 2, scored(1.0, long)) for at in range(100)])
    store.close()
    assert making.store(tmp_path).list()[0].done == 12


def test_a_damaged_store_says_so(tmp_path: Path) -> None:
    filled(tmp_path).close()
    path = tmp_path / ".ragtui" / database.FILE_NAME
    path.write_bytes(b"not a database at all" * 100)
    with pytest.raises(StoreError, match="is damaged"):
        making.store(tmp_path, write=False).list()


def test_a_store_that_was_never_finished_is_an_empty_one(tmp_path: Path) -> None:
    path = tmp_path / ".ragtui" / database.FILE_NAME
    path.parent.mkdir()
    sqlite3.connect(path).execute("PRAGMA journal_mode=WAL")
    assert making.store(tmp_path, write=False).list() == []
    assert filled(tmp_path).list() != []


def test_a_store_of_a_newer_ragtui_is_refused(tmp_path: Path) -> None:
    store = filled(tmp_path)
    store.connection.execute("PRAGMA user_version=99")
    store.close()
    with pytest.raises(StoreError, match="newer ragtui"):
        making.store(tmp_path)


def test_the_write_ahead_log_is_used_unless_the_folder_is_on_the_network(tmp_path: Path) -> None:
    store = making.store(tmp_path)
    assert store.connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
    mounts = tmp_path / "mounts"
    mounts.write_text(f"disk / ext4 rw 0 0\nserver:/x {tmp_path} nfs4 rw 0 0\n")
    assert database.on_network(tmp_path / "work", mounts)
    assert not database.on_network(Path("/"), mounts)


def test_threads_share_a_store(tmp_path: Path) -> None:
    store = filled(tmp_path)
    seen: list[int] = []
    thread = threading.Thread(target=lambda: seen.append(len(store.list())))
    thread.start()
    thread.join()
    assert seen == [1]


def test_text_that_is_no_utf8_is_stored_all_the_same(tmp_path: Path) -> None:
    store = making.store(tmp_path)
    with store.begin(making.plan(), "desk.csv", making.cases("a")) as recorder:
        recorder.respond(Side.CANDIDATE, [(0, Response("a", text="lone \ud800 half", message="\udfff"))])
        verdict = Verdict(State.JUDGE_ERROR, cause="unparsable", prompt="\ud800", reply="\x00\ud800")
        outcome = Outcome(State.JUDGE_ERROR, cause="unparsable", reason="\ud800?")
        recorder.judge(Side.CANDIDATE, 0, "groundedness", 1, "j", verdict, [("groundedness", outcome)])
    side = store.results("last").detail("a").side(Side.CANDIDATE)
    assert side is not None
    assert side.cells[0].reply == "\x00\ud800"
    assert side.response == "lone ? half"


def test_metrics_of_one_question_show_its_call_and_count_it_once(tmp_path: Path) -> None:
    facts = [making.PlannedMetric(name, kind="facts", question="facts") for name in ("correctness", "completeness")]
    store = making.store(tmp_path)
    with store.begin(making.plan(*facts), "desk.csv", making.cases("a")) as recorder:
        verdict = Verdict(State.SCORED, prompt="p", reply="r", attempts=2, prompt_tokens=100, cost=0.5)
        recorder.judge(
            Side.CANDIDATE, 0, "facts", 1, "j", verdict, [("correctness", scored(1)), ("completeness", scored(0.5))]
        )
    first, second = store.results("last").detail("a").sides[0].cells
    assert (first.attempts, first.prompt_tokens, first.cost) == (2, 100, 0.5)
    assert (second.attempts, second.prompt_tokens, second.cost) == (0, None, None)
    assert first.reply == second.reply == "r"


def test_a_score_is_on_disk_when_the_call_returns(tmp_path: Path) -> None:
    store = making.store(tmp_path)
    with store.begin(making.plan(), "desk.csv", making.cases("a")) as recorder:
        recorder.score(Side.CANDIDATE, "f1", [(0, 1, scored(0.5))])
        other = sqlite3.connect(store.path)
        assert other.execute("SELECT score FROM scores").fetchall() == [(0.5,)]
        other.close()
