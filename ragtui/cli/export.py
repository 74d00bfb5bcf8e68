"""``ragtui export EXPERIMENT FILE``: an experiment as a file; its ending chooses the form."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def command(
    experiment: Annotated[str, typer.Argument(help="Its id, the beginning of it, or last; or a result file.")],
    file: Annotated[
        Path,
        typer.Argument(
            help=".json, .md, .html, .csv, .xlsx, .xml (JUnit), .jsonl (every score), .parquet, "
            ".azure.json and .ragas.jsonl (as those leave their results), or "
            ".ragtui: all of it, for `ragtui import` on another machine."
        ),
    ],
    raw_cells: Annotated[
        bool,
        typer.Option("--raw-cells", help="CSV without the apostrophe before what a spreadsheet runs as a formula."),
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing.")] = False,
) -> None:
    """Write an experiment to a file."""
    from ragtui.cli._stop import could_not_run
    from ragtui.datasets.check import CannotOpen
    from ragtui.experiments.export import export
    from ragtui.experiments.opened import open_results
    from ragtui.experiments.reports import ReportError
    from ragtui.experiments.store import StoreError
    from ragtui.text import cell
    from ragtui.workspace import Workspace, WorkspaceError

    try:
        said = export(open_results(experiment, Workspace.open(".")), file, raw_cells)
    except (StoreError, WorkspaceError, ReportError, CannotOpen) as error:
        could_not_run(str(error))
    if not quiet:
        typer.echo(cell(said))
