"""How groups and metrics look: the two lists, a metric explained, a metric tried on one case."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from ragtui.text import cell
from ragtui.tui.widgets.passage import Passage
from ragtui.tui.widgets.table_column import Painted, TableColumn

if TYPE_CHECKING:
    import polars as pl

    from ragtui.experiments.trying import Trial
    from ragtui.metrics.groups import Group
    from ragtui.metrics.metric import Metric
    from ragtui.metrics.own.files import OwnFile


def _uses(values: Sequence[Any]) -> Painted:
    return (f"{values[0]}" if values[0] else "–"), "dim"


GROUP_COLUMNS: Final = (
    TableColumn("name", "name", grow=True, most=60),
    TableColumn("metrics", "metrics", right=True, searched=False),
    TableColumn("used", "experiments", paint=_uses, right=True, searched=False),
)

METRIC_COLUMNS: Final = (
    TableColumn("number", "#", paint=lambda values: (f"{values[0]}", "dim"), right=True, searched=False),
    TableColumn("name", "metric", paint=lambda values: (cell(values[0]), "strong")),
    TableColumn("kind", "kind", paint=lambda values: (cell(values[0]), "cool")),
    TableColumn("scale", "scale"),
    TableColumn("passes", "passes"),
    TableColumn("needs", "needs", most=34),
    TableColumn("summary", "what", grow=True, most=200),
)


def group_frame(groups: Sequence[Group], used: dict[str, int]) -> pl.DataFrame:
    import polars as pl

    rows = [(group.name, len(group.metrics), used.get(group.name, 0)) for group in groups]
    return pl.DataFrame(rows, schema={"name": pl.String, "metrics": pl.Int64, "used": pl.Int64}, orient="row")


def metric_frame(metrics: Sequence[Metric], thresholds: dict[str, float]) -> pl.DataFrame:
    import polars as pl

    rows = [
        (at, metric.name, metric.kind.value, metric.shown_scale, passes(metric, thresholds.get(metric.name)),
         ", ".join(metric.inputs), metric.summary)
        for at, metric in enumerate(metrics, 1)
    ]  # fmt: skip
    names = ["name", "kind", "scale", "passes", "needs", "summary"]
    return pl.DataFrame(rows, schema={"number": pl.Int64, **dict.fromkeys(names, pl.String)}, orient="row")


def passes(metric: Metric, threshold: float | None = None) -> str:
    """``≥ 3``: what a score must be to pass; empty without a threshold."""
    limit = metric.threshold if threshold is None else threshold
    return "" if limit is None else f"{'≥' if metric.higher_is_better else '≤'} {limit:g}"


def about_metric(metric: Metric, file: OwnFile | None = None, allowed: bool = True) -> Passage:
    """A metric explained: what it says, how it is computed, what it needs; of one's own also its file."""
    passage = Passage()
    passage.line((metric.name, "strong"), (f"  {metric.kind.value}", "cool"))
    passage.text(metric.summary)
    if not allowed:
        passage.line(
            ("you have not allowed this code to run; ", "warn"), ("A", "accent"), (" shows it and asks", "warn")
        )
    passage.gap()
    better = "higher is better" if metric.higher_is_better else "lower is better"
    limit = passes(metric)
    passage.line(
        ("scale    ", "title"), (f"{metric.shown_scale}, {better}" + (f", passes {limit}" if limit else ""), "")
    )
    passage.line(("needs    ", "title"), (", ".join(metric.inputs) or "nothing", ""), hang=9)
    if metric.optional:
        passage.line(("can use  ", "title"), (", ".join(metric.optional), ""), hang=9)
    if metric.definition:
        passage.heading("How it is computed")
        passage.text(metric.definition)
    if metric.source:
        passage.gap()
        passage.line((metric.source, "dim"))
    if file is not None:
        passage.heading(file.shown, f"version {file.version}")
        passage.text(file.content.decode("utf-8", "replace"), tone="dim")
    return passage


def code(file: OwnFile) -> Passage:
    """A metric's code, to be read before it is allowed to run."""
    passage = Passage()
    passage.text(file.content.decode("utf-8", "replace"))
    return passage


def tried(trial: Trial) -> Passage:
    """What a metric was given, what the judge was sent and said, what came of it: the score first."""
    passage, outcome, metric = Passage(), trial.outcome, trial.metric
    if outcome.score is None:
        state = outcome.state.value.replace("_", " ") + (f": {outcome.cause}" if outcome.cause else "")
        passage.line((state, "bad" if outcome.state.is_error else "warn"))
    else:
        mark, tone = {True: ("✓", "good"), False: ("✗", "bad"), None: ("", "strong")}[trial.passed]
        limit = passes(metric)
        passage.line((f"{outcome.score:.6g} {mark}", tone), (f"  {metric.shown_scale}", "dim"),
                     (f", passes {limit}" if limit else "", "dim"))  # fmt: skip
    if outcome.reason:
        passage.text(outcome.reason)
    for each in outcome.evidence:
        passage.line((f"{each.verdict:<13}", "dim"), (each.claim, ""), (f"  {each.note}", "dim"), indent=2, hang=13)
    took = f"{trial.seconds * 1000:,.0f} ms" + (f" · judge {trial.judge}" if trial.judge else "")
    passage.line((took, "dim"))
    for name, value in trial.inputs.items():
        passage.heading(name, trial.came_from.get(name, ""))
        for text in (value,) if isinstance(value, str) else value:
            passage.text(text or "(empty)")
    missing = [name for name in (*metric.inputs, *metric.optional) if name not in trial.inputs]
    if missing:
        passage.heading("not there")
        passage.text(", ".join(missing), tone="dim")
    for title, raw in (("prompt", trial.prompt), ("raw reply", trial.reply)):
        if raw is not None:
            passage.heading(title)
            passage.text(raw or "(empty)")
    return passage
