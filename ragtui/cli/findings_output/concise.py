"""One line a finding, as linters write them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ragtui.cli.findings_output import Style, place_of, summary
from ragtui.text import cell

if TYPE_CHECKING:
    from ragtui.datasets.check import Opened
    from ragtui.datasets.findings import Finding

_COLOURS = {"error": "red", "warning": "yellow", "info": "cyan"}


def render(opened: Opened, style: Style) -> Iterator[str]:
    for path, finding in opened.placed():
        yield line(path, finding, style) + "\n"
    yield from rest(opened)
    yield summary(opened) + "\n"


def line(path: str, finding: Finding, style: Style) -> str:
    """``corpus.jsonl:3:9: BEIR102 [*] message``."""
    code = finding.code
    if style.colour:
        import typer

        code = typer.style(code, fg=_COLOURS[finding.level.value], bold=True)
    star = "[*] " if finding.fixable else ""
    return f"{place_of(path, finding)}: {code} {star}{cell(finding.message)}"


def rest(opened: Opened) -> Iterator[str]:
    """A line for every kind of finding that occurs more often than it is listed."""
    for report in opened.reports:
        listed = Counter((finding.file, finding.code, finding.level) for finding in report.findings)
        for (file, code, level), count in report.counts.items():
            more = count - listed[file, code, level]
            if more:
                yield f"{cell(report.shown_path(file))}: {code} … and {more:,} more like it\n"
