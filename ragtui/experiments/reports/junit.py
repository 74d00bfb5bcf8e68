"""The report for CI: a test case a cell of the candidate. Errors are errors, what is not applicable is skipped."""

from __future__ import annotations

import re
from typing import Final
from xml.etree import ElementTree as xml

from ragtui.experiments import wording
from ragtui.experiments.gates import Judgement
from ragtui.experiments.plan import PlannedMetric, Side
from ragtui.experiments.results import Results
from ragtui.metrics.score import State
from ragtui.text import block

SUFFIX: Final = ".xml"
_NOT_XML: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(results: Results, judgement: Judgement) -> str:
    suites = xml.Element("testsuites", name=_legal(f"ragtui {results.plan.dataset}"))
    rows = results.rows(Side.CANDIDATE)
    reasons = results.reasons(Side.CANDIDATE)
    for metric in results.plan.metrics:
        _suite(suites, results, metric, rows.join(reasons, on="case_id", maintain_order="left").rows(named=True))
    if judgement.passed is not None:
        gate = xml.SubElement(suites, "testsuite", name="gate", tests="1", failures=str(int(not judgement.passed)))
        case = xml.SubElement(gate, "testcase", classname="ragtui", name="gate")
        if not judgement.passed:
            xml.SubElement(case, "failure", message=_legal("; ".join(judgement.reasons)))
    xml.indent(suites)
    return "<?xml version='1.0' encoding='utf-8'?>\n" + xml.tostring(suites, encoding="unicode") + "\n"


def _suite(suites: xml.Element, results: Results, metric: PlannedMetric, rows: list[dict[str, object]]) -> None:
    suite = xml.SubElement(suites, "testsuite", name=_legal(metric.spec))
    counts = {"failure": 0, "error": 0, "skipped": 0}
    for row in rows:
        name = f"{row['case_id']}: {row['name']}" if row["name"] else str(row["case_id"])
        case = xml.SubElement(
            suite, "testcase", classname=_legal(f"{results.plan.dataset}.{metric.spec}"), name=_legal(name)
        )
        state, reason = State(str(row[f"{metric.spec} state"])), str(row.get(f"{metric.spec} reason") or "")
        score = row[metric.spec]
        if isinstance(score, float) and row[f"{metric.spec} passed"] is False:
            message = f"{metric.spec} {wording.score(score, metric)}, threshold {metric.threshold:g}"
            xml.SubElement(case, "failure", message=_legal(message)).text = _legal(reason)
            counts["failure"] += 1
        elif state.is_error:
            xml.SubElement(case, "error", type=state.value, message=_legal(reason or state.value))
            counts["error"] += 1
        elif state is not State.SCORED:
            xml.SubElement(case, "skipped", message=_legal(reason or state.value.replace("_", " ")))
            counts["skipped"] += 1
    suite.set("tests", str(len(rows)))
    suite.set("failures", str(counts["failure"]))
    suite.set("errors", str(counts["error"]))
    suite.set("skipped", str(counts["skipped"]))


def _legal(value: str) -> str:
    """Safe text, without the characters that XML cannot hold at all."""
    return _NOT_XML.sub("\ufffd", block(value))
