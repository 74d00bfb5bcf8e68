"""Datasets as the app has them open: read, judged for platforms, with what they are made of."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ragtui.text import storable

if TYPE_CHECKING:
    from ragtui.datasets.check import Opened
    from ragtui.datasets.dataset import Dataset
    from ragtui.datasets.findings import Finding
    from ragtui.datasets.rules import Rule

_READ_AGAIN: Final = 5_000_000  # bytes that are read once more for each platform
_LOOKED_AT: Final = 3_000  # entries of a folder that is scanned without being asked


@dataclass
class OpenDataset:
    """A dataset on the workbench. ``dataset`` is ``None`` while it is read, or if it could not be (``failure``).

    ``counts`` are the findings per rule code and level, also those not listed.
    """

    path: str
    dataset: Dataset | None = None
    findings: list[Finding] = field(default_factory=list)
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    failure: str = ""
    ready: dict[str, tuple[bool, str]] | None = None

    @property
    def name(self) -> str:
        return self.dataset.name if self.dataset is not None else storable(self.path)

    @property
    def origin(self) -> tuple[str, str, str]:
        """What it was opened as, and where in there it lies: the same for the same dataset read again."""
        return (self.path, self.dataset.path if self.dataset is not None else "", self.name)


def read(paths: list[str]) -> list[OpenDataset]:
    """Opens files and folders; what cannot be opened says why. Takes as long as it takes: call it in a thread."""
    from ragtui.datasets.check import CannotOpen, open_datasets

    found: list[OpenDataset] = []
    for path in paths:
        try:
            found += _opened(path, open_datasets([path]))
        except CannotOpen as error:
            found.append(OpenDataset(path, failure=_said_here(str(error))))
    return found


def around(root: Path) -> list[str]:
    """The folder itself as a path to open, if it holds anything and is quickly looked through; else nothing."""
    has_files = any(not name.startswith((".", "ragtui.toml")) for name in os.listdir(root))
    return [os.path.relpath(root)] if has_files and _is_small(root) else []


def rule(code: str) -> Rule | None:
    """The rule of that code, for explaining it."""
    from ragtui.datasets.rules import rules

    return rules().get(code)


def rule_names() -> dict[str, str]:
    """What each rule is called, by code."""
    from ragtui.datasets.rules import rules

    return {code: each.name for code, each in rules().items()}


def ready_for(opened: OpenDataset) -> dict[str, tuple[bool, str]]:
    """Per platform, whether the dataset can be used there as it is, and what stands in the way.

    The data is judged anew for each platform: call it in a thread. Empty for what is too big to be read that often.
    """
    from ragtui.datasets.check import CannotOpen, open_datasets, platforms
    from ragtui.datasets.findings import Level
    from ragtui.datasets.formats import ReadOptions

    if opened.dataset is None or _size(opened.dataset.location) > _READ_AGAIN:
        return {}
    ready: dict[str, tuple[bool, str]] = {}
    for platform in platforms():
        try:
            judged = open_datasets([opened.dataset.path], ReadOptions(platform=platform))
        except CannotOpen as error:
            ready[platform] = (False, str(error))
            continue
        errors, warnings = judged.total(Level.ERROR), judged.total(Level.WARNING)
        foreign = next((finding.message for finding in judged.findings() if finding.code == "FILE201"), "")
        said = [f"{n} {word}{'' if n == 1 else 's'}" for n, word in ((errors, "error"), (warnings, "warning")) if n]
        ready[platform] = (errors == 0, foreign or ", ".join(said))
    return ready


def file_of(opened: OpenDataset, finding: Finding | None = None) -> Path:
    """The file a finding lies in, or the dataset's own."""
    known = opened.dataset
    location = known.location if known is not None else Path(opened.path)
    if finding is not None and location.is_dir() and (location / finding.file).is_file():
        return location / finding.file
    return location


def complete_path(typed: str) -> list[str]:
    """Files and folders that a beginning may become."""
    start = Path(typed).expanduser()
    folder, begin = (start, "") if typed.endswith("/") else (start.parent, start.name)
    try:
        found = sorted(each for each in folder.iterdir() if each.name.startswith(begin))
    except OSError:
        return []
    shown = [each for each in found if begin.startswith(".") or not each.name.startswith(".")][:20]
    return [f"{each}/" if each.is_dir() else str(each) for each in shown]


def _opened(path: str, opened: Opened) -> list[OpenDataset]:
    """What the reader found, a dataset each with the findings that are its own."""
    found: list[OpenDataset] = []
    for report in opened.reports:
        first = report.dataset or 0
        later = [each.dataset for each in opened.reports if (each.dataset or 0) > first]
        last = min((at for at in later if at is not None), default=len(opened.datasets))
        datasets = opened.datasets[first:last]
        for at, dataset in enumerate(datasets, first):
            mine = [finding for finding in report.findings if finding.dataset == at or len(datasets) == 1]
            counts = Counter((finding.code, finding.level.value) for finding in mine)
            if len(datasets) == 1:
                counts = Counter()
                for (_, code, level), n in report.counts.items():
                    counts[code, level.value] += n
            found.append(OpenDataset(path, dataset, mine, counts))
        if not datasets and report.counts:
            worst = min(report.findings, key=lambda finding: finding.level.rank)
            counts = Counter((finding.code, finding.level.value) for finding in report.findings)
            found.append(
                OpenDataset(report.shown or path, None, report.findings, counts, failure=_said_here(worst.message))
            )
    return found


def _said_here(reason: str) -> str:
    """A reason not to read something, its remedy as it works from here: the app takes paths and no options."""
    return reason.replace("with --format (", "as `ragtui check PATH --format NAME` does (")


def _size(location: Path) -> int:
    files = [location] if location.is_file() else list(location.rglob("*"))
    return sum(each.stat().st_size for each in files if each.is_file())


def _is_small(folder: Path) -> bool:
    """Whether a folder can be scanned without being asked: not a home folder with all that lies in it."""
    seen = 0
    for _, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        seen += len(folders) + len(files)
        if seen > _LOOKED_AT:
            return False
    return True
