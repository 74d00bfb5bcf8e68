"""Every format of dataset. One module a format, each with a ``FORMAT`` (or ``FORMATS``); adding one touches nothing else."""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Protocol

from ragtui.datasets.dataset import Dataset
from ragtui.datasets.findings import Report


@dataclass(frozen=True, slots=True)
class Sniff:
    """How surely (1 to 100) something is of a format, and why, in a few words shown to the user."""

    confidence: int
    why: str


@dataclass(frozen=True)
class ReadOptions:
    """What the user asked of a reader: ``split`` of judgments, at most ``limit`` queries or cases, and the rest of ``check``'s options."""

    split: str | None = None
    limit: int | None = None
    platform: str | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    skip_hidden: bool = False
    files: tuple[str, ...] | None = None
    mapping: Path | None = None


@dataclass
class Source:
    """One thing to read: a file, one sheet of a workbook, or a folder whose parts belong together.

    ``shown`` is the path as the user typed it (with ``#Sheet``); ``file`` is what findings call it: relative to the folder
    the user named, or the file's name, empty for that folder itself. ``cache`` keeps the parsed rows so that many formats
    can look at them (``containers.reading_of``).
    """

    path: Path
    shown: str
    file: str = ""
    sheet: str | None = None
    cache: dict[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.file and not self.is_folder:
            self.file = self.path.name

    @property
    def is_folder(self) -> bool:
        return self.path.is_dir()


class Format(Protocol):
    """One on-disk shape: ``sniff`` looks at content, ``read`` loads all that can be loaded and reports the rest."""

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
