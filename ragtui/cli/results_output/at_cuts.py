"""Ranking metrics at other cuts as print: a line a metric and side, a column a cut."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragtui import text
from ragtui.experiments import wording
from ragtui.metrics.spec import parse

if TYPE_CHECKING:
    from rich.console import Console

    from ragtui.experiments.what_if import AtCut


def print_at_cuts(found: Sequence[AtCut], console: Console) -> None:
    """Means as if only the first k documents had been returned, each over as many of how many."""
    from rich import box
    from rich.table import Table

    cuts = sorted({each.k for each in found})
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name in ("metric", "side", *(f"k {k}" for k in cuts), "n of N"):
        table.add_column(name, overflow="fold")
    rows: dict[tuple[str, str], list[AtCut]] = {}
    for each in found:
        spec = parse(each.metric)
        name = spec.base + (f":{spec.variant}" if spec.variant else "")
        rows.setdefault((name, each.side.value), []).append(each)
    for (name, side), row in rows.items():
        means = {each.k: wording.number(each.mean) for each in row}
        table.add_row(text.cell(name), side, *(means.get(k, "") for k in cuts), f"{row[0].n_scored}/{row[0].n_total}")
    console.print(table)
