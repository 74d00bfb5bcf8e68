"""What scripts rely on, field by field: the score file, the JSON report, and that one can be computed from the other."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.experiments.command_line import Shell
from tests.judges.servers import FakeJudge, fake_judge

FIELDS = [
    "experiment",
    "case_id",
    "side",
    "metric",
    "metric_version",
    "repeat",
    "state",
    "cause",
    "score",
    "passed",
    "threshold",
    "reason",
    "evidence",
    "judge",
    "attempts",
    "prompt_tokens",
    "completion_tokens",
    "cost",
    "latency_ms",
]
SUMMARY = ["metric", "side", "mean", "ci95", "n_scored", "n_total", "states", "pass_rate", "threshold"]
COMPARISON = [
    "metric",
    "delta",
    "ci95",
    "p",
    "p_holm",
    "n_pairs",
    "wins",
    "ties",
    "losses",
    "test",
    "new",
    "missing",
    "mde",
]
CAUSES = {
    "target_error": {"exception", "timeout", "connection", "bad_output"},
    "metric_error": {"exception", "timeout", "bad_return"},
    "judge_error": {
        "unparsable", "truncated", "out_of_range", "refused", "content_filter", "timeout", "rate_limit", "auth",
        "connection",
    },
}  # fmt: skip
STATES = {"scored", "not_applicable", "skipped", "pending", *CAUSES}
JUDGED = "groundedness,relevance,coherence,correctness"
ROWS: list[dict[str, Any]] = [
    {"id": "q1", "query": "How long?", "ground_truth": "30 days", "new": "30 days.", "old": "14 days.",
     "contexts": ["Refunds are taken within 30 days."]},
    {"id": "q2", "query": "Who?", "ground_truth": "The desk", "new": "Nobody", "old": "The desk", "contexts": ["The desk does."]},
    {"id": "q3", "query": "Where?", "ground_truth": "Berlin", "new": "", "old": "Paris", "contexts": []},
    {"id": "q4", "query": "Which?", "ground_truth": "443", "new": "I don't know.", "old": "443", "contexts": ["Port 443."]},
    {"id": "q5", "query": "Much?", "new": "12 EUR", "old": "12 EUR", "contexts": ["12 EUR"]},
    {"id": "q6", "query": "Never?", "ground_truth": "No", "new": None, "old": "No", "contexts": ["No."]},
]  # fmt: skip


def strict(text: str) -> Any:
    def refused(token: str) -> Any:
        raise AssertionError(f"{token} is not JSON")

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        assert len(dict(pairs)) == len(pairs), "a key stands twice"
        return dict(pairs)

    return json.loads(text, parse_constant=refused, object_pairs_hook=once)


def is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def scores_of(path: Path) -> list[dict[str, Any]]:
    *lines, end = path.read_text("utf-8").split("\n")
    assert end == ""
    cells = [strict(line) for line in lines]
    for cell in cells:
        check_cell(cell)
    places = [(cell["case_id"], cell["side"], cell["metric"], cell["repeat"]) for cell in cells]
    assert len(set(places)) == len(places)
    return cells


def check_cell(cell: dict[str, Any]) -> None:
    assert list(cell) == FIELDS
    assert all(isinstance(cell[name], str) and cell[name] for name in ("experiment", "case_id", "metric_version"))
    assert cell["side"] in ("candidate", "baseline")
    assert isinstance(cell["repeat"], int)
    assert cell["repeat"] >= 1
    assert cell["state"] in STATES
    assert cell["cause"] in CAUSES.get(cell["state"], {None})
    assert (cell["score"] is None) == (cell["state"] != "scored")
    assert (cell["passed"] is None) == (cell["score"] is None or cell["threshold"] is None)
    assert cell["reason"] is None or cell["reason"]
    assert cell["reason"] or cell["state"] not in ("not_applicable", *CAUSES)
    assert cell["evidence"] is None or cell["evidence"]
    for each in cell["evidence"] or ():
        assert {"claim", "verdict", "chunk", "start", "end"} <= set(each)
        assert each["verdict"] in ("entailed", "contradicted", "neutral")
    assert isinstance(cell["attempts"], int)
    assert cell["attempts"] >= 0
    for name in ("score", "threshold", "prompt_tokens", "completion_tokens", "cost", "latency_ms"):
        assert cell[name] is None or is_number(cell[name])


def report_of(path: Path) -> dict[str, Any]:
    report: dict[str, Any] = strict(path.read_text("utf-8"))
    assert report["version"] == 1
    assert all(isinstance(report[name], str) for name in ("experiment", "dataset", "judge"))
    for each in report["metrics"]:
        assert set(SUMMARY) <= set(each)
        assert sum(each["states"].values()) == each["n_total"]
        assert each["states"].get("scored", 0) == each["n_scored"]
        assert (each["mean"] is None) == (each["n_scored"] == 0)
        assert (each["pass_rate"] is None) == (each["n_scored"] == 0 or each["threshold"] is None)
        assert (each["ci95"] is None) == (each["n_scored"] < 2)
        assert each["ci95"] is None or each["ci95"][0] <= each["mean"] <= each["ci95"][1]
    for each in report["comparison"]:
        assert set(COMPARISON) <= set(each)
        assert each["wins"] + each["ties"] + each["losses"] == each["n_pairs"]
        assert (each["delta"] is None) == (each["n_pairs"] == 0)
        assert (each["ci95"] is None) == (each["n_pairs"] < 2)
    gate = report["gate"]
    assert gate["passed"] in (None, True, False)
    assert all(isinstance(reason, str) for reason in gate["reasons"])
    return report


def hold_against_each_other(report: dict[str, Any], cells: list[dict[str, Any]]) -> None:
    """The report's figures, computed anew from the score file."""
    cases: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for cell in cells:
        found = cases[cell["metric"], cell["side"]][cell["case_id"]]
        found += [] if cell["score"] is None else [cell["score"]]
    folded = {
        place: {case_id: sum(each) / len(each) for case_id, each in by_case.items() if each}
        for place, by_case in cases.items()
    }
    for each in report["metrics"]:
        place = each["metric"], each["side"]
        values = list(folded[place].values())
        assert (each["n_scored"], each["n_total"]) == (len(values), len(cases[place]))
        if values:
            assert each["mean"] == pytest.approx(sum(values) / len(values), abs=1e-9)
        if values and each["threshold"] is not None:
            passed = sum(value >= each["threshold"] for value in values)
            assert each["pass_rate"] == pytest.approx(passed / len(values), abs=1e-9)
    for each in report["comparison"]:
        mine, other = folded[each["metric"], "candidate"], folded[each["metric"], "baseline"]
        gains = [mine[case_id] - other[case_id] for case_id in mine if case_id in other]
        assert each["n_pairs"] == len(gains)
        assert (each["new"], each["missing"]) == (len(mine.keys() - other.keys()), len(other.keys() - mine.keys()))
        if gains:
            assert each["delta"] == pytest.approx(sum(gains) / len(gains), abs=1e-9)


@pytest.fixture(scope="module")
def server() -> Iterator[FakeJudge]:
    with fake_judge() as judge:
        yield judge


@pytest.fixture
def desk(shell: Shell) -> Shell:
    shell.write("desk.jsonl", ROWS)
    return shell


def contracts(shell: Shell, *arguments: str) -> tuple[int, dict[str, Any], list[dict[str, Any]]]:
    said = shell("run", *arguments, "--scores", "s.jsonl", "--report", "r.json", "--quiet")
    assert (said.out, said.err) == ("", "")
    report, cells = report_of(shell.folder / "r.json"), scores_of(shell.folder / "s.jsonl")
    hold_against_each_other(report, cells)
    return said.status, report, cells


SIDES = ("desk.jsonl", "-c", "recorded:new", "-b", "recorded:old")


def test_computed_and_embedded_metrics(desk: Shell) -> None:
    status, report, cells = contracts(desk, *SIDES, "-m", "f1,exact_match,groundedness,correctness,latency,cost")
    assert status == 0
    assert len(cells) == 6 * 2 * 6
    by_hand = {
        ("exact_match", "candidate"): (1 / 4, 4, {"scored": 4, "not_applicable": 1, "pending": 1}),
        ("exact_match", "baseline"): (3 / 5, 5, {"scored": 5, "not_applicable": 1}),
    }
    for each in report["metrics"]:
        if (place := (each["metric"], each["side"])) in by_hand:
            mean, n, states = by_hand[place]
            assert (each["mean"], each["n_scored"], each["n_total"], each["states"]) == (mean, n, 6, states)
            assert each["pass_rate"] == mean
    [exact] = [each for each in report["comparison"] if each["metric"] == "exact_match"]
    assert (exact["delta"], exact["n_pairs"], exact["new"], exact["missing"]) == (-1 / 4, 4, 0, 1)
    assert (exact["wins"], exact["ties"], exact["losses"]) == (1, 1, 2)
    assert exact["p"] == pytest.approx(1.0), "McNemar over three pairs that differ, 1 to 2"


@pytest.mark.parametrize("model", ["json", "float", "truncated", "refuse", "filter", "nullscore", "http422", "mixed"])
def test_judged_metrics_whatever_the_model_replies(desk: Shell, server: FakeJudge, model: str) -> None:
    judge = f"openai:fake-{model}@{server.url}"
    metrics = JUDGED if model != "mixed" else "groundedness"
    status, _report, cells = contracts(desk, *SIDES, "-m", metrics, "-j", judge, "--strategy", "rubric")
    errors = sum(cell["state"] == "judge_error" for cell in cells)
    assert status == (3 if errors else 0)
    if model not in ("mixed", "http422"):
        called = [cell for cell in cells if cell["attempts"]]
        assert all(cell["prompt_tokens"] and cell["judge"] == judge for cell in called if model != "filter")
        assert all(cell["cost"] is None for cell in called), "an unknown price is unknown"


def test_repeats_are_cells_of_their_own_and_one_row_of_the_report(desk: Shell, server: FakeJudge) -> None:
    judge = f"openai:fake-json@{server.url}"
    _, report, cells = contracts(
        desk, *SIDES, "-m", "relevance,f1", "-j", judge, "--strategy", "rubric", "--repeats", "3"
    )
    assert {cell["repeat"] for cell in cells if cell["metric"] == "relevance"} == {1, 2, 3}
    assert {cell["repeat"] for cell in cells if cell["metric"] == "f1"} == {1}
    assert {each["n_total"] for each in report["metrics"]} == {6}


@pytest.mark.parametrize("model", ["http401", "http404", "http429quota"])
def test_a_run_that_had_to_stop(desk: Shell, server: FakeJudge, model: str) -> None:
    judge = f"openai:fake-{model}@{server.url}"
    status, report, cells = contracts(desk, *SIDES, "-m", "groundedness,f1", "-j", judge, "--fail-under", "f1=0.1")
    assert status == 3
    assert {cell["state"] for cell in cells if cell["metric"] == "groundedness"} == {"pending"}
    assert "the run is paused" in report["gate"]["reasons"]


def test_rankings(shell: Shell) -> None:
    shell.write("set/corpus.jsonl", [{"_id": f"d{n}", "title": "", "text": f"number {n}"} for n in range(4)])
    shell.write("set/queries.jsonl", [{"_id": f"q{n}", "text": f"number {n}"} for n in range(4)])
    shell.write("set/qrels.jsonl", [{"query-id": f"q{n}", "corpus-id": f"d{n}", "score": int(n < 3)} for n in range(4)])
    (shell.folder / "hits.trec").write_text("q0 Q0 d0 1 2.0 r\nq1 Q0 d0 1 2.0 r\nq1 Q0 d1 2 1.0 r\n")
    arguments = ("set", "-m", "nDCG@3,Recall@3,MRR@3,f1", "-c", "run:hits.trec", "-b", "bm25")
    status, report, cells = contracts(shell, *arguments)
    assert status == 0
    assert {cell["case_id"] for cell in cells} == {"q0", "q1", "q2", "q3"}
    means = {each["metric"]: each["mean"] for each in report["metrics"] if each["side"] == "candidate"}
    at_rank_2 = 1 / math.log2(3)
    assert means == {
        "nDCG@3": pytest.approx((1 + at_rank_2 + 0) / 3),
        "Recall@3": pytest.approx(2 / 3),
        "MRR@3": pytest.approx((1 + 1 / 2 + 0) / 3),
        "f1": None,
    }
    [absent] = [
        cell for cell in cells if (cell["case_id"], cell["side"], cell["metric"]) == ("q2", "candidate", "MRR@3")
    ]
    assert (absent["state"], absent["score"], absent["reason"]) == ("scored", 0.0, "not in the run")
    assert {cell["state"] for cell in cells if cell["case_id"] == "q3"} == {"not_applicable"}
