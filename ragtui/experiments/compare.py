"""Compares two experiments case by case: what differs between them is named, and only what both have is compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count, product
from string import ascii_uppercase

import polars as pl
import polars.selectors as cs

from ragtui.experiments import tally
from ragtui.experiments.grouping import sources
from ragtui.experiments.plan import PlannedMetric, Side
from ragtui.experiments.plan_differences import plan_differences
from ragtui.experiments.results import MetricComparison, MetricSummary, Results


class CompareError(ValueError):
    """Two experiments must not be compared; the message is one line with the remedy."""


@dataclass(frozen=True)
class Shown:
    """One side of an experiment as it is compared; ``letter`` is what it is called."""

    results: Results
    side: Side = Side.CANDIDATE
    letter: str = "A"

    @property
    def target(self) -> str:
        """Who answered on this side."""
        return dict(self.results.plan.sides).get(self.side, "")

    @property
    def name(self) -> str:
        return self.results.experiment + ("" if self.side is Side.CANDIDATE else f":{self.side}")


@dataclass(frozen=True)
class Compared:
    """B against A, the baseline. ``letters`` is what each is called, A first. ``differences`` are one line each; ``rows``
    has a row a case of either: ``case_id``, ``name``, and per metric ``NAME A``, ``NAME B``, ``NAME Δ``."""

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
    letters: tuple[str, str] = ("A", "B")


def letters() -> Iterator[str]:
    """``A`` to ``Z``, ``AA``, ``AB``, …: what the sides of a comparison are called."""
    for length in count(1):
        yield from map("".join, product(ascii_uppercase, repeat=length))


def compare_all(shown: Sequence[Shown], mixed: bool = False) -> tuple[Compared, ...]:
    """Compares each of two or more sides with the first, which is the baseline; Holm's p is over everything that is
    compared.

    Raises:
        CompareError: as ``compare``; or there are fewer than two.
    """
    if len(shown) < 2:
        raise CompareError("name two experiments or more, the baseline first")
    found = [_compare(shown[0], each, mixed) for each in shown[1:]]
    corrected = iter(tally.adjusted([each for one in found for each in one.comparisons]))
    return tuple(replace(one, comparisons=tuple(next(corrected) for _ in one.comparisons)) for one in found)


def compare(a: Results, b: Results, mixed: bool = False) -> Compared:
    """Compares the candidate of B with that of A, which is the baseline: differences are B minus A, paired by case id.

    Raises:
        CompareError: they share no metric or no case, or (without ``mixed``) their judges, or a metric's scales, differ.
    """
    return compare_all([Shown(a), Shown(b, letter="B")], mixed)[0]


def _compare(one: Shown, other: Shown, mixed: bool) -> Compared:
    a, b = one.results, other.results
    metrics = tuple(each for each in b.plan.metrics if each.spec in a.metrics)
    if not metrics:
        raise CompareError(f"no metric in common: {', '.join(a.metrics)} and {', '.join(b.metrics)}")
    _refuse_mixed(a, b, metrics, mixed)
    rows_a, rows_b = a.rows(one.side), b.rows(other.side)
    ids = pl.concat([rows_a.select("case_id", "name"), rows_b.select("case_id", "name")]).unique(
        "case_id", keep="first", maintain_order=True
    )
    places = ids.with_row_index("position")
    if b.cluster is not None:
        places = places.join(sources(b, b.cluster), on="case_id", how="left", maintain_order="left")
    ids_a, ids_b = set(rows_a["case_id"]), set(rows_b["case_id"])
    if not ids_a & ids_b:
        raise CompareError(f"no case in common between {one.name} and {other.name}: pairing is by case id")
    comparisons = [_one(each, rows_a, rows_b, places, b.plan.seed) for each in metrics]
    own = {each.spec for each in metrics}
    return Compared(
        a=a,
        b=b,
        metrics=metrics,
        summaries_a=tuple(each for each in a.summaries() if each.side is one.side and each.metric in own),
        summaries_b=tuple(each for each in b.summaries() if each.side is other.side and each.metric in own),
        comparisons=tuple(comparisons),
        only_in_a=tuple(each for each in rows_a["case_id"] if each not in ids_b),
        only_in_b=tuple(each for each in rows_b["case_id"] if each not in ids_a),
        differences=tuple(plan_differences(a.plan, b.plan, (a.experiment, b.experiment))),
        rows=_rows(metrics, rows_a, rows_b, ids, (one.letter, other.letter)),
        letters=(one.letter, other.letter),
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
        rows.join(places.drop("name"), on="case_id").select(
            "position",
            cs.by_name("source", require_all=False),
            pl.col(metric.spec).alias("score"),
            pl.col(f"{metric.spec} state").alias("state"),
        )
        for rows in (rows_b, rows_a)
    ]
    return tally.comparison(sides[0], sides[1], metric, seed, "source")


def _rows(
    metrics: tuple[PlannedMetric, ...],
    rows_a: pl.DataFrame,
    rows_b: pl.DataFrame,
    ids: pl.DataFrame,
    letters: tuple[str, str],
) -> pl.DataFrame:
    out, (a, b) = ids, letters
    for metric in metrics:
        spec = metric.spec
        for rows, letter in ((rows_a, a), (rows_b, b)):
            mine = rows.select("case_id", pl.col(spec).alias(f"{spec} {letter}"))
            out = out.join(mine, on="case_id", how="left", maintain_order="left")
        out = out.with_columns((pl.col(f"{spec} {b}") - pl.col(f"{spec} {a}")).alias(f"{spec} Δ"))
    return out
