"""``ragtui import FILE``: takes in an experiment that was exported on another machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def command(
    files: Annotated[list[Path], typer.Argument(help="What `ragtui export EXPERIMENT FILE.ragtui` wrote.")],
    replace: Annotated[
        bool, typer.Option("--replace", help="Put it in the place of the same experiment, if that is here already.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing.")] = False,
) -> None:
    """Take in an experiment from another machine, with its scores, replies and labels.

    It is shown and compared as if it had been run here, and goes on here if it is not finished. Files hold no code.
    """
    from ragtui.cli._stop import could_not_run
    from ragtui.experiments import wording
    from ragtui.experiments.carried import read_experiment
    from ragtui.experiments.store import Store, StoreError
    from ragtui.text import cell
    from ragtui.workspace import Workspace, WorkspaceError

    try:
        with Store.open(Workspace.open("."), write=True) as store:
            for file in files:
                found = read_experiment(file, store, replace)
                if not quiet:
                    said = "replaced" if found.replaced else "took in"
                    cells = wording.count(found.cells, "cell")
                    typer.echo(cell(f"{said} experiment {found.experiment} ({found.status}, {cells})"))
    except (StoreError, WorkspaceError) as error:
        could_not_run(str(error))
