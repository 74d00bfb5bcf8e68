"""``ragtui rescore EXPERIMENT``: scores stored responses anew."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ragtui.cli._numbers import MOST, finite


def command(
    experiment: Annotated[str, typer.Argument(help="Its id, the beginning of it, or last.")],
    judge: Annotated[str, typer.Option("--judge", "-j", help="Another judge than before.")] = "",
    strategy: Annotated[str, typer.Option(help="How a model judge is asked: auto, rubric or claims.")] = "",
    metrics: Annotated[
        list[str] | None,
        typer.Option("--metrics", "-m", help="Other metrics [default: the same, in their latest versions]."),
    ] = None,
    group: Annotated[str | None, typer.Option("--group", "-g", help="A Metric Group of the workspace.")] = None,
    repeats: Annotated[int, typer.Option(min=0, max=MOST, help="Ask the judge this often per case [as before].")] = 0,
    concurrency: Annotated[
        int | None, typer.Option(min=1, max=MOST, help="Judge calls in flight [default: the judge's own].")
    ] = None,
    budget: Annotated[
        float | None, typer.Option(min=0, callback=finite, metavar="USD", help="Pause when this much is spent.")
    ] = None,
    new: Annotated[bool, typer.Option("--new", help="Start over, even if this was done before.")] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Reuse no score and no judge's reply.")] = False,
    scores: Annotated[
        Path | None, typer.Option(metavar="FILE.jsonl", help="Write every score as a line of JSON.")
    ] = None,
    report: Annotated[
        list[Path] | None, typer.Option(metavar="FILE", help="Write a report; the ending chooses.")
    ] = None,
    worst: Annotated[int, typer.Option(min=0, max=MOST, help="How many of the worst rows to show per metric.")] = 5,
    plan_only: Annotated[bool, typer.Option("--plan", help="Show what would be done, and do nothing.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before text leaves this machine.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing; the status tells.")] = False,
) -> None:
    """Score the stored responses of an experiment anew, with another judge, other metrics or their latest versions.

    No target is called. The scores are an experiment of their own, which `ragtui compare` sets beside the first.
    """
    from ragtui.cli._running import Wishes, errors_of_a_run, rescore_and_report
    from ragtui.cli._stop import could_not_run

    wishes = Wishes(
        dataset=experiment, group=group, metrics=",".join(metrics) if metrics else None, candidate="", baseline=None,
        judge=judge, strategy=strategy,
        mapping=(), mapping_file=None, format=None, split=None, limit=None, repeats=repeats, concurrency=concurrency,
        budget=budget, average="default", setup=None, per="conversation", replay="turn", cluster=None, slices=(), new=new,
        fresh=fresh, fail_under=(), fail_if_worse=False, max_error_rate=0.0, scores=scores, reports=tuple(report or ()),
        worst=worst, plan_only=plan_only, yes=yes, quiet=quiet,
    )  # fmt: skip
    try:
        status = rescore_and_report(wishes)
    except errors_of_a_run() as error:
        could_not_run(str(error))
    if status:
        raise typer.Exit(status)
