"""Opening datasets: discover, sniff, read, check. What ``ragtui check``, ``ragtui run`` and the app all start with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from ragtui.datasets.chosen_format import chosen_format, forced_format, suggestion
from ragtui.datasets.dataset import Dataset
from ragtui.datasets.discover import CannotOpen, Once, sources_at
from ragtui.datasets.findings import Finding, Level, Report
from ragtui.datasets.formats import Format, Golden, ReadOptions, Sniff, Source, asked, formats
from ragtui.datasets.not_known import no_sheet_known, nobody_knows
from ragtui.datasets.rules import rules, run_rules
from ragtui.datasets.rules.golden import BesideGolden
from ragtui.datasets.rules.platforms import wrong_format
from ragtui.datasets.watch import Watch

__all__ = [
    "CannotOpen",
    "Opened",
    "check_options",
    "mapping_report",
    "not_read",
    "once_for",
    "open_dataset",
    "open_datasets",
    "platforms",
]


_DEFAULTS: Final = ReadOptions()
_NAMED: Final = 5  # files that are named in a note
_DATA_ENDINGS: Final = (
    ".csv",
    ".tsv",
    ".json",
    ".jsonl",
    ".ndjson",
    ".xlsx",
    ".xls",
    ".ods",
    ".parquet",
    ".arrow",
    ".feather",
)


@dataclass
class Opened:
    """Everything that was opened. There is one report per source, and one per mapping file, in the order of ``datasets``; a
    finding's ``dataset`` is an index into ``datasets``. ``notes`` are one-line remarks about what was passed over, and
    ``unread`` the files of folders that are in no dataset, as the user would type them."""

    datasets: list[Dataset] = field(default_factory=list)
    reports: list[Report] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)

    def findings(self) -> Iterator[Finding]:
        """All listed findings, by dataset, then file, line, column and code."""
        return (finding for _, finding in self.placed())

    def placed(self) -> Iterator[tuple[str, Finding]]:
        """All listed findings, each with the path of its file as the user typed it."""
        for report in self.reports:
            for each in sorted(report.findings, key=lambda each: (each.file, each.line, each.column, each.code)):
                yield report.shown_path(each.file), each

    def total(self, level: Level) -> int:
        return sum(report.total(level) for report in self.reports)

    @property
    def fixable(self) -> int:
        return sum(1 for finding in self.findings() if finding.fixable)

    @property
    def fixable_unsafely(self) -> int:
        """How many listed findings only have a fix that may change a meaning."""
        return sum(1 for finding in self.findings() if finding.fix and not finding.fixable)

    def by_code(self) -> dict[str, tuple[int, int]]:
        """For every code how often it was found, and how many of those are listed."""
        counted: Counter[str] = Counter()
        shown: Counter[str] = Counter()
        for report in self.reports:
            for (_, code, _), count in report.counts.items():
                counted[code] += count
            shown.update(finding.code for finding in report.findings)
        return {code: (counted[code], shown[code]) for code in sorted(counted)}


def open_datasets(
    paths: Iterable[str],
    options: ReadOptions = _DEFAULTS,
    format: str | None = None,
    on_source: Callable[[Source], None] = lambda source: None,
    whole: bool = False,
    watch: Watch | None = None,
    once: Once | None = None,
) -> Opened:
    """Opens and checks everything at ``paths``; ``on_source`` hears of each source before it is read. With ``whole`` a
    folder that is a dataset is that dataset alone, whatever else lies in it. ``watch`` is told how far it is. What several
    paths name, or ``once`` has already, is opened once.

    Raises:
        CannotOpen: a named path is not there, a named file is of no known format, or there is nothing to check at all.
        Stopped: ``watch`` was stopped.
    """
    forced = forced_format(format)
    watch, once = watch or Watch(), once or Once()
    opened = Opened()
    places = [_place(path, opened, forced, whole) for path in paths]
    for place in places:
        once.expect(place.sources)
        watch.total += sum(place.sizes)
    options = replace(
        options, golden=(*options.golden, *_marked(source for place in places for source in place.sources))
    )
    for place in places:
        path, found = place.typed, 0
        why_not: dict[str, str] = {}
        passed = [each for each in place.unread if once.passes(each)]
        for source, size in zip(place.sources, place.sizes, strict=True):
            if once.has(source):
                found += 1
                continue
            named = path in (source.shown, _without_sheet(source))
            source.watch = watch
            watch.begin(size)
            try:
                chosen = chosen_format(source, forced, named, options)
                if chosen is None:
                    if path == source.shown:
                        raise CannotOpen(f"{path}: {nobody_knows(source)}")
                    if named:  # a sheet of the workbook that is named: another one may be a dataset
                        why_not[source.sheet or ""] = nobody_knows(source)
                    passed += [source.shown] if once.passes(source.shown) else []
                    continue
                on_source(source)
                _read(source, *chosen, options, opened)
            except OSError as error:
                _not_read(source, error, named, opened)
                continue
            once.add(source)
            found += 1
        told = not_read(passed)
        if not found and why_not:
            raise CannotOpen(no_sheet_known(path, why_not))
        if not found:
            raise CannotOpen(f"{path}: holds nothing that ragtui can check" + (f"; {told}" if told else ""))
        opened.unread += passed
        opened.notes += [told] if told else []
    if not places:
        raise CannotOpen("no path: nothing to check")
    return opened


def once_for(paths: Iterable[str], format: str | None = None) -> Once:
    """For opening ``paths`` one after the other: a file that belongs to the set of a folder among them is left to that.
    Of a path that cannot be opened whoever opens it hears."""
    once, forced = Once(), forced_format(format)
    for path in paths:
        with suppress(CannotOpen):
            once.expect(_place(path, Opened(), forced, False).sources)
    return once


@dataclass(frozen=True)
class _Place:
    """What lies at a path as typed, the bytes of each, and files there that may be data but have no reader."""

    typed: str
    sources: list[Source]
    sizes: list[int]
    unread: list[str]


def _place(path: str, opened: Opened, forced: Format | None, whole: bool) -> _Place:
    unread: list[str] = []
    try:
        sources = sources_at(path, opened.notes.append, forced, unread.append)
    except OSError as error:
        raise CannotOpen(f"{path}: cannot be read: {error.strerror or error}") from error
    itself = [source for source in sources if source.is_folder and source.shown == path]
    sources = itself if whole and itself else sources
    return _Place(path, sources, [size_of(source.path) for source in sources], unread)


def size_of(path: Path) -> int:
    """The bytes of a file, or of the files in a folder and one below; 0 where they cannot be had."""
    try:
        if path.is_dir():
            files = [*path.iterdir(), *path.glob("*/*")]
            return sum(each.stat().st_size for each in files if each.is_file())
        return path.stat().st_size
    except OSError:
        return 0


def _without_sheet(source: Source) -> str:
    """The path of the file as typed."""
    return source.shown.removesuffix(f"#{source.sheet}") if source.sheet else source.shown


def _not_read(source: Source, error: OSError, named: bool, opened: Opened) -> None:
    """A file that fails while it is read is passed over in a scan.

    Raises:
        CannotOpen: it was named.
    """
    told = f"{source.shown}: cannot be read: {error.strerror or error}"
    if named:
        raise CannotOpen(told) from error
    opened.notes.append(told)


def not_read(paths: Sequence[str]) -> str:
    """One line about the files of a scan that are in no dataset, those with an ending of data first; empty for none."""
    if not paths:
        return ""
    names = sorted(paths, key=lambda path: not path.split("#")[0].lower().endswith(_DATA_ENDINGS))
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return f"{passed_over(paths)}: {', '.join(names[:_NAMED])}{more} (no dataset ragtui knows; name one to see why)"


def passed_over(paths: Sequence[str]) -> str:
    """``2 files not read``, ``1 sheet not read``."""
    thing = "sheet" if all(".xlsx#" in path.lower() for path in paths) else "file"
    return f"{len(paths):,} {thing}{'' if len(paths) == 1 else 's'} not read"


def open_dataset(path: str, format: str | None = None, options: ReadOptions = _DEFAULTS) -> tuple[Dataset, Report]:
    """Opens one dataset with its report; ``path`` may name a sheet as ``book.xlsx#Sheet``.

    Raises:
        CannotOpen: there is none, or there are several.
    """
    opened = open_datasets([path], options, format, whole=True)
    if not opened.datasets:
        worst = next((finding for finding in opened.findings() if finding.level is Level.ERROR), None)
        raise CannotOpen(f"{path}: {worst.message if worst else 'no dataset could be read'}")
    if len(opened.datasets) > 1:
        names = ", ".join(dataset.path for dataset in opened.datasets[:8])
        raise CannotOpen(f"{path}: holds {len(opened.datasets)} datasets; name one of {names}")
    report, *others = opened.reports
    for other in others:
        report.merge(other)
    return opened.datasets[0], report


def golden_at(path: str) -> Golden:
    """A dataset marked as golden, with what its cases ask.

    Raises:
        CannotOpen: it cannot be read.
    """
    return _as_golden(open_dataset(path)[0])


def _as_golden(dataset: Dataset) -> Golden:
    frame, column = (dataset.cases, "_name") if dataset.cases is not None else (dataset.queries, "text")
    texts = [] if frame is None else frame[column].to_list()
    return Golden(dataset.location.resolve(), dataset.name, frozenset(filter(None, map(asked, texts))))


def _marked(sources: Iterable[Source]) -> Iterator[Golden]:
    """The archives among these that were marked as golden when they were exported."""
    from ragtui.datasets.archive import is_golden

    for source in sources:
        if is_golden(source.path):
            report = Report(source.file, 0, _DEFAULTS.admits)
            for dataset in formats()["archive"].read(source, Sniff(100, ""), report, _DEFAULTS):
                yield _as_golden(dataset)


def check_options(
    select: Sequence[str] = (), ignore: Sequence[str] = (), platform: str | None = None, format: str | None = None
) -> None:
    """Makes sure that codes, platform and format are known.

    Raises:
        CannotOpen: naming the valid ones.
    """
    for prefix in (*select, *ignore):
        if prefix != "ALL" and not any(code.startswith(prefix) for code in rules()):
            families = sorted({code.rstrip("0123456789") for code in rules()})
            raise CannotOpen(
                f"no rule begins with {prefix!r}; families are {', '.join(families)} (ragtui rule lists all)"
            )
    if platform is not None and platform not in platforms():
        raise CannotOpen(
            f"unknown platform {platform!r}{suggestion(platform, platforms())}; known are {', '.join(platforms())}"
        )
    forced_format(format)


def platforms() -> list[str]:
    """The platforms that any rule judges for."""
    return sorted({platform for rule in rules().values() for platform in rule.platforms})


def _read(source: Source, format: Format, sniff: Sniff, options: ReadOptions, opened: Opened) -> None:
    first = len(opened.datasets)
    report = Report(source.file, first, options.admits)
    report.shown = _without_sheet(source)
    report.watch = source.watch
    source.watch.reports.append(report)
    if options.platform is not None and options.platform not in getattr(format, "platforms", (options.platform,)):
        from ragtui.datasets.writing import written_for

        report.add(wrong_format(format.title, options.platform, written_for(options.platform)))
    datasets = format.read(source, sniff, report, options)
    for dataset in datasets:
        run_rules(dataset, report, options.runs)
        run_rules(BesideGolden(dataset, options.golden), report, options.runs)
    opened.reports.append(report)
    if options.mapping is not None:
        opened.reports.extend(
            mapping_report(each, options.mapping, place, options) for place, each in enumerate(datasets, first)
        )
    opened.datasets.extend(datasets)
    if not datasets and not report.counts:
        raise CannotOpen(f"{source.shown}: cannot be read as {format.id}: {nobody_knows(source)}")


def mapping_report(dataset: Dataset, path: Path, place: int = 0, options: ReadOptions = _DEFAULTS) -> Report:
    """What is wrong with a mapping file, judged by the data it is for.

    Raises:
        CannotOpen: it cannot be read.
    """
    from ragtui.datasets.mapping_files import read_mapping
    from ragtui.datasets.rules.mapping import Mapped

    report = Report(path.name, place, options.admits)
    report.shown = str(path)
    try:
        file = read_mapping(path)
    except OSError as error:
        raise CannotOpen(f"{path}: cannot be read: {error.strerror or error}") from error
    run_rules(Mapped(file, dataset), report, options.runs)
    return report
