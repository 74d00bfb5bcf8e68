"""The report as one self-contained page: figures, verdicts, causes, and every case sortable and searchable offline.

Everything from data goes into the page as JSON and is set as text by its script: nothing in it can become markup, and the
page may load nothing.
"""

from __future__ import annotations

import json
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from ragtui import text
from ragtui.experiments import wording
from ragtui.experiments.gates import Judgement
from ragtui.experiments.plan import PlannedMetric, Side
from ragtui.experiments.remarks import remarks
from ragtui.experiments.reports.spreadsheet import sheet
from ragtui.experiments.results import MetricComparison, MetricSummary, Results

if TYPE_CHECKING:
    import polars as pl

SUFFIX: Final = ".html"
ROWS: Final = 5_000  # cases in a page, the failing ones first
TEXT: Final = 8_000  # characters of a text


def render(results: Results, judgement: Judgement) -> str:
    page = files("ragtui.experiments.reports").joinpath("page.html").read_text("utf-8")
    data = json.dumps(_content(results, judgement), ensure_ascii=False, allow_nan=False)
    # Inside a script element only these could end it or begin a comment; in JSON they only stand in strings.
    return page.replace("@DATA@", data.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


def _content(results: Results, judgement: Judgement) -> dict[str, Any]:
    plan = results.plan
    against = f" against {plan.baseline}" if plan.baseline else ""
    frame = sheet(results, Side.CANDIDATE)
    return {
        "title": text.cell(f"{plan.dataset}: {plan.candidate}{against}"),
        "head": text.cell(
            f"experiment {results.experiment}, {results.status}, judge {plan.judge}. {' '.join(remarks(plan))}"
        ),
        "gate": _gate(judgement),
        "figures": _figures(results),
        "said": _said(results),
        "columns": _columns(results),
        "rows": _rows(results, _worst(results, frame)),
        "total": frame.height,
    }


def _gate(judgement: Judgement) -> list[tuple[str, str]]:
    lines = [(f"gate failed: {reason}", "bad") for reason in judgement.reasons]
    lines += [(f"incomplete: {reason}", "bad") for reason in judgement.incomplete]
    if judgement.passed and not judgement.incomplete:
        lines.append(("gate passed", "good"))
    return [(text.cell(line), style) for line, style in lines]


def _figures(results: Results) -> dict[str, Any]:
    by_side = {(each.metric, each.side): each for each in results.summaries()}
    compared = {each.metric: each for each in results.comparisons()}
    columns = ["metric", "candidate", "95 %", "pass", *(["baseline", "Δ [95 %]", "p (Holm)"] if compared else [])]
    rows = []
    for metric in results.plan.metrics:
        mine = by_side[metric.spec, Side.CANDIDATE]
        cells = [metric.spec, wording.mean(mine, metric), wording.mean_interval(mine, metric), wording.pass_rate(mine)]
        if compared:
            cells += _against(by_side[metric.spec, Side.BASELINE], compared[metric.spec], metric)
        rows.append({"cells": [text.cell(each) for each in cells], "histogram": list(mine.histogram)})
    return {"columns": [*columns, "scores"], "rows": rows}


def _against(baseline: MetricSummary, found: MetricComparison, metric: PlannedMetric) -> list[str]:
    digits = wording.digits_of(metric)
    delta = f"{wording.signed_number(found.delta, digits)} {wording.interval(found.ci95, digits, signed=True)}"
    return [wording.mean(baseline, metric), delta, wording.p_value(found.p_holm)]


def _said(results: Results) -> list[str]:
    lines = [wording.verdict(each, results.plan.metric(each.metric)) for each in results.comparisons()]
    causes = wording.causes(results.causes(), results.labelled())
    return [text.cell(each) for each in (*lines, *([causes] if causes else []))]


def _columns(results: Results) -> list[dict[str, Any]]:
    names = [("case", False), ("question", False), *((metric, True) for metric in results.metrics), ("cause", False)]
    return [{"name": text.cell(name), "number": number} for name, number in names]


def _worst(results: Results, frame: pl.DataFrame) -> pl.DataFrame:
    """The cases that go into the page: those that fail most metrics first, where there are too many."""
    import polars as pl

    if frame.height <= ROWS:
        return frame
    failed = pl.sum_horizontal(*((~pl.col(f"{each} passed")).fill_null(False) for each in results.metrics))
    return frame.sort(failed, descending=True, maintain_order=True).head(ROWS)


def _rows(results: Results, frame: pl.DataFrame) -> list[dict[str, Any]]:
    names = {row["case_id"]: row["name"] for row in results.rows(Side.CANDIDATE).iter_rows(named=True)}
    return [_row(results, row, names.get(row["case_id"], "")) for row in frame.iter_rows(named=True)]


def _row(results: Results, row: dict[str, Any], name: str) -> dict[str, Any]:
    cause = row["label"] or row["cause"] or ""
    cells = [_cell(row["case_id"]), _cell(name, 140)]
    for metric in results.plan.metrics:
        score, state = row[metric.spec], row[f"{metric.spec} state"]
        shown = (
            wording.score(score, metric) if score is not None else "n/a" if state == "not_applicable" else str(state)
        )
        cells.append({"text": shown.replace("_", " "), "value": score, "ok": row[f"{metric.spec} passed"]})
    cells.append(_cell(cause))
    skipped = {"case_id", "cause", "label", *results.metrics}
    texts = [
        (text.cell(key), text.block(str(value)[:TEXT]))
        for key, value in row.items()
        if key not in skipped and not key.endswith((" state", " passed", " Δ")) and value is not None and str(value)
    ]
    find = [*(each["text"] for each in cells), text.cell(name), *(each for _, each in texts)]
    return {"cells": cells, "texts": texts, "find": " ".join(find)}


def _cell(value: str, limit: int = 200) -> dict[str, Any]:
    return {"text": text.cell(value, limit), "value": text.cell(value), "ok": None}
