"""What every format of records does first: take the rows, cut them, and run the rules that hold for any table."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ragtui.datasets.containers import reading_of
from ragtui.datasets.containers.table import LINE, Table
from ragtui.datasets.dataset import Column, Role
from ragtui.datasets.files import FileLabels
from ragtui.datasets.near_names import plain_name
from ragtui.datasets.rules import run_rules

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ragtui.datasets.findings import Report
    from ragtui.datasets.formats import ReadOptions, Source


def records_of(source: Source, report: Report, options: ReadOptions) -> Table | None:
    """The rows of ``source`` with what was asked for left out; adds what the container and the rules for tables found."""
    reading = reading_of(source)
    report.merge(reading.report)
    if reading.table is None:
        return None
    table = _without_hidden(reading.table) if options.skip_hidden else reading.table
    if options.limit is not None:
        table = _first(table, options.limit)
    run_rules(table, report, options.runs)
    labels = next((name for name in table.names if plain_name(name) == "file_name"), None)
    if options.files is not None and labels is not None:
        run_rules(FileLabels(table, labels, options.files), report, options.runs)
    return table


def columns_of(table: Table, roles: Mapping[str, Role]) -> tuple[Column, ...]:
    """The columns of a dataset with their roles (ignored where none is given) and how many rows fill them."""
    return tuple(
        Column(name, roles.get(name, Role.IGNORED), position, table.filled(name))
        for position, name in enumerate(table.names)
    )


def _first(table: Table, limit: int) -> Table:
    kinds = {name: series.head(limit) for name, series in table.kinds.items()}
    return replace(table, frame=table.frame.head(limit), kinds=kinds)


def _without_hidden(table: Table) -> Table:
    hidden = table.facts.get("hidden_rows")
    if not isinstance(hidden, tuple) or not hidden:
        return table
    import polars as pl

    keep = ~table.frame[LINE].is_in(pl.Series(list(hidden), dtype=pl.UInt32).implode())
    kinds = {name: series.filter(keep) for name, series in table.kinds.items()}
    return replace(table, frame=table.frame.filter(keep), kinds=kinds, facts={**table.facts, "hidden_rows": ()})
