"""Ranking metrics equal pytrec_eval, BEIR's and ir_measures' numbers, query by query."""

from __future__ import annotations

import polars as pl
import pytest

from ragtui.metrics.rankings.averages import averages
from ragtui.metrics.rankings.ranking import drop_identical, evaluate, identical, ranked
from ragtui.metrics.registry import metric

from .oracle_files import RANKING_CASES, ours, ranking


def scores(case: str, names: list[str]) -> tuple[dict[tuple[str, str], float | None], pl.DataFrame]:
    qrels, run, _ = ranking(case)
    frame = evaluate(qrels, run, [metric(ours(name)) for name in names])
    return {
        (query, name): score for query, name, score in frame.select("query_id", "metric", "score").iter_rows()
    }, frame


@pytest.mark.parametrize("case", RANKING_CASES)
def test_every_query_has_pytrec_evals_value(case: str) -> None:
    _, _, expected = ranking(case)
    names = list(expected["mean_evaluated"])
    found, _ = scores(case, names)
    compared = 0
    for query, values in expected["per_query"].items():
        for name, value in values.items():
            mine = found[query, metric(ours(name)).name]
            if query in expected["no_relevant"]:
                assert mine is None, "without a relevant document there is no score"
            else:
                assert mine == pytest.approx(value, abs=1e-9), (query, name)
                compared += 1
    assert compared > 500


@pytest.mark.parametrize("case", RANKING_CASES)
def test_means_have_the_denominators_of_each_tool(case: str) -> None:
    _, _, expected = ranking(case)
    names = list(expected["mean_evaluated"])
    _, frame = scores(case, names)
    for average, key in (
        ("default", "mean_positive_qrels"),
        ("trec_eval", "mean_evaluated"),
        ("trec_eval-c", "mean_all_qrels"),
    ):
        means = dict(averages(frame, average).select("metric", "mean").iter_rows())
        for name, value in expected[key].items():
            # A query with an empty result list cannot be written to a file: from the file it is missing in the run.
            n = sum(scores[name] is not None for scores in expected["per_query"].values())
            factor = n / (n - len(expected["empty_in_run"])) if average == "trec_eval" else 1.0
            if value is not None:
                assert means[metric(ours(name)).name] == pytest.approx(value * factor, abs=1e-9), (average, name)


def test_means_say_over_how_many_queries_they_are() -> None:
    _, frame = scores("case2_graded_ties", ["ndcg_cut_10"])
    default = averages(frame).row(0, named=True)
    assert (default["n_counted"], default["n_missing"], default["n_without_relevant"]) == (26, 3, 2)
    assert averages(frame, "trec_eval")["n_counted"].item() == 25
    assert averages(frame, "trec_eval-c")["n_counted"].item() == 28


@pytest.mark.parametrize("case", RANKING_CASES)
@pytest.mark.parametrize("drop", [True, False])
def test_beirs_numbers_with_and_without_identical_ids(case: str, drop: bool) -> None:
    qrels, run, expected = ranking(case)
    values = expected["beir"][f"ignore_identical_ids_{str(drop).lower()}"]
    names = [name for name in values if "@" in name]
    frame = evaluate(qrels, drop_identical(run) if drop else run, [metric(name) for name in names])
    means = dict(averages(frame, "beir").select("metric", "mean").iter_rows())
    factor = values["queries_averaged"] / (values["queries_averaged"] - len(expected["empty_in_run"]))
    for name in names:
        assert means[metric(name).name] == pytest.approx(values[name] * factor, abs=2e-5), name


def test_identical_ids_are_kept_and_counted() -> None:
    _, run, _ = ranking("case2_graded_ties")
    assert identical(run) == run.filter(pl.col("query_id") == pl.col("doc_id")).height > 0
    assert identical(drop_identical(run)) == 0


def test_judged_at_k_is_ir_measures() -> None:
    _, _, expected = ranking("case2_graded_ties")
    _, frame = scores("case2_graded_ties", ["Judged@10"])
    judged = frame.filter(pl.col("judged") & pl.col("in_run"))["score"]
    assert judged.sum() / 28 == pytest.approx(expected["ir_measures"]["judged_at_10"], abs=1e-12) or judged.mean() == (
        pytest.approx(expected["ir_measures"]["judged_at_10"], abs=1e-12)
    )


@pytest.mark.parametrize("case", RANKING_CASES)
def test_documents_stand_in_trec_evals_order(case: str) -> None:
    qrels, run, expected = ranking(case)
    for query, order in expected["trec_order"].items():
        shown = ranked(qrels, run, query)
        assert shown.filter(pl.col("rank").is_not_null())["doc_id"].head(10).to_list() == order


def test_missing_relevant_documents_follow_the_ranking() -> None:
    qrels = pl.DataFrame({"query_id": ["q"] * 4, "doc_id": ["a", "b", "c", "d"], "grade": [1, 3, 0, -1]})
    run = pl.DataFrame({"query_id": ["q", "q", "q"], "doc_id": ["x", "a", "d"], "score": [1.0, 2.0, 0.5]})
    assert ranked(qrels, run, "q").rows() == [
        (1, "a", 2.0, 1),
        (2, "x", 1.0, None),
        (3, "d", 0.5, None),
        (None, "b", None, 3),
    ]


@pytest.mark.parametrize("case", RANKING_CASES)
def test_order_of_lines_does_not_count(case: str) -> None:
    qrels, run, expected = ranking(case)
    names = [metric(ours(name)) for name in expected["mean_evaluated"]]
    queries = qrels["query_id"].unique(maintain_order=True)
    by_rank = run.sort("query_id", pl.col("score").cast(pl.Float32), "doc_id", descending=[False, True, True])
    by_reverse_ties = run.sort("query_id", pl.col("score").cast(pl.Float32), "doc_id", descending=[False, True, False])
    first = evaluate(qrels, by_rank, names, queries)
    for other in (by_reverse_ties, run.reverse(), run.sample(fraction=1, shuffle=True, seed=7)):
        assert evaluate(qrels, other, names, queries).equals(first)
