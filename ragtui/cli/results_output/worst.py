"""The worst rows of a metric as print, each with its reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ragtui import text
from ragtui.experiments import wording
from ragtui.experiments.plan import PlannedMetric
from ragtui.experiments.results import Results
from ragtui.experiments.worst import worst_rows

if TYPE_CHECKING:
    from rich.console import Console

QUESTION: Final = 100
REASON: Final = 400


def print_worst(results: Results, metric: PlannedMetric, n: int, console: Console) -> None:
    """Prints at most ``n`` rows; says nothing for a metric without a score below its best."""
    rows = worst_rows(results, metric, n)
    if not rows:
        return
    console.print(f"\nworst by {text.cell(metric.spec)}", style="bold")
    for row in rows:
        cause = f" · {text.cell(row.label or row.cause)}" if row.label or row.cause else ""
        score = wording.score(row.score, metric)
        head = f"  {score:>5}  {text.cell(row.case_id, 60)}  {text.cell(row.name, QUESTION)}"
        console.print(f"{head}{cause}", soft_wrap=True)
        if row.reason:
            console.print(f"         {text.cell(row.reason, REASON)}", style="dim", soft_wrap=True)
