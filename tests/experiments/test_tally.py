"""Means say over how many of how many; comparisons pair by case; a number never contradicts its pass or fail."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtui.experiments import tally, wording
from ragtui.experiments.plan import PlannedMetric, Side
from ragtui.metrics.score import State
from tests.experiments.making import F1, GROUNDEDNESS, LATENCY

ERROR, SCORED, NA = State.JUDGE_ERROR, State.SCORED, State.NOT_APPLICABLE


def cells(metric: PlannedMetric, side: Side, scores: Sequence[float | State], repeat: int = 1) -> pl.DataFrame:
    rows = [
        (at, side.value, metric.spec, repeat, SCORED.value if isinstance(one, float | int) else one.value,
         one if isinstance(one, float | int) else None)
        for at, one in enumerate(scores)
    ]  # fmt: skip
    return pl.DataFrame(rows, schema=tally.CELLS, orient="row")


def folded(metric: PlannedMetric, scores: Sequence[float | State], n: int | None = None) -> pl.DataFrame:
    positions = pl.Series(range(n or len(scores)), dtype=pl.UInt32)
    return tally.folded(cells(metric, Side.CANDIDATE, scores), metric, Side.CANDIDATE, positions, State.PENDING)


def summary(metric: PlannedMetric, scores: Sequence[float | State], n: int | None = None):  # type: ignore[no-untyped-def]
    return tally.summary(folded(metric, scores, n), metric, Side.CANDIDATE)


def test_a_mean_is_over_what_was_scored_and_says_so() -> None:
    found = summary(GROUNDEDNESS, [5.0, 3.0, ERROR, NA, 1.0], n=6)
    assert (found.mean, found.n_scored, found.n_total) == (3.0, 3, 6)
    assert found.states == {SCORED: 3, ERROR: 1, NA: 1, State.PENDING: 1}
    assert wording.mean(found) == "3.00 (3/6; 1 error, 1 n/a, 1 pending)"


def test_a_strict_mean_counts_errors_as_the_worst_score() -> None:
    assert summary(GROUNDEDNESS, [5.0, ERROR]).strict_mean == 3.0
    assert summary(LATENCY, [5.0, ERROR]).strict_mean is None, "the worst latency has no number"
    assert summary(LATENCY, [5.0]).strict_mean == 5.0


def test_nothing_scored_is_no_value_and_no_pass() -> None:
    found = summary(F1, [ERROR, NA])
    assert (found.mean, found.strict_mean, found.ci95, found.pass_rate) == (None, None, None, None)
    assert wording.mean(found) == "no value (0/2; 1 error, 1 n/a)"
    assert wording.pass_rate(found) == "no value"


def test_one_score_has_a_mean_and_no_interval() -> None:
    found = summary(F1, [0.5])
    assert (found.mean, found.ci95, found.pass_rate) == (0.5, None, 1.0)


def test_no_interval_leaves_the_scale() -> None:
    found = summary(GROUNDEDNESS, [5.0, 5.0, 1.0, 5.0])
    assert found.ci95 == (1.0, 5.0)
    assert wording.mean_interval(found, GROUNDEDNESS) == wording.interval(found.ci95) == "[1.00, 5.00]"
    few = summary(GROUNDEDNESS, [5.0, 1.0])
    assert few.ci95 == (1.0, 5.0)
    assert summary(LATENCY, [10.0, 900.0]).ci95[0] == 0.0, "time has a lower end only"
    assert summary(LATENCY, [10.0, 900.0]).ci95[1] > 900
    better, worse = folded(GROUNDEDNESS, [5.0, 5.0, 1.0]), folded(GROUNDEDNESS, [1.0, 1.0, 5.0])
    assert tally.comparison(better, worse, GROUNDEDNESS).ci95 == (-4.0, 4.0)


def test_an_interval_holds_its_mean_where_a_file_goes_beyond_the_scale() -> None:
    found = summary(GROUNDEDNESS, [7.0, 8.0, 9.0])
    assert found.ci95[0] < found.mean < found.ci95[1]


def test_a_mean_of_passes_and_failures_is_a_rate_with_wilsons_interval() -> None:
    low, high = summary(F1, [1.0, 0.0, 1.0, 1.0]).ci95
    assert (low, high) == pytest.approx((0.3006, 0.9544), abs=1e-4)
    assert summary(F1, [1.0, 1.0]).ci95[1] == 1.0


def test_passing_is_at_least_the_threshold_or_at_most_where_lower_is_better() -> None:
    lower = PlannedMetric("hallucination", threshold=0.3, higher_is_better=False)
    assert folded(F1, [0.5, 0.4999])["passed"].to_list() == [True, False]
    assert folded(lower, [0.3, 0.31])["passed"].to_list() == [True, False]
    assert folded(LATENCY, [3.0])["passed"].to_list() == [None]


def test_repeats_are_averaged_within_the_case_and_flips_counted() -> None:
    frames = [
        cells(GROUNDEDNESS, Side.CANDIDATE, scores, n) for n, scores in enumerate([[2, 5, ERROR], [4, 5, ERROR]], 1)
    ]
    positions = pl.Series(range(3), dtype=pl.UInt32)
    found = tally.folded(pl.concat(frames), GROUNDEDNESS, Side.CANDIDATE, positions, State.PENDING)
    assert found["score"].to_list() == [3.0, 5.0, None]
    assert found["spread"].to_list() == [2.0, 0.0, None]
    assert found["flips"].to_list() == [True, False, False]
    assert found["state"].to_list() == ["scored", "scored", "judge_error"]
    assert tally.summary(found, GROUNDEDNESS, Side.CANDIDATE).flips == 1


def test_a_repeat_that_failed_leaves_the_others_mean() -> None:
    frames = [cells(GROUNDEDNESS, Side.CANDIDATE, scores, n) for n, scores in enumerate([[ERROR], [4]], 1)]
    found = tally.folded(
        pl.concat(frames), GROUNDEDNESS, Side.CANDIDATE, pl.Series([0], dtype=pl.UInt32), State.PENDING
    )
    assert (found["state"][0], found["score"][0]) == ("scored", 4.0)


def test_a_histogram_counts_every_score_once() -> None:
    assert summary(GROUNDEDNESS, [1, 2, 3, 3, 4, 5, 5]).histogram == (1, 1, 2, 1, 2)
    assert sum(summary(LATENCY, [10.0, 200.0, 3000.0]).histogram) == 3
    assert summary(F1, [NA]).histogram == ()


def test_sides_are_paired_by_case_and_the_rest_is_counted() -> None:
    candidate = folded(GROUNDEDNESS, [4, 5, 2, 5, NA])
    baseline = folded(GROUNDEDNESS, [4, 2, 3, ERROR, 1])
    found = tally.comparison(candidate, baseline, GROUNDEDNESS)
    assert (found.n_pairs, found.wins, found.ties, found.losses) == (3, 1, 1, 1)
    assert (found.new, found.missing) == (1, 1)
    assert found.delta == pytest.approx(2 / 3)


def test_where_lower_is_better_a_lower_candidate_wins_and_the_bounds_turn() -> None:
    candidate, baseline = folded(LATENCY, [1.0, 2.0, 3.0]), folded(LATENCY, [2.0, 4.0, 9.0])
    found = tally.comparison(candidate, baseline, LATENCY)
    assert (found.wins, found.losses, found.delta) == (3, 0, -3.0)
    assert found.worst is not None
    assert found.best is not None
    assert found.worst < 3.0 < found.best


def test_holm_is_over_the_whole_group() -> None:
    rng = np.random.default_rng(2)
    sides = [(folded(F1, list(rng.random(40))), folded(F1, list(rng.random(40)))) for _ in range(3)]
    found = tally.adjusted([tally.comparison(c, b, F1) for c, b in sides])
    ps = sorted((each.p, each.p_holm) for each in found)
    assert ps[0][1] == pytest.approx(min(1.0, 3 * ps[0][0]))  # type: ignore[operator]


def test_rows_have_score_state_passed_and_difference() -> None:
    cases = pl.DataFrame({"position": pl.Series([0, 1], dtype=pl.UInt32), "case_id": ["a", "b"], "name": ["A", "B"]})
    rows = tally.rows(cases, {"f1": folded(F1, [0.75, NA])}, {"f1": folded(F1, [0.5, 0.5])})
    assert rows["f1"].to_list() == [0.75, None]
    assert rows["f1 state"].to_list() == ["scored", "not_applicable"]
    assert rows["f1 passed"].to_list() == [True, None]
    assert rows["f1 Δ"].to_list() == [0.25, None]


def test_worst_first_knows_which_end_is_worst() -> None:
    rows = pl.DataFrame({"case_id": ["a", "b", "c"], "latency": [1.0, 9.0, None], "f1": [0.2, 0.9, 0.1]})
    assert tally.worst_first(rows, LATENCY)["case_id"].to_list() == ["b", "a"]
    assert tally.worst_first(rows, F1)["case_id"].to_list() == ["c", "a", "b"]


@pytest.mark.parametrize(
    ("value", "text"),
    [(2.996, "2.996"), (3.0, "3"), (2.5, "2.50"), (2.9999999, "2.9999999"), (4.0, "4"), (3.001, "3.001")],
)
def test_a_shown_score_stays_on_its_side_of_the_threshold(value: float, text: str) -> None:
    assert wording.score(value, GROUNDEDNESS) == text


@given(st.floats(1, 5), st.floats(1, 5))
def test_no_shown_number_contradicts_its_pass_or_fail(value: float, threshold: float) -> None:
    metric = PlannedMetric("m", threshold=threshold, scale=(1.0, 5.0))
    text = wording.score(value, metric)
    if text[0] in "<>":
        assert (value < threshold) == (text[0] == "<")
        assert abs(value - threshold) < 1e-8
    else:
        assert metric.passes(float(text)) == metric.passes(value)


def test_rounding_does_not_show_as_digits() -> None:
    assert wording.score(0.5000000000000001, F1) == ">0.50"
    assert wording.score(0.49999999999999994, F1) == "<0.50"
    assert wording.score(0.5, F1) == "0.50"
    assert wording.p_value(0.05000000000000001) == ">.050"


def test_figures_have_their_unit_and_nouns_their_number() -> None:
    latency = PlannedMetric("latency", scale=(0.0, None), higher_is_better=False, kind="operational", unit="ms")
    cost = PlannedMetric("cost", scale=(0.0, None), higher_is_better=False, kind="operational", unit="USD")
    assert (wording.score(812.4, latency), wording.score(0.0031, cost)) == ("812 ms", "0.0031 USD")
    assert wording.mean(summary(latency, [800.0, 900.0]), latency) == "850 ms (2/2)"
    assert [wording.count(n, "query") for n in (1, 2, 1000)] == ["1 query", "2 queries", "1,000 queries"]


@given(st.floats(-1, 1, allow_nan=False))
def test_a_difference_never_reads_as_none_unless_it_is(delta: float) -> None:
    text = wording.signed_number(delta)
    assert text != "-0.00"
    if abs(delta) > 1e-12:
        assert (float(text) > 0) == (delta > 0)
        assert text[0] in "+-"


@pytest.mark.parametrize(
    ("p", "text"), [(0.0004, "<.001"), (0.034, ".034"), (0.04999, ".04999"), (1.0, "1.000"), (None, "–")]
)
def test_p_is_shown_without_claiming_more_than_it_says(p: float | None, text: str) -> None:
    assert wording.p_value(p) == text


@pytest.mark.parametrize(
    ("share", "text"), [(1.0, "100 %"), (0.9999, "99.99 %"), (0.0, "0 %"), (0.001, "0.1 %"), (None, "–")]
)
def test_all_and_none_passed_are_said_only_when_true(share: float | None, text: str) -> None:
    assert wording.rate(share) == text


def test_only_rows_that_miss_a_threshold_fail_and_labels_are_counted_apart() -> None:
    causes = ["ungrounded", "ungrounded", "right refusal", "retrieval miss", "retrieval miss"]
    rows = pl.DataFrame(
        {
            "groundedness passed": [False, False, False, True, None],
            "nDCG@10 passed": pl.Series([None] * 5, dtype=pl.Boolean),
            "cause": causes,
            "label": pl.Series([None, "model fault", None, None, None], dtype=pl.String),
        }
    )
    ranking = PlannedMetric("nDCG@10", kind="retrieval")
    assert tally.causes(rows, [GROUNDEDNESS, ranking]) == {"ungrounded": 1}
    assert tally.causes(rows, [ranking]) == {}, "without a threshold nothing fails"
    assert wording.causes({"ungrounded": 1}, {"model fault": 1}) == (
        "why rows fail (1 explained): 1 ungrounded. Labelled by people: 1 model fault"
    )
    assert wording.causes({}, {}) == ""


@pytest.mark.parametrize("higher_is_better", [True, False])
def test_equal_scores_keep_the_datasets_order_in_print_and_in_the_app(higher_is_better: bool) -> None:
    from ragtui.tui.screens.result_views import orders

    metric = PlannedMetric("f1", threshold=0.5, kind="overlap", higher_is_better=higher_is_better)
    scores = [0.2, 0.9, 0.2, 0.2, 0.9]
    rows = pl.DataFrame({"case_id": list("dbcae"), "f1": scores, "f1 passed": [False, True, True, False, True]})
    printed = tally.worst_first(rows, metric)["case_id"].to_list()
    shown = next(order for order in orders([metric], False) if order.name == "worst f1")
    assert printed == (["d", "c", "a", "b", "e"] if higher_is_better else ["b", "e", "d", "c", "a"])
    assert rows[shown.make(rows)]["case_id"].to_list() == printed


def test_a_verdict_names_its_p_and_who_scored_alone() -> None:
    better = folded(GROUNDEDNESS, [5.0, 4.0, 5.0, ERROR])
    other = folded(GROUNDEDNESS, [4.0, 5.0, ERROR, 2.0])
    found = tally.adjusted([tally.comparison(better, other, GROUNDEDNESS)])[0]
    said = wording.verdict(found, GROUNDEDNESS)
    assert "p (Holm) 1.000; 2 pairs: 1 better, 0 equal, 1 worse; " in said
    assert "; 1 scored for the candidate only, 1 scored for the baseline only; " in said
    assert said.endswith("2.80 or more would be seen with 80 % power")
    assert "1 scored for B only, 1 scored for A only" in wording.verdict(found, GROUNDEDNESS, ("B", "A"))
    assert wording.pairs(tally.comparison(better[:1], other[:1], GROUNDEDNESS)).startswith("1 pair: ")


def test_where_no_pair_differs_there_is_no_interval_and_no_claim_of_none() -> None:
    same = folded(GROUNDEDNESS, [4.0, 5.0, 2.0] * 4)
    found = tally.adjusted([tally.comparison(same, same, GROUNDEDNESS)])[0]
    assert (found.delta, found.ci95, found.mde, found.p) == (0.0, None, None, 1.0)
    assert wording.paired_interval(found, 2) == "no pair differs"
    assert wording.verdict(found, GROUNDEDNESS) == (
        "groundedness: no pair differs, 12 pairs: 0 better, 12 equal, 0 worse; of all such cases up to 22 % may (95 %)"
    )


@pytest.mark.parametrize("metric", [GROUNDEDNESS, LATENCY])
def test_where_all_pairs_differ_by_as_much_few_of_them_are_no_certainty(metric: PlannedMetric) -> None:
    low, high = [2.0, 3.0] * 3, [3.0, 4.0] * 3
    worse = (low, high) if metric.higher_is_better else (high, low)
    found = [tally.comparison(folded(metric, worse[0][:n]), folded(metric, worse[1][:n]), metric) for n in (2, 6)]
    assert [(each.ci95, each.mde, each.p_worse) for each in found] == [(None, None, 0.25), (None, None, 1 / 64)]
    assert wording.paired_interval(found[0], 2) == "all by as much"
    assert "all pairs differ by as much" in wording.rows_for(found[0], metric, 0.5)
