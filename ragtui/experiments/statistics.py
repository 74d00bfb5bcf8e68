"""The statistics of a comparison: intervals, paired tests, power, agreement; numpy only, scipy agrees (see the tests).

Differences are always candidate minus baseline, one a case. Every function takes scored values only: what was not
scored is left out by the caller and counted there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

DRAWS: Final = 2_000
RESAMPLES: Final = 9_999  # sign patterns drawn; p is (1 + hits) / (RESAMPLES + 1)
EXACT_UP_TO: Final = 16  # differences (or clusters) whose 2**n sign patterns are all tried
NORMAL_FROM: Final = 20_000  # different sizes of difference from which the normal law replaces drawn signs
CHI_SQUARE_FROM: Final = 1_000  # discordant pairs from which McNemar's chi-square replaces the exact test
_BLOCK: Final = 2_000_000  # cells of a block of random signs


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its standard error and two-sided interval; ``df`` are the degrees of freedom of its t law."""

    mean: float
    se: float
    low: float
    high: float
    n: int
    df: int


def _beta_fraction(a: float, b: float, x: float) -> float:
    """Continued fraction of the incomplete beta function, by Lentz's method (DLMF 8.17.22)."""
    tiny = 1e-300
    d = 1.0 - (a + b) * x / (a + 1.0)
    d = 1.0 / (d if abs(d) > tiny else tiny)
    c, h = 1.0, d
    for m in range(1, 10_000):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1.0 + numerator * d
            d = 1.0 / (d if abs(d) > tiny else tiny)
            c = 1.0 + numerator / c
            c = c if abs(c) > tiny else tiny
            h *= d * c
        if abs(d * c - 1.0) < 1e-16:
            break
    return h


def _incomplete_beta(a: float, b: float, x: float) -> float:
    """Regularised incomplete beta function I_x(a, b)."""
    if x <= 0.0 or x >= 1.0:
        return 0.0 if x <= 0.0 else 1.0
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x))
    if x < (a + 1.0) / (a + b + 2.0):
        return front * _beta_fraction(a, b, x) / a
    return 1.0 - front * _beta_fraction(b, a, 1.0 - x) / b


def t_two_sided(t: float, df: float) -> float:
    """P(abs(T) >= abs(t)) for Student's t with ``df`` degrees of freedom."""
    return _incomplete_beta(df / 2.0, 0.5, df / (df + t * t))


@lru_cache(maxsize=1024)
def t_quantile(p: float, df: float) -> float:
    """The value Student's t with ``df`` degrees of freedom stays below with probability ``p`` (0 < p < 1)."""
    if p == 0.5:
        return 0.0
    if p < 0.5:
        return -t_quantile(1.0 - p, df)
    tail = 2.0 * (1.0 - p)
    low, high = 0.0, 2.0
    while t_two_sided(high, df) > tail:
        low, high = high, high * 2.0
    for _ in range(200):
        middle = (low + high) / 2.0
        if middle in (low, high):
            break
        low, high = (middle, high) if t_two_sided(middle, df) > tail else (low, middle)
    return (low + high) / 2.0


def _floats(values: Sequence[float] | Floats) -> Floats:
    return np.asarray(values, dtype=np.float64)


def _cluster_sums(values: Floats, clusters: Sequence[object]) -> Floats:
    codes = np.unique(np.asarray([str(c) for c in clusters]), return_inverse=True)[1]
    return np.bincount(codes, weights=values).astype(np.float64)


def standard_error(values: Sequence[float] | Floats, clusters: Sequence[object] | None = None) -> tuple[float, int]:
    """Standard error of the mean and its degrees of freedom; with ``clusters``, of rows that share a source
    (Miller 2024, with G/(G-1)). ``(nan, 0)`` for fewer than two values or clusters."""
    x = _floats(values)
    n = x.size
    if clusters is None:
        return (float(x.std(ddof=1) / math.sqrt(n)), n - 1) if n > 1 else (math.nan, 0)
    sums = _cluster_sums(x - x.mean(), clusters) if n else x
    groups = sums.size
    if groups < 2:
        return math.nan, 0
    return math.sqrt(groups / (groups - 1) * float(np.sum(sums**2))) / n, groups - 1


def mean_interval(
    values: Sequence[float] | Floats, clusters: Sequence[object] | None = None, level: float = 0.95
) -> Estimate | None:
    """Mean with its t interval, clustered where ``clusters`` names the source of each value; ``None`` below two."""
    x = _floats(values)
    se, df = standard_error(x, clusters)
    if df < 1:
        return None
    mean, half = float(x.mean()), t_quantile((1.0 + level) / 2.0, df) * se
    return Estimate(mean, se, mean - half, mean + half, x.size, df)


def one_sided_bounds(estimate: Estimate, level: float = 0.95) -> tuple[float, float]:
    """Lower and upper one-sided bounds: each alone holds with probability ``level``."""
    half = t_quantile(level, estimate.df) * estimate.se
    return estimate.mean - half, estimate.mean + half


def wilson(successes: int, n: int, level: float = 0.95) -> tuple[float, float] | None:
    """Wilson's interval of a rate; ``None`` where nothing was counted."""
    if n == 0:
        return None
    z = NormalDist().inv_cdf((1.0 + level) / 2.0)
    rate, zz = successes / n, z * z
    centre = (rate + zz / (2 * n)) / (1 + zz / n)
    half = z / (1 + zz / n) * math.sqrt(rate * (1 - rate) / n + zz / (4 * n * n))
    return (0.0 if successes == 0 else centre - half, 1.0 if successes == n else centre + half)


def sign_flip(
    differences: Sequence[float] | Floats,
    clusters: Sequence[object] | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> tuple[float, str]:
    """Two-sided p of the sign-flip permutation test of a mean difference of 0, and the name of the test.

    All patterns are tried for up to 16 non-zero differences; else signs are drawn with ``seed`` and p is
    (1 + hits) / (resamples + 1). With ``clusters``, whole clusters are flipped.
    """
    d = _floats(differences)
    if clusters is not None and d.size:
        d = _cluster_sums(d, clusters)
    d = d[d != 0.0]
    if d.size == 0:
        return 1.0, "sign-flip exact"
    observed = abs(float(d.sum()))
    limit = observed - 1e-9 * max(1.0, float(np.abs(d).sum()))
    if d.size <= EXACT_UP_TO:
        patterns = (np.arange(1 << d.size)[:, None] >> np.arange(d.size)) & 1
        sums = np.abs((1.0 - 2.0 * patterns) @ d)
        return float(np.mean(sums >= limit)), "sign-flip exact"
    sizes, counts = np.unique(np.round(np.abs(d), 12), return_counts=True)
    if sizes.size > NORMAL_FROM:
        z = observed / math.sqrt(float(np.sum(d**2)))
        return 2.0 * NormalDist().cdf(-z), "sign-flip normal"
    return (1 + _hits(sizes, counts, limit, resamples, np.random.default_rng(seed))) / (resamples + 1), "sign-flip"


def _hits(sizes: Floats, counts: NDArray[np.int64], limit: float, resamples: int, rng: np.random.Generator) -> int:
    """How many drawn sign patterns give a sum at least as far from 0. Equal sizes are drawn together, as a binomial."""
    hits, total = 0, float(np.sum(sizes * counts))
    for start in range(0, resamples, step := max(1, _BLOCK // sizes.size)):
        rows = min(step, resamples - start)
        if sizes.size * 4 < counts.sum():
            flipped = rng.binomial(counts, 0.5, size=(rows, sizes.size)) @ sizes
        else:
            spread = np.repeat(sizes, counts)
            bits = rng.integers(0, 256, size=(rows, -(-spread.size // 8)), dtype=np.uint8)
            flipped = np.unpackbits(bits, axis=1, count=spread.size) @ spread
        hits += int(np.count_nonzero(np.abs(total - 2.0 * flipped) >= limit))
    return hits


def mcnemar(only_baseline: int, only_candidate: int) -> tuple[float, str]:
    """Two-sided p of McNemar's test on the pairs where only one side passed: exact, or chi-square with correction from
    1,000 such pairs."""
    n, fewer = only_baseline + only_candidate, min(only_baseline, only_candidate)
    if n == 0:
        return 1.0, "mcnemar exact"
    if n >= CHI_SQUARE_FROM:
        chi2 = max(0, abs(only_baseline - only_candidate) - 1) ** 2 / n
        return math.erfc(math.sqrt(chi2 / 2.0)), "mcnemar chi-square"
    tail = sum(math.comb(n, k) for k in range(fewer + 1))
    return min(1.0, 2 * tail / 2**n), "mcnemar exact"


def holm(pvalues: Sequence[float | None]) -> list[float | None]:
    """Holm's adjusted p-values in the given order; ``None`` stays ``None`` and is not counted."""
    order = sorted((p, i) for i, p in enumerate(pvalues) if p is not None)
    adjusted: list[float | None] = [None] * len(pvalues)
    highest = 0.0
    for rank, (p, i) in enumerate(order):
        highest = max(highest, min(1.0, p * (len(order) - rank)))
        adjusted[i] = highest
    return adjusted


def _power_z(alpha: float, power: float) -> float:
    return NormalDist().inv_cdf(1.0 - alpha / 2.0) + NormalDist().inv_cdf(power)


def smallest_difference(se: float, alpha: float = 0.05, power: float = 0.8) -> float:
    """The smallest true difference that a comparison with this standard error shows with probability ``power``."""
    return _power_z(alpha, power) * se


def rows_needed(sd: float, difference: float, alpha: float = 0.05, power: float = 0.8) -> int | None:
    """How many pairs it takes to see ``difference``, given the deviation ``sd`` of the differences; ``None`` for 0."""
    if difference == 0:
        return None
    return max(2, math.ceil((_power_z(alpha, power) * sd / difference) ** 2))


@dataclass(frozen=True, slots=True)
class Paired:
    """Candidate against baseline over shared cases. ``low, high`` is the two-sided interval of the mean difference,
    ``worst, best`` its one-sided bounds, ``below`` the one-sided p of "the candidate is not lower", which is under 0.05
    where ``best`` is under 0; all ``None`` below two pairs (or clusters)."""

    n: int
    delta: float | None
    low: float | None
    high: float | None
    worst: float | None
    best: float | None
    p: float | None
    test: str
    sd: float | None
    mde: float | None
    below: float | None = None


def not_lower(estimate: Estimate) -> float:
    """One-sided p of "the mean is 0 or more", by Student's t; where all values are one, by their signs."""
    if estimate.se == 0.0:
        by_sign = 0.5**estimate.n
        return by_sign if estimate.mean < 0 else 1.0 - by_sign if estimate.mean > 0 else 1.0
    half = t_two_sided(estimate.mean / estimate.se, estimate.df) / 2.0
    return half if estimate.mean < 0 else 1.0 - half


FEW_DIFFER: Final = 10  # pairs
FEW_CLUSTERS: Final = 6  # below, flipping whole clusters can never reach 0.05


def difference_interval(
    differences: Sequence[float] | Floats, clusters: Sequence[object] | None = None, level: float = 0.95
) -> Estimate | None:
    """``mean_interval`` of paired differences. Where fewer than ten pairs differ it has the degrees of freedom of those
    that do: all that is known of the spread comes from them, and with those of all pairs the interval of a change that
    touches few cases would hold the truth in 86 % instead of 95 % (``benchmarks/interval_coverage.py``)."""
    d = _floats(differences)
    estimate, differing = mean_interval(d, clusters, level), int(np.count_nonzero(d))
    if estimate is None or clusters is not None or not 0 < differing < FEW_DIFFER:
        return estimate
    df = max(1, min(estimate.df, differing - 1))
    half = t_quantile((1.0 + level) / 2.0, df) * estimate.se
    return Estimate(estimate.mean, estimate.se, estimate.mean - half, estimate.mean + half, estimate.n, df)


def paired(
    candidate: Sequence[float] | Floats,
    baseline: Sequence[float] | Floats,
    clusters: Sequence[object] | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> Paired:
    """Compares two sides case by case. Pass/fail scores (all 0 or 1) get McNemar's p, others the sign-flip p."""
    c, b = _floats(candidate), _floats(baseline)
    d = c - b
    estimate = difference_interval(d, clusters, level)
    if estimate is None:
        return Paired(d.size, float(d.mean()) if d.size else None, None, None, None, None, None, "", None, None)
    worst, best = one_sided_bounds(estimate, level)
    binary = bool(np.isin(c, (0.0, 1.0)).all() and np.isin(b, (0.0, 1.0)).all())
    if clusters is not None and estimate.df + 1 < FEW_CLUSTERS:
        p, test = (t_two_sided(estimate.mean / estimate.se, estimate.df) if estimate.se else 1.0), "clustered t"
    elif binary and clusters is None:
        p, test = mcnemar(int(np.sum(d < 0)), int(np.sum(d > 0)))
    else:
        p, test = sign_flip(d, clusters, seed=seed)
    return Paired(
        d.size,
        estimate.mean,
        estimate.low,
        estimate.high,
        worst,
        best,
        p,
        test,
        float(d.std(ddof=1)),
        smallest_difference(estimate.se),
        not_lower(estimate),
    )


@dataclass(frozen=True, slots=True)
class Unpaired:
    """The mean of one set of cases less that of another that shares no case with it, with interval and p (Welch's t)."""

    delta: float
    low: float
    high: float
    p: float


def unpaired(one: Sequence[float] | Floats, other: Sequence[float] | Floats, level: float = 0.95) -> Unpaired | None:
    """Welch's t: variances need not be equal. ``None`` below two cases a side, or where no case differs from another."""
    x, y = _floats(one), _floats(other)
    if min(x.size, y.size) < 2:
        return None
    parts = float(x.var(ddof=1)) / x.size, float(y.var(ddof=1)) / y.size
    se, delta = math.sqrt(sum(parts)), float(x.mean() - y.mean())
    if se == 0.0:
        return None if delta else Unpaired(0.0, 0.0, 0.0, 1.0)
    df = sum(parts) ** 2 / (parts[0] ** 2 / (x.size - 1) + parts[1] ** 2 / (y.size - 1))
    half = t_quantile((1.0 + level) / 2.0, df) * se
    return Unpaired(delta, delta - half, delta + half, t_two_sided(delta / se, df))


def drawn(few: Sequence[float] | Floats, others: Sequence[float] | Floats, seed: int = 0) -> float:
    """Two-sided p of the permutation test that a few scores were drawn from all: for when they are equal by chance, so that
    Welch's t takes their spread for 0. (1 + hits) / (draws + 1)."""
    x, y = _floats(few), _floats(others)
    everything = np.concatenate([x, y])
    middle, rng = float(everything.mean()), np.random.default_rng(seed)
    limit = abs(float(x.mean()) - middle) - 1e-9
    means = [float(rng.choice(everything, x.size, replace=False, shuffle=False).mean()) for _ in range(DRAWS)]
    return (1 + sum(abs(mean - middle) >= limit for mean in means)) / (DRAWS + 1)


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far a judge and a person agree beyond chance. ``kappa`` and its interval are ``None`` where either used one
    category only: it is undefined there."""

    n: int
    observed: float
    kappa: float | None
    se: float | None
    low: float | None
    high: float | None


def kappa(
    table: Sequence[Sequence[int]] | NDArray[np.int64],
    weights: Literal["none", "linear", "quadratic"] = "none",
    level: float = 0.95,
) -> Agreement | None:
    """Cohen's kappa of a square table of counts, with the asymptotic standard error (Fleiss, Cohen, Everitt 1969).

    ``linear`` and ``quadratic`` weigh a disagreement by its distance, for ordered categories. ``None`` for no counts.
    """
    counts = np.asarray(table, dtype=np.float64)
    n = int(counts.sum())
    if n == 0:
        return None
    p = counts / n
    row, col, size = p.sum(axis=1), p.sum(axis=0), p.shape[0]
    distance = np.abs(np.arange(size)[:, None] - np.arange(size)) / max(1, size - 1)
    w = {"none": 1.0 * (distance == 0), "linear": 1 - distance, "quadratic": 1 - distance**2}[weights]
    agreement, by_chance = float(np.sum(w * p)), float(np.sum(w * np.outer(row, col)))
    observed = float(np.trace(p))
    if min(np.count_nonzero(row), np.count_nonzero(col)) < 2 or by_chance >= 1.0 - 1e-12:
        return Agreement(n, observed, None, None, None, None)
    value = (agreement - by_chance) / (1 - by_chance)
    marginal = (w @ col)[:, None] + (row @ w)[None, :]
    spread = float(np.sum(p * (w - marginal * (1 - value)) ** 2)) - (value - by_chance * (1 - value)) ** 2
    se = math.sqrt(max(0.0, spread) / n) / (1 - by_chance)
    half = NormalDist().inv_cdf((1 + level) / 2) * se
    return Agreement(n, observed, value, se, value - half, value + half)
