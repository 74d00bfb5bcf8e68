"""The list of experiments as print."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragtui import text
from ragtui.experiments import wording
from ragtui.experiments.store import Entry

if TYPE_CHECKING:
    from rich.console import Console


def print_list(entries: Sequence[Entry], console: Console) -> None:
    """One line an experiment, the last touched first."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name in ("experiment", "dataset", "candidate", "baseline", "judge", "status", "done", "means"):
        table.add_column(name, overflow="fold")
    for each in entries:
        plan = each.plan
        known = {metric.spec: metric for metric in plan.metrics}
        means = ", ".join(
            f"{spec} {wording.number(mean, wording.digits_of(known.get(spec)))}{wording.unit(known.get(spec))}"
            for spec, mean in each.means.items()
            if mean is not None
        )
        done = f"{each.done}/{each.cells}" + (f", {wording.count(each.errors, 'error')}" if each.errors else "")
        status = each.status.value + (" (stale)" if each.stale else "")
        shown = (each.id, plan.dataset, plan.candidate, plan.baseline or "", plan.judge, status, done, means)
        table.add_row(*(text.cell(value, 300) for value in shown))
    console.print(table)
