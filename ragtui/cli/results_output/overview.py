"""The overview of an experiment as print: means with their denominators, differences, pass rates, verdicts, causes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragtui import text
from ragtui.experiments import wording
from ragtui.experiments.gates import Judgement
from ragtui.experiments.plan import Plan, PlannedMetric, Side
from ragtui.experiments.results import MetricComparison, MetricSummary, Results

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table


def print_results(
    results: Results,
    console: Console,
    *,
    worst: int = 5,
    metric: str | None = None,
    judgement: Judgement | None = None,
    strict: bool = False,
) -> None:
    """Prints an experiment: heading, figures per metric, verdicts, causes, the ``worst`` rows per metric with reasons.

    ``metric`` limits the worst rows to that one. ``strict`` shows means that count errors as the worst score.
    """
    from ragtui.cli.results_output.slices import print_slices
    from ragtui.cli.results_output.worst import print_worst
    from ragtui.experiments.error_causes import error_causes
    from ragtui.experiments.remarks import HEURISTIC, remarks

    _heading(results, console)
    console.print(_figures(results, strict))
    for found in results.comparisons():
        console.print(text.cell(wording.verdict(found, results.plan.metric(found.metric))), soft_wrap=True)
    print_slices(results, console)
    said = wording.causes(results.causes(), results.labelled())
    if said:
        console.print(f"\n{said}", soft_wrap=True)
    for each in error_causes(results):
        console.print(text.cell(each), style="yellow", soft_wrap=True)
    for each in remarks(results):
        console.print(f"\n{each}", style="dim" if each is HEURISTIC else "yellow", soft_wrap=True)
    if said := wording.stale(results.stale):
        console.print(text.cell(said), style="yellow", soft_wrap=True)
    for planned in results.plan.metrics:
        if worst and metric in (None, planned.spec):
            print_worst(results, planned, worst, console)
    if judgement is not None:
        print_judgement(judgement, console)


def _heading(results: Results, console: Console) -> None:
    from rich.text import Text

    plan = results.plan
    line = Text(text.cell(plan.dataset), style="bold")
    line.append(f" · candidate {text.cell(plan.candidate)}", style="not bold")
    if plan.baseline is not None:
        line.append(f" vs baseline {text.cell(plan.baseline)}", style="not bold")
    line.append(f" · judge {text.cell(plan.judge)}", style="not bold")
    console.print(line, soft_wrap=True)
    why = text.cell(wording.unfinished(results))
    status = f" ({why})" if why else ""
    console.print(f"experiment {results.experiment}{status}\n", style="dim", soft_wrap=True, markup=False)


def _figures(results: Results, strict: bool) -> Table:
    from rich import box
    from rich.table import Table

    compared = {each.metric: each for each in results.comparisons()}
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
    for name in (
        "metric",
        "",
        "strict mean (n of N)" if strict else "mean (n of N)",
        "95 %",
        "pass · p (Holm)" if compared else "pass",
    ):
        table.add_column(name, overflow="fold")
    by_side = {(each.metric, each.side): each for each in results.summaries()}
    for metric in results.plan.metrics:
        for side in Side.CANDIDATE, Side.BASELINE:
            found = by_side.get((metric.spec, side))
            if found is not None:
                first = text.cell(metric.spec) if side is Side.CANDIDATE else ""
                table.add_row(first, side.value, *_summary(found, metric, strict))
        if metric.spec in compared:
            table.add_row("", "Δ", *_difference(compared[metric.spec], metric))
        table.add_section()
    return table


def _summary(found: MetricSummary, metric: PlannedMetric, strict: bool) -> tuple[str, str, str]:
    mean = text.cell(wording.mean(found, metric, strict))
    interval = wording.mean_interval(found, metric)
    flips = f", {found.flips} flip" if found.flips else ""
    return mean, interval, wording.pass_rate(found) + flips


def _difference(found: MetricComparison, metric: PlannedMetric) -> tuple[str, str, str]:
    digits = wording.digits_of(metric)
    shown = (
        f"{wording.signed_number(found.delta, digits)}{wording.unit(metric)} ({wording.count(found.n_pairs, 'pair')})"
    )
    return shown, wording.paired_interval(found, digits), f"p {wording.p_value(found.p_holm)}"


def print_rows_needed(found: Sequence[tuple[MetricComparison, Plan]], difference: float, console: Console) -> None:
    """How many pairs it takes to see a difference, a line a metric."""
    console.print()
    for each, plan in found:
        console.print(text.cell(wording.rows_for(each, plan.metric(each.metric), difference)), soft_wrap=True)


def print_judgement(judgement: Judgement, console: Console) -> None:
    """The gate's last word, one line a reason."""
    for reason in judgement.reasons:
        console.print(f"FAILED {text.cell(reason)}", style="red", soft_wrap=True)
    for remark in judgement.remarks:
        console.print(f"note: {text.cell(remark)}", style="dim", soft_wrap=True)
    for reason in judgement.incomplete:
        console.print(f"incomplete: {text.cell(reason)}", style="yellow", soft_wrap=True)
    if judgement.passed and not judgement.incomplete:
        console.print("gate passed", style="green")
