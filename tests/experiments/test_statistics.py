"""The statistics equal scipy's and statsmodels' (oracles/stats.json) and hold their level."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtui.experiments import statistics as s

ORACLE = json.loads((Path(__file__).parent / "oracles" / "stats.json").read_text())
DATA = ORACLE["data"]
A, B = np.array(DATA["a"]), np.array(DATA["b"])
D = B - A


def value(case: str) -> Any:
    return ORACLE["cases"][case]["value"]


def same(got: Any, case: str, rel: float = 1e-9) -> bool:
    return bool(got == pytest.approx(value(case), rel=rel, abs=1e-15))


def test_a_mean_has_scipys_t_interval() -> None:
    estimate = s.mean_interval(A)
    assert estimate is not None
    assert same([estimate.low, estimate.high], "t_ci95_a")


def test_a_paired_difference_has_scipys_interval_and_t() -> None:
    estimate = s.mean_interval(D)
    assert estimate is not None
    assert same(estimate.mean, "mean_diff")
    assert same(estimate.se, "se_diff")
    assert same([estimate.low, estimate.high], "t_ci95_diff")
    t = estimate.mean / estimate.se
    assert same([t, s.t_two_sided(t, estimate.df)], "paired_t")


def test_rows_that_share_a_source_are_clustered() -> None:
    estimate = s.mean_interval(D, DATA["cluster"])
    assert estimate is not None
    assert same(estimate.se, "clustered_se_G_over_Gm1")
    assert same([estimate.low, estimate.high], "clustered_t_ci95_df_clusters_minus_1")


def test_few_differences_are_permuted_exactly() -> None:
    p, test = s.sign_flip(DATA["small_diff"])
    assert same(p, "sign_flip_exact_small")
    assert test == "sign-flip exact"


def test_drawn_signs_come_close_to_all_of_them() -> None:
    rng = np.random.default_rng(3)
    d = rng.normal(0.1, 0.3, size=s.EXACT_UP_TO)
    exact, _ = s.sign_flip(d)
    drawn, test = s.sign_flip(np.concatenate([d, [1e-9]]))
    assert test == "sign-flip"
    assert drawn == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / s.RESAMPLES) + 1e-4)


def test_drawing_equal_sizes_together_changes_nothing_but_the_time() -> None:
    few = np.array([1.0, -1.0, 2.0] * 40 + [1.0] * 12)
    jittered = few + np.random.default_rng(1).normal(0, 1e-7, few.size)
    together, apart = s.sign_flip(few)[0], s.sign_flip(jittered)[0]
    assert together == pytest.approx(apart, rel=0.3, abs=2e-3)


def test_the_same_seed_gives_the_same_p() -> None:
    assert s.sign_flip(D, seed=5) == s.sign_flip(D, seed=5)


def test_p_is_never_zero() -> None:
    assert s.sign_flip(np.linspace(0.5, 1.0, 200))[0] == 1 / (s.RESAMPLES + 1)


def test_mcnemar_equals_the_oracle() -> None:
    (_, b), (c, _) = value("mcnemar_table_passA_by_passB")
    assert same(s.mcnemar(b, c)[0], "mcnemar_exact_p")
    assert same(s.mcnemar(3, 12)[0], "mcnemar_exact_b3_c12")


def test_mcnemar_turns_to_chi_square_for_many_pairs() -> None:
    from scipy.stats import chi2

    p, test = s.mcnemar(600, 520)
    assert test == "mcnemar chi-square"
    assert p == pytest.approx(chi2.sf((80 - 1) ** 2 / 1120, 1), rel=1e-9)


@pytest.mark.parametrize(("k", "n"), [(34, 60), (0, 10), (5, 5), (17, 20)])
def test_a_rate_has_wilsons_interval(k: int, n: int) -> None:
    assert same(s.wilson(k, n), f"wilson95_{k}_of_{n}")


def test_holm_adjusts_over_the_whole_group() -> None:
    assert same(s.holm(DATA["pvalues"]), "adjust_holm")


def test_holm_leaves_out_what_has_no_p() -> None:
    assert s.holm([0.04, None, 0.01]) == pytest.approx([0.04, None, 0.02])  # type: ignore[comparison-overlap]


def test_power_equals_the_oracle() -> None:
    assert same(s.smallest_difference(value("se_diff")), "mde_normal_80pct")
    assert s.rows_needed(value("sd_diff"), 0.02) == value("n_needed_for_delta_0.02_normal")


@pytest.mark.parametrize(
    ("weights", "case"),
    [("none", "cohen_kappa"), ("linear", "cohen_kappa_linear"), ("quadratic", "cohen_kappa_quadratic")],
)
def test_kappa_equals_the_oracle(weights: Any, case: str) -> None:
    found = s.kappa(value("kappa_table_judge_by_human"), weights)
    assert found is not None
    assert same(found.kappa, case)
    assert same(found.observed, "observed_agreement")


def test_kappa_has_statsmodels_interval() -> None:
    found = s.kappa(value("kappa_table_judge_by_human"))
    assert found is not None
    assert same([found.se, found.low, found.high], "cohen_kappa_se_ci95")


def test_kappa_is_undefined_where_one_category_is_all_there_is() -> None:
    found = s.kappa([[7, 0], [0, 0]])
    assert found is not None
    assert (found.kappa, found.observed) == (None, 1.0)


@settings(max_examples=200, deadline=None)
@given(st.floats(0.001, 0.999), st.floats(1, 2000))
def test_the_t_quantile_equals_scipys(p: float, df: float) -> None:
    from scipy.stats import t

    assert s.t_quantile(p, df) == pytest.approx(t.ppf(p, df), rel=1e-7, abs=1e-9)


def test_one_sided_bounds_are_those_of_a_one_sided_t_test() -> None:
    from scipy.stats import ttest_1samp

    estimate = s.mean_interval(D)
    assert estimate is not None
    low, high = s.one_sided_bounds(estimate)
    assert low == pytest.approx(ttest_1samp(D, 0, alternative="greater").confidence_interval(0.95).low)
    assert high == pytest.approx(ttest_1samp(D, 0, alternative="less").confidence_interval(0.95).high)


def test_a_pair_of_sides_is_compared_as_the_oracle_says() -> None:
    found = s.paired(B, A)
    assert same(found.delta, "mean_diff")
    assert same([found.low, found.high], "t_ci95_diff")
    assert same(found.mde, "mde_normal_80pct")
    assert found.test == "sign-flip"
    assert found.p == pytest.approx(0.014, abs=0.004)


def test_pass_fail_sides_get_mcnemar() -> None:
    found = s.paired(DATA["pass_b"], DATA["pass_a"])
    assert found.test == "mcnemar exact"
    assert same(found.p, "mcnemar_exact_p")


def test_too_few_clusters_fall_back_to_t_and_say_so() -> None:
    assert s.paired(B[:20], A[:20], DATA["cluster"][:20]).test == "clustered t"


def test_equal_sides_differ_by_nothing() -> None:
    found = s.paired(A, A)
    assert (found.delta, found.p, found.low, found.high) == (0.0, 1.0, 0.0, 0.0)


@pytest.mark.parametrize("n", [0, 1])
def test_fewer_than_two_pairs_have_no_interval_and_no_p(n: int) -> None:
    found = s.paired(B[:n], A[:n])
    assert (found.n, found.low, found.p, found.mde) == (n, None, None, None)
    assert s.mean_interval(A[:n]) is None


@pytest.mark.parametrize("clustered", [False, True])
def test_without_a_difference_false_alarms_stay_at_their_level(clustered: bool) -> None:
    rng = np.random.default_rng(11)
    runs, alarms = 400, 0
    groups = [str(i // 4) for i in range(48)] if clustered else None
    for _ in range(runs):
        shared = np.repeat(rng.normal(0, 1, 12), 4) if clustered else 0.0
        d = rng.normal(0, 1, 48) + shared
        p, _ = s.sign_flip(d, groups, resamples=199, seed=1)
        alarms += p <= 0.05
    assert alarms / runs <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / runs)
