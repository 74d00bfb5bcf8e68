"""Two experiments side by side as print."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from ragtui import text
from ragtui.experiments import wording
from ragtui.experiments.compare import Compared, Shown
from ragtui.experiments.plan import PlannedMetric
from ragtui.experiments.slices import SliceDifference

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

NAMED: Final = 10  # ids that are listed of cases only one side has


def print_comparisons(found: Sequence[Compared], shown: Sequence[Shown], console: Console, *, worst: int = 5) -> None:
    """Prints what is compared, then for each against the first what differs, the figures, the verdicts, and the cases that
    lost most."""
    for each in shown:
        plan = each.results.plan
        line = f"{each.letter}  {each.name}  {plan.dataset} · {each.target or plan.candidate} · judge {plan.judge}"
        console.print(text.cell(line, 400), soft_wrap=True)
    for one in found:
        if len(found) > 1:
            console.print(f"\n{one.letters[1]} against {one.letters[0]}", style="bold")
        _print_one(one, console, worst)
    if len(found) > 1:
        n = sum(len(one.comparisons) for one in found)
        console.print(f"\np (Holm) is over all {wording.count(n, 'comparison')} above", style="dim")


def _print_one(found: Compared, console: Console, worst: int) -> None:
    for difference in found.differences:
        console.print(f"   {text.cell(difference)}", style="yellow", soft_wrap=True)
    for letter, ids in zip(found.letters, (found.only_in_a, found.only_in_b), strict=True):
        if ids:
            more = f" and {len(ids) - NAMED} more" if len(ids) > NAMED else ""
            console.print(
                f"   only in {letter}: {text.cell(', '.join(ids[:NAMED]))}{more}", style="yellow", soft_wrap=True
            )
    console.print()
    console.print(_table(found))
    for each in found.comparisons:
        metric = found.b.plan.metric(each.metric)
        console.print(text.cell(wording.verdict(each, metric, found.letters[::-1])), soft_wrap=True)
    for metric in found.metrics:
        _print_losses(found, metric, worst, console)


def _table(found: Compared) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
    a, b = found.letters
    for name in ("metric", a, b, f"Δ = {b} - {a}", "95 %", "p (alone)", "p (Holm)"):
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
            wording.paired_interval(each, digits),
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
        before, after = (wording.score(row[f"{metric.spec} {letter}"], metric) for letter in found.letters)
        console.print(
            f"  {before} → {after}  {text.cell(row['case_id'], 60)}  {text.cell(row['name'], 100)}", soft_wrap=True
        )


def print_compared_slices(
    found: Sequence[Compared], sliced: Sequence[Sequence[SliceDifference]], console: Console
) -> None:
    """Prints one column's slices of every comparison: the difference in each with its n, and those that stand."""
    from rich import box
    from rich.table import Table

    for one, slices in zip(found, sliced, strict=True):
        a, b = one.letters
        console.print(f"\n{b} - {a} by {text.cell(slices[0].column if slices else '')}", style="bold")
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
        for name in ("metric", "slice", "pairs", "Δ", "95 %", "p (Holm)", ""):
            table.add_column(name, overflow="fold")
        last = ""
        for each in slices:
            digits = wording.digits_of(one.b.plan.metric(each.metric))
            said = f"{b} is worse" if each.worse else f"{b} is better" if each.better else ""
            cells = (each.metric if each.metric != last else "", each.value, str(each.n_pairs))
            figures = (wording.signed_number(each.delta, digits), wording.interval(each.ci95, digits, signed=True))
            table.add_row(*(text.cell(cell, 80) for cell in cells), *figures, wording.p_value(each.p_holm), said)
            last = each.metric
        console.print(table)
