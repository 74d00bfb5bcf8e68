"""How results look: the overview of the metrics and the table of the rows."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from ragtui.experiments import wording
from ragtui.experiments.plan import PlannedMetric, Side
from ragtui.text import block, cell
from ragtui.tui.widgets.bars import bars
from ragtui.tui.widgets.table_column import Painted, TableColumn
from ragtui.tui.widgets.virtual_table import Order

if TYPE_CHECKING:
    import polars as pl

    from ragtui.experiments.results import MetricComparison, MetricSummary, Results
    from ragtui.tui.triage import Triage

SHORT: Final = {
    "groundedness": "grnd", "relevance": "relev", "coherence": "coher", "fluency": "fluen", "retrieval": "retr",
    "similarity": "simil", "response_completeness": "compl", "correctness": "corr", "completeness": "cmplt",
    "alignment": "align", "exact_match": "exact", "groundedness_score": "grnd%", "no_answer_ratio": "no ans",
    "intent_resolution": "intent", "task_adherence": "task", "tool_call_accuracy": "tools", "answer_length": "length",
    "Recall": "Rec", "Precision": "Prec", "R-precision": "R-prec",
    "context_recall": "c.rec", "context_precision": "c.prec",
}  # fmt: skip

LABELS: Final = {"retrieval fault": "retr", "model fault": "model", "bad label": "bad", "ignore": "ignore"}

_WIDEST: Final = 8

STATES: Final = {
    "not_applicable": ("n/a", "dim"),
    "target_error": ("t.err", "warn"),
    "metric_error": ("m.err", "warn"),
    "judge_error": ("j.err", "warn"),
    "skipped": ("skip", "dim"),
    "pending": ("…", "dim"),
}


def title(results: Results) -> str:
    """``support-qa · candidate v2 against baseline v1 · judge embedded``."""
    plan = results.plan
    sides = f"candidate {plan.candidate}" + (f" against baseline {plan.baseline}" if plan.baseline else "")
    judged = any(metric.question for metric in plan.metrics)
    return " · ".join([plan.dataset, sides, *([f"judge {plan.judge}"] if judged else [])])


def remarked(results: Results) -> str:
    """What has to be said of the run and its answers, in one line; empty where nothing has."""
    why = (f"{results.status}: {results.why_unfinished}",) if results.why_unfinished else ()
    first, *rest = (*why, *results.remarks) or ("",)
    return cell(first) + (f" (and {len(rest)} more: `ragtui show {results.experiment}`)" if rest else "")


# The overview: one row a metric


def overview_frame(
    plan_metrics: Sequence[PlannedMetric],
    summaries: Sequence[MetricSummary],
    comparisons: Sequence[MetricComparison],
    strict: bool,
) -> pl.DataFrame:
    """The figures as words, with the tones that belong to them."""
    import polars as pl

    by_side = {(each.metric, each.side): each for each in summaries}
    compared = {each.metric: each for each in comparisons}
    rows = []
    for metric in plan_metrics:
        candidate = by_side[metric.spec, Side.CANDIDATE]
        row = {"metric": metric.spec, "candidate": _mean(candidate, metric, strict)}
        row["over"] = wording.counts(candidate)[1:-1]
        row["range"] = wording.spread(candidate.ci95, wording.digits_of(metric))
        row["pass"] = wording.pass_rate(candidate).replace("–", "")
        row["shape"] = bars(candidate.histogram)
        row["failing"] = "yes" if candidate.pass_rate is not None and candidate.pass_rate < 0.5 else ""
        row["errors"] = "yes" if candidate.errors else ""
        if (baseline := by_side.get((metric.spec, Side.BASELINE))) is not None:
            row["baseline"] = _mean(baseline, metric, strict)
        if (difference := compared.get(metric.spec)) is not None:
            row |= _difference(difference, metric)
        rows.append(row)
    return pl.DataFrame(rows, schema=dict.fromkeys(_OVERVIEW, pl.String))


_OVERVIEW: Final = (
    "metric", "candidate", "over", "range", "baseline", "delta", "interval", "p", "wins", "pairs", "pass", "shape", "failing",
    "errors", "tone",
)  # fmt: skip


def _mean(summary: MetricSummary, metric: PlannedMetric, strict: bool) -> str:
    value = summary.strict_mean if strict else summary.mean
    text = wording.number(value, wording.digits_of(metric), summary.threshold)
    return text if value is None else text + wording.unit(metric)


def _difference(found: MetricComparison, metric: PlannedMetric) -> dict[str, str]:
    digits = wording.digits_of(metric)
    tone = ""
    if wording.holds(found) and found.delta:
        tone = "good" if (found.delta > 0) == metric.higher_is_better else "bad"
    arrow = {"good": " ▲", "bad": " ▼"}.get(tone, "")
    return {
        "delta": wording.signed_number(found.delta, digits) + arrow,
        "interval": wording.paired_interval(found, digits),
        "p": wording.p_value(found.p_holm if found.p_holm is not None else found.p),
        "wins": f"{found.wins}/{found.ties}/{found.losses}",
        "pairs": f"{found.n_pairs:,}",
        "tone": tone,
    }


def overview_columns(wide: bool, compared: bool, strict: bool) -> list[TableColumn]:
    """``strict`` names its means so; narrow screens show what decides first."""
    mean = "strict" if strict else "candidate" if wide else "cand."
    columns = [
        TableColumn("metric", "metric", paint=lambda values: (cell(values[0]), "strong"), most=24),
        TableColumn("candidate", mean, paint=lambda values: (values[0], "strong"), right=True),
        TableColumn(
            "over", "over", ("errors",), lambda v: (cell(v[0]), "warn" if v[1] else "dim"), most=34 if wide else 16
        ),
    ]
    if compared:
        columns += [
            TableColumn("baseline", "baseline" if wide else "base", right=True),
            TableColumn("delta", "Δ", ("tone",), lambda values: (values[0] or "", values[1] or "dim"), right=True),
            TableColumn("interval", "95 %", paint=lambda values: (values[0] or "", "dim")),
            TableColumn("p", "p", paint=lambda values: (values[0] or "", "dim"), right=True),
        ]
    else:
        columns.append(TableColumn("range", "95 %", paint=lambda values: (values[0] or "", "dim")))
    columns.append(TableColumn("pass", "pass", ("failing",), lambda v: (v[0] or "", "bad" if v[1] else ""), right=True))
    columns.append(TableColumn("shape", "scores", paint=lambda values: (values[0] or "", "cool"), width=10))
    if compared and not wide:  # p and pass rate decide; the interval may be panned to
        columns.append(columns.pop(next(i for i, each in enumerate(columns) if each.key == "interval")))
    if compared:
        columns.append(TableColumn("pairs", "pairs", paint=lambda values: (values[0] or "", "dim"), right=True))
        columns.append(TableColumn("wins", "win/tie/loss", paint=lambda values: (values[0] or "", "dim")))
    return columns


def summary_lines(triage: Triage) -> list[str]:
    """The figures as plain lines, and the command that shows them again."""
    compared = {each.metric: each for each in triage.comparisons}
    width = max((len(metric.spec) for metric in triage.metrics), default=0) + 2
    lines = [block(title(triage.results))]
    for summary in triage.summaries:
        if summary.side is Side.CANDIDATE:
            metric = triage.plan.metric(summary.metric)
            line = f"  {block(summary.metric):<{width}}{wording.mean(summary, metric)}"
            if (difference := compared.get(summary.metric)) is not None and difference.delta is not None:
                delta = wording.signed_number(difference.delta, wording.digits_of(metric))
                line += f"  {delta}{wording.unit(metric)} against the baseline, p {wording.p_value(difference.p_holm)}"
            lines.append(line)
    return [*lines, f"experiment {triage.results.experiment}: ragtui show {triage.results.experiment}"]


# The rows: one a case


def score_of(metric: PlannedMetric, values: Sequence[Any]) -> Painted:
    """A score with its fault to see without colour: ``2✗``, ``4``, ``n/a``, ``j.err``."""
    value, state, passed = values
    if value is None:
        words, tone = STATES.get(str(state), ("–", "dim"))
        return f"{words} ", tone
    text = wording.score(value, metric)
    if len(text) > _WIDEST:  # as many digits as it takes to show the side of the threshold
        text = text[: _WIDEST - 1] + "…"
    if passed is None:
        return f"{text} ", ""
    return (f"{text} ", "good") if passed else (f"{text}✗", "bad")


def delta_of(metric: PlannedMetric, values: Sequence[Any]) -> Painted:
    """A difference to the baseline: ``+1 ▲`` is better, ``-1 ▼`` worse."""
    value = values[0]
    if value is None:
        return "–", "dim"
    if value == 0:
        return "=  ", "dim"
    better = (value > 0) == metric.higher_is_better
    digits = 0 if float(value).is_integer() and metric.scale[1] not in (None, 1.0) else wording.digits_of(metric)
    return wording.signed_number(value, digits) + (" ▲" if better else " ▼"), "good" if better else "bad"


def row_columns(
    metrics: Sequence[PlannedMetric], *, differences: bool, wide: bool, compared: bool = False
) -> list[TableColumn]:
    """The case's id, a column a metric, ragtui's cause, the person's label; free text comes last. Notes, and with a
    baseline whichever of scores and ``differences`` is not shown, are there for who chooses them."""
    columns = [TableColumn("case_id", "id", most=18 if wide else 14)]
    columns.append(TableColumn("label", "label", ("note",), _label, width=9 if wide else 7))
    columns.append(TableColumn("note", "note", most=40, extra=True))
    for metric in metrics:
        name = cell(metric.spec if wide and len(metrics) <= 2 else short_name(metric.spec))
        also = (f"{metric.spec} state", f"{metric.spec} passed")
        score = TableColumn(
            metric.spec, name, also, partial(score_of, metric), right=True, searched=False, extra=differences
        )
        columns.append(score)
        if differences or compared:
            change = partial(delta_of, metric)
            columns.append(TableColumn(f"{metric.spec} Δ", f"{name} Δ", (), change, right=True, extra=not differences))
    columns.append(
        TableColumn("cause", "cause", paint=lambda values: (cell(values[0] or "·"), "" if values[0] else "dim"))
    )
    return [*columns, TableColumn("name", "question", grow=True, most=200)]


def short_name(spec: str) -> str:
    """A metric's name for a narrow column; a cut such as ``@10`` is never lost."""
    base, at, cut = spec.partition("@")
    short = SHORT.get(base, base if len(base) <= 8 else f"{base[:7]}…")
    return f"{short}{at}{cut}"


def _label(values: Sequence[Any]) -> Painted:
    label, note = values
    if not label:
        return ("✎ note", "accent") if note else ("·", "dim")
    return f"✎ {cell(LABELS.get(label, label))}", "accent"


def orders(metrics: Sequence[PlannedMetric], compared: bool) -> tuple[Order, ...]:
    """Ways to sort the rows that mean something: worst first by each metric, the largest regression by each."""
    specs = [metric.spec for metric in metrics]
    found = [Order("failing", "failing most metrics first", partial(_failing_most, specs))]
    found += [Order(f"worst {m.spec}", f"worst first: {m.spec}", partial(_worst, m)) for m in metrics]
    if compared:
        found += [
            Order(f"regression {m.spec}", f"largest regression: {m.spec}", partial(_regression, m)) for m in metrics
        ]
    found.append(Order("unlabelled", "unlabelled first", _unlabelled_first))
    found.append(Order("errors", "errors first", partial(_errors_first, specs)))
    found.append(Order("sample", "a random order, the same each time", _sample))
    return tuple(found)


def _fails(specs: Sequence[str]) -> pl.Expr:
    import polars as pl

    return pl.sum_horizontal([(pl.col(f"{spec} passed") == False).fill_null(False) for spec in specs])  # noqa: E712


def _worst(metric: PlannedMetric, frame: pl.DataFrame) -> pl.Series:
    """The same order as in print: equal scores keep the dataset's order."""
    import polars as pl

    from ragtui.tui.widgets.frame_view import ordered_by

    return ordered_by(frame, [pl.col(metric.spec)], [not metric.higher_is_better])


def _regression(metric: PlannedMetric, frame: pl.DataFrame) -> pl.Series:
    import polars as pl

    from ragtui.tui.widgets.frame_view import ordered_by

    return ordered_by(frame, [pl.col(f"{metric.spec} Δ")], [not metric.higher_is_better])


def _unlabelled_first(frame: pl.DataFrame) -> pl.Series:
    import polars as pl

    from ragtui.tui.widgets.frame_view import ordered_by

    return ordered_by(frame, [pl.col("label").is_null()], [True])


def _errors_first(specs: Sequence[str], frame: pl.DataFrame) -> pl.Series:
    import polars as pl

    from ragtui.tui.widgets.frame_view import ordered_by

    errors = [pl.col(f"{spec} state").cast(pl.String).str.ends_with("_error").fill_null(False) for spec in specs]
    return ordered_by(frame, [pl.sum_horizontal(errors)], [True])


def _sample(frame: pl.DataFrame) -> pl.Series:
    """By a digest of the case ids, so that the first n are a random sample that is found again."""
    import polars as pl

    from ragtui.tui.widgets.frame_view import ordered_by

    def digest(case_id: str) -> bytes:
        return hashlib.blake2b(case_id.encode(), digest_size=8).digest()

    return ordered_by(frame, [pl.col("case_id").map_elements(digest, return_dtype=pl.Binary)], [False])


def _failing_most(specs: Sequence[str], frame: pl.DataFrame) -> pl.Series:
    from ragtui.tui.widgets.frame_view import ordered_by

    return ordered_by(frame, [_fails(specs)], [True])


def failing(frame: pl.DataFrame, metric: PlannedMetric | None, specs: Sequence[str]) -> pl.Series:
    """Which rows fail: by one metric where it has a threshold, else by any."""
    import polars as pl

    wanted = [metric.spec] if metric is not None and metric.threshold is not None else list(specs)
    tests = [(pl.col(f"{spec} passed") == False).fill_null(False) for spec in wanted]  # noqa: E712
    return frame.select(pl.any_horizontal(tests).alias("failing")).to_series()
