"""Slices: the figures of an experiment per value of a column, each against the rest, and which of them are worse."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np
import polars as pl

from ragtui.experiments import statistics, tally
from ragtui.experiments.grouping import GroupError, grouped
from ragtui.experiments.plan import PlannedMetric, Side

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ragtui.experiments.compare import Compared
    from ragtui.experiments.results import Results

MOST: Final = 50  # values of a column
NONE: Final = "(none)"
FEWEST: Final = 5  # scored cases of a slice, and of the rest, from which it is held against the rest
ALPHA: Final = 0.05
_MANY: Final = 50  # equal scores that are not so by chance


@dataclass(frozen=True, slots=True)
class Slice:
    """One value of a column by one metric. ``n_scored`` of ``n_total`` cases; ``ci95`` is null below two.

    ``against_rest`` is the slice's mean less that of all other cases, with its interval and p (Welch's t, a permutation
    test where a few scores are all equal; over all slices and metrics by Holm); null where either side has fewer than five
    scored cases. ``delta`` is candidate less baseline within the slice, over ``n_pairs``.
    """

    column: str
    value: str
    metric: str
    n_scored: int
    n_total: int
    mean: float | None
    ci95: tuple[float, float] | None
    against_rest: float | None
    rest_ci95: tuple[float, float] | None
    p: float | None
    p_holm: float | None
    worse: bool
    delta: float | None
    delta_ci95: tuple[float, float] | None
    n_pairs: int


def sliceable(results: Results) -> dict[str, int]:
    """The columns that slices can be made by, with how many values each has, the fewest first."""
    fields = results.fields().drop("case_id")
    counts = {name: fields[name].fill_null(NONE).n_unique() for name in fields.columns}
    fit = {name: n for name, n in counts.items() if 1 < n <= MOST and n < fields.height}
    return dict(sorted(fit.items(), key=lambda each: each[1]))


def slices(results: Results, column: str, side: Side = Side.CANDIDATE) -> tuple[Slice, ...]:
    """Every slice by every metric: metric by metric in the group's order, the largest slices first; a slice is ``worse``
    where its difference to the rest stands after correction.

    Raises:
        GroupError: no such column, or it has more values than can be looked at.
    """
    groups = grouped(results, column).with_columns(pl.col("group").fill_null(NONE))
    counts = groups["group"].value_counts().sort("count", "group", descending=[True, False])
    if counts.height > MOST:
        raise GroupError(f"column {column!r} has {counts.height} values; slices are for columns of at most {MOST}")
    rows = results.rows(side).join(groups, on="case_id", how="left", maintain_order="left")
    found = [_slice(rows, column, value, metric) for metric in results.plan.metrics for value in counts["group"]]
    corrected = statistics.holm([each.p for each in found])
    return tuple(_marked(each, p, results.plan.metric(each.metric)) for each, p in zip(found, corrected, strict=True))


def _marked(each: Slice, p: float | None, metric: PlannedMetric) -> Slice:
    low = (
        each.against_rest is not None and (each.against_rest < 0) == metric.higher_is_better and each.against_rest != 0
    )
    return replace(each, p_holm=p, worse=low and p is not None and p < ALPHA)


def _slice(rows: pl.DataFrame, column: str, value: str, metric: PlannedMetric) -> Slice:
    inside = rows.filter(pl.col("group") == value)
    mine = inside[metric.spec].drop_nulls().to_numpy()
    rest = rows.filter(pl.col("group") != value)[metric.spec].drop_nulls().to_numpy()
    enough = min(mine.size, rest.size) >= FEWEST
    against = statistics.unpaired(mine, rest) if enough else None
    differences = inside[f"{metric.spec} Δ"].drop_nulls().to_numpy() if f"{metric.spec} Δ" in rows.columns else mine[:0]
    paired = statistics.difference_interval(differences)
    return Slice(
        column=column,
        value=value,
        metric=metric.spec,
        n_scored=mine.size,
        n_total=inside.height,
        mean=float(mine.mean()) if mine.size else None,
        ci95=tally.interval_of(mine, metric.scale),
        against_rest=None if against is None else against.delta,
        rest_ci95=None if against is None else (against.low, against.high),
        p=None if against is None else _p(mine, rest, against.p),
        p_holm=None,
        worse=False,
        delta=float(differences.mean()) if differences.size else None,
        delta_ci95=None if paired is None or paired.se == 0.0 else _within(paired.low, paired.high, metric),
        n_pairs=differences.size,
    )


def _p(mine: NDArray[np.float64], rest: NDArray[np.float64], welch: float) -> float:
    """Welch's p, but where a few scores are all equal."""
    few, others = (mine, rest) if mine.size <= rest.size else (rest, mine)
    return statistics.drawn(few, others) if few.size < _MANY and np.ptp(few) == 0 and np.ptp(others) > 0 else welch


def _within(low: float, high: float, metric: PlannedMetric) -> tuple[float, float]:
    """An interval of a difference as far as the metric's scale lets one lie."""
    bottom, top = metric.scale
    width = float("inf") if bottom is None or top is None else top - bottom
    return max(low, -width), min(high, width)


@dataclass(frozen=True, slots=True)
class SliceDifference:
    """B less A within one value of a column, over ``n_pairs`` cases that both scored; ``p_holm`` over all slices and
    metrics of the comparison. ``worse`` and ``better`` where the difference stands after correction."""

    column: str
    value: str
    metric: str
    n_pairs: int
    delta: float | None
    ci95: tuple[float, float] | None
    p: float | None
    p_holm: float | None
    worse: bool = False
    better: bool = False


def compared_slices(found: Compared, column: str) -> tuple[SliceDifference, ...]:
    """The difference of a comparison in every slice, by every metric.

    Raises:
        GroupError: no such column, or it has more values than can be looked at.
    """
    groups = grouped(found.b, column).with_columns(pl.col("group").fill_null(NONE))
    rows = found.rows.join(groups, on="case_id", how="inner", maintain_order="left")
    counts = rows["group"].value_counts().sort("count", "group", descending=[True, False])
    if counts.height > MOST:
        raise GroupError(f"column {column!r} has {counts.height} values; slices are for columns of at most {MOST}")
    all_ = [_slice_difference(found, rows, column, value, each) for each in found.metrics for value in counts["group"]]
    corrected = statistics.holm([each.p for each in all_])
    return tuple(_told(each, p, found.b.plan.metric(each.metric)) for each, p in zip(all_, corrected, strict=True))


def _slice_difference(
    found: Compared, rows: pl.DataFrame, column: str, value: str, metric: PlannedMetric
) -> SliceDifference:
    names = [f"{metric.spec} {letter}" for letter in found.letters]
    both = rows.filter((pl.col("group") == value) & pl.all_horizontal(pl.col(names).is_not_null()))
    one = statistics.paired(both[names[1]].to_numpy(), both[names[0]].to_numpy(), seed=found.b.plan.seed)
    ends = None if one.low is None or one.high is None or not one.sd else (one.low, one.high)
    p = one.p if one.n >= FEWEST else None
    return SliceDifference(column, value, metric.spec, one.n, one.delta, ends, p, None)


def _told(each: SliceDifference, p: float | None, metric: PlannedMetric) -> SliceDifference:
    stands = p is not None and p < ALPHA and each.delta is not None
    up = stands and (each.delta or 0.0) > 0
    gain = up == metric.higher_is_better
    return replace(each, p_holm=p, worse=stands and not gain, better=stands and gain)
