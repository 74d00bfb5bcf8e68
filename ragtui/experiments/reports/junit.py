"""The report for CI: a test case a cell of the candidate. Errors are errors, what is not applicable is skipped."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final
from xml.sax.saxutils import escape, quoteattr

from ragtui.experiments import wording
from ragtui.experiments.gates import Judgement
from ragtui.experiments.plan import PlannedMetric, Side
from ragtui.experiments.results import Results
from ragtui.metrics.score import State
from ragtui.text import block

if TYPE_CHECKING:
    import polars as pl

SUFFIX: Final = ".xml"
_NOT_XML: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


_CLOSE: Final = "</testsuite>\n"


def render(results: Results, judgement: Judgement) -> Iterator[str]:
    """Suite by suite and case by case: there may be millions."""
    yield "<?xml version='1.0' encoding='utf-8'?>\n"
    yield _opening("testsuites", {"name": f"ragtui {results.plan.dataset}"})
    rows = results.rows(Side.CANDIDATE).join(
        results.reasons(Side.CANDIDATE), on="case_id", how="left", maintain_order="left"
    )
    for metric in results.plan.metrics:
        yield from _suite(rows, results.plan.dataset, metric)
    if judgement.passed is not None:
        yield "  " + _opening("testsuite", {"name": "gate", "tests": "1", "failures": str(int(not judgement.passed))})
        why = "" if judgement.passed else _element("failure", {"message": "; ".join(judgement.reasons)})
        yield f"    {_element('testcase', {'classname': 'ragtui', 'name': 'gate'}, why)}\n  {_CLOSE}"
    yield "</testsuites>\n"


def _opening(tag: str, attributes: dict[str, str]) -> str:
    return f"<{tag}{''.join(f' {name}={quoteattr(_legal(value))}' for name, value in attributes.items())}>\n"


def _element(tag: str, attributes: dict[str, str], content: str = "") -> str:
    opening = _opening(tag, attributes)[:-2]
    return f"{opening}>{content}</{tag}>" if content else f"{opening} />"


def _suite(rows: pl.DataFrame, dataset: str, metric: PlannedMetric) -> Iterator[str]:
    import polars as pl

    columns = ("case_id", "name", metric.spec, f"{metric.spec} state", f"{metric.spec} passed", f"{metric.spec} reason")
    mine = rows.select(columns).rename(dict(zip(columns[2:], ("score", "state", "passed", "reason"), strict=True)))
    failed, error = (~pl.col("passed")).fill_null(False), pl.col("state").cast(pl.String).str.ends_with("_error")
    counts = mine.select(failures=failed, errors=error & ~failed, skipped=(pl.col("state") != "scored") & ~error).sum()
    told = {"name": metric.spec, "tests": str(mine.height)}
    yield "  " + _opening("testsuite", told | {name: str(n) for name, n in counts.row(0, named=True).items()})
    for row in mine.iter_rows(named=True):
        yield f"    {_case(row, f'{dataset}.{metric.spec}', metric)}\n"
    yield f"  {_CLOSE}"


def _case(row: dict[str, Any], classname: str, metric: PlannedMetric) -> str:
    name = f"{row['case_id']}: {row['name']}" if row["name"] else str(row["case_id"])
    state, reason, why = State(row["state"]), row["reason"] or "", ""
    if row["passed"] is False:
        message = f"{metric.spec} {wording.score(row['score'], metric)}, threshold {metric.threshold:g}"
        why = _element("failure", {"message": message}, escape(_legal(reason)))
    elif state.is_error:
        why = _element("error", {"type": state.value, "message": reason or state.value})
    elif state is not State.SCORED:
        why = _element("skipped", {"message": reason or state.value.replace("_", " ")})
    return _element("testcase", {"classname": classname, "name": name}, why)


def _legal(value: str) -> str:
    """Safe text, without the characters that XML cannot hold at all."""
    return _NOT_XML.sub("\ufffd", block(value))
