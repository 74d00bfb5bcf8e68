"""``ragtui show EXPERIMENT``: an experiment's figures and its worst rows with their reasons."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ragtui.cli._numbers import MOST, finite


def command(
    experiment: Annotated[
        str | None,
        typer.Argument(
            metavar="[EXPERIMENT]",
            help="Its id, the beginning of it, or last; or a result file of another tool; without: the list of experiments.",
        ),
    ] = None,
    worst: Annotated[int, typer.Option(min=0, max=MOST, help="How many of the worst rows to show per metric.")] = 5,
    metric: Annotated[str | None, typer.Option(help="Show the worst rows of this metric only.")] = None,
    metrics: Annotated[
        Path | None, typer.Option(metavar="FILE.toml", help="Thresholds and gates, in place of the experiment's own.")
    ] = None,
    top_k: Annotated[
        str | None,
        typer.Option("--top-k", metavar="CUTS", help="Ranking metrics at these cuts, as 1,5,20; nothing is run again."),
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Count errors as the worst score.")] = False,
    cluster: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Cases with one value of this column hang together (a source).")
    ] = None,
    slice_: Annotated[
        list[str] | None, typer.Option("--slice", metavar="COLUMN", help="Show the figures per value of this column.")
    ] = None,
    detect: Annotated[
        float | None,
        typer.Option(min=0, callback=finite, metavar="X", help="Say how many pairs it takes to see a difference of X."),
    ] = None,
    fail_under: Annotated[
        list[str] | None, typer.Option(metavar="METRIC[.pass_rate]=X", help="Fail if the candidate is worse.")
    ] = None,
    fail_if_worse: Annotated[
        bool, typer.Option("--fail-if-worse", help="Fail if a metric is surely worse than the baseline.")
    ] = False,
    max_error_rate: Annotated[
        float,
        typer.Option(
            min=0, max=1, callback=finite, help="Share of cells that may have errored before the gates are off."
        ),
    ] = 0.0,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing; the status tells.")] = False,
) -> None:
    """Show an experiment, or a result file of another tool.

    Status: 0 shown and all gates passed, 1 a gate failed, 2 could not run, 3 incomplete and a gate was asked for.
    """
    from ragtui.cli._stop import could_not_run
    from ragtui.cli.results_output import console
    from ragtui.cli.results_output.at_cuts import print_at_cuts
    from ragtui.cli.results_output.listing import print_list
    from ragtui.cli.results_output.overview import print_results, print_rows_needed
    from ragtui.datasets.check import CannotOpen
    from ragtui.experiments.gates import GateError, Gates, judge, limit, nothing_scored, with_file
    from ragtui.experiments.grouping import GroupError, looked_at
    from ragtui.experiments.merging import waiting
    from ragtui.experiments.metrics_file import MetricsFileError, read_metrics_file
    from ragtui.experiments.opened import at_cuts_of, open_results
    from ragtui.experiments.planning import PlanError
    from ragtui.experiments.store import Store, StoreError
    from ragtui.experiments.what_if import WhatIfError
    from ragtui.metrics.registry import metric as named
    from ragtui.metrics.spec import MetricError
    from ragtui.text import cell
    from ragtui.workspace import Workspace, WorkspaceError

    out = console()
    try:
        workspace = Workspace.open(".")
        if experiment is None:
            store = Store.open(workspace)
            print_list(store.list(), out)
            for each in waiting(store):
                typer.echo(f"{cell(each)}: ragtui merge")
            return
        settings = read_metrics_file(metrics) if metrics is not None else None
        results = open_results(experiment, workspace, settings)
        looked_at(results, cluster, slice_ or ())
        gates = Gates(tuple(limit(each, results.plan) for each in fail_under or ()), fail_if_worse, max_error_rate)
        gates = with_file(gates, settings, results.plan)
        if fail_if_worse and results.plan.baseline is None:
            raise GateError(f"--fail-if-worse needs a baseline; experiment {results.experiment} has none")
        wanted = named(metric).name if metric and metric not in results.metrics else metric
        if wanted is not None and wanted not in results.metrics:
            could_not_run(
                f"experiment {results.experiment} has no metric {metric}; it has {', '.join(results.metrics)}"
            )
        if top_k is not None:
            print_at_cuts(at_cuts_of(results, workspace, top_k), out)
            return
    except (
        StoreError, WorkspaceError, GateError, GroupError, MetricError, MetricsFileError, CannotOpen, PlanError,
        WhatIfError,
    ) as error:  # fmt: skip
        could_not_run(str(error))
    judgement = judge(results, gates) if gates.stand or nothing_scored(results) else None
    if not quiet:
        for fault in settings.faults if settings else ():
            typer.echo(f"ragtui: {cell(fault)}", err=True)
        try:
            print_results(results, out, worst=worst, metric=wanted, judgement=judgement, strict=strict)
            if detect:
                print_rows_needed([(each, results.plan) for each in results.comparisons()], detect, out)
        except GroupError as error:
            could_not_run(str(error))
    if judgement is not None and judgement.exit_status:
        raise typer.Exit(judgement.exit_status)
