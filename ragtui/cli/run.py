"""``ragtui run DATASET``: runs an experiment without a screen."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from ragtui.cli._numbers import MOST, finite


class Per(StrEnum):
    CONVERSATION = "conversation"
    TURN = "turn"


class Replay(StrEnum):
    TURN = "turn"
    CONVERSATION = "conversation"


_LIMIT = "METRIC[.pass_rate]=X"
_REPORTS = "Write a report; the ending chooses: .json, .md, .html, .csv, .xlsx, .xml (JUnit)."


def command(
    dataset: Annotated[str, typer.Argument(help="File or folder of the dataset; book.xlsx#Sheet names a sheet.")],
    group: Annotated[str | None, typer.Option("--group", "-g", help="A Metric Group of the workspace.")] = None,
    metrics: Annotated[
        list[str] | None,
        typer.Option(
            "--metrics",
            "-m",
            help="Metrics, separated by commas, as nDCG@10,f1; or FILE.toml with thresholds and gates.",
        ),
    ] = None,
    candidate: Annotated[
        str,
        typer.Option(
            "--candidate",
            "-c",
            metavar="TARGET",
            help="Who answers: recorded, recorded:COLUMN, recorded:FILE, run:FILE, bm25, python:MODULE:FUNCTION, "
            "command:…, http:URL, openai:MODEL[@URL], or a name from ragtui.toml.",
        ),
    ] = "recorded",
    baseline: Annotated[
        str | None, typer.Option("--baseline", "-b", metavar="TARGET", help="What the candidate is compared with.")
    ] = None,
    judge: Annotated[
        str,
        typer.Option(
            "--judge",
            "-j",
            help="embedded, openai:MODEL[@URL], azure:DEPLOYMENT@ENDPOINT?api-version=V, or a name from ragtui.toml.",
        ),
    ] = "embedded",
    strategy: Annotated[str, typer.Option(help="How a model judge is asked: auto, rubric or claims.")] = "auto",
    map_: Annotated[
        list[str] | None,
        typer.Option(
            "--map",
            metavar="[METRIC.]INPUT=REFERENCE",
            help="Where an input comes from: ${data.x}, ${target.x} or a column.",
        ),
    ] = None,
    mapping: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="A mapping file: TOML, Azure's evaluator_config or Foundry's testing_criteria."
        ),
    ] = None,
    format: Annotated[str | None, typer.Option(help="Read the dataset as this format instead of sniffing.")] = None,
    split: Annotated[
        str | None, typer.Option(help="The judgments to use, where there are several [default: test].")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, max=MOST, help="Run this many cases or queries only.")] = None,
    repeats: Annotated[int, typer.Option(min=1, max=MOST, help="Ask the judge this often per case.")] = 1,
    concurrency: Annotated[
        int | None, typer.Option(min=1, max=MOST, help="Judge calls in flight [default: the judge's own].")
    ] = None,
    budget: Annotated[
        float | None, typer.Option(min=0, callback=finite, metavar="USD", help="Pause when this much is spent.")
    ] = None,
    average: Annotated[
        str, typer.Option(help="Which queries a ranking mean is over: default, trec_eval, trec_eval-c, beir.")
    ] = "default",
    setup: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="A script of setups/ that supplies inputs to cases which name none."),
    ] = None,
    per: Annotated[
        Per, typer.Option(help="Score a conversation once, on its last turn, or every turn as a case.")
    ] = Per.CONVERSATION,
    replay: Annotated[
        Replay, typer.Option(help="Ask a live target a conversation's last turn, or the whole of it, turn by turn.")
    ] = Replay.TURN,
    cluster: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Cases with one value of this column hang together (a source).")
    ] = None,
    slice_: Annotated[
        list[str] | None, typer.Option("--slice", metavar="COLUMN", help="Show the figures per value of this column.")
    ] = None,
    shard: Annotated[
        str | None,
        typer.Option(
            metavar="I/N",
            help="Run the I-th of N parts of the cases, with its part of rate limit and budget; then `ragtui merge`.",
        ),
    ] = None,
    new: Annotated[
        bool, typer.Option("--new", help="Start over as a new experiment, even if this one was run before.")
    ] = False,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Reuse nothing that is stored: no response, no score, no judge's reply.")
    ] = False,
    fail_under: Annotated[
        list[str] | None, typer.Option(metavar=_LIMIT, help="Fail if the candidate's mean (or pass rate) is worse.")
    ] = None,
    fail_if_worse: Annotated[
        bool,
        typer.Option(
            "--fail-if-worse",
            help="Fail if a metric of quality is surely worse than the baseline (not latency, tokens, cost).",
        ),
    ] = False,
    max_error_rate: Annotated[
        float, typer.Option(min=0, max=1, callback=finite, help="Share of cells that may have errored.")
    ] = 0.0,
    scores: Annotated[
        Path | None, typer.Option(metavar="FILE.jsonl", help="Write every score as a line of JSON.")
    ] = None,
    report: Annotated[list[Path] | None, typer.Option(metavar="FILE", help=_REPORTS)] = None,
    worst: Annotated[int, typer.Option(min=0, max=MOST, help="How many of the worst rows to show per metric.")] = 5,
    plan_only: Annotated[bool, typer.Option("--plan", help="Show what would be done, and do nothing.")] = False,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Do not ask before text leaves this machine or code runs.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing; the status tells.")] = False,
) -> None:
    """Run an experiment, or go on with it where it stopped.

    Status: 0 all well, 1 a gate failed, 2 could not run, 3 incomplete (what is done is kept), 130 interrupted.
    """
    from ragtui.cli._running import Wishes, errors_of_a_run, run_and_report
    from ragtui.cli._stop import could_not_run

    listed = ",".join(metrics) if metrics else None
    wishes = Wishes(
        dataset, group, listed, candidate, baseline, judge, strategy, tuple(map_ or ()), mapping, format, split, limit, repeats,
        concurrency, budget, average, setup, per.value, replay.value, cluster, tuple(slice_ or ()), new, fresh,
        tuple(fail_under or ()), fail_if_worse, max_error_rate, scores, tuple(report or ()), worst, plan_only, yes, quiet, shard,
    )  # fmt: skip
    try:
        status = run_and_report(wishes)
    except errors_of_a_run() as error:
        could_not_run(str(error))
    if status:
        raise typer.Exit(status)
