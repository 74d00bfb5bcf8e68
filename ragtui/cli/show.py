"""``ragtui show EXPERIMENT``: an experiment's figures and its worst rows with their reasons."""

from __future__ import annotations

from typing import Annotated

import typer


def command(
    experiment: Annotated[
        str | None, typer.Argument(help="Its id, the beginning of it, or last; without: the list of experiments.")
    ] = None,
    worst: Annotated[int, typer.Option(min=0, help="How many of the worst rows to show per metric.")] = 5,
    metric: Annotated[str | None, typer.Option(help="Show the worst rows of this metric only.")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Count errors as the worst score.")] = False,
    fail_under: Annotated[
        list[str] | None, typer.Option(metavar="METRIC[.pass_rate]=X", help="Fail if the candidate is worse.")
    ] = None,
    fail_if_worse: Annotated[
        bool, typer.Option("--fail-if-worse", help="Fail if a metric is surely worse than the baseline.")
    ] = False,
    max_error_rate: Annotated[
        float, typer.Option(min=0, max=1, help="Share of cells that may have errored before the gates are off.")
    ] = 0.0,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing; the status tells.")] = False,
) -> None:
    """Show an experiment.

    Status: 0 shown and all gates passed, 1 a gate failed, 2 could not run, 3 incomplete and a gate was asked for.
    """
    from ragtui.cli._stop import could_not_run
    from ragtui.cli.results_output import console
    from ragtui.cli.results_output.listing import print_list
    from ragtui.cli.results_output.overview import print_results
    from ragtui.experiments.gates import GateError, Gates, judge, limit
    from ragtui.experiments.store import Store, StoreError
    from ragtui.metrics.registry import metric as named
    from ragtui.metrics.spec import MetricError
    from ragtui.workspace import Workspace, WorkspaceError

    out = console()
    try:
        store = Store.open(Workspace.open("."))
        if experiment is None:
            print_list(store.list(), out)
            return
        results = store.results(experiment)
        gates = Gates(tuple(limit(each, results.plan) for each in fail_under or ()), fail_if_worse, max_error_rate)
        wanted = named(metric).name if metric and metric not in results.metrics else metric
        if wanted is not None and wanted not in results.metrics:
            could_not_run(
                f"experiment {results.experiment} has no metric {metric}; it has {', '.join(results.metrics)}"
            )
    except (StoreError, WorkspaceError, GateError, MetricError) as error:
        could_not_run(str(error))
    judgement = judge(results, gates) if gates.stand else None
    if not quiet:
        print_results(results, out, worst=worst, metric=wanted, judgement=judgement, strict=strict)
    if judgement is not None and judgement.exit_status:
        raise typer.Exit(judgement.exit_status)
