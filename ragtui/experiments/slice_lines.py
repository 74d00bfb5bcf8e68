"""Slices as words: the same in print, in reports and in the app; none of it is made safe to show yet."""

from __future__ import annotations

from collections.abc import Sequence

from ragtui.experiments import wording
from ragtui.experiments.plan import PlannedMetric
from ragtui.experiments.results import Results
from ragtui.experiments.slices import Slice


def headings(found: Sequence[Slice]) -> list[str]:
    """``metric``, ``slice`` and what stands behind them; with the difference to the baseline where there is one."""
    return ["metric", "slice", "mean (n of N)", "95 %", "to the rest", *(["Δ to baseline"] if _paired(found) else [])]


def lines(found: Sequence[Slice], results: Results) -> list[list[str]]:
    """A line a slice and metric; the metric's name stands in the first of its lines."""
    out, last = [], ""
    for each in found:
        name = each.metric if each.metric != last else ""
        out.append(_cells(each, results.plan.metric(each.metric), _paired(found), name))
        last = each.metric
    return out


def said(found: Sequence[Slice], results: Results) -> list[str]:
    """The slices that are worse than the rest, a line each, or that none is shown to be."""
    worse = [wording.worse_slice(each, results.plan.metric(each.metric)) for each in found if each.worse]
    return worse or ["no slice is shown to be worse than the rest"]


def _paired(found: Sequence[Slice]) -> bool:
    return any(each.n_pairs for each in found)


def _cells(each: Slice, metric: PlannedMetric, paired: bool, name: str) -> list[str]:
    digits = wording.digits_of(metric)
    mean = (
        f"{wording.number(each.mean, digits, metric.threshold)}{wording.unit(metric) if each.mean is not None else ''}"
    )
    rest = wording.NONE
    if each.against_rest is not None:
        rest = f"{wording.signed_number(each.against_rest, digits)} {wording.interval(each.rest_ci95, digits, signed=True)}"
    cells = [name, each.value, f"{mean} ({each.n_scored}/{each.n_total})", wording.spread(each.ci95, digits), rest]
    if paired:
        delta = f"{wording.signed_number(each.delta, digits)} {wording.interval(each.delta_ci95, digits, signed=True)}"
        cells.append(f"{delta} ({wording.count(each.n_pairs, 'pair')})" if each.n_pairs else wording.NONE)
    return cells
