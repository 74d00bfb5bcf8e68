"""How findings are written out. One module a form, each with ``render``; adding one touches nothing else."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from ragtui.text import cell

if TYPE_CHECKING:
    from ragtui.datasets.check import Opened
    from ragtui.datasets.dataset import Dataset
    from ragtui.datasets.findings import Finding, Level


@dataclass(frozen=True)
class Style:
    """``fail_level`` is the mildest level that fails the check; ``colour`` says whether escape sequences may be written."""

    fail_level: Level
    colour: bool = False


def forms() -> list[str]:
    """The names for ``--output-format``."""
    return sorted(info.name.removesuffix("_") for info in pkgutil.iter_modules(__path__))


def render(form: str, opened: Opened, style: Style) -> Iterator[str]:
    """The report in pieces, to be written one after the other. Each form's own ``render`` has these parameters."""
    names = {info.name.removesuffix("_"): info.name for info in pkgutil.iter_modules(__path__)}
    pieces: Iterator[str] = import_module(f"{__name__}.{names[form]}").render(opened, style)
    return pieces


def told(count: int, noun: str) -> str:
    """``1 error``, ``2 errors``, ``1,204 errors``."""
    many = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{count:,} {noun if count == 1 else many}"


def place_of(path: str, finding: Finding) -> str:
    """``path:line:column`` (0 where unknown, line 0 for the whole file), or ``book.xlsx#Sheet:row:cell``."""
    if finding.sheet is not None:
        return f"{cell(f'{path}#{finding.sheet}')}:{finding.line}" + (f":{finding.cell}" if finding.cell else "")
    return f"{cell(path)}:{finding.line}:{finding.column}"


def sizes(datasets: Sequence[Dataset]) -> str:
    """``30 cases``; ``1 case of 3 rows`` where several rows are one; ``12 cases, 50 queries``."""
    from ragtui.datasets.dataset import Shape

    cases = [each for each in datasets if each.shape is Shape.CASES]
    queries = [each for each in datasets if each.shape is Shape.RETRIEVAL]
    parts = []
    if cases or not queries:
        many, rows = sum(each.rows for each in cases), sum(each.counts.get("records", each.rows) for each in cases)
        merged = any(each.labels is not None for each in cases)
        parts.append(told(many, "case") + (f" of {told(rows, 'row')}" if merged and rows != many else ""))
    if queries:
        parts.append(told(sum(each.rows for each in queries), "query"))
    return ", ".join(parts)


def summary(opened: Opened) -> str:
    """The last line: what was found, or that all is well and with how much data."""
    from ragtui.datasets.check import passed_over
    from ragtui.datasets.findings import Level

    counts = [(opened.total(level), level.value) for level in Level]
    datasets = told(len(opened.datasets), "dataset")
    unread = f"; {passed_over(opened.unread)}" if opened.unread else ""
    if not any(count for count, _ in counts):
        return f"All checks passed: {datasets}, {sizes(opened.datasets)}{unread}."
    found = f"Found {', '.join(told(count, noun) for count, noun in counts if count)} in {datasets}{unread}."
    return f"{found}\n{mends}" if (mends := _mends(opened)) else found


def _mends(opened: Opened) -> str:
    """``[*] 3 mended by --fix, 1 more with --unsafe-fixes.``; empty where no listed finding has a fix."""
    safe, unsafe = opened.fixable, opened.fixable_unsafely
    if not safe:
        return f"{unsafe:,} mended by --fix --unsafe-fixes." if unsafe else ""
    return f"[*] {safe:,} mended by --fix" + (f", {unsafe:,} more with --unsafe-fixes." if unsafe else ".")
