"""Every format of dataset. One module a format, each with a ``FORMAT`` (or ``FORMATS``); adding one touches nothing else."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Protocol

from ragtui.datasets.dataset import Dataset
from ragtui.datasets.findings import Level, Report
from ragtui.datasets.rules import Rule, rules
from ragtui.datasets.watch import Watch
from ragtui.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Sniff:
    """How surely (1 to 100) something is of a format, and why, in a few words shown to the user."""

    confidence: int
    why: str


@dataclass(frozen=True)
class Golden:
    """A dataset that nothing may be tuned on: where it lies, and what its cases ask (``asked``)."""

    location: Path
    name: str
    asked: frozenset[str]


def asked(text: str | None) -> str:
    """What a case asks, as it is compared: without case and spaces that make no difference."""
    return " ".join((text or "").split()).casefold()


@dataclass(frozen=True)
class ReadOptions:
    """What the user asked of a reader: ``split`` of judgments, at most ``limit`` queries or cases, and the rest of ``check``'s
    options. ``golden`` are datasets with which no other may share what it asks. ``files`` are the names that labels are
    matched against; ``select`` and ``ignore`` are beginnings of codes. ``workspace`` is where the user said what a file is and
    what its columns are for; ``copies`` are the files that stand in for others, each with the one that is spoken of there.
    """

    split: str | None = None
    limit: int | None = None
    platform: str | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    skip_hidden: bool = False
    files: tuple[str, ...] | None = None
    mapping: Path | None = None
    golden: tuple[Golden, ...] = ()
    workspace: Workspace | None = None
    copies: Mapping[Path, Path] = field(default_factory=dict)

    def runs(self, rule: Rule) -> bool:
        """Whether a rule is to be run: advice only where it was asked for, by its code or for its platform."""
        if not rule.advice:
            return True
        named = any(rule.code.startswith(prefix) for prefix in self.select)
        return named or (self.platform is not None and (not rule.platforms or self.platform in rule.platforms))

    def admits(self, code: str, level: Level) -> Level | None:
        """The level of a finding after ``select``, ``ignore`` and ``platform``, ``None`` where it is not wanted."""
        if self.select and not any(prefix == "ALL" or code.startswith(prefix) for prefix in self.select):
            return None
        if any(code.startswith(prefix) for prefix in self.ignore):
            return None
        rule = rules().get(code)
        if rule is not None and self.platform in rule.platforms and not rule.advice:
            return Level.ERROR
        return level


@dataclass
class Source:
    """One thing to read: a file, one sheet of a workbook, or a folder whose parts belong together.

    ``shown`` is the path as the user typed it (with ``#Sheet``); ``file`` is what findings call it: relative to the folder
    the user named, or the file's name, empty for that folder itself. ``parts`` are the files of a folder that belong to
    it. ``cache`` keeps the parsed rows so that many formats can look at them (``containers.reading_of``). ``watch`` is
    told how far reading is.
    """

    path: Path
    shown: str
    file: str = ""
    sheet: str | None = None
    parts: frozenset[Path] = frozenset()
    cache: dict[str, object] = field(default_factory=dict)
    watch: Watch = field(default_factory=Watch)

    def __post_init__(self) -> None:
        if not self.file and not self.is_folder:
            self.file = self.path.name

    @property
    def is_folder(self) -> bool:
        return self.path.is_dir()


class Format(Protocol):
    """One on-disk shape: ``sniff`` looks at content, ``read`` loads all that can be loaded and reports the rest.

    A format may also have ``platforms`` (those that load it as it is; all others refuse it under ``--for``), ``folders``
    (true where it reads a whole folder) and ``parts(source)`` (the files of a folder that belong to it; without it a scan
    leaves the rest of that folder alone).
    """

    id: str
    title: str

    def sniff(self, source: Source) -> Sniff | None: ...

    def read(self, source: Source, sniff: Sniff, report: Report, options: ReadOptions) -> list[Dataset]: ...


@cache
def formats() -> dict[str, Format]:
    """Every format by its id."""
    found: dict[str, Format] = {}
    for info in pkgutil.iter_modules(__path__):
        module = importlib.import_module(f"{__name__}.{info.name}")
        for each in getattr(module, "FORMATS", [getattr(module, "FORMAT", None)]):
            if each is not None:
                found[each.id] = each
    return found
