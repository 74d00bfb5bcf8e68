"""``ragtui demo``: the sample data, judged and compared, in the app; without a terminal as print."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ragtui.cli._numbers import MOST

if TYPE_CHECKING:
    from ragtui.workspace import Workspace


def command(
    to: Path = typer.Option(None, "--to", metavar="DIR", help="Keep the demo's files there, not in your data folder."),
    printed: bool = typer.Option(False, "--print", help="Print the results instead of opening the app."),
    worst: int = typer.Option(5, min=0, max=MOST, help="How many of the worst rows to print per metric."),
) -> None:
    """Compare two versions of a support desk's assistant on sample data, and open the app on the results.

    Needs no key, no network and no server. Called again it finds its results and your labels.
    """
    from ragtui.cli._stop import could_not_run
    from ragtui.experiments.demo import DemoError, Stopped, default_folder, prepare
    from ragtui.experiments.gates import INTERRUPTED
    from ragtui.experiments.store import StoreError
    from ragtui.workspace import WorkspaceError

    try:
        workspace = prepare((to or default_folder()).expanduser().absolute())
        experiment = _run(workspace)
    except Stopped:
        raise typer.Exit(INTERRUPTED) from None
    except (DemoError, StoreError, WorkspaceError) as error:
        could_not_run(str(error))
    if printed or not _can_draw():
        _print(workspace, experiment, worst)
    else:
        _open(workspace, experiment)


def _run(workspace: Workspace) -> str:
    from ragtui.cli._progress import watched
    from ragtui.cli.results_output import console
    from ragtui.experiments.demo import run_demo
    from ragtui.experiments.progress import Progress

    progress = Progress()
    return watched(lambda: run_demo(workspace, progress), progress, console(stderr=True))


def _can_draw() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM", "dumb") not in ("dumb", "")


def _print(workspace: Workspace, experiment: str, worst: int) -> None:
    from ragtui.cli.results_output import console
    from ragtui.cli.results_output.overview import print_results
    from ragtui.experiments.store import Store

    out = console()
    with Store.open(workspace) as store:
        print_results(store.results(experiment), out, worst=worst)
    out.print(f"\nThe demo's workspace is {workspace.root}", soft_wrap=True)


def _open(workspace: Workspace, experiment: str) -> None:
    from ragtui.tui.app import run_app

    os.chdir(workspace.root)
    run_app(["."], experiment=experiment)
    typer.echo(f"The demo's workspace is {workspace.root}")
