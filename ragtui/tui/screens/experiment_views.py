"""How experiments look: the list, one of them described, what a run would do, how far a run is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from textual.content import Content

from ragtui.experiments import wording
from ragtui.experiments.plan import Plan
from ragtui.experiments.progress import Progress, Status
from ragtui.metrics.score import State
from ragtui.text import cell
from ragtui.tui.widgets.bars import progress as progress_bar
from ragtui.tui.widgets.passage import Passage
from ragtui.tui.widgets.table_column import Painted, TableColumn

if TYPE_CHECKING:
    import polars as pl

    from ragtui.experiments.preflight import Preflight
    from ragtui.experiments.store import Entry
    from ragtui.experiments.tags import Remark

STATUS: Final = {
    "planned": ("○", "dim"),
    "running": ("▶", "good"),
    "paused": ("‖", "warn"),
    "cancelled": ("■", "warn"),
    "interrupted": ("↯", "warn"),
    "finished": ("✓", "good"),
}


def _status(values: Sequence[Any]) -> Painted:
    status, stale = values
    mark, tone = STATUS.get(status, ("?", ""))
    return (f"{mark} {status} · stale", "warn") if stale else (f"{mark} {status}", tone)


def _done(values: Sequence[Any]) -> Painted:
    done, cells = values
    if not cells:
        return "–", "dim"
    return ("all" if done >= cells else f"{100 * done // cells} %"), "dim" if done >= cells else "warn"


def _errors(values: Sequence[Any]) -> Painted:
    return (f"{values[0]:,}", "warn") if values[0] else ("–", "dim")


def _paid(values: Sequence[Any]) -> Painted:
    return (
        "–" if values[0] is None else f"${values[0]:,.2f}" if values[0] >= 0.01 or not values[0] else "<$0.01"
    ), "dim"


def _dim(values: Sequence[Any]) -> Painted:
    return cell(values[0]), "dim"


COLUMNS: Final = (
    TableColumn("status", "status", ("stale",), _status, searched=True),
    TableColumn("dataset", "dataset", most=28),
    TableColumn("metrics", "metrics", most=28),
    TableColumn("candidate", "candidate", most=30),
    TableColumn("baseline", "baseline", paint=_dim, most=30),
    TableColumn("result", "result", most=28),
    TableColumn("cases", "cases", right=True, searched=False),
    TableColumn("done", "done", ("cells",), _done, right=True, searched=False),
    TableColumn("errors", "errors", paint=_errors, right=True, searched=False),
    TableColumn("judge", "judge", paint=_dim, most=24),
    TableColumn("when", "when", paint=_dim, right=True),
    TableColumn("id", "id", paint=_dim),
)


TAGS: Final = TableColumn("tags", "tags", most=24)
COST: Final = TableColumn("cost", "cost", paint=_paid, right=True, searched=False)


def columns(frame: pl.DataFrame) -> tuple[TableColumn, ...]:
    """The list's columns; tags and cost have one once there are any."""
    tagged = frame.height and frame["tags"].str.len_chars().max()
    paid = frame["cost"].is_not_null().any()
    out = (*COLUMNS[:2], TAGS, *COLUMNS[2:]) if tagged else COLUMNS
    return tuple(each for column in out for each in ((column, COST) if paid and column.key == "errors" else (column,)))


def result_of(entry: Entry) -> str:
    """The candidate's mean by the first metric that has one: ``groundedness 3.91 ✓``."""
    for metric in entry.plan.metrics:
        mean = entry.means.get(metric.spec)
        if mean is not None:
            mark = "" if metric.threshold is None else " ✓" if metric.passes(mean) else " ✗"
            return f"{metric.spec} {wording.number(mean, wording.digits_of(metric), metric.threshold)}{mark}"
    return "–"


def list_frame(
    entries: Sequence[Entry], now: datetime | None = None, remarks: Mapping[str, Remark] | None = None
) -> pl.DataFrame:
    """One row an experiment, the last touched first."""
    import polars as pl

    rows = [
        {
            "id": entry.id,
            "status": entry.status.value,
            "stale": ", ".join(entry.stale),
            "dataset": entry.plan.dataset,
            "metrics": metrics_of(entry.plan),
            "candidate": entry.plan.candidate,
            "baseline": entry.plan.baseline or "–",
            "judge": entry.plan.judge,
            "result": result_of(entry),
            "cost": entry.cost,
            "cases": entry.cases,
            "done": entry.done,
            "cells": entry.cells,
            "errors": entry.errors,
            "when": ago(entry.updated, now),
            "tags": ", ".join(remarks[entry.id].tags) if remarks and entry.id in remarks else "",
            "note": remarks[entry.id].note if remarks and entry.id in remarks else "",
        }
        for entry in entries
    ]
    numbers = dict.fromkeys(["cases", "done", "cells", "errors"], pl.Int64)
    texts = dict.fromkeys(
        ["id", "status", "stale", "dataset", "metrics", "candidate", "baseline", "judge", "when", "tags", "note",
         "result"],
        pl.String,
    )  # fmt: skip
    return pl.DataFrame(rows, schema={**texts, **numbers, "cost": pl.Float64})


def metrics_of(plan: Plan) -> str:
    """The group's name, or the metrics themselves."""
    return plan.group or ", ".join(metric.spec for metric in plan.metrics)


def ago(stamp: str, now: datetime | None = None) -> str:
    """``just now``, ``12 min``, ``3 h``, else the day."""
    try:
        then = datetime.fromisoformat(stamp)
    except ValueError:
        return stamp
    seconds = ((now or datetime.now(UTC)) - then).total_seconds()
    if seconds < 60:
        return "just now"
    if seconds < 3600:
        return f"{int(seconds // 60)} min"
    return f"{int(seconds // 3600)} h" if seconds < 86_400 else f"{then:%Y-%m-%d}"


def about(entry: Entry, remark: Remark | None = None) -> Passage:
    """One experiment: what was run against what, how far it is, its means, what is noted on it."""
    passage, plan = Passage(), entry.plan
    mark, tone = STATUS.get(entry.status.value, ("?", ""))
    passage.line((f"{mark} {entry.status.value}", tone), (f"  {entry.id}", "dim"))
    if entry.message and entry.status is not Status.FINISHED:
        passage.text(entry.message, tone="warn")
    if said := wording.stale(entry.stale):
        passage.text(said, tone="warn")
    for said in entry.remarks:
        passage.text(said, tone="warn")
    if entry.resumable:
        passage.line(
            (f"{entry.done:,} of {entry.cells:,} cells are done; ", ""), ("r", "accent"), (" goes on from there", "")
        )
    passage.gap()
    if remark is not None and remark.tags:
        passage.line((f"{'tags':<11}", "title"), (", ".join(remark.tags), "accent"), hang=11)
    if remark is not None and remark.note:
        passage.line((f"{'note':<11}", "title"), (remark.note, ""), hang=11)
    for name, value in described(plan, entry.source):
        passage.line((f"{name:<11}", "title"), (value, ""), hang=11)
    passage.heading("Means of the candidate")
    width = max((len(metric.spec) for metric in plan.metrics), default=0) + 2
    for metric in plan.metrics:
        mean = entry.means.get(metric.spec)
        shown = wording.number(mean, wording.digits_of(metric), metric.threshold)
        verdict = "" if mean is None or metric.threshold is None else " ✓" if metric.passes(mean) else " ✗"
        passage.line(
            (f"{metric.spec:<{width}}", ""), (shown, "strong"), (verdict, "good" if verdict == " ✓" else "bad")
        )
    if entry.cost is not None:
        passage.gap()
        passage.line((f"cost {_paid([entry.cost])[0]}, as judge and targets say", "dim"))
    if entry.errors:
        passage.gap()
        passage.line((f"{wording.count(entry.errors, 'cell')} could not be scored", "warn"))
    return passage


def described(plan: Plan, source: str) -> list[tuple[str, str]]:
    """A plan as names and values."""
    lines = [("dataset", f"{plan.dataset}  {source}"), ("metrics", ", ".join(metric.spec for metric in plan.metrics))]
    lines += [("group", plan.group)] if plan.group else []
    lines += [(side.value, target) for side, target in plan.sides]
    if any(metric.question for metric in plan.metrics):
        lines.append(("judge", f"{plan.judge}, strategy {plan.strategy}"))
    lines += [("repeats", str(plan.repeats))] if plan.repeats > 1 else []
    lines += [("limit", f"first {plan.limit:,}")] if plan.limit else []
    lines += [("responses", f"those that {plan.responses_of} stored")] if plan.responses_of else []
    lines += [("setup", plan.setup)] if plan.setup else []
    return lines


# Before a run


def preflight(found: Preflight) -> Passage:
    """What would be scored and what not and why, what is asked, sent where, and what it may cost."""
    passage = Passage()
    sides = len(found.plan.sides)
    passage.line(
        (wording.count(found.cases, "case"), "strong"),
        (f" × {wording.count(len(found.plan.metrics), 'metric')} × {sides} side{'s'[: sides - 1]}", ""),
    )
    if found.nothing_to_do:
        passage.line(("nothing can be scored: see the reasons below", "bad"))
    for line in wording.starts(found):
        passage.line(("asks   ", "title"), (line, ""), hang=7)
    passage.line(("judge  ", "title"), (_asks(found), ""), hang=7)
    for host, n in found.leaving.items():
        passage.line(("sends  ", "title"), (f"the text of {wording.count(n, 'case')} to {host}", "warn"), hang=7)
    passage.line(("cost   ", "title"), (_cost(found), ""), hang=7)
    if found.calls or found.target_calls:
        passage.line(("time   ", "title"), (wording.takes(found), ""), hang=7)
    passage.heading("What can be scored")
    width = max((len(check.metric) for check in found.checks), default=0) + 2
    for metric in dict.fromkeys(check.metric for check in found.checks):
        checks = [check for check in found.checks if check.metric == metric]
        parts = [(f"{metric:<{width}}", "strong")]
        for check in checks:
            tone = "good" if check.runs_on == check.of else "warn" if check.runs_on else "bad"
            parts += [(f"{check.side.value} ", "dim")] if sides > 1 else []
            parts.append((f"{check.runs_on:,} of {check.of:,}   ", tone))
        passage.line(*parts, hang=width)
        for reason, n in {reason: n for check in checks for reason, n in check.cannot.items()}.items():
            passage.line((f"{n:,} not: {reason}", "dim"), indent=4)
    _sources(passage, found)
    if found.notes:
        passage.heading("Notes")
        for note in found.notes:
            passage.line(("· ", "dim"), (note, ""), hang=2)
    return passage


def _asks(found: Preflight) -> str:
    if found.calls:
        return f"{found.judge}: {wording.count(found.calls, 'question')}, about {found.tokens:,} tokens"
    return f"{found.judge}: nothing leaves this machine" if not found.leaving else f"{found.judge}: offline"


def _cost(found: Preflight) -> str:
    if found.cost is None:
        return "unknown: the judge's profile has no price"
    low, high = found.cost
    return "free" if high == 0 else f"${low:,.2f} to ${high:,.2f}"


def _sources(passage: Passage, found: Preflight) -> None:
    """Which column feeds which input: once, since all metrics and sides share them."""
    seen: dict[str, tuple[str, str]] = {}
    for check in found.checks:
        for name, origin in check.origins.items():
            seen.setdefault(name, (origin.reference, "proposed" if name in found.proposed else ""))
    if seen:
        passage.heading("Where the inputs come from")
        wide = max(map(len, seen)) + 2
        for name, (reference, how) in seen.items():
            passage.line((f"{name:<{wide}}", "cool"), (reference, ""), (f"  {how}" if how else "", "warn"), hang=wide)


# While it runs


def running(progress: Progress, name: str, width: int) -> list[Content]:
    """Three lines on a run: a bar, the counts by state, what is in flight."""
    share = f"{100 * progress.done // progress.total} %" if progress.total else "…"
    bar = progress_bar(progress.done, progress.total, max(10, min(60, width - 44)))
    rate = progress.done / progress.seconds if progress.seconds > 0.5 else 0.0
    left = (progress.total - progress.done) / rate if rate and progress.total else None
    first = Content.assemble(
        Content.styled(bar, "$success"),
        f"  {progress.done:,} of {progress.total:,}  ",
        Content.styled(share, "bold"),
        f"  {rate:,.0f}/s" if rate else "",
        f"  {clock(left)} left" if left is not None else "",
    )
    states = [(state, n) for state, n in progress.states.items() if n]
    second = Content("  ").join(_state(state, n) for state, n in sorted(states)) if states else Content("starting …")
    third = Content.styled(" · ".join(_flight(progress)), "dim")
    return [first.truncate(width), second.truncate(width), third.truncate(width)]


def _state(state: State, n: int) -> Content:
    style = "$success" if state is State.SCORED else "$warning" if state.is_error else "dim"
    return Content.styled(f"{n:,} {state.value.replace('_', ' ')}", style)


def _flight(progress: Progress) -> list[str]:
    parts = [progress.stage] if progress.stage else []
    if progress.in_flight or progress.concurrency:
        parts.append(
            f"{progress.in_flight} in flight" + (f" of {progress.concurrency}" if progress.concurrency else "")
        )
    if progress.calls and progress.seconds >= 1:
        parts.append(f"{60 * progress.calls / progress.seconds:,.0f} calls/min")
    if progress.reused:
        parts.append(f"{progress.reused:,} reused")
    tokens = progress.prompt_tokens + progress.completion_tokens
    rate = f" ({60 * tokens / progress.seconds:,.0f}/min)" if progress.seconds >= 1 else ""
    parts += [f"{tokens:,} tokens{rate}"] if tokens else []
    parts += [f"${progress.cost:,.4f}"] if progress.cost is not None and progress.cost > 0 else []
    parts.append(clock(progress.seconds))
    told = progress.forecast()
    parts += [wording.forecast(told)] if told is not None and progress.done < progress.total else []
    return [cell(part) for part in parts]


def clock(seconds: float) -> str:
    """``0:07``, ``12:30``, ``1:02:03``."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def ended(progress: Progress) -> tuple[str, str]:
    """What to say when a run has ended, and how bad that is."""
    errors = sum(n for state, n in progress.states.items() if state.is_error)
    faults = f", {errors:,} could not be scored" if errors else ""
    if (
        progress.status is Status.FINISHED
        and progress.seconds < 1
        and progress.done
        and not progress.calls
        and progress.reused == progress.total
    ):
        return (
            f"nothing was left to do: all was stored already ({wording.count(progress.done, 'cell')}); 4 shows the results",
            "information",
        )
    if progress.status is Status.FINISHED:
        return (
            f"finished: {wording.count(progress.done, 'cell')} in {clock(progress.seconds)}{faults}; 4 shows the results",
            "information",
        )
    if progress.status is Status.CANCELLED:
        return (
            f"stopped: {progress.done:,} of {wording.count(progress.total, 'cell')} kept; r goes on from there",
            "warning",
        )
    return f"{progress.status.value}: {progress.message}; kept: {wording.count(progress.done, 'cell')}", "error"
