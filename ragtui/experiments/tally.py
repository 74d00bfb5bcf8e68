"""Means, comparisons and rows from frames: what every overview, report and gate is computed by.

A frame of cells has one row a score: ``position``, ``side``, ``metric``, ``repeat``, ``state``, ``score``.
A frame of cases has ``position``, ``case_id``, ``name``. Nothing here knows where they come from.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
import polars as pl

from ragtui.experiments import statistics
from ragtui.experiments.cause import Cause
from ragtui.experiments.plan import PlannedMetric, Side
from ragtui.experiments.results import MetricComparison, MetricSummary
from ragtui.metrics.score import State

if TYPE_CHECKING:
    from numpy.typing import NDArray

STATES: Final = pl.Enum([state.value for state in State])
SIDES: Final = pl.Enum([side.value for side in Side])
_CELLS: Final[dict[str, pl.DataType]] = {
    "position": pl.UInt32(),
    "side": SIDES,
    "metric": pl.String(),
    "repeat": pl.UInt16(),
    "state": STATES,
    "score": pl.Float64(),
}
_NO_SPREAD: Final = 1e-12  # deviation of differences that are equal but for rounding
CELLS: Final = pl.Schema(_CELLS)


def folded(cells: pl.DataFrame, metric: PlannedMetric, side: Side, positions: pl.Series, rest: State) -> pl.DataFrame:
    """One row a case of ``positions``: ``position``, ``state``, ``score``, ``passed``, ``flips``, ``spread``.

    Repeats are averaged where scored; a case none of whose repeats was scored has the state of its first. Cases without
    a cell are in state ``rest`` (``pending``, or ``skipped`` once the run was stopped).
    """
    passes = _passes(metric)
    mine = cells.filter((pl.col("side") == side.value) & (pl.col("metric") == metric.spec))
    if mine.height and mine["repeat"].max() != 1:
        by_case = mine.sort("position", "repeat").group_by("position", maintain_order=True)
        mine = by_case.agg(
            pl.when(pl.col("score").is_not_null().any())
            .then(pl.lit(State.SCORED.value, STATES))
            .otherwise(pl.col("state").first())
            .first()
            .alias("state"),
            pl.col("score").mean(),
            (passes.n_unique() > 1).alias("flips") if metric.threshold is not None else pl.lit(False).alias("flips"),
            (pl.col("score").max() - pl.col("score").min()).alias("spread"),
        )
    else:
        mine = mine.with_columns(flips=pl.lit(False), spread=pl.lit(None, pl.Float64))
    return (
        pl.DataFrame({"position": positions})
        .join(mine.select("position", "state", "score", "flips", "spread"), on="position", how="left")
        .with_columns(
            pl.col("state").fill_null(pl.lit(rest.value, STATES)),
            pl.col("flips").fill_null(False),
            passes.alias("passed"),
        )
        .sort("position")
    )


def _passes(metric: PlannedMetric) -> pl.Expr:
    if metric.threshold is None:
        return pl.lit(None, pl.Boolean)
    return pl.col("score") >= metric.threshold if metric.higher_is_better else pl.col("score") <= metric.threshold


def summary(
    cases: pl.DataFrame, metric: PlannedMetric, side: Side, clusters: pl.Series | None = None, notes: Sequence[str] = ()
) -> MetricSummary:
    """One metric on one side, from ``folded`` cases; ``clusters`` names each case's source, in the same order."""
    scores = cases["score"].drop_nulls().to_numpy()
    counts = cases["state"].value_counts()
    states = {State(state): n for state, n in sorted(counts.iter_rows())}
    scored_clusters = None if clusters is None else clusters.filter(cases["score"].is_not_null()).to_list()
    passed = cases["passed"].drop_nulls()
    return MetricSummary(
        metric=metric.spec,
        side=side,
        mean=float(scores.mean()) if scores.size else None,
        strict_mean=_strict_mean(scores, sum(n for state, n in states.items() if state.is_error), metric.worst),
        ci95=interval_of(scores, metric.scale, scored_clusters),
        n_scored=scores.size,
        n_total=cases.height,
        states=states,
        pass_rate=float(passed.mean()) if len(passed) else None,  # type: ignore[arg-type]
        threshold=metric.threshold,
        histogram=histogram(scores, metric.scale),
        notes=tuple(notes),
        flips=int(cases["flips"].sum()),
    )


def interval_of(
    scores: NDArray[np.float64], scale: tuple[float | None, float | None], clusters: Sequence[object] | None = None
) -> tuple[float, float] | None:
    """The 95 % interval of a mean of scores, within their scale; ``None`` below two."""
    return _between(_interval(scores, clusters), *_reach(scores, scale))


def _interval(scores: NDArray[np.float64], clusters: Sequence[object] | None) -> tuple[float, float] | None:
    """The 95 % interval of a mean: t; Wilson's where every score is 0 or 1 and the mean so is a rate."""
    if clusters is None and scores.size > 1 and np.isin(scores, (0.0, 1.0)).all():
        return statistics.wilson(int(scores.sum()), scores.size)
    estimate = statistics.mean_interval(scores, clusters)
    return None if estimate is None else (estimate.low, estimate.high)


def _between(ends: tuple[float, float] | None, bottom: float | None, top: float | None) -> tuple[float, float] | None:
    """An interval as far as it lies between ``bottom`` and ``top``, either of which may be open."""
    if ends is None:
        return None
    low, high = ends
    return (low if bottom is None else max(low, bottom), high if top is None else min(high, top))


def _reach(scores: NDArray[np.float64], scale: tuple[float | None, float | None]) -> tuple[float | None, float | None]:
    """How far a mean can lie: the scale's ends, or the scores' where an imported file goes beyond them."""
    bottom, top = scale
    return (
        None if bottom is None or not scores.size else min(bottom, float(scores.min())),
        None if top is None or not scores.size else max(top, float(scores.max())),
    )


def _strict_mean(scores: NDArray[np.float64], errors: int, worst: float | None) -> float | None:
    if not errors:
        return float(scores.mean()) if scores.size else None
    if worst is None or not scores.size:
        return None
    return float((scores.sum() + worst * errors) / (scores.size + errors))


def histogram(scores: NDArray[np.float64], scale: tuple[float | None, float | None]) -> tuple[int, ...]:
    """Counts in equal bins over the scale: 5 for 1 to 5, else 10; over the scores' range where it is open."""
    if not scores.size:
        return ()
    low = float(scores.min()) if scale[0] is None else min(scale[0], float(scores.min()))
    high = float(scores.max()) if scale[1] is None else max(scale[1], float(scores.max()))
    bins = 5 if scale == (1.0, 5.0) else 10
    if high <= low:
        return (scores.size,)
    return tuple(int(n) for n in np.histogram(scores, bins=bins, range=(low, high))[0])


def comparison(
    candidate: pl.DataFrame, baseline: pl.DataFrame, metric: PlannedMetric, seed: int = 0, clusters: str | None = None
) -> MetricComparison:
    """Two sides' ``folded`` cases, paired by position. ``p_holm`` is filled by ``adjusted`` over the whole group.

    With ``clusters``, that column of the frames names each case's source. Where no pair differs, or all by as much,
    nothing is known of the spread: an interval without width would claim to know the difference exactly, so there is none.
    """
    pairs = candidate.join(baseline.select("position", pl.col("score").alias("other")), on="position", how="full")
    both = pairs.filter(pl.col("score").is_not_null() & pl.col("other").is_not_null())
    new = pairs.filter(pl.col("score").is_not_null() & pl.col("other").is_null()).height
    missing = pairs.filter(pl.col("score").is_null() & pl.col("other").is_not_null()).height
    sources = both[clusters].to_list() if clusters and clusters in both.columns else None
    found = statistics.paired(both["score"].to_numpy(), both["other"].to_numpy(), sources, seed=seed)
    gain = (both["score"] - both["other"]).to_numpy() * (1 if metric.higher_is_better else -1)
    worst, best = found.worst, found.best
    bottom, top = _reach(np.concatenate([both["score"].to_numpy(), both["other"].to_numpy()]), metric.scale)
    ends = None if found.low is None or found.high is None else (found.low, found.high)
    width = None if bottom is None or top is None else top - bottom
    if not metric.higher_is_better and worst is not None and best is not None:
        worst, best = -best, -worst
    alike = found.sd is not None and found.sd < _NO_SPREAD
    p_worse = found.below
    if not metric.higher_is_better and p_worse is not None:
        p_worse = 1.0 if found.delta == 0 else 1.0 - p_worse
    return MetricComparison(
        metric=metric.spec,
        delta=found.delta,
        ci95=None if alike else _between(ends, None if width is None else -width, width),
        p=found.p,
        p_holm=None,
        test=found.test,
        n_pairs=found.n,
        wins=int((gain > 0).sum()),
        ties=int((gain == 0).sum()),
        losses=int((gain < 0).sum()),
        new=new,
        missing=missing,
        mde=None if alike else found.mde,
        worst=worst,
        best=best,
        sd=found.sd,
        p_worse=p_worse,
        sources=None if sources is None else len(set(sources)),
    )


def adjusted(comparisons: Sequence[MetricComparison]) -> list[MetricComparison]:
    """The comparisons with Holm's p over all of them."""
    from dataclasses import replace

    corrected = statistics.holm([each.p for each in comparisons])
    return [replace(each, p_holm=p) for each, p in zip(comparisons, corrected, strict=True)]


def rows(
    cases: pl.DataFrame,
    metrics: Mapping[str, pl.DataFrame],
    baseline: Mapping[str, pl.DataFrame] | None = None,
) -> pl.DataFrame:
    """One row a case with ``NAME``, ``NAME state``, ``NAME passed`` and, with a baseline, ``NAME Δ`` per metric."""
    out = cases
    for name, scored in metrics.items():
        columns = scored.select(
            "position",
            pl.col("score").alias(name),
            pl.col("state").alias(f"{name} state"),
            pl.col("passed").alias(f"{name} passed"),
        )
        out = out.join(columns, on="position", how="left", maintain_order="left")
        if baseline is not None:
            other = baseline[name].select("position", pl.col("score").alias("_other"))
            out = (
                out.join(other, on="position", how="left", maintain_order="left")
                .with_columns((pl.col(name) - pl.col("_other")).alias(f"{name} Δ"))
                .drop("_other")
            )
    return out


def causes(rows: pl.DataFrame, metrics: Sequence[PlannedMetric]) -> dict[str, int]:
    """How many rows fail for which cause, the most frequent first. A row fails where a metric with a threshold says so:
    a right refusal does not, whatever it scored; a row that a person labelled is that label's."""
    failing = [~pl.col(f"{each.spec} passed") for each in metrics if f"{each.spec} passed" in rows.columns]
    if not failing:
        return {}
    told = rows.filter(
        pl.any_horizontal(failing), pl.col("label").is_null(), pl.col("cause") != Cause.RIGHT_REFUSAL.value
    )
    return dict(Counter(told["cause"].to_list()).most_common())


def worst_first(rows: pl.DataFrame, metric: PlannedMetric) -> pl.DataFrame:
    """The rows that ``metric`` scored, worst first; equal scores keep the dataset's order."""
    scored = rows.filter(pl.col(metric.spec).is_not_null())
    return scored.sort(metric.spec, descending=not metric.higher_is_better, maintain_order=True)
