"""Ranking metrics against a plain reimplementation on random data, and at every edge."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtui.metrics.rankings.averages import averages
from ragtui.metrics.rankings.ranking import NO_JUDGMENTS, NO_RELEVANT, NOT_IN_RUN, evaluate
from ragtui.metrics.registry import metric, resolve_all
from ragtui.metrics.spec import MetricError

SPECS = "nDCG@3,nDCG@3:exp,nDCG@all,MAP@2,MAP@all,Recall@2,Precision@3,Precision@all,MRR@2,Hit@2,R-precision,R_cap@2,Judged@3,Hole@2"


def qrels_of(*rows: tuple[str, str, int]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema={"query_id": pl.String, "doc_id": pl.String, "grade": pl.Int64}, orient="row")


def run_of(*rows: tuple[str, str, float]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema={"query_id": pl.String, "doc_id": pl.String, "score": pl.Float64}, orient="row")


def value(qrels: pl.DataFrame, run: pl.DataFrame, spec: str, query: str = "q") -> tuple[float | None, str, str]:
    row = evaluate(qrels, run, [metric(spec)], [query]).row(0, named=True)
    return row["score"], row["state"], row["reason"]


# --- a second, slow opinion ------------------------------------------------------------------------------------------


def plain(qrels: dict[str, int], run: list[tuple[str, float]], judged_anywhere: set[str], spec: str) -> float:
    """One query's score by the textbook."""
    order = [doc for doc, _ in sorted(run, key=lambda hit: (float(np.float32(hit[1])), hit[0].encode()), reverse=True)]
    grades = {doc: grade for doc, grade in qrels.items() if grade >= 0}
    relevant = {doc for doc, grade in grades.items() if grade >= 1}
    base, _, rest = spec.partition("@")
    cut, _, variant = rest.partition(":")
    k = len(order) if cut in ("", "all") else int(cut)
    top = order[:k]
    hits = [rank for rank, doc in enumerate(top, 1) if doc in relevant]

    def dcg(values: list[int]) -> float:
        gains = [2**grade - 1 if variant == "exp" else grade for grade in values]
        return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))

    ideal = sorted(grades.values(), reverse=True)[: None if cut == "all" else k]
    precision = [sum(other <= rank for other in hits) / rank for rank in hits]
    return {
        "nDCG": lambda: dcg([grades.get(doc, 0) for doc in top]) / dcg(ideal),
        "MAP": lambda: sum(precision) / len(relevant),
        "Recall": lambda: len(hits) / len(relevant),
        "Precision": lambda: len(hits) / k,
        "MRR": lambda: 1 / hits[0] if hits else 0.0,
        "Hit": lambda: float(bool(hits)),
        "R-precision": lambda: len(set(order[: len(relevant)]) & relevant) / len(relevant),
        "R_cap": lambda: len(hits) / min(k, len(relevant)),
        "Judged": lambda: sum(doc in grades for doc in top) / min(k, len(order)),
        "Hole": lambda: sum(doc not in judged_anywhere for doc in top) / k,
    }[base]()


IDS = st.sampled_from(["a", "b", "A", "9", "10", "é", "😀", "文", "d-1", "d-10", "zz"])
SCORES = st.one_of(st.sampled_from([0.0, -0.0, 0.5, 1.0, 1.0 + 1e-9, -3.25, 3.0e38, 1e-45]), st.floats(-50, 50))
RUNS = st.dictionaries(
    st.sampled_from(["q1", "q2", "q3", "q5", "q6", "q7"]), st.dictionaries(IDS, SCORES, min_size=1), min_size=1
)
JUDGMENTS = st.dictionaries(
    st.sampled_from(["q1", "q2", "q4", "q5", "q6", "q7"]),
    st.dictionaries(IDS, st.integers(-1, 4), min_size=1),
    min_size=1,
)


@settings(max_examples=60, deadline=None)
@given(judgments=JUDGMENTS, runs=RUNS, order=st.randoms(use_true_random=False))
def test_equals_the_textbook_on_anything(judgments: dict, runs: dict, order: object) -> None:
    qrels = [(query, doc, grade) for query, docs in judgments.items() for doc, grade in docs.items()]
    lines = [(query, doc, score) for query, docs in runs.items() for doc, score in docs.items()]
    order.shuffle(lines)  # type: ignore[attr-defined]
    frame = evaluate(qrels_of(*qrels), run_of(*lines), resolve_all(SPECS))
    judged_anywhere = {doc for docs in judgments.values() for doc, grade in docs.items() if grade >= 0}
    for row in frame.iter_rows(named=True):
        grades, run = judgments.get(row["query_id"], {}), runs.get(row["query_id"])
        if metric(row["metric"]).ranking.needs_relevant:  # type: ignore[union-attr]
            applies = any(grade >= 1 for grade in grades.values())
        else:
            applies = run is not None
        assert (row["score"] is not None) == applies == (row["state"] == "scored")
        if applies:
            expected = 0.0 if run is None else plain(grades, list(run.items()), judged_anywhere, row["metric"])
            assert row["score"] == pytest.approx(expected, abs=1e-12), row
            assert 0 <= row["score"] <= 1


# --- rules -----------------------------------------------------------------------------------------------------------


def test_equal_scores_are_ordered_by_id_descending_in_bytes() -> None:
    qrels = qrels_of(("q", "b", 1))
    assert value(qrels, run_of(("q", "a", 1), ("q", "b", 1)), "MRR@1")[0] == 1
    assert value(qrels, run_of(("q", "b", 1), ("q", "c", 1)), "MRR@1")[0] == 0
    assert value(qrels_of(("q", "9", 1)), run_of(("q", "10", 1), ("q", "9", 1)), "Hit@1")[0] == 1


def test_scores_are_compared_as_32_bit_floats() -> None:
    qrels = qrels_of(("q", "b", 1))
    assert value(qrels, run_of(("q", "a", 0.5 + 1e-9), ("q", "b", 0.5)), "Hit@1")[0] == 1, "a tie: b comes first"
    assert value(qrels, run_of(("q", "a", 0.5 + 1e-7), ("q", "b", 0.5)), "Hit@1")[0] == 0


def test_grades_are_linear_gains_unless_asked_otherwise() -> None:
    qrels = qrels_of(("q", "a", 3), ("q", "b", 2), ("q", "c", 1))
    run = run_of(("q", "c", 3), ("q", "b", 2), ("q", "a", 1))
    assert value(qrels, run, "nDCG@3")[0] == pytest.approx(0.7900, abs=5e-5)
    assert value(qrels, run, "nDCG@3:exp")[0] == pytest.approx(0.6806, abs=5e-5)


def test_what_a_query_without_score_is_called() -> None:
    qrels = qrels_of(("none", "a", 0), ("lost", "a", 1), ("minus", "a", -1))
    run = run_of(("none", "a", 1), ("asked", "a", 1))
    assert value(qrels, run, "nDCG@10", "lost") == (0.0, "scored", NOT_IN_RUN)
    assert value(qrels, run, "nDCG@10", "none") == (None, "not_applicable", NO_RELEVANT)
    assert value(qrels, run, "nDCG@10", "asked") == (None, "not_applicable", NO_JUDGMENTS)
    assert value(qrels, run, "nDCG@10", "minus") == (None, "not_applicable", NO_RELEVANT)
    assert value(qrels, run, "nDCG@10", "unheard") == (None, "not_applicable", NO_JUDGMENTS)
    assert value(qrels, run, "Judged@10", "lost") == (None, "not_applicable", NOT_IN_RUN)
    assert value(qrels, run, "Judged@10", "none") == (1.0, "scored", "")


def test_of_repeated_pairs_the_last_counts() -> None:
    qrels = qrels_of(("q", "a", 0), ("q", "b", 1), ("q", "a", 2), ("q", "b", 0))
    run = run_of(("q", "a", 1), ("q", "b", 3), ("q", "b", 0.5))
    assert value(qrels, run, "MRR@all")[0] == 1
    assert value(qrels, run, "Recall@all")[0] == 1


def test_an_empty_run_scores_every_judged_query_zero() -> None:
    frame = evaluate(qrels_of(("q", "a", 1)), run_of(), resolve_all("nDCG@10,Recall@5"))
    assert frame["score"].to_list() == [0.0, 0.0]
    assert averages(frame)["mean"].to_list() == [0.0, 0.0]


def test_without_judgments_nothing_is_scored() -> None:
    frame = evaluate(qrels_of(), run_of(("q", "a", 1)), resolve_all("nDCG@10"))
    assert frame["state"].to_list() == ["not_applicable"]
    assert averages(frame)["mean"].to_list() == [None]


def test_queries_are_reported_in_the_order_asked_each_once() -> None:
    qrels = qrels_of(("b", "x", 1), ("a", "x", 1))
    frame = evaluate(qrels, run_of(("a", "x", 1)), resolve_all("Hit@1"), ["c", "a", "b", "a"])
    assert frame["query_id"].to_list() == ["c", "a", "b"]


@pytest.mark.parametrize("bad", [float("nan"), None])
def test_a_score_that_is_no_number_is_refused_by_name(bad: float | None) -> None:
    run = pl.concat(
        [
            run_of(("q", "a", 1.0)),
            pl.DataFrame({"query_id": ["q"], "doc_id": ["b"], "score": [bad]}).cast({"score": pl.Float64}),
        ]
    )
    with pytest.raises(MetricError, match="document 'b' for query 'q' is not a number"):
        evaluate(qrels_of(("q", "a", 1)), run, resolve_all("Hit@1"))


def test_other_metrics_are_refused() -> None:
    with pytest.raises(MetricError, match="f1 is not computed from judgments and a run"):
        evaluate(qrels_of(), run_of(), resolve_all("f1"))


@pytest.mark.parametrize("shuffled", [False, True])
def test_ties_deep_in_a_large_run(shuffled: bool) -> None:
    """Enough lines that the run is taken in by the fast path, and by sorting when shuffled."""
    rng = np.random.default_rng(3)
    rows = [
        (f"q{query:04}", f"d{rng.integers(0, 500):03}", float(score))
        for query in range(300)
        for score in sorted(rng.integers(0, 6, 40), reverse=True)
    ]
    run = run_of(*rows).unique(["query_id", "doc_id"], keep="first", maintain_order=True)
    qrels = qrels_of(
        *(
            (f"q{query:04}", f"d{doc:03}", int(rng.integers(0, 4)))
            for query in range(300)
            for doc in rng.choice(500, 30, replace=False)
        )
    )
    given_run = run.sample(fraction=1, shuffle=True, seed=1) if shuffled else run
    frame = evaluate(qrels, given_run, resolve_all("nDCG@10,MAP@all"), run["query_id"].unique(maintain_order=True))
    grades = {
        query: dict(zip(part["doc_id"], part["grade"], strict=True)) for (query,), part in qrels.group_by("query_id")
    }
    lists = {query: list(part.select("doc_id", "score").iter_rows()) for (query,), part in run.group_by("query_id")}
    for query, name, score in frame.select("query_id", "metric", "score").iter_rows():
        assert score == pytest.approx(plain(grades[query], lists[query], set(), name), abs=1e-12)
