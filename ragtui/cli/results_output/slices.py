"""Slices as print: a table per column, then the slices that are worse than the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragtui import text
from ragtui.experiments import slice_lines
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
        worse = any(each.worse for each in found)
        for line in slice_lines.said(found, results):
            console.print(text.cell(line), style="yellow" if worse else "dim", soft_wrap=True)


def _table(found: tuple[Slice, ...], results: Results) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
    for name in slice_lines.headings(found):
        table.add_column(name, overflow="fold")
    for cells in slice_lines.lines(found, results):
        table.add_row(*(text.cell(cell, 80) for cell in cells))
    return table
