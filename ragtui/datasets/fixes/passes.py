"""Passes of check and mend over a copy of the data, until no fix is left. The originals are only read."""

from __future__ import annotations

import csv
import os
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from ragtui.datasets.check import Opened, open_datasets
from ragtui.datasets.containers import reading_of
from ragtui.datasets.containers.table import LINE, ROW
from ragtui.datasets.discover import Once, is_left_alone
from ragtui.datasets.findings import Finding, listing
from ragtui.datasets.fixes.edits import apply, compatible
from ragtui.datasets.formats import ReadOptions, Source, formats
from ragtui.datasets.watch import Watch

_PASSES: Final = 50
_LISTED: Final = 100_000  # findings of a kind that are mended in one pass


@dataclass(frozen=True)
class FixedFile:
    """One file that fixes change: where it lies, how the user would type it, and the mended copy. ``sheet`` is set where the
    copy is a CSV of that sheet of a workbook, which itself is never edited; ``mended`` counts findings by their code."""

    path: Path
    shown: str
    copy: Path
    mended: Counter[str]
    sheet: str | None = None


@dataclass
class Mended:
    """One path as typed: ``root`` is its mended copy (``None`` where nothing changes), ``files`` are those that differ, ``all``
    every file of its datasets with its copy, and ``left`` is the check of what would be written."""

    typed: str
    left: Opened
    root: Path | None = None
    files: list[FixedFile] = field(default_factory=list)
    all: dict[Path, Path] = field(default_factory=dict)


def mend(
    typed: str,
    staging: Path,
    options: ReadOptions = ReadOptions(),  # noqa: B008
    format: str | None = None,
    unsafe: bool = False,
    watch: Watch | None = None,
    once: Once | None = None,
) -> Mended:
    """Everything at a path checked, and mended in ``staging`` (an empty folder) as far as rules have fixes; what ``once``
    has is passed over.

    Raises:
        CannotOpen: as ``open_datasets``.
        OSError: the copy cannot be written.
    """
    sources: list[Source] = []
    with listing(_LISTED):
        opened = open_datasets([typed], options, format, sources.append, watch=watch, once=once)
        plan = _planned(opened, unsafe)
        files = [fixed for place, source in enumerate(sources) if source.sheet is not None
                 if (fixed := _sheet(source, staging / f"sheet{place}", options, unsafe, _several(source, sources)))]  # fmt: skip
        if not plan:
            return Mended(typed, _trimmed(opened), files=files)
        stage = _Stage(typed, staging, sources)
        options = replace(options, copies={copy: original for original, copy in stage.copies.items()})
        mended: defaultdict[Path, Counter[str]] = defaultdict(Counter)
        for _ in range(_PASSES):
            changed = stage.mend(plan, mended)
            opened = open_datasets([str(stage.root)], options, format, watch=watch)
            plan = _planned(opened, unsafe)
            if not plan or not changed:
                break
    files += [
        FixedFile(original, stage.shown(original), copy, mended[original])
        for original, copy in stage.copies.items()
        if mended[original] and original.read_bytes() != copy.read_bytes()
    ]
    return Mended(typed, _trimmed(opened), stage.root, sorted(files, key=lambda each: each.shown), stage.copies)


def called(opened: Opened, before: str, after: str) -> Opened:
    """The same findings under the path ``after``, where they were checked at ``before``."""
    name = Path(before).name
    for report in opened.reports:
        report.shown = _moved(report.shown, before, after)
        if report.file == name:  # a file is known by its name
            report.file = Path(after).name
            report.findings = [
                replace(each, file=report.file) if each.file == name else each for each in report.findings
            ]
            report.counts = Counter({(report.file if file == name else file, code, level): count
                                     for (file, code, level), count in report.counts.items()})  # fmt: skip
    opened.datasets = [replace(each, path=_moved(each.path, before, after)) for each in opened.datasets]
    return opened


def _moved(shown: str, before: str, after: str) -> str:
    return after + shown[len(before) :] if shown.startswith(before) else shown


def _trimmed(opened: Opened) -> Opened:
    """Lists no more findings of a kind than usual; all stay counted."""
    from ragtui.datasets.findings import SHOWN_PER_RULE

    for report in opened.reports:
        seen: Counter[tuple[str, str]] = Counter()
        kept = []
        for each in report.findings:
            seen[each.file, each.code] += 1
            if seen[each.file, each.code] <= SHOWN_PER_RULE:
                kept.append(each)
        report.findings = kept
    return opened


def _planned(opened: Opened, unsafe: bool) -> dict[Path, list[Finding]]:
    """The findings that have a fix, by their file."""
    plan: defaultdict[Path, list[Finding]] = defaultdict(list)
    for path, finding in opened.placed():
        if finding.fix and (unsafe or finding.fixable):
            plan[Path(path)].append(finding)
    return dict(plan)


class _Stage:
    """The copy of what was typed: links to files that no fix has touched, real files where one has."""

    def __init__(self, typed: str, staging: Path, sources: Iterable[Source]) -> None:
        self.typed = Path(typed)
        self.root = staging / self.typed.resolve().name
        self.copies: dict[Path, Path] = {}
        for original in sorted({path for source in sources for path in _files_of(source)}):
            copy = self.root / original.relative_to(self.typed) if self.typed.is_dir() else self.root
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.symlink_to(original.resolve())
            self.copies[original] = copy
        self._originals = {copy: original for original, copy in self.copies.items()}

    def shown(self, original: Path) -> str:
        return str(original)

    def mend(self, plan: dict[Path, list[Finding]], mended: defaultdict[Path, Counter[str]]) -> bool:
        """Makes the edits of one pass; whether any file is another one afterwards."""
        changed = False
        for path, findings in plan.items():
            copy = self.copies.get(path, path)
            original = self._originals.get(copy)
            if original is None:
                continue
            data = copy.read_bytes()
            edits, done = compatible(findings, unsafe=True)
            after = apply(data, edits)
            if after == data:
                continue
            copy.unlink()
            copy.write_bytes(after)
            mended[original].update(each.code for each in done)
            changed = True
        return changed


def _files_of(source: Source) -> list[Path]:
    """The files of a source: the parts its format names, else all that lie in the folder and one below."""
    if not source.is_folder:
        return [source.path]
    for format in formats().values():
        if hasattr(format, "parts") and format.sniff(source) is not None:
            return list(format.parts(source))
    found = [*source.path.iterdir(), *source.path.glob("*/*")]
    return [path for path in found if path.is_file() and not is_left_alone(path.name)]


def _several(source: Source, sources: Iterable[Source]) -> bool:
    return sum(1 for each in sources if each.path == source.path) > 1


def _sheet(source: Source, staging: Path, options: ReadOptions, unsafe: bool, several: bool) -> FixedFile | None:
    """A sheet as CSV with its fixes made; ``None`` where it needs none."""
    table = reading_of(source).table
    if table is None:
        return None
    staging.mkdir()
    name = f"{source.path.stem}.{_plain(source.sheet or '')}" if several else source.path.stem
    copy = staging / f"{name}.csv"
    with copy.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(table.headers)
        writer.writerows(table.frame.drop(LINE, ROW).iter_rows())
    (staging / "mended").mkdir()
    found = mend(str(copy), staging / "mended", options, None, unsafe)
    if not found.files:
        return None
    fixed = found.files[0]
    shown = os.path.join(os.path.dirname(source.shown), copy.name)
    return FixedFile(source.path, shown, fixed.copy, fixed.mended, source.sheet)


def _plain(sheet: str) -> str:
    return "".join(char if char.isalnum() or char in "-_ " else "_" for char in sheet)
