"""``ragtui merge``: brings the shards of a run together."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ragtui.cli._numbers import MOST, finite


def command(
    folders: Annotated[
        list[Path] | None,
        typer.Argument(help="Folders that hold shards, as copied from other machines; else those of this workspace."),
    ] = None,
    experiment: Annotated[
        str | None, typer.Option("--experiment", "-e", help="The experiment, where there are shards of several.")
    ] = None,
    cluster: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Cases with one value of this column hang together (a source).")
    ] = None,
    slice_: Annotated[
        list[str] | None, typer.Option("--slice", metavar="COLUMN", help="Show the figures per value of this column.")
    ] = None,
    fail_under: Annotated[
        list[str] | None,
        typer.Option(metavar="METRIC[.pass_rate]=X", help="Fail if the candidate's mean (or pass rate) is worse."),
    ] = None,
    fail_if_worse: Annotated[
        bool, typer.Option("--fail-if-worse", help="Fail if a metric of quality is surely worse than the baseline.")
    ] = False,
    max_error_rate: Annotated[
        float, typer.Option(min=0, max=1, callback=finite, help="Share of cells that may have errored.")
    ] = 0.0,
    scores: Annotated[
        Path | None, typer.Option(metavar="FILE.jsonl", help="Write every score as a line of JSON.")
    ] = None,
    report: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Write a report: .json, .md, .html, .csv, .xlsx, .xml (JUnit)."),
    ] = None,
    worst: Annotated[int, typer.Option(min=0, max=MOST, help="How many of the worst rows to show per metric.")] = 5,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing; the status tells.")] = False,
) -> None:
    """Bring the shards of a run together in this workspace.

    A shard that is missing or not done is said and its cases are pending; merge again when it is there. No judge is asked.
    Status: 0 all well, 1 a gate failed, 2 could not run, 3 incomplete, 130 interrupted.
    """
    from ragtui.cli._running import check_files, written
    from ragtui.cli._stop import could_not_run, say
    from ragtui.cli.results_output import console
    from ragtui.cli.results_output.overview import print_results
    from ragtui.experiments.gates import COULD_NOT_RUN, GateError, Gates, judge, limit
    from ragtui.experiments.grouping import GroupError, looked_at
    from ragtui.experiments.merging import chosen, find_shards, merge, told
    from ragtui.experiments.reports import ReportError
    from ragtui.experiments.store import Store, StoreError
    from ragtui.workspace import Workspace, WorkspaceError

    try:
        workspace = Workspace.open(".")
        found = chosen(find_shards(workspace, folders or ()), experiment)
        plan = found[0].entry.plan
        gates = Gates(tuple(limit(each, plan) for each in fail_under or ()), fail_if_worse, max_error_rate)
        if fail_if_worse and plan.baseline is None:
            raise GateError(f"--fail-if-worse needs a baseline; experiment {plan.id} has none")
        check_files(report or (), scores)
        with Store.open(workspace, write=True) as store:
            merged = merge(store, found)
            results = store.results(merged.experiment)
            looked_at(results, cluster, slice_ or ())
            judgement = judge(results, gates)
            all_written = written(results, judgement, report or (), scores)
            if not quiet:
                print_results(results, console(), worst=worst, judgement=judgement)
    except (StoreError, WorkspaceError, GateError, GroupError, ReportError) as error:
        could_not_run(str(error))
    if not quiet and (missing := told(merged)):
        how = f"; run it with --shard {merged.missing[0]}/{merged.of}" if merged.missing else ""
        say(f"{missing}{how}; then merge again")
    status = judgement.exit_status if all_written or judgement.incomplete else COULD_NOT_RUN
    if status:
        raise typer.Exit(status)
