"""Runs over real datasets: what is scored, on which side, from which input, and what stays out."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from ragtui.datasets.check import open_dataset
from ragtui.datasets.formats import ReadOptions
from ragtui.experiments import answering, preflight
from ragtui.experiments.case_inputs import query_frame, target_cases
from ragtui.experiments.plan import Plan, Side
from ragtui.experiments.planning import PlanError, make_plan, reopen
from ragtui.experiments.progress import Progress, Status
from ragtui.experiments.run import RunOptions, run
from ragtui.experiments.store import Store
from ragtui.experiments.stored_results import StoredResults
from ragtui.metrics.score import State
from ragtui.targets.target import Case, Response
from ragtui.workspace import Workspace
from tests.experiments.command_line import Shell

ROWS: list[dict[str, Any]] = [
    {"id": "a", "query": "Where is the archive?", "ground_truth": "On floor two.", "response": "On floor two.",
     "context": "The archive is on floor two."},
    {"id": "b", "query": "When does it open?", "ground_truth": "At nine.", "response": "It opens at ten.",
     "context": "The archive opens at nine."},
    {"id": "c", "query": "Who runs it?", "response": "Nobody knows."},
]  # fmt: skip


def prepared(folder: Path, name: str = "desk.jsonl", **wishes: Any) -> tuple[Plan, Any, Workspace]:
    workspace = Workspace.open(folder)
    dataset, _ = open_dataset(str(folder / name))
    return make_plan(dataset, workspace, **wishes), dataset, workspace


def ran(folder: Path, name: str = "desk.jsonl", options: RunOptions | None = None, **wishes: Any) -> StoredResults:
    plan, dataset, workspace = prepared(folder, name, **wishes)
    store = Store.open(workspace, write=True)
    status = run(plan, dataset, workspace, store, Progress(), options)
    assert status is Status.FINISHED
    return store.results(plan.id)


def states(results: StoredResults, metric: str, side: Side = Side.CANDIDATE) -> dict[str, State]:
    rows = results.rows(side)
    return {row["case_id"]: State(row[f"{metric} state"]) for row in rows.iter_rows(named=True)}


def test_a_metric_scores_what_it_can_and_says_why_not_elsewhere(shell: Shell) -> None:
    shell.write("desk.jsonl", ROWS)
    results = ran(shell.folder, metrics="f1,groundedness,coherence,nDCG@10")
    assert states(results, "f1") == {"a": State.SCORED, "b": State.SCORED, "c": State.NOT_APPLICABLE}
    assert states(results, "groundedness")["c"] is State.NOT_APPLICABLE
    assert set(states(results, "coherence").values()) == {State.NOT_APPLICABLE}
    side = results.detail("c").side(Side.CANDIDATE)
    assert side is not None
    reasons = {cell.metric: cell.reason for cell in side.cells}
    assert reasons["f1"] == "no ground_truth"
    assert reasons["coherence"].startswith("needs a model judge")
    assert reasons["nDCG@10"].startswith("needs judged documents")
    wrong = results.detail("b").side(Side.CANDIDATE)
    assert wrong is not None
    assert wrong.cells[1].evidence, "the embedded judge names the sentences it looked at"


def contexts_of(results: StoredResults, case_id: str) -> tuple[str, ...]:
    side = results.detail(case_id).side(Side.CANDIDATE)
    assert side is not None
    for cell in side.cells:
        assert all(each.chunk is None or each.chunk < len(side.contexts) for each in cell.evidence)
    return side.contexts


def test_a_case_shows_the_contexts_it_was_judged_on(shell: Shell) -> None:
    other = ["The archive is on floor nine.", "It is closed."]
    shell.write("desk.jsonl", [{**row, "passages": other} for row in ROWS])
    shell.write("bare.jsonl", [{"id": "a", "query": "q", "response": "On floor two."}])
    shell.write("full.jsonl", [{"id": "a", "query": "q", "response": "On floor two.", "context": ["Floor two."]}])
    bare = ran(shell.folder, metrics="groundedness", candidate="recorded:bare.jsonl")
    assert contexts_of(bare, "a") == ("The archive is on floor two.",), "the dataset's, as the target gave none"
    assert bare.texts()["contexts"][0] == '["The archive is on floor two."]'
    assert contexts_of(bare, "b") == (), "no answer, so nothing was judged"
    full = ran(shell.folder, metrics="groundedness", candidate="recorded:full.jsonl")
    assert contexts_of(full, "a") == ("Floor two.",)
    mapped = ran(
        shell.folder, metrics="groundedness", candidate="recorded:full.jsonl", mapping={"context": "${data.passages}"}
    )
    assert contexts_of(mapped, "a") == tuple(other), "those the metric was told to take"


def test_facts_metrics_are_asked_once(shell: Shell) -> None:
    shell.write("desk.jsonl", ROWS)
    results = ran(shell.folder, metrics="correctness,completeness,alignment")
    calls = results.store.query("SELECT count(*) FROM calls WHERE question = 'facts'")[0][0]
    assert calls == 2, "one question a case that has a ground truth"
    assert [each.n_scored for each in results.summaries()][1:] == [2, 2]


def test_two_columns_are_candidate_and_baseline(shell: Shell) -> None:
    rows = [{"id": row["id"], "query": row["query"], "ground_truth": "On floor two.", "answer_v1": "In the cellar.",
             "answer_v2": "On floor two."} for row in ROWS]  # fmt: skip
    shell.write("desk.jsonl", rows)
    results = ran(shell.folder, metrics="exact_match", candidate="recorded:answer_v2", baseline="recorded:answer_v1")
    (found,) = results.comparisons()
    assert (found.n_pairs, found.wins, found.delta, found.test) == (3, 3, 1.0, "mcnemar exact")


def test_two_files_are_joined_by_case_id_whatever_their_order(shell: Shell) -> None:
    shell.write("desk.jsonl", [{"id": i, "query": f"q{i}", "ground_truth": f"floor {i}"} for i in "abcd"])
    shell.write("new.jsonl", [{"id": i, "query": "q", "response": f"floor {i}"} for i in "dcba"])
    shell.write("old.jsonl", [{"id": i, "query": "q", "response": f"floor {'a' if i == 'a' else 'x'}"} for i in "bad"])
    results = ran(shell.folder, metrics="exact_match", candidate="recorded:new.jsonl", baseline="recorded:old.jsonl")
    (found,) = results.comparisons()
    assert (found.n_pairs, found.wins, found.ties, found.losses, found.new, found.missing) == (3, 2, 1, 0, 1, 0)
    by_side = {each.side: each for each in results.summaries()}
    assert (by_side[Side.CANDIDATE].n_total, by_side[Side.BASELINE].n_total) == (4, 3), "each with its own n"


def test_rows_without_any_recorded_baseline_show_the_candidate_alone(shell: Shell) -> None:
    shell.write("desk.jsonl", [{"id": i, "query": "q", "ground_truth": "x", "new": "x", "old": None} for i in "ab"])
    results = ran(shell.folder, metrics="exact_match", candidate="recorded:new", baseline="recorded:old")
    assert results.sides == (Side.CANDIDATE,)
    assert results.comparisons() == []
    assert "exact_match Δ" not in results.rows().columns


def test_a_case_without_a_recorded_answer_is_pending_not_zero(shell: Shell) -> None:
    shell.write("desk.jsonl", [{**ROWS[0]}, {**ROWS[1], "response": None}])
    (found,) = ran(shell.folder, metrics="exact_match").summaries()
    assert (found.mean, found.n_scored, found.n_total) == (1.0, 1, 2)
    assert found.states[State.PENDING] == 1


class Flaky:
    """A target that fails for one case and remembers what it was shown."""

    spec, replays, host = "flaky", False, None
    shown: list[Case] = []  # noqa: RUF012

    async def respond(self, cases: Sequence[Case]) -> AsyncIterator[Response]:
        for case in reversed(cases):
            Flaky.shown.append(case)
            await asyncio.sleep(0)
            if case.case_id == "b":
                yield Response("b", State.TARGET_ERROR, cause="timeout", message="no answer within 30 s")
            else:
                yield Response(case.case_id, text="On floor two.", latency_ms=12.5, extra={"session": {"id": 7}})

    async def close(self) -> None:
        return


def test_a_failing_target_leaves_its_state_and_the_rest_is_scored(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell.write("desk.jsonl", ROWS)
    monkeypatch.setattr(answering, "open_target", lambda *_: Flaky())
    Flaky.shown = []
    results = ran(shell.folder, metrics="f1,latency", candidate="http://127.0.0.1:1/")
    assert states(results, "f1")["b"] is State.TARGET_ERROR
    assert states(results, "latency") == {"a": State.SCORED, "b": State.TARGET_ERROR, "c": State.SCORED}
    side = results.detail("b").side(Side.CANDIDATE)
    assert side is not None
    assert (side.state, side.cells[0].cause, side.message) == (State.TARGET_ERROR, "timeout", "no answer within 30 s")
    asked = len(Flaky.shown)
    ran(shell.folder, metrics="f1,latency", candidate="http://127.0.0.1:1/")
    assert [case.case_id for case in Flaky.shown[asked:]] == ["b"], "only the failed case is asked again"


def test_expected_values_never_reach_a_target(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = "PLANTED-7731"
    rows = [{"id": "a", "query": "q", "ground_truth": secret, "expected_document": secret, "response": secret}]
    shell.write("desk.jsonl", rows)
    monkeypatch.setattr(answering, "open_target", lambda *_: Flaky())
    Flaky.shown = []
    ran(shell.folder, metrics="f1", candidate="http://127.0.0.1:1/")
    plan, dataset, _ = prepared(shell.folder, metrics="f1")
    mapped = target_cases(dataset, {"query": "${data.ground_truth}"}, [0])
    assert Flaky.shown
    assert all(secret not in repr(case) for case in [*Flaky.shown, *mapped])
    assert plan.fingerprint


def test_equal_content_is_the_same_plan_whatever_the_file_looks_like(shell: Shell) -> None:
    shell.write("desk.jsonl", ROWS)
    first, *_ = prepared(shell.folder, metrics="f1")
    spaced = "\r\n".join(json.dumps(row, indent=None, separators=(" , ", " : ")) for row in ROWS)
    (shell.folder / "desk.jsonl").write_text(spaced + "\n", "utf-8", newline="")
    again, *_ = prepared(shell.folder, metrics="f1")
    assert again.id == first.id
    shell.write("desk.jsonl", [{**ROWS[0], "response": "On floor three."}, *ROWS[1:]])
    changed, *_ = prepared(shell.folder, metrics="f1")
    assert changed.id != first.id


@pytest.mark.parametrize(
    ("wishes", "says"),
    [
        ({"metrics": "f1", "thresholds": {"f1": 3}}, "threshold 3 is outside the scale of f1 (0 to 1)"),
        ({"metrics": "f1", "average": "median"}, "there is no average 'median'"),
        ({"metrics": "f1", "mapping": {"ground_truth": "${data.ground_thruth}"}}, "nearest: ground_truth"),
        ({"metrics": "f1", "mapping": {"ground_truth": "${dat.x}"}}, "unknown prefix"),
    ],
)
def test_what_cannot_be_planned_is_one_line_with_the_remedy(shell: Shell, wishes: dict[str, Any], says: str) -> None:
    shell.write("desk.jsonl", ROWS)
    with pytest.raises(PlanError) as refused:
        prepared(shell.folder, **wishes)
    assert says in str(refused.value)
    assert "\n" not in str(refused.value)


def test_an_input_can_be_mapped_for_all_metrics_or_one(shell: Shell) -> None:
    shell.write("desk.jsonl", [{"id": "a", "query": "q", "response": "yes", "right": "yes", "other": "no"}])
    mapping = {"ground_truth": "${data.other}", "exact_match.ground_truth": "{{item.right}}"}
    results = ran(shell.folder, metrics="exact_match,f1", mapping=mapping)
    assert [each.mean for each in results.summaries()] == [1.0, 0.0]


def test_preflight_says_what_cannot_run_and_what_is_only_proposed(shell: Shell) -> None:
    shell.write("desk.jsonl", [{"id": r["id"], "question": r["query"], "answer": r["response"],
                                "expected_answer": r.get("ground_truth")} for r in ROWS])  # fmt: skip
    plan, dataset, workspace = prepared(shell.folder, metrics="f1,groundedness")
    found = preflight.preflight(plan, dataset, workspace)
    by_metric = {each.metric: each for each in found.checks}
    assert (by_metric["f1"].runs_on, by_metric["f1"].of, by_metric["f1"].cannot) == (2, 3, {"no ground_truth": 1})
    assert by_metric["groundedness"].runs_on == 0
    assert found.proposed["ground_truth"] == "${data.expected_answer}"
    assert (found.calls, found.leaving, found.cost) == (0, {}, (0.0, 0.0))


def test_preflight_counts_calls_and_rows_that_leave_the_machine(shell: Shell) -> None:
    shell.write("desk.jsonl", ROWS)
    judge = "openai:m@http://127.0.0.1:9/v1"
    wishes = {"metrics": "groundedness,correctness,completeness", "judge": judge, "repeats": 2}
    plan, dataset, workspace = prepared(shell.folder, **wishes)
    found = preflight.preflight(plan, dataset, workspace)
    assert found.calls == 2 * (2 + 2), "groundedness and facts for two cases, twice"
    assert found.leaving == {"127.0.0.1:9": 2}
    assert found.cost is None, "an unknown price is unknown, never 0"


def test_repeats_fold_into_one_row(shell: Shell) -> None:
    shell.write("desk.jsonl", ROWS)
    results = ran(shell.folder, metrics="groundedness,f1", repeats=3)
    cells = [cell for _, cell in results.all_cells()]
    assert len(cells) == 3 * (3 + 1), "a computed metric is not repeated"
    assert results.summaries()[0].n_total == 3
    assert results.rows().height == 3


BEIR = {
    "corpus.jsonl": [{"_id": f"d{i}", "title": "", "text": text} for i, text in
                     enumerate(["red apple", "green pear", "blue plum", "red cherry"])],
    "queries.jsonl": [{"_id": f"q{i}", "text": text} for i, text in enumerate(["red fruit", "pear", "plum", "nothing"])],
    "qrels.jsonl": [
        {"query-id": "q0", "corpus-id": "d0", "score": 1}, {"query-id": "q0", "corpus-id": "d3", "score": 1},
        {"query-id": "q1", "corpus-id": "d1", "score": 2}, {"query-id": "q2", "corpus-id": "d0", "score": 0},
    ],
}  # fmt: skip


@pytest.fixture
def beir(shell: Shell) -> Shell:
    for name, rows in BEIR.items():
        shell.write(f"fruit/{name}", rows)
    (shell.folder / "fruit" / "run-old.trec").write_text("q0 Q0 d1 1 3.0 r\nq0 Q0 d3 2 2.0 r\nq2 Q0 d2 1 1.0 r\n")
    return shell


def test_corpus_queries_and_judgments_alone_are_searched_by_bm25(beir: Shell) -> None:
    results = ran(beir.folder, "fruit", metrics="Recall@2,nDCG@2", candidate="bm25", baseline="run:run-old.trec")
    recall = {each.side: each for each in results.summaries() if each.metric == "Recall@2"}
    assert recall[Side.CANDIDATE].mean == 1.0
    assert recall[Side.BASELINE].mean == pytest.approx(0.25), "q0 finds one of two, q1 is not in the run and counts 0"
    assert recall[Side.BASELINE].notes == ("1 not in the run",)
    assert (recall[Side.CANDIDATE].n_scored, recall[Side.CANDIDATE].n_total) == (2, 4)
    assert states(results, "Recall@2")["q2"] is State.NOT_APPLICABLE


def test_a_ranking_shows_grades_and_the_relevant_documents_that_are_missing(beir: Shell) -> None:
    results = ran(beir.folder, "fruit", metrics="Recall@2", candidate="run:run-old.trec")
    side = results.detail("q0").side(Side.CANDIDATE)
    assert side is not None
    listed = [(each.rank, each.doc_id, each.grade) for each in side.ranking]
    assert listed == [(1, "d1", None), (2, "d3", 1), (None, "d0", 1)]


@pytest.mark.parametrize(
    ("average", "mean", "n"), [("default", 0.25, 2), ("trec_eval", 0.25, 2), ("trec_eval-c", 0.5 / 3, 3)]
)
def test_other_tools_averages_can_be_asked_for(beir: Shell, average: str, mean: float, n: int) -> None:
    results = ran(beir.folder, "fruit", metrics="Recall@2", candidate="run:run-old.trec", average=average)
    (found,) = results.summaries()
    assert (found.mean, found.n_scored) == (pytest.approx(mean), n)


def test_queries_of_other_splits_are_left_out(beir: Shell) -> None:
    more = [{"_id": f"train-{i}", "text": "x"} for i in range(20)]
    beir.write("fruit/queries.jsonl", [*BEIR["queries.jsonl"], *more])
    dataset, _ = open_dataset(str(beir.folder / "fruit"))
    assert query_frame(dataset)["query_id"].to_list() == ["q0", "q1", "q2"]


def test_judging_in_several_processes_gives_the_same_scores(shell: Shell) -> None:
    shell.write("desk.jsonl", [{**ROWS[i % 2], "id": f"c{i}"} for i in range(210)])
    spread = ran(shell.folder, metrics="groundedness,relevance")
    assert spread.store.query("SELECT count(*) FROM calls")[0][0] == 420
    means = [each.mean for each in spread.summaries()]
    (shell.folder / "few").mkdir()
    shell.write("few/desk.jsonl", ROWS[:2])
    assert means == pytest.approx(
        [each.mean for each in ran(shell.folder / "few", metrics="groundedness,relevance").summaries()]
    )


def test_an_experiment_reopens_its_dataset_unless_that_has_changed(shell: Shell) -> None:
    shell.write("data/desk.jsonl", ROWS)
    shell.write("data/old.jsonl", [{"id": "a", "query": "q", "response": "x"}])
    plan, dataset, workspace = prepared(shell.folder, "data/desk.jsonl", metrics="f1", candidate="recorded:old.jsonl")
    store = Store.open(workspace, write=True)
    run(plan, dataset, workspace, store, Progress())
    entry = store.entry("last")
    assert entry.source == "data/desk.jsonl"
    assert reopen(entry, workspace).rows == 3
    shell.write("data/old.jsonl", [{"id": "a", "query": "q", "response": "y"}])
    with pytest.raises(PlanError, match="its recorded responses have changed"):
        reopen(entry, workspace)
    shell.write("data/desk.jsonl", ROWS[:2])
    with pytest.raises(PlanError, match="it has changed since experiment"):
        reopen(entry, workspace)


def test_scores_of_another_version_of_the_embedded_judge_are_never_shown_as_current(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell.write("desk.jsonl", ROWS)
    old = ran(shell.folder, metrics="groundedness")
    computed = ran(shell.folder, metrics="f1")
    assert "another version" not in shell("show", old.experiment).out
    monkeypatch.setattr("ragtui.judges.embedded.version.version", lambda: "0123456789")
    plan, _, workspace = prepared(shell.folder, metrics="groundedness")
    assert (plan.id != old.experiment, plan.judge_version) == (True, "0123456789")
    assert prepared(shell.folder, metrics="f1")[0].id == computed.experiment, "no judge was asked"
    assert "another version of the embedded judge" in shell("show", old.experiment).out
    with pytest.raises(PlanError, match="the embedded judge has changed since"):
        reopen(old.entry, workspace)
    new = ran(shell.folder, metrics="groundedness")
    refused = shell("compare", old.experiment, new.experiment)
    assert refused.status == 2
    assert "version 0123456789" in refused.err


def test_a_slow_answer_is_not_explained_by_its_wording(shell: Shell) -> None:
    from ragtui.experiments.worst import worst_rows

    shell.write("desk.jsonl", [{**row, "latency_ms": ms} for row, ms in zip(ROWS, (100, 900, 300), strict=True)])
    results = ran(shell.folder, metrics="latency")
    worst = worst_rows(results, results.plan.metric("latency"), 1)
    assert [(row.case_id, row.reason) for row in worst] == [("b", "half of the cases take 300 ms or less")]
    assert "  900 ms  b" in shell("show", "last").out


@pytest.mark.parametrize("name", ["data.csv", "da#ta.csv", "book.xlsx#Cases", "bo#ok.xlsx#Ca#ses"])
def test_an_experiment_finds_its_file_and_sheet_again(shell: Shell, name: str) -> None:
    file, sign, sheet = name.partition(".xlsx#")
    if sign:
        book = openpyxl.Workbook()
        book.active.title = sheet
        for row in (["query", "response", "ground_truth"], ["q", "r", "r"]):
            book.active.append(row)
        book.save(shell.folder / f"{file}.xlsx")
    else:
        (shell.folder / name).write_text("query,response,ground_truth\nq,r,r\n")
    results = ran(shell.folder, name, metrics="f1")
    assert results.entry.source == name
    assert reopen(results.entry, Workspace.open(shell.folder)).rows == 1


def test_a_limited_experiment_reopens_with_its_limit(shell: Shell) -> None:
    shell.write("desk.jsonl", ROWS)
    workspace = Workspace.open(shell.folder)
    dataset, _ = open_dataset(str(shell.folder / "desk.jsonl"), options=ReadOptions(limit=2))
    plan = make_plan(dataset, workspace, metrics="f1", limit=2)
    store = Store.open(workspace, write=True)
    run(plan, dataset, workspace, store, Progress())
    assert reopen(store.entry("last"), workspace).rows == 2


def test_a_disk_that_fills_up_pauses_the_run_and_keeps_what_is_stored(shell: Shell) -> None:
    shell.write(
        "desk.jsonl", [{**ROWS[i % 2], "id": f"c{i}", "response": f"On floor two. {i} " * 200} for i in range(300)]
    )
    plan, dataset, workspace = prepared(shell.folder, metrics="f1")
    store, progress = Store.open(workspace, write=True), Progress()
    run(plan, dataset, workspace, store, progress, RunOptions())
    store.close()
    store = Store.open(workspace, write=True)
    plan, dataset, workspace = prepared(shell.folder, metrics="f1,exact_match")
    pages = store.connection.execute("PRAGMA page_count").fetchone()[0]
    store.connection.execute(f"PRAGMA max_page_count={pages + 20}")
    assert run(plan, dataset, workspace, store, progress) is Status.PAUSED
    assert "the disk is full" in progress.message
    store.close()
    store = Store.open(workspace, write=True)
    assert run(plan, dataset, workspace, store, Progress()) is Status.FINISHED
    assert all(each.n_scored == 300 for each in store.results(plan.id).summaries())
