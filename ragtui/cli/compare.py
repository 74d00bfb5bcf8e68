"""``ragtui compare A B``: two experiments, case by case."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ragtui.cli._numbers import MOST, finite


def command(
    a: Annotated[str, typer.Argument(metavar="A", help="The baseline: an experiment's id or the beginning of it.")],
    b: Annotated[
        list[str],
        typer.Argument(metavar="B...", help="What is compared with it; EXPERIMENT:baseline is its other side."),
    ],
    worst: Annotated[
        int, typer.Option(min=0, max=MOST, help="How many of the cases that lost most to show per metric.")
    ] = 5,
    metrics: Annotated[
        Path | None, typer.Option(metavar="FILE.toml", help="Thresholds and gates, in place of the experiments' own.")
    ] = None,
    cluster: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Cases with one value of this column hang together (a source).")
    ] = None,
    slice_: Annotated[
        list[str] | None,
        typer.Option("--slice", metavar="COLUMN", help="Show the differences per value of this column."),
    ] = None,
    mixed: Annotated[bool, typer.Option("--mixed", help="Compare even if other judges scored them.")] = False,
    detect: Annotated[
        float | None,
        typer.Option(min=0, callback=finite, metavar="X", help="Say how many pairs it takes to see a difference of X."),
    ] = None,
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
    """Compare experiments, sides of them, or result files, by case id; the difference is B minus A.

    Status: 0 compared and all gates passed, 1 a gate failed, 2 could not run.
    """
    from ragtui.cli._stop import could_not_run
    from ragtui.cli.results_output import console
    from ragtui.cli.results_output.comparison import print_compared_slices, print_comparisons
    from ragtui.cli.results_output.overview import print_judgement, print_rows_needed
    from ragtui.datasets.check import CannotOpen
    from ragtui.experiments.compare import CompareError, Shown, compare_all, letters
    from ragtui.experiments.gates import GateError, Gates, judge_compared, limit, merged, with_file
    from ragtui.experiments.grouping import GroupError, looked_at
    from ragtui.experiments.metrics_file import MetricsFileError, read_metrics_file
    from ragtui.experiments.opened import open_side
    from ragtui.experiments.slices import compared_slices
    from ragtui.experiments.store import StoreError
    from ragtui.text import cell
    from ragtui.workspace import Workspace, WorkspaceError

    try:
        workspace = Workspace.open(".")
        settings = read_metrics_file(metrics) if metrics is not None else None
        opened = [open_side(each, workspace, settings) for each in (a, *b)]
        shown = [Shown(*each, letter=letter) for each, letter in zip(opened, letters(), strict=False)]
        for each in shown:
            looked_at(each.results, cluster, ())
        found = compare_all(shown, mixed)
        gates = Gates(tuple(limit(each, found[-1].b.plan) for each in fail_under or ()), fail_if_worse)
        gates = with_file(gates, settings, found[-1].b.plan)
        sliced = [[compared_slices(one, name) for one in found] for name in slice_ or ()]
    except (StoreError, WorkspaceError, CompareError, GateError, GroupError, MetricsFileError, CannotOpen) as error:
        could_not_run(str(error))
    judgement = merged([judge_compared(one, gates) for one in found], [one.letters[1] for one in found])
    if not quiet:
        for fault in settings.faults if settings else ():
            typer.echo(f"ragtui: {cell(fault)}", err=True)
        print_comparisons(found, shown, console(), worst=worst)
        if detect:
            print_rows_needed([(each, one.b.plan) for one in found for each in one.comparisons], detect, console())
        for by_column in sliced:
            print_compared_slices(found, by_column, console())
        print_judgement(judgement, console())
    if judgement.exit_status:
        raise typer.Exit(judgement.exit_status)
