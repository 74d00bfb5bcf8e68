"""Two experiments, case by case: what they differ in, a verdict per metric, and the cases that lost most."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ragtui.tui.widgets.passage import Passage

if TYPE_CHECKING:
    from ragtui.experiments.compare import Compared
    from ragtui.experiments.plan import PlannedMetric
    from ragtui.experiments.results import MetricComparison
    from ragtui.experiments.store import Entry
    from ragtui.tui.workbench import Workbench

LOST: Final = 3  # cases that are named per metric


def comparison(bench: Workbench, one: Entry, other: Entry) -> Passage:
    """The newer experiment against the older one, its baseline. Reads all scores of both: call it in a thread."""
    from ragtui.datasets.check import CannotOpen
    from ragtui.experiments.compare import CompareError, compare
    from ragtui.experiments.opened import open_side
    from ragtui.experiments.store import StoreError

    passage = _what_differs(one, other)
    try:
        found = compare(open_side(one.id, bench.workspace)[0], open_side(other.id, bench.workspace)[0])
    except (CompareError, StoreError, CannotOpen) as error:
        passage.heading("Not compared")
        passage.line((str(error), "warn"))
        return passage
    _verdicts(passage, found)
    _losses(passage, found)
    return passage


def _what_differs(one: Entry, other: Entry) -> Passage:
    from ragtui.experiments.plan_differences import plan_differences

    passage = Passage()
    for letter, entry in (("A", one), ("B", other)):
        passage.line(
            (f"{letter}  ", "title"), (f"{entry.id}  {entry.plan.dataset} · {entry.plan.candidate}", ""), hang=3
        )
    found = plan_differences(one.plan, other.plan, (one.id, other.id), targets=True)
    passage.heading("What differs", "" if found else "nothing: the same plan, run anew")
    for each in found:
        passage.line(("· ", "dim"), (each, ""), hang=2)
    return passage


def _verdicts(passage: Passage, found: Compared) -> None:
    from ragtui.experiments import wording

    passage.heading("B against A", "Δ = B - A, paired by case id; p by Holm over the metrics")
    for letter, ids in zip(found.letters, (found.only_in_a, found.only_in_b), strict=True):
        if ids:
            passage.line((f"{wording.count(len(ids), 'case')} only in {letter}", "warn"))
    means = [{each.metric: each for each in side} for side in (found.summaries_a, found.summaries_b)]
    for each in found.comparisons:
        metric = found.b.plan.metric(each.metric)
        sides = zip(found.letters, (wording.mean(side[each.metric], metric) for side in means), strict=True)
        passage.line((f"{each.metric}  ", "strong"), ("   ".join(f"{letter} {mean}" for letter, mean in sides), "dim"))
        said = wording.verdict(each, metric, found.letters[::-1]).removeprefix(f"{each.metric}: ")
        passage.line((said, _tone(each, metric)), indent=2, hang=2)


def _tone(each: MetricComparison, metric: PlannedMetric) -> str:
    from ragtui.experiments import wording

    if not wording.holds(each) or not each.delta:
        return ""
    return "good" if (each.delta > 0) == metric.higher_is_better else "bad"


def _losses(passage: Passage, found: Compared) -> None:
    import polars as pl

    from ragtui.experiments import wording

    for metric in found.metrics:
        delta = pl.col(f"{metric.spec} Δ")
        lost = found.rows.filter(delta < 0 if metric.higher_is_better else delta > 0)
        lost = lost.sort(delta, descending=not metric.higher_is_better, maintain_order=True)
        if not lost.height:
            continue
        passage.heading(f"Lost most by {metric.spec}", f"{lost.height:,} lost")
        for row in lost.head(LOST).iter_rows(named=True):
            before, after = (wording.score(row[f"{metric.spec} {letter}"], metric) for letter in found.letters)
            passage.line((f"{before} → {after}  ", "bad"), (f"{row['case_id']}  ", "cool"), (row["name"], ""), hang=2)
