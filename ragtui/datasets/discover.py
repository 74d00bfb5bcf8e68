"""Which datasets lie at a path: a file, the sheets of a workbook, a folder whose parts belong together, or a tree of those."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from ragtui.datasets.containers.workbook import is_workbook, visible_sheets
from ragtui.datasets.formats import Format, Source, formats
from ragtui.workspace import CONFIG_NAME

_LEFT_ALONE: Final = re.compile(r".*\.(fixed(\..+)?|orig)", re.IGNORECASE)
_NO_DATA: Final = re.compile(  # endings of what is never a dataset, so that a scan need not look inside
    r".*\.(pyc?|rst|md|html?|css|[jt]s|toml|ya?ml|ini|cfg|lock|sh|log|pdf|png|jpe?g|gif|svg|webp|docx|pptx|"
    r"db|sqlite|tar|whl|so|dll|exe|bin|pt|onnx|np[yz]|pickle|pkl|mp[34]|wav|ttf|woff2?)",
    re.IGNORECASE,
)
_NO_READER: Final = re.compile(r".*\.(parquet|arrow|feather|gz|bz2|xz|zst|xls|ods)", re.IGNORECASE)  # data, perhaps


class CannotOpen(Exception):
    """Nothing could be opened: the message is one line that names the path and the remedy."""


@dataclass
class Once:
    """What was opened, by its real path: a file that is named in several ways is opened once, as it was named first. A file
    that belongs to a folder's set is opened with that, and a sheet of a workbook is a thing of its own."""

    _opened: set[tuple[str, str | None]] = field(default_factory=set)
    _parts: set[str] = field(default_factory=set)
    _passed: set[str] = field(default_factory=set)

    def expect(self, sources: Iterable[Source]) -> None:
        """These are going to be looked at: files that belong to a folder among them are no datasets of their own."""
        self._parts |= {os.path.realpath(path) for source in sources for path in source.parts}

    def has(self, source: Source) -> bool:
        return identity(source.path, source.sheet) in self._opened or os.path.realpath(source.path) in self._parts

    def add(self, source: Source) -> None:
        self._opened.add(identity(source.path, source.sheet))

    def passes(self, path: str) -> bool:
        """Whether a file that is passed over is so for the first time, and was not opened by another name."""
        real = os.path.realpath(path)
        first = real not in self._passed and (real, None) not in self._opened
        self._passed.add(real)
        return first


def identity(path: Path, sheet: str | None) -> tuple[str, str | None]:
    """The same for a file, or a sheet of one, however it is named."""
    return os.path.realpath(path), sheet


def sources_at(
    typed: str,
    on_skip: Callable[[str], None] = lambda note: None,
    forced: Format | None = None,
    on_unread: Callable[[str], None] = lambda path: None,
) -> list[Source]:
    """Everything at a path as the user typed it. ``on_skip`` hears of what a folder holds and nobody could look at,
    ``on_unread`` of files that may be data but have no reader. With a ``forced`` format that reads folders a folder is
    one source, whatever lies in it.

    Raises:
        CannotOpen: there is no such path, or it cannot be read.
    """
    if not typed:
        raise CannotOpen("a path is empty; name a file or a folder (. is this one)")
    path, sheet = split_sheet(typed)
    if not path.exists():
        where = f"a link to {os.readlink(path)}, where nothing is" if path.is_symlink() else "no such file or folder"
        raise CannotOpen(f"{typed}: {where}")
    if not os.access(path, os.R_OK):
        raise CannotOpen(f"{typed}: no permission to read it")
    if path.is_dir() and forced is not None and getattr(forced, "folders", False):
        return [_whole_folder(Source(path, typed), forced)]
    if path.is_dir():
        return _without_second_names(list(_in_folder(path, typed, on_skip, on_unread)))
    if not path.is_file():
        raise CannotOpen(f"{typed}: neither a file nor a folder")
    return _in_file(path, str(typed).removesuffix(f"#{sheet}") if sheet else typed, path.name, sheet)


def _without_second_names(sources: list[Source]) -> list[Source]:
    """Without links to what is there itself."""
    themselves = {identity(each.path, each.sheet) for each in sources if not each.path.is_symlink()}
    return [each for each in sources if not each.path.is_symlink() or identity(each.path, each.sheet) not in themselves]


def _whole_folder(source: Source, format: Format) -> Source:
    if hasattr(format, "parts"):
        source.parts = format.parts(source)
    return source


def split_sheet(typed: str) -> tuple[Path, str | None]:
    """The file and the sheet of ``book.xlsx#Sheet``; either name may hold the sign."""
    path = Path(typed)
    if path.exists() or "#" not in typed:
        return path, None
    for place in (place for place, letter in enumerate(typed) if letter == "#"):  # a sheet's name may hold one, too
        if Path(typed[:place]).is_file():
            return Path(typed[:place]), typed[place + 1 :]
    return path, None


def _in_file(path: Path, shown: str, file: str, sheet: str | None = None) -> list[Source]:
    if not is_workbook(path):
        if sheet is not None:
            raise CannotOpen(f"{shown}: is no workbook, so it has no sheet {sheet!r}")
        return [Source(path, shown, file)]
    sheets = visible_sheets(path)
    if sheet is not None:
        if sheet not in sheets:
            raise CannotOpen(f"{shown}: has no visible sheet {sheet!r}; it has {', '.join(sheets) or 'none'}")
        sheets = [sheet]
    return [Source(path, f"{shown}#{each}", file, each) for each in sheets] or [Source(path, shown, file)]


def _in_folder(
    root: Path,
    typed: str,
    on_skip: Callable[[str], None],
    on_unread: Callable[[str], None],
    relative: str = "",
    taken: frozenset[Path] = frozenset(),
) -> Iterator[Source]:
    """The datasets under a folder: first what the folder itself is, then files that are no part of it, then its folders.
    ``taken`` are files that belong to a dataset further up."""
    folder = root / relative
    shown = os.path.join(typed, relative) if relative else typed
    source = Source(folder, shown, relative)
    sniffs = [(sniff.confidence, each) for each in formats().values() if (sniff := each.sniff(source)) is not None]
    parts = taken
    if sniffs:
        best = max(sniffs, key=lambda pair: pair[0])[1]
        yield _whole_folder(source, best)
        if not hasattr(best, "parts"):
            return
        parts = source.parts | taken
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        on_skip(f"{shown}: {error.strerror or error}")
        return
    for entry in entries:
        inner = os.path.join(relative, entry.name)
        if is_left_alone(entry.name) or folder / entry.name in parts:
            continue
        try:
            if entry.is_dir(follow_symlinks=False):
                yield from _in_folder(root, typed, on_skip, on_unread, inner, parts)
            elif entry.is_file() and _NO_READER.fullmatch(entry.name):
                on_unread(os.path.join(typed, inner))
            elif entry.is_file() and not _NO_DATA.fullmatch(entry.name):
                yield from _in_file(root / inner, os.path.join(typed, inner), inner)
        except OSError as error:  # no permission, or a link that leads in a circle
            on_skip(f"{os.path.join(typed, inner)}: {error.strerror or error}")


def is_left_alone(name: str) -> bool:
    """Whether a scan passes over an entry of a folder: hidden, ragtui's own, or written by ``--fix``."""
    return name.startswith(".") or name == CONFIG_NAME or _LEFT_ALONE.fullmatch(name) is not None
