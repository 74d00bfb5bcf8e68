"""JUnit XML: a suite a dataset, a case a finding, and one passing case where there is none."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from ragtui.cli.findings_output import Style, place_of
from ragtui.text import cell

if TYPE_CHECKING:
    from ragtui.datasets.check import Opened
    from ragtui.datasets.findings import Finding


def render(opened: Opened, style: Style) -> Iterator[str]:
    suites = {
        path: [finding for _, finding in group] for path, group in groupby(opened.placed(), key=lambda pair: pair[0])
    }
    clean = [report.shown for report in opened.reports if not report.findings]
    failing = sum(_fails(finding, style) for findings in suites.values() for finding in findings)
    cases = sum(len(findings) for findings in suites.values()) + len(clean)
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield f'<testsuites name="ragtui check" tests="{cases}" failures="{failing}" errors="0">\n'
    for path, findings in suites.items():
        failures = sum(_fails(finding, style) for finding in findings)
        yield f'<testsuite name={_attribute(path)} tests="{len(findings)}" failures="{failures}" errors="0">\n'
        for finding in findings:
            yield from _case(path, finding, style)
        yield "</testsuite>\n"
    for path in clean:
        yield f'<testsuite name={_attribute(path)} tests="1" failures="0" errors="0">\n'
        yield f'<testcase name="No findings" classname={_attribute(path)}/>\n</testsuite>\n'
    yield "</testsuites>\n"


def _case(path: str, finding: Finding, style: Style) -> Iterator[str]:
    place = place_of(path, finding)
    text = f"{place}: {finding.code} {cell(finding.message)}"
    yield f"<testcase name={_attribute(f'{finding.code} {place}')} classname={_attribute(path)}>"
    if _fails(finding, style):
        message = _attribute(finding.message)
        yield f'<failure type="{finding.level.value}" message={message}>{escape(text)}</failure>'
    else:
        yield f"<system-out>{escape(text)}</system-out>"
    yield "</testcase>\n"


def _fails(finding: Finding, style: Style) -> bool:
    return finding.level.rank <= style.fail_level.rank


def _attribute(text: str) -> str:
    return quoteattr(cell(text))
