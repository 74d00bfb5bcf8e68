"""``ragtui run DATASET``: runs an experiment without a screen."""

from __future__ import annotations

from pathlib import Path

import typer

_LIMIT = "METRIC[.pass_rate]=X"
_REPORTS = "Write a report; the ending chooses: .json, .md, .csv, .xlsx, .xml (JUnit)."


def command(
    dataset: str = typer.Argument(..., help="File or folder of the dataset; book.xlsx#Sheet names a sheet."),
    group: str = typer.Option(None, "--group", "-g", help="A Metric Group of the workspace."),
    metrics: str = typer.Option(None, "--metrics", "-m", help="Metrics, separated by commas, as nDCG@10,f1,groundedness."),
    candidate: str = typer.Option("recorded", "--candidate", "-c", metavar="TARGET", help="Who answers: recorded, recorded:COLUMN, recorded:FILE, run:FILE, bm25."),
    baseline: str = typer.Option(None, "--baseline", "-b", metavar="TARGET", help="What the candidate is compared with."),
    judge: str = typer.Option("embedded", "--judge", "-j", help="embedded, openai:MODEL[@URL], azure:DEPLOYMENT@ENDPOINT?api-version=V, or a name from ragtui.toml."),
    strategy: str = typer.Option("auto", help="How a model judge is asked: auto, rubric or claims."),
    map_: list[str] = typer.Option([], "--map", metavar="[METRIC.]INPUT=REFERENCE", help="Where an input comes from: ${data.x}, ${target.x} or a column."),
    format: str = typer.Option(None, help="Read the dataset as this format instead of sniffing."),
    split: str = typer.Option(None, help="The judgments to use, where there are several [default: test]."),
    limit: int = typer.Option(None, min=1, help="Run this many cases or queries only."),
    repeats: int = typer.Option(1, min=1, help="Ask the judge this often per case."),
    concurrency: int = typer.Option(None, min=1, help="Judge calls in flight [default: the judge's own]."),
    budget: float = typer.Option(None, min=0, metavar="USD", help="Pause when this much is spent."),
    average: str = typer.Option("default", help="Which queries a ranking mean is over: default, trec_eval, trec_eval-c, beir."),
    new: bool = typer.Option(False, "--new", help="Start over as a new experiment, even if this one was run before."),
    fresh: bool = typer.Option(False, "--fresh", help="Reuse nothing that is stored: no response, no score, no judge's reply."),
    fail_under: list[str] = typer.Option([], metavar=_LIMIT, help="Fail if the candidate's mean (or pass rate) is worse."),
    fail_if_worse: bool = typer.Option(False, "--fail-if-worse", help="Fail if a metric is surely worse than the baseline."),
    max_error_rate: float = typer.Option(0.0, min=0, max=1, help="Share of cells that may have errored."),
    scores: Path = typer.Option(None, metavar="FILE.jsonl", help="Write every score as a line of JSON."),
    report: list[Path] = typer.Option([], metavar="FILE", help=_REPORTS),
    worst: int = typer.Option(5, min=0, help="How many of the worst rows to show per metric."),
    plan_only: bool = typer.Option(False, "--plan", help="Show what would be done, and do nothing."),
    yes: bool = typer.Option(False, "--yes", "-y", help="Do not ask before text leaves this machine."),
    quiet: bool = typer.Option(False, "--quiet", "-q", help="Print nothing; the status tells."),
) -> None:  # fmt: skip
    """Run an experiment, or go on with it where it stopped.

    Status: 0 all well, 1 a gate failed, 2 could not run, 3 incomplete (what is done is kept), 130 interrupted.
    """
    from ragtui.cli._stop import could_not_run
    from ragtui.cli._running import Wishes, errors_of_a_run, run_and_report

    wishes = Wishes(
        dataset, group, metrics, candidate, baseline, judge, strategy, tuple(map_), format, split, limit, repeats,
        concurrency, budget, average, new, fresh, tuple(fail_under), fail_if_worse, max_error_rate, scores,
        tuple(report), worst, plan_only, yes, quiet,
    )  # fmt: skip
    try:
        status = run_and_report(wishes)
    except errors_of_a_run() as error:
        could_not_run(str(error))
    if status:
        raise typer.Exit(status)
