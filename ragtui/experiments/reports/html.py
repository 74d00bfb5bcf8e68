"""The report as one self-contained page: figures, verdicts, causes, and every case sortable and searchable offline.

Everything from data goes into the page as JSON and is set as text by its script: nothing in it can become markup, and the
page may load nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from ragtui import text
from ragtui.experiments import slice_lines, wording
from ragtui.experiments.gates import Judgement
from ragtui.experiments.plan import PlannedMetric, Side
from ragtui.experiments.remarks import remarks
from ragtui.experiments.reports.spreadsheet import sheet
from ragtui.experiments.results import MetricComparison, MetricSummary, Results
from ragtui.experiments.slices import slices
from ragtui.metrics.score import Evidence

if TYPE_CHECKING:
    import polars as pl

SUFFIX: Final = ".html"
ROWS: Final = 5_000  # cases in a page, the failing ones first
TEXT: Final = 8_000  # characters of a text
EVIDENCE: Final = 500  # cases whose claims are listed one by one


def render(results: Results, judgement: Judgement) -> str:
    page = files("ragtui.experiments.reports").joinpath("page.html").read_text("utf-8")
    data = json.dumps(_content(results, judgement), ensure_ascii=False, allow_nan=False)
    # Inside a script element only these could end it or begin a comment; in JSON they only stand in strings.
    return page.replace("@DATA@", data.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


def _content(results: Results, judgement: Judgement) -> dict[str, Any]:
    plan = results.plan
    against = f" (candidate) against {plan.baseline} (baseline)" if plan.baseline else ""
    cases = results.rows(Side.CANDIDATE)
    return {
        "title": text.cell(f"{plan.dataset}: {plan.candidate}{against}"),
        "head": text.cell(
            f"{wording.count(cases.height, 'case')}, {wording.count(len(plan.metrics), 'metric')}, judge {plan.judge}; "
            f"experiment {results.experiment}, {results.status}. {' '.join(remarks(results))}"
        ),
        "short": text.cell(wording.in_short(results.comparisons(), plan)),
        "reading": wording.READING,
        "causes": wording.legend(set(cases["cause"].drop_nulls())),
        "gate": _gate(judgement),
        "figures": _figures(results),
        "said": _said(results),
        "slices": [_slices(results, column) for column in results.slicing],
        "columns": _columns(results),
        "rows": _rows(results, _worst(results, cases)),
        "total": cases.height,
    }


def _gate(judgement: Judgement) -> list[tuple[str, str]]:
    lines = [(f"gate failed: {reason}", "bad") for reason in judgement.reasons]
    lines += [(f"incomplete: {reason}", "bad") for reason in judgement.incomplete]
    if judgement.passed and not judgement.incomplete:
        lines.append(("gate passed", "good"))
    lines += [(f"note: {each}", "dim") for each in judgement.remarks]
    return [(text.cell(line), style) for line, style in lines]


def _figures(results: Results) -> dict[str, Any]:
    by_side = {(each.metric, each.side): each for each in results.summaries()}
    compared = {each.metric: each for each in results.comparisons()}
    columns = ["metric", "candidate", "95 %", "pass", *(["baseline", "difference", "verdict"] if compared else [])]
    rows = []
    for metric in results.plan.metrics:
        mine = by_side[metric.spec, Side.CANDIDATE]
        cells = [metric.spec, wording.mean(mine, metric), wording.mean_interval(mine, metric), wording.pass_rate(mine)]
        if compared:
            cells += _against(by_side[metric.spec, Side.BASELINE], compared[metric.spec], metric)
        sides = [mine, *([by_side[metric.spec, Side.BASELINE]] if compared else [])]
        plots = [_plot(each, metric) for each in sides if each.mean is not None]
        scale = [_end(end, plots, pick) for end, pick in zip(metric.scale, (min, max), strict=True)]
        histogram = list(mine.histogram)
        told = [text.cell(each) for each in cells]
        rows.append(
            {
                "cells": told,
                "measure": text.cell(wording.measure(metric)),
                "histogram": histogram,
                "intervals": plots,
                "scale": scale,
            }
        )
    plotted = "candidate, baseline" if compared else "mean, 95 %"
    return {"columns": [*columns, plotted, "all scores"], "rows": rows}


def _slices(results: Results, column: str) -> dict[str, Any]:
    found = slices(results, column)
    return {
        "title": text.cell(f"by {column}"),
        "columns": slice_lines.headings(found),
        "rows": [[text.cell(cell, 80) for cell in row] for row in slice_lines.lines(found, results)],
        "worse": [each.worse for each in found],
        "said": [text.cell(line) for line in slice_lines.said(found, results)],
    }


def _plot(summary: MetricSummary, metric: PlannedMetric) -> dict[str, Any]:
    low, high = summary.ci95 or (None, None)
    told = f"{wording.mean(summary, metric)} {wording.mean_interval(summary, metric)}"
    return {"side": summary.side.value, "mean": summary.mean, "low": low, "high": high, "told": text.cell(told)}


def _end(end: float | None, plots: list[dict[str, Any]], pick: Callable[[list[float]], float]) -> float:
    """An end of the scale; where it is open, the outermost that is shown."""
    if end is not None:
        return end
    values = [each[name] for each in plots for name in ("mean", "low", "high") if each[name] is not None]
    return pick(values) if values else 0.0


def _against(baseline: MetricSummary, found: MetricComparison, metric: PlannedMetric) -> list[str]:
    digits = wording.digits_of(metric)
    delta = f"{wording.signed_number(found.delta, digits)} {wording.paired_interval(found, digits)}"
    return [wording.mean(baseline, metric), delta, f"{wording.outcome(found, metric)}, {wording.p_holm(found)}"]


def _said(results: Results) -> list[str]:
    lines = [wording.verdict(each, results.plan.metric(each.metric)) for each in results.comparisons()]
    causes = wording.causes(results.causes(), results.labelled())
    return [text.cell(each) for each in (*lines, *([causes] if causes else []))]


def _columns(results: Results) -> list[dict[str, Any]]:
    names = [("case", False), ("question", False), *((metric, True) for metric in results.metrics), ("cause", False)]
    return [{"name": text.cell(name), "number": number} for name, number in names]


def _worst(results: Results, cases: pl.DataFrame) -> pl.DataFrame:
    """The cases that go into the page, worst first: where there are too many, the worst of each metric. They are in the
    order of how many metrics they fail, then of how bad the worst of their scores is among all of its metric."""
    import polars as pl

    ranks = [
        pl.col(each.spec).rank("min", descending=not each.higher_is_better).alias(f"_{at}")
        for at, each in enumerate(results.plan.metrics)
    ]
    failed = pl.sum_horizontal(*((~pl.col(f"{each} passed")).fill_null(False) for each in results.metrics))
    place = cases.select(failed=failed, worst=pl.min_horizontal(*ranks)).with_row_index()
    place = place.sort("worst", nulls_last=True, maintain_order=True).head(ROWS)
    return cases[place.sort("failed", "worst", descending=[True, False], nulls_last=True, maintain_order=True)["index"]]


def _rows(results: Results, cases: pl.DataFrame) -> list[dict[str, Any]]:
    evidence = _evidence(results, cases["case_id"].head(EVIDENCE).to_list())
    return [
        _row(results, row, name or "", evidence.get(row["case_id"], {}))
        for name, row in zip(cases["name"], sheet(results, Side.CANDIDATE, cases).iter_rows(named=True), strict=True)
    ]


def _evidence(results: Results, case_ids: list[str]) -> dict[str, dict[str, str]]:
    """By case and metric, each claim a line: whether it holds, and the chunk of the contexts that says so."""
    out: dict[str, dict[str, str]] = {}
    for case_id in case_ids:
        side = results.detail(case_id).side(Side.CANDIDATE)
        cells = side.cells if side is not None else ()
        out[case_id] = {
            f"{each.metric} evidence": "\n".join(_claim(one) for one in each.evidence)
            for each in cells
            if each.evidence and each.repeat == 1
        }
    return out


def _claim(evidence: Evidence) -> str:
    where = f" (chunk {evidence.chunk + 1})" if evidence.chunk is not None else ""
    return f"{evidence.verdict}{where}: {evidence.claim}"


def _row(results: Results, row: dict[str, Any], name: str, evidence: Mapping[str, str]) -> dict[str, Any]:
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
        for key, value in {**row, **evidence}.items()
        if key not in skipped and not key.endswith((" state", " passed", " Δ")) and value is not None and str(value)
    ]
    find = [*(each["text"] for each in cells), text.cell(name), *(each for _, each in texts)]
    return {"cells": cells, "texts": texts, "find": " ".join(find)}


def _cell(value: str, limit: int = 200) -> dict[str, Any]:
    return {"text": text.cell(value, limit), "value": text.cell(value), "ok": None}
