"""The report for a pull request: a table of figures, the verdicts, and the worst rows."""

from __future__ import annotations

import re
from typing import Final

from ragtui import text
from ragtui.experiments import slice_lines, wording
from ragtui.experiments.error_causes import error_causes
from ragtui.experiments.gates import Judgement
from ragtui.experiments.plan import Side
from ragtui.experiments.remarks import remarks
from ragtui.experiments.results import Results
from ragtui.experiments.slices import slices
from ragtui.experiments.worst import worst_rows

SUFFIX: Final = ".md"
WORST: Final = 5
_SPECIAL: Final = re.compile(r"([\\`*_\[\]<>|~&]|:(?=//)|(?<=www)\.)")


def render(results: Results, judgement: Judgement) -> str:
    errors = "".join(f"- {escaped(each, 400)}\n" for each in error_causes(results))
    said = "\n".join([errors, *(f"{escaped(each, 1_000)}\n" for each in remarks(results))])
    figures = (_table(results), f"<sub>{wording.READING}</sub>\n")
    parts = [_head(results, judgement), *figures, said, _verdicts(results)]
    parts += [_slices(results), _causes(results), _worst(results)]
    return "\n".join(part for part in parts if part)


def escaped(value: object, limit: int = 200) -> str:
    """Text of a dataset as plain text in Markdown: nothing in it is markup, a link or HTML."""
    return _SPECIAL.sub(r"\\\1", text.cell(value, limit))


def _head(results: Results, judgement: Judgement) -> str:
    plan = results.plan
    against = f" (candidate) against {escaped(plan.baseline)} (baseline)" if plan.baseline else ""
    cases = max((each.n_total for each in results.summaries()), default=0)
    lines = [
        f"## {escaped(plan.dataset)}: {escaped(plan.candidate)}{against}",
        "",
        f"{wording.count(cases, 'case')}, {wording.count(len(plan.metrics), 'metric')}, judge {escaped(plan.judge)}; "
        f"experiment `{results.experiment}`, {results.status}.",
        "",
    ]
    if short := wording.in_short(results.comparisons(), plan):
        lines += [f"**{escaped(short, 1000)}**\n"]
    for title, reasons in (("Gate failed", judgement.reasons), ("Incomplete", judgement.incomplete)):
        lines += [f"**{title}:** {escaped(reason)}\n" for reason in reasons]
    if judgement.passed and not judgement.incomplete:
        lines.append("**Gate passed.**\n")
    lines += [f"- {escaped(each, 400)}\n" for each in judgement.remarks]
    return "\n".join(lines)


def _table(results: Results) -> str:
    by_side = {(each.metric, each.side): each for each in results.summaries()}
    compared = {each.metric: each for each in results.comparisons()}
    header = ["metric", "candidate", "95 %", "pass"] + (["baseline", "difference", "verdict"] if compared else [])
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    for metric in results.plan.metrics:
        mine = by_side[metric.spec, Side.CANDIDATE]
        digits = wording.digits_of(metric)
        row = [
            f"{escaped(metric.spec)} ({wording.measure(metric)})",
            wording.mean(mine, metric),
            wording.mean_interval(mine, metric),
            wording.pass_rate(mine),
        ]
        if compared:
            other, found = by_side[metric.spec, Side.BASELINE], compared[metric.spec]
            delta = f"{wording.signed_number(found.delta, digits)} {wording.paired_interval(found, digits)}"
            verdict = f"{wording.outcome(found, metric)}, {wording.p_holm(found)}".replace("<", "&lt;")
            row += [wording.mean(other, metric), delta, verdict]
        lines.append("| " + " | ".join(row) + " |")
    return "\n".join([*lines, ""])


def _verdicts(results: Results) -> str:
    lines = [
        f"- {escaped(wording.verdict(each, results.plan.metric(each.metric)), 1000)}" for each in results.comparisons()
    ]
    return "\n".join([*lines, ""]) if lines else ""


def _slices(results: Results) -> str:
    parts: list[str] = []
    for column in results.slicing:
        found = slices(results, column)
        names = slice_lines.headings(found)
        parts += [f"### by {escaped(column)}", "", "| " + " | ".join(names) + " |", "|" + "---|" * len(names)]
        parts += [f"| {' | '.join(escaped(cell, 80) for cell in row)} |" for row in slice_lines.lines(found, results)]
        parts += ["", *(f"- {escaped(line)}" for line in slice_lines.said(found, results)), ""]
    return "\n".join(parts)


def _causes(results: Results) -> str:
    said = wording.causes(results.causes(), results.labelled())
    meant = wording.legend(results.causes())
    return (
        f"{said[:1].upper()}{said[1:]}.\n" + (f"\n<sub>{escaped(meant, 1000)}.</sub>\n" if meant else "")
        if said
        else ""
    )


def _worst(results: Results) -> str:
    lines: list[str] = []
    for metric in results.plan.metrics:
        rows = worst_rows(results, metric, WORST)
        if rows:
            lines += [
                f"<details><summary>worst by {escaped(metric.spec)}</summary>",
                "",
                "| case | score | reason |",
                "|---|---|---|",
            ]
            for row in rows:
                shown = wording.score(row.score, metric)
                lines.append(f"| {escaped(row.case_id)} {escaped(row.name, 80)} | {shown} | {escaped(row.reason)} |")
            lines += ["", "</details>", ""]
    return "\n".join(lines)
