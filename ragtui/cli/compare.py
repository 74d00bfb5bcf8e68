"""``ragtui compare A B``: two experiments, case by case."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ragtui.cli._numbers import MOST


def command(
    a: Annotated[str, typer.Argument(metavar="A", help="The baseline: an experiment's id or the beginning of it.")],
    b: Annotated[str, typer.Argument(metavar="B", help="What is compared with it.")],
    worst: Annotated[
        int, typer.Option(min=0, max=MOST, help="How many of the cases that lost most to show per metric.")
    ] = 5,
    metrics: Annotated[
        Path | None, typer.Option(metavar="FILE.toml", help="Thresholds and gates, in place of the experiments' own.")
    ] = None,
    mixed: Annotated[bool, typer.Option("--mixed", help="Compare even if other judges scored them.")] = False,
    fail_under: Annotated[
        list[str] | None, typer.Option(metavar="METRIC[.pass_rate]=X", help="Fail if B's mean (or pass rate) is worse.")
    ] = None,
    fail_if_worse: Annotated[
        bool,
        typer.Option(
            "--fail-if-worse", help="Fail if a metric of quality is surely worse than in A (not latency, tokens, cost)."
        ),
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing; the status tells.")] = False,
) -> None:
    """Compare two experiments, or result files, by case id; the difference is B minus A.

    Status: 0 compared and all gates passed, 1 a gate failed, 2 could not run.
    """
    from ragtui.cli._stop import could_not_run
    from ragtui.cli.results_output import console
    from ragtui.cli.results_output.comparison import print_comparison
    from ragtui.cli.results_output.overview import print_judgement
    from ragtui.datasets.check import CannotOpen
    from ragtui.experiments.compare import CompareError, compare
    from ragtui.experiments.gates import GateError, Gates, judge_compared, limit, with_file
    from ragtui.experiments.metrics_file import MetricsFileError, read_metrics_file
    from ragtui.experiments.opened import open_results
    from ragtui.experiments.store import StoreError
    from ragtui.text import cell
    from ragtui.workspace import Workspace, WorkspaceError

    try:
        workspace = Workspace.open(".")
        settings = read_metrics_file(metrics) if metrics is not None else None
        found = compare(open_results(a, workspace, settings), open_results(b, workspace, settings), mixed)
        gates = Gates(tuple(limit(each, found.b.plan) for each in fail_under or ()), fail_if_worse)
        gates = with_file(gates, settings, found.b.plan)
    except (StoreError, WorkspaceError, CompareError, GateError, MetricsFileError, CannotOpen) as error:
        could_not_run(str(error))
    judgement = judge_compared(found, gates)
    if not quiet:
        for fault in settings.faults if settings else ():
            typer.echo(f"ragtui: {cell(fault)}", err=True)
        print_comparison(found, console(), worst=worst)
        print_judgement(judgement, console())
    if judgement.exit_status:
        raise typer.Exit(judgement.exit_status)
