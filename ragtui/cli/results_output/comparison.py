"""Two experiments side by side as print."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ragtui import text
from ragtui.experiments import wording
from ragtui.experiments.compare import Compared
from ragtui.experiments.plan import PlannedMetric

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

NAMED: Final = 10  # ids that are listed of cases only one side has


def print_comparison(found: Compared, console: Console, *, worst: int = 5) -> None:
    """Prints what differs, the figures, the verdicts, and the cases that lost most."""
    for letter, results in (("A", found.a), ("B", found.b)):
        plan = results.plan
        line = f"{letter}  {results.experiment}  {plan.dataset} · {plan.candidate} · judge {plan.judge}"
        console.print(text.cell(line, 400), soft_wrap=True)
    for difference in found.differences:
        console.print(f"   {text.cell(difference)}", style="yellow", soft_wrap=True)
    for letter, ids in (("A", found.only_in_a), ("B", found.only_in_b)):
        if ids:
            more = f" and {len(ids) - NAMED} more" if len(ids) > NAMED else ""
            console.print(
                f"   only in {letter}: {text.cell(', '.join(ids[:NAMED]))}{more}", style="yellow", soft_wrap=True
            )
    console.print()
    console.print(_table(found))
    for each in found.comparisons:
        metric = found.b.plan.metric(each.metric)
        said = wording.verdict(each, metric, ("B", "A"))
        console.print(text.cell(said), soft_wrap=True)
    for metric in found.metrics:
        _print_losses(found, metric, worst, console)


def _table(found: Compared) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
    for name in ("metric", "A", "B", "Δ = B - A", "95 %", "p (alone)", "p (Holm)"):
        table.add_column(name, overflow="fold")
    means_a = {each.metric: each for each in found.summaries_a}
    means_b = {each.metric: each for each in found.summaries_b}
    for each in found.comparisons:
        metric = found.b.plan.metric(each.metric)
        digits = wording.digits_of(metric)
        table.add_row(
            text.cell(each.metric),
            text.cell(wording.mean(means_a[each.metric], metric)),
            text.cell(wording.mean(means_b[each.metric], metric)),
            wording.signed_number(each.delta, digits),
            wording.interval(each.ci95, digits, signed=True),
            wording.p_value(each.p),
            wording.p_value(each.p_holm),
        )
    return table


def _print_losses(found: Compared, metric: PlannedMetric, worst: int, console: Console) -> None:
    """The cases that B lost most on, by one metric."""
    import polars as pl

    delta = pl.col(f"{metric.spec} Δ")
    lost = found.rows.filter(delta < 0 if metric.higher_is_better else delta > 0)
    lost = lost.sort(delta, descending=not metric.higher_is_better, maintain_order=True).head(worst)
    if not lost.height:
        return
    console.print(f"\nlost most by {text.cell(metric.spec)}", style="bold")
    for row in lost.iter_rows(named=True):
        before, after = (wording.score(row[f"{metric.spec} {letter}"], metric) for letter in "AB")
        console.print(
            f"  {before} → {after}  {text.cell(row['case_id'], 60)}  {text.cell(row['name'], 100)}", soft_wrap=True
        )
