"""JUnit XML: a suite a file, a case a finding, and one passing case where there is none.

Written so that both the strict schema of Ant's format and the one of Jenkins accept it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from ragtui.cli.findings_output import Style, place_of
from ragtui.text import cell

if TYPE_CHECKING:
    from ragtui.datasets.check import Opened
    from ragtui.datasets.findings import Finding


def render(opened: Opened, style: Style) -> Iterator[str]:
    suites = [
        (path, [finding for _, finding in group]) for path, group in groupby(opened.placed(), key=lambda pair: pair[0])
    ]
    suites += [(report.shown, []) for report in opened.reports if not report.findings]
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n'
    for number, (path, findings) in enumerate(suites):
        yield from _suite(number, path, findings, style)
    yield "</testsuites>\n"


def _suite(number: int, path: str, findings: Sequence[Finding], style: Style) -> Iterator[str]:
    """Findings that do not fail the check are passing cases; what they say is the suite's output."""
    failing = sum(_fails(finding, style) for finding in findings)
    yield (
        f'<testsuite id="{number}" name={_attribute(path)} package="ragtui" hostname="localhost" '
        f'timestamp="{time.strftime("%Y-%m-%dT%H:%M:%S")}" tests="{max(1, len(findings))}" failures="{failing}" '
        'errors="0" time="0">\n<properties/>\n'
    )
    mild = []
    for finding in findings:
        place = place_of(path, finding)
        told = f"{place}: {finding.code} {cell(finding.message)}"
        head = f'<testcase name={_attribute(f"{finding.code} {place}")} classname={_attribute(path)} time="0"'
        if _fails(finding, style):
            failure = (
                f'<failure type="{finding.level.value}" message={_attribute(finding.message)}>{escape(told)}</failure>'
            )
            yield f"{head}>{failure}</testcase>\n"
        else:
            yield f"{head}/>\n"
            mild.append(told)
    if not findings:
        yield f'<testcase name="No findings" classname={_attribute(path)} time="0"/>\n'
    yield f"<system-out>{escape(chr(10).join(mild))}</system-out>\n<system-err/>\n</testsuite>\n"


def _fails(finding: Finding, style: Style) -> bool:
    return finding.level.rank <= style.fail_level.rank


def _attribute(text: str) -> str:
    return quoteattr(cell(text))
