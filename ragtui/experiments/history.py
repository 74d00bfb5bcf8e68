"""A metric over the experiments of a workspace, as it went."""

from __future__ import annotations

from dataclasses import dataclass

from ragtui.experiments.plan import Plan, Side
from ragtui.experiments.store import Entry, Store, StoreError


@dataclass(frozen=True, slots=True)
class Point:
    """One experiment's mean by the metric; ``ci95`` is null below two scored cases. ``breaks`` says what makes it another
    thing than the point before: other data, another judge, another version."""

    entry: Entry
    mean: float | None
    ci95: tuple[float, float] | None
    n_scored: int
    n_total: int
    breaks: tuple[str, ...]


def history(store: Store, metric: str, dataset: str) -> tuple[Point, ...]:
    """The candidate's mean by ``metric`` in every experiment on the dataset of that name, the first begun first.

    Raises:
        StoreError: none has that metric.
    """
    entries = [each for each in store.list() if each.plan.dataset == dataset and metric in _specs(each.plan)]
    if not entries:
        raise StoreError(f"no experiment on {dataset} has the metric {metric}")
    found: list[Point] = []
    for entry in sorted(entries, key=lambda each: each.created):
        results = store.results(entry.id)
        summary = next(each for each in results.summaries() if each.metric == metric and each.side is Side.CANDIDATE)
        before = found[-1].entry.plan if found else None
        breaks = () if before is None else tuple(_breaks(before, entry.plan, metric))
        found.append(Point(entry, summary.mean, summary.ci95, summary.n_scored, summary.n_total, breaks))
    return tuple(found)


def _specs(plan: Plan) -> list[str]:
    return [each.spec for each in plan.metrics]


def _breaks(before: Plan, after: Plan, metric: str) -> list[str]:
    one, other = before.metric(metric), after.metric(metric)
    found = []
    if before.fingerprint != after.fingerprint or before.limit != after.limit:
        found.append("other data")
    if one.question is not None and before.judged_by != after.judged_by:
        found.append(f"judge {after.judge}")
    if one.version != other.version:
        found.append(f"version {other.version}")
    return found
