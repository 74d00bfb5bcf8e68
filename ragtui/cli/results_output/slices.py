"""Slices as print: a table per column, then the slices that are worse than the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragtui import text
from ragtui.experiments import wording
from ragtui.experiments.plan import PlannedMetric
from ragtui.experiments.results import Results
from ragtui.experiments.slices import Slice, slices

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


def print_slices(results: Results, console: Console) -> None:
    """Prints every column that ``results`` is sliced by.

    Raises:
        GroupError: there is no such column, or it has too many values.
    """
    for column in results.slicing:
        found = slices(results, column)
        console.print(f"\nby {text.cell(column)}", style="bold")
        console.print(_table(found, results))
        worse = [each for each in found if each.worse]
        for each in worse:
            console.print(
                text.cell(wording.worse_slice(each, results.plan.metric(each.metric))), style="yellow", soft_wrap=True
            )
        if not worse:
            console.print("no slice is shown to be worse than the rest", style="dim")


def _table(found: tuple[Slice, ...], results: Results) -> Table:
    from rich import box
    from rich.table import Table

    paired = any(each.n_pairs for each in found)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
    for name in ("metric", "slice", "mean (n of N)", "95 %", "to the rest", *(["Δ to baseline"] if paired else [])):
        table.add_column(name, overflow="fold")
    last = ""
    for each in found:
        metric = results.plan.metric(each.metric)
        table.add_row(*_cells(each, metric, paired, each.metric if each.metric != last else ""))
        last = each.metric
    return table


def _cells(each: Slice, metric: PlannedMetric, paired: bool, name: str) -> list[str]:
    digits = wording.digits_of(metric)
    mean = (
        f"{wording.number(each.mean, digits, metric.threshold)}{wording.unit(metric) if each.mean is not None else ''}"
    )
    rest = wording.NONE
    if each.against_rest is not None:
        rest = f"{wording.signed_number(each.against_rest, digits)} {wording.interval(each.rest_ci95, digits, signed=True)}"
    cells = [name, each.value, f"{mean} ({each.n_scored}/{each.n_total})", wording.interval(each.ci95, digits), rest]
    if paired:
        delta = f"{wording.signed_number(each.delta, digits)} {wording.interval(each.delta_ci95, digits, signed=True)}"
        cells.append(f"{delta} ({wording.count(each.n_pairs, 'pair')})" if each.n_pairs else wording.NONE)
    return [text.cell(cell, 80) for cell in cells]
