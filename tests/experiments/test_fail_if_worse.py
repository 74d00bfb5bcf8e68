"""``--fail-if-worse`` fails what is surely worse, and rarely what is not, however many metrics a group has."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from scipy import stats

from ragtui.experiments import tally
from ragtui.experiments.gates import Gates, _judged, worse
from ragtui.experiments.plan import Plan, PlannedMetric
from ragtui.experiments.results import MetricComparison
from tests.experiments.command_line import Shell

RUNS, N, METRICS = 1_000, 40, 8
NAMES = [f"m{at}" for at in range(METRICS)]
PLAN = Plan("d", "table", "0", tuple(PlannedMetric(name) for name in NAMES))


def compared(name: str, candidate: np.ndarray, baseline: np.ndarray, higher: bool = True) -> MetricComparison:
    frames = [pl.DataFrame({"position": range(len(each)), "score": each}) for each in (candidate, baseline)]
    return tally.comparison(*frames, PlannedMetric(name, higher_is_better=higher, scale=(None, None)))


@pytest.mark.parametrize("higher", [True, False])
def test_the_p_of_a_drop_is_that_of_a_one_sided_paired_t_test(higher: bool) -> None:
    rng = np.random.default_rng(1)
    for _ in range(5):
        candidate, baseline = rng.normal(0, 1, (2, 30))
        found = compared("m0", candidate, baseline, higher)
        expected = stats.ttest_rel(candidate, baseline, alternative="less" if higher else "greater").pvalue
        assert found.p_worse == pytest.approx(expected, abs=1e-9)
        assert found.best is not None
        assert (found.p_worse < 0.05) == (found.best < 0)


def test_unchanged_runs_rarely_fail_a_gate_over_many_metrics() -> None:
    rng = np.random.default_rng(7)
    failed = alone = 0
    differences = rng.normal(0, 1, (RUNS, METRICS, N))
    means, ses = differences.mean(-1), differences.std(-1, ddof=1) / math.sqrt(N)
    ps = stats.t.cdf(means / ses, N - 1)
    bests = means + stats.t.ppf(0.95, N - 1) * ses
    for mean, best, p in zip(means, bests, ps, strict=True):
        group = [
            MetricComparison(name, m, None, None, None, "", N, 0, 0, 0, 0, 0, None, best=b, p_worse=q)
            for name, m, b, q in zip(NAMES, mean, best, p, strict=True)
        ]
        failed += bool(worse(group, PLAN))
        alone += any(b < 0 for b in best)
    assert failed / RUNS <= 0.05 + 2.576 * math.sqrt(0.05 * 0.95 / RUNS)
    assert alone / RUNS > 0.25, "the bounds alone would do"


def test_a_drop_that_is_sure_alone_but_not_among_many_is_remarked_and_does_not_fail() -> None:
    group = [
        MetricComparison(name, -0.2, (-0.4, 0.0), 0.06, None, "", N, 9, 9, 22, 0, 0, None, best=best, p_worse=p)
        for name, best, p in (("m0", -0.01, 0.03), ("m1", 0.1, 0.4), ("m2", 0.2, 0.7))
    ]
    among = _judged(PLAN, [], group, Gates(fail_if_worse=True), ())
    assert (among.passed, among.reasons) == (True, ())
    assert among.remarks[0] == (
        "m0: -0.20, a drop that would be sure alone but may be chance among 3 metrics; look at it, or run more cases"
    )
    alone = _judged(PLAN, [], group[:1], Gates(fail_if_worse=True), ())
    assert alone.passed is False
    assert alone.reasons[0].startswith("m0: worse than the baseline, -0.20")


def test_a_real_drop_fails_and_the_same_answers_pass(shell: Shell) -> None:
    rows = [
        {"id": f"d{n}", "query": "q", "ground_truth": "one two three four five six", "v1": "one two three four",
         "v2": "nothing of it"}
        for n in range(30)
    ]  # fmt: skip
    shell.write("desk.jsonl", rows)
    line = ("run", "desk.jsonl", "--baseline", "recorded:v1", "--metrics", "f1,rouge1,exact_match", "--fail-if-worse")
    gone = shell(*line, "--candidate", "recorded:v2")
    assert gone.status == 1
    assert "f1: worse than the baseline" in gone.out
    same = shell(*line, "--candidate", "recorded:v1")
    assert same.status == 0
