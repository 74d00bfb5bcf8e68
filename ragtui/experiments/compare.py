"""Compares two experiments case by case: what differs between them is named, and only what both have is compared."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from ragtui.experiments import tally
from ragtui.experiments.plan import PlannedMetric, Side
from ragtui.experiments.results import MetricComparison, MetricSummary, Results


class CompareError(ValueError):
    """Two experiments must not be compared; the message is one line with the remedy."""


@dataclass(frozen=True)
class Compared:
    """B against A, on the candidate side of both. ``differences`` are one line each; ``rows`` has a row a case of either:
    ``case_id``, ``name``, and per metric ``NAME A``, ``NAME B``, ``NAME Δ``."""

    a: Results
    b: Results
    metrics: tuple[PlannedMetric, ...]
    summaries_a: tuple[MetricSummary, ...]
    summaries_b: tuple[MetricSummary, ...]
    comparisons: tuple[MetricComparison, ...]
    only_in_a: tuple[str, ...]
    only_in_b: tuple[str, ...]
    differences: tuple[str, ...]
    rows: pl.DataFrame


def compare(a: Results, b: Results, mixed: bool = False) -> Compared:
    """Compares B with A, which is the baseline: differences are B minus A, paired by case id.

    Raises:
        CompareError: they share no metric or no case, or (without ``mixed``) their judges, or a metric's scales, differ.
    """
    metrics = tuple(each for each in b.plan.metrics if each.spec in a.metrics)
    if not metrics:
        raise CompareError(f"no metric in common: {', '.join(a.metrics)} and {', '.join(b.metrics)}")
    _refuse_mixed(a, b, metrics, mixed)
    rows_a, rows_b = a.rows(Side.CANDIDATE), b.rows(Side.CANDIDATE)
    ids = pl.concat([rows_a.select("case_id", "name"), rows_b.select("case_id", "name")]).unique(
        "case_id", keep="first", maintain_order=True
    )
    places = ids.with_row_index("position")
    ids_a, ids_b = set(rows_a["case_id"]), set(rows_b["case_id"])
    if not ids_a & ids_b:
        raise CompareError(f"no case in common between {a.experiment} and {b.experiment}: pairing is by case id")
    comparisons = [_one(each, rows_a, rows_b, places, b.plan.seed) for each in metrics]
    own = {each.spec for each in metrics}
    return Compared(
        a=a,
        b=b,
        metrics=metrics,
        summaries_a=tuple(each for each in a.summaries() if each.side is Side.CANDIDATE and each.metric in own),
        summaries_b=tuple(each for each in b.summaries() if each.side is Side.CANDIDATE and each.metric in own),
        comparisons=tuple(tally.adjusted(comparisons)),
        only_in_a=tuple(each for each in rows_a["case_id"] if each not in ids_b),
        only_in_b=tuple(each for each in rows_b["case_id"] if each not in ids_a),
        differences=tuple(_differences(a, b)),
        rows=_rows(metrics, rows_a, rows_b, ids),
    )


def _refuse_mixed(a: Results, b: Results, metrics: tuple[PlannedMetric, ...], mixed: bool) -> None:
    for metric in metrics:
        other = a.plan.metric(metric.spec)
        if (other.scale, other.higher_is_better) != (metric.scale, metric.higher_is_better):
            raise CompareError(f"{metric.spec} has another scale or direction in {a.experiment} than in {b.experiment}")
    if mixed or not any(each.question for each in metrics):
        return
    judges = [each.plan.judged_by for each in (a, b)]
    if judges[0] != judges[1]:
        raise CompareError(
            f"judged by {judges[0]} and by {judges[1]}: their scores are not comparable; --mixed compares them anyway"
        )


def _one(
    metric: PlannedMetric, rows_a: pl.DataFrame, rows_b: pl.DataFrame, places: pl.DataFrame, seed: int
) -> MetricComparison:
    sides = [
        rows.join(places.select("case_id", "position"), on="case_id").select(
            "position", pl.col(metric.spec).alias("score"), pl.col(f"{metric.spec} state").alias("state")
        )
        for rows in (rows_b, rows_a)
    ]
    return tally.comparison(sides[0], sides[1], metric, seed)


def _rows(
    metrics: tuple[PlannedMetric, ...], rows_a: pl.DataFrame, rows_b: pl.DataFrame, ids: pl.DataFrame
) -> pl.DataFrame:
    out = ids
    for metric in metrics:
        spec = metric.spec
        for rows, letter in ((rows_a, "A"), (rows_b, "B")):
            mine = rows.select("case_id", pl.col(spec).alias(f"{spec} {letter}"))
            out = out.join(mine, on="case_id", how="left", maintain_order="left")
        out = out.with_columns((pl.col(f"{spec} B") - pl.col(f"{spec} A")).alias(f"{spec} Δ"))
    return out


def _judge_versions(a: Results, b: Results) -> tuple[str, str]:
    """The versions of the judges, which differ only where both were asked something."""
    if not all(any(each.question for each in one.plan.metrics) for one in (a, b)):
        return "", ""
    return a.plan.judge_version or "unknown", b.plan.judge_version or "unknown"


def _differences(a: Results, b: Results) -> list[str]:
    """What is not the same in the two plans, one line each."""
    found = []
    for name, one, two in (
        ("dataset", a.plan.dataset, b.plan.dataset),
        ("the dataset's content", a.plan.fingerprint, b.plan.fingerprint),
        ("judge", a.plan.judge_model or a.plan.judge, b.plan.judge_model or b.plan.judge),
        ("the judge's version", *_judge_versions(a, b)),
        ("strategy", a.plan.strategy, b.plan.strategy),
        ("repeats", a.plan.repeats, b.plan.repeats),
        ("average", a.plan.average, b.plan.average),
        ("split", a.plan.split, b.plan.split),
    ):
        if one != two:
            found.append(f"{name} differs: {one} and {two}")
    for metric in b.plan.metrics:
        other = next((each for each in a.plan.metrics if each.spec == metric.spec), None)
        if other is None:
            found.append(f"{metric.spec} is only in {b.experiment}")
        elif other.version != metric.version:
            found.append(f"{metric.spec} has version {other.version} and {metric.version}")
        elif other.threshold != metric.threshold:
            found.append(f"{metric.spec} has the threshold {other.threshold} and {metric.threshold}")
    found += [f"{each} is only in {a.experiment}" for each in a.metrics if each not in b.metrics]
    return found
