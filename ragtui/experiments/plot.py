"""A plot in text: a line an experiment, its mean as a point on the metric's scale, its interval as a bar through it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ragtui.experiments import wording
from ragtui.experiments.history import Point
from ragtui.experiments.plan import PlannedMetric

NARROWEST: Final = 20  # cells of the plot itself


def lines(points: Sequence[Point], metric: str, width: int) -> list[str]:
    """The plot with its axis, ``width`` cells wide: newest at the bottom. A line above a point says what changed since the
    one before, so that nobody reads a step as progress that another judge made."""
    known = points[-1].entry.plan.metric(metric)
    low, high = ends(points, known)
    left = [f"{each.entry.id[:6]} {each.entry.created[:10]}" for each in points]
    right = [_right(each, known) for each in points]
    margin, rest = max(map(len, left)) + 2, max(map(len, right)) + 2
    inner = max(NARROWEST, width - margin - rest)
    out = [f"{metric} on {points[-1].entry.plan.dataset}"]
    for each, before, after in zip(points, left, right, strict=True):
        if each.breaks:
            out.append(" " * margin + f"┄ {', '.join(each.breaks)}")
        out.append(f"{before:<{margin}}{drawn(each, low, high, inner, known.threshold)}  {after}")
    ticks = wording.number(low, 2), wording.number(high, 2)
    return [*out, " " * margin + ticks[0] + ticks[1].rjust(inner - len(ticks[0]))]


def ends(points: Sequence[Point], metric: PlannedMetric) -> tuple[float, float]:
    """Where the axis begins and ends: the metric's scale, or what the points span where that is open."""
    values = [value for each in points for value in (each.mean, *(each.ci95 or ())) if value is not None]
    low = metric.scale[0] if metric.scale[0] is not None else min(values, default=0.0)
    high = metric.scale[1] if metric.scale[1] is not None else max(values, default=1.0)
    return (low, high) if high > low else (low, low + 1.0)


def drawn(point: Point, low: float, high: float, width: int, threshold: float | None) -> str:
    """One line of the plot: ``··├──●──┤···│····`` with the threshold as a line."""
    cells = ["·"] * width

    def place(value: float) -> int:
        return min(width - 1, max(0, round((value - low) / (high - low) * (width - 1))))

    if threshold is not None and low <= threshold <= high:
        cells[place(threshold)] = "│"
    if point.ci95 is not None:
        start, end = map(place, point.ci95)
        cells[start : end + 1] = ["─"] * (end + 1 - start)
        cells[start], cells[end] = "├", "┤"
    if point.mean is not None:
        cells[place(point.mean)] = "●"
    return "".join(cells)


def _right(point: Point, metric: PlannedMetric) -> str:
    mean = wording.number(point.mean, wording.digits_of(metric), metric.threshold)
    return f"{mean} ({point.n_scored}/{point.n_total}) {point.entry.plan.candidate[:28]}"
