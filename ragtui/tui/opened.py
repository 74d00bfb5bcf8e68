"""Datasets as the app has them open: read, judged for platforms, with what they are made of."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from ragtui.text import storable

if TYPE_CHECKING:
    from ragtui.datasets.check import Opened
    from ragtui.datasets.dataset import Dataset
    from ragtui.datasets.discover import Once
    from ragtui.datasets.findings import Finding
    from ragtui.datasets.formats import ReadOptions
    from ragtui.datasets.rules import Rule
    from ragtui.datasets.watch import Watch
    from ragtui.workspace import Workspace

_READ_AGAIN: Final = 1_000_000_000  # bytes that are read once more for each platform that loads the format
_STAMPED: Final = 500  # files
Stamp: TypeAlias = tuple[tuple[str, int, int], ...]
_LOOKED_AT: Final = 3_000  # entries of a folder that is scanned without being asked


@dataclass(eq=False)
class OpenDataset:
    """A dataset on the workbench. ``dataset`` is ``None`` while it is read, or if it could not be (``failure``).

    ``counts`` are the findings per rule code and level, also those not listed. While ``reading``, and if that was stopped
    (``is_beginning``), ``dataset`` holds the first rows only. ``notes`` are remarks about what was passed over where it
    lies; ``stamp`` is what its files were like when they were read, ``changed`` whether they are otherwise now.
    """

    path: str
    dataset: Dataset | None = None
    findings: list[Finding] = field(default_factory=list)
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    failure: str = ""
    ready: dict[str, tuple[bool, str]] | None = None
    reading: Watch | None = None
    notes: list[str] = field(default_factory=list)
    stamp: Stamp = ()
    changed: bool = False
    is_beginning: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether all of it is read."""
        return self.dataset is not None and self.reading is None and not self.is_beginning

    @property
    def name(self) -> str:
        return self.dataset.name if self.dataset is not None else storable(self.path)

    @property
    def place(self) -> tuple[Path, str | None]:
        """The file it lies in, and which sheet of it."""
        from ragtui.datasets.discover import split_sheet

        return split_sheet(self.dataset.path if self.dataset is not None else self.path)

    @property
    def origin(self) -> tuple[str, str | None]:
        """Where it lies in truth, and which sheet it is: the same for the same dataset however it is named."""
        from ragtui.datasets.discover import identity

        return identity(*self.place)


def read(
    paths: list[str],
    watch: Watch | None = None,
    once: Once | None = None,
    named: Mapping[str, str] | None = None,
    workspace: Workspace | None = None,
) -> list[OpenDataset]:
    """Opens files and folders; what cannot be opened says why, and what ``once`` has is passed over. ``named`` gives the
    format of paths for which the user chose one; what was said in ``workspace`` counts. Takes as long as it takes: call it in a thread.

    Raises:
        Stopped: ``watch`` was stopped.
    """
    from ragtui.datasets.check import CannotOpen, open_datasets
    from ragtui.datasets.discover import Once
    from ragtui.datasets.formats import ReadOptions

    once, options = once or Once(), ReadOptions(workspace=workspace)
    found: list[OpenDataset] = []
    for path in paths:
        try:
            found += _opened(path, open_datasets([path], options, (named or {}).get(path), watch=watch, once=once))
        except CannotOpen as error:
            found.append(OpenDataset(path, failure=_said_here(str(error))))
    return found


def as_said(workspace: Workspace, found: list[OpenDataset]) -> list[OpenDataset]:
    """The same with the roles of columns that the user gave in this workspace."""
    from ragtui.datasets import settings

    for each in found:
        if each.dataset is not None:
            each.dataset = settings.as_said(workspace, each.dataset)
    return found


def around(root: Path) -> list[str]:
    """The folder itself as a path to open, if it holds anything and is quickly looked through; else nothing."""
    has_files = any(not name.startswith((".", "ragtui.toml")) for name in os.listdir(root))
    return [os.path.relpath(root)] if has_files and _is_small(root) else []


def format_titles() -> dict[str, str]:
    """What each format is, by its id."""
    from ragtui.datasets.formats import formats

    return {name: each.title for name, each in sorted(formats().items())}


def rule(code: str) -> Rule | None:
    """The rule of that code, for explaining it."""
    from ragtui.datasets.rules import rules

    return rules().get(code)


def rule_names() -> dict[str, str]:
    """What each rule is called, by code."""
    from ragtui.datasets.rules import rules

    return {code: each.name for code, each in rules().items()}


def ready_for(
    opened: OpenDataset, watch: Watch | None = None, workspace: Workspace | None = None
) -> dict[str, tuple[bool, str]]:
    """Per platform, whether the dataset can be used there as it is, and what stands in the way.

    The data is judged anew for each platform that loads its format: call it in a thread. Without those of what is too big
    to be read that often.

    Raises:
        Stopped: ``watch`` was stopped.
    """
    from ragtui.datasets.check import platforms
    from ragtui.datasets.formats import ReadOptions, formats
    from ragtui.datasets.rules.platforms import wrong_format

    if opened.dataset is None:
        return {}
    format = formats()[opened.dataset.format]
    at_home = getattr(format, "platforms", platforms())
    large = _size(opened.dataset.location) > _READ_AGAIN
    ready: dict[str, tuple[bool, str]] = {}
    for platform in platforms():
        if platform not in at_home:
            ready[platform] = (False, wrong_format(format.title, platform).message)
        elif not large:
            ready[platform] = _judged(opened.dataset, ReadOptions(platform=platform, workspace=workspace), watch)
    return ready


def _judged(dataset: Dataset, options: ReadOptions, watch: Watch | None) -> tuple[bool, str]:
    from ragtui.datasets.check import CannotOpen, open_datasets
    from ragtui.datasets.findings import Level

    try:
        judged = open_datasets([dataset.path], options, dataset.format, whole=True, watch=watch)
    except CannotOpen as error:
        return False, str(error)
    errors, warnings = judged.total(Level.ERROR), judged.total(Level.WARNING)
    said = [f"{n:,} {word}{'' if n == 1 else 's'}" for n, word in ((errors, "error"), (warnings, "warning")) if n]
    return errors == 0, ", ".join(said)


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


def stamp(location: Path) -> Stamp:
    """What a dataset's files are like now: their names, sizes and times of change. Empty where that cannot be seen."""
    try:
        files = [location] if location.is_file() else sorted([*location.iterdir(), *location.glob("*/*")])[:_STAMPED]
        seen = ((str(file), file.stat()) for file in files if file.is_file())
        return tuple((name, about.st_size, about.st_mtime_ns) for name, about in seen)
    except OSError:
        return ()


def changed_since(opened: OpenDataset) -> bool:
    """Whether the files of a dataset are otherwise now than when it was read. Looks at the disk: call it in a thread."""
    return opened.dataset is not None and stamp(opened.dataset.location) != opened.stamp


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
            found.append(OpenDataset(path, dataset, mine, counts, notes=opened.notes, stamp=stamp(dataset.location)))
        if not datasets and report.counts:
            worst = min(report.findings, key=lambda finding: finding.level.rank)
            counts = Counter((finding.code, finding.level.value) for finding in report.findings)
            found.append(
                OpenDataset(report.shown or path, None, report.findings, counts, failure=_said_here(worst.message))
            )
    return found


def _said_here(reason: str) -> str:
    """A reason not to read something, its remedy as it works from here: the app takes paths and no options."""
    return reason.replace("with --format (", "with = (")


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
