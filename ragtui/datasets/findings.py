"""What is wrong with a dataset: findings, and the report that collects them in constant memory."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from ragtui.datasets.watch import Watch


class Level(StrEnum):
    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    @property
    def rank(self) -> int:
        """0 for the worst."""
        return ("error", "warning", "info").index(self.value)


@dataclass(frozen=True, slots=True)
class Edit:
    """A fix: put ``text`` in place of the bytes ``start`` to ``end`` (exclusive) of the file; ``safe`` ones cannot change meaning."""

    start: int
    end: int
    text: str
    safe: bool = True


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing wrong at one place.

    ``line`` is the physical line, 1-based; 0 speaks of the whole file; for a workbook it is the sheet row. ``column`` is
    the 1-based code point in the line, 0 unknown. ``field`` is the column's header or the JSON key. ``row`` is the
    1-based record. ``dataset`` is the index into the report's datasets.
    """

    code: str
    level: Level
    message: str
    file: str = ""
    line: int = 0
    column: int = 0
    field: str | None = None
    row: int | None = None
    sheet: str | None = None
    cell: str | None = None
    fix: tuple[Edit, ...] = ()
    dataset: int | None = None

    @property
    def fixable(self) -> bool:
        """Whether a safe fix would be applied: the ``[*]`` of the listing."""
        return bool(self.fix) and all(edit.safe for edit in self.fix)


@dataclass(frozen=True, slots=True)
class More:
    """``count`` further findings of a kind, found in bulk and not listed. A rule yields it after the ones it lists."""

    code: str
    level: Level
    count: int
    file: str = ""


def counted(count: int, noun: str, plural: str = "") -> str:
    """``1 row``, ``1,204 rows``."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


SHOWN_PER_RULE: Final = 1000  # findings listed per file and rule; the rest are counted
_limit = SHOWN_PER_RULE


def shown_per_rule() -> int:
    """How many findings are listed per file and rule; the rest are counted."""
    return _limit


@contextmanager
def listing(limit: int) -> Iterator[None]:
    """Meanwhile so many are listed: more of them for whoever wants to mend all, not to read them."""
    global _limit
    before, _limit = _limit, limit
    try:
        yield
    finally:
        _limit = before


Admit: TypeAlias = Callable[[str, Level], Level | None]
"""What becomes of a finding of this code and level: its level (raised, or as it is), or ``None`` where nobody asked for it."""


class Report:
    """Collects findings: every one is counted, the first thousand per file and rule are kept.

    ``admit`` decides by code and level what is wanted (``--select``, ``--ignore``) and how bad it is (``--for``).
    """

    def __init__(self, file: str = "", dataset: int | None = None, admit: Admit | None = None) -> None:
        self.file = file
        self.shown = file  # what the user typed to get to ``file``
        self.dataset = dataset
        self.admit = admit
        self.watch: Watch | None = None
        self.findings: list[Finding] = []
        self.counts: Counter[tuple[str, str, Level]] = Counter()

    def add(self, finding: Finding) -> None:
        """Counts ``finding`` and keeps it if its kind has not filled its share; a finding without file gets the report's."""
        if self.admit is not None:
            level = self.admit(finding.code, finding.level)
            if level is None:
                return
            finding = finding if level is finding.level else replace(finding, level=level)
        if not finding.file:
            finding = replace(finding, file=self.file)
        if finding.dataset is None and self.dataset is not None:
            finding = replace(finding, dataset=self.dataset)
        key = (finding.file, finding.code, finding.level)
        self.counts[key] += 1
        if self.counts[key] <= _limit:
            self.findings.append(finding)

    def extend(self, findings: Iterable[Finding | More]) -> None:
        for finding in findings:
            if isinstance(finding, More):
                self.count(finding.code, finding.level, finding.count, finding.file)
            else:
                self.add(finding)

    def count(self, code: str, level: Level, more: int, file: str = "") -> None:
        """Counts ``more`` findings of a kind that were found in bulk and need not be listed."""
        admitted = level if self.admit is None else self.admit(code, level)
        if admitted is not None and more > 0:
            self.counts[file or self.file, code, admitted] += more

    def merge(self, other: Report) -> None:
        """Takes over everything ``other`` has collected, and what it only counted."""
        listed: Counter[tuple[str, str, Level]] = Counter()
        for finding in other.findings:
            listed[finding.file, finding.code, finding.level] += 1
            self.add(finding)
        for (file, code, level), count in other.counts.items():
            self.count(code, level, count - listed[file, code, level], file)

    def step(self, read: int = 0) -> None:
        """Tells whoever waits that so many more bytes are read.

        Raises:
            Stopped: nobody waits any longer.
        """
        if self.watch is not None:
            self.watch.step(read)

    def shown_path(self, file: str) -> str:
        """The path of a finding's file as the user typed it: beside, or inside, what was typed for the report's own."""
        if file == self.file:
            return self.shown
        if self.file:
            root = self.shown.removesuffix(self.file)
            return f"{root}{file}"
        return os.path.join(self.shown, file)

    def total(self, level: Level) -> int:
        return sum(n for (_, _, lvl), n in self.counts.items() if lvl is level)
