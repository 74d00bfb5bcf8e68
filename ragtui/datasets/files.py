"""Matching the file names of labels with the files there are, and saying how a near name differs."""

from __future__ import annotations

import os
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Final

from ragtui.datasets.containers.table import Table

_NEAR: Final = 80  # rapidfuzz's ratio, 0 to 100
_CANDIDATES: Final = 3
_SEARCHED: Final = 2_000  # different labels of which each is compared with all files; later ones get fewer suggestions


class MatchState(StrEnum):
    """What became of a label's file name, in deepset's words."""

    MATCHED = "matched"
    NO_MATCH = "no match"
    CANDIDATES_FOUND = "candidates found"
    NOT_STARTED = "not started"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A file that a label may have meant: ``score`` 0 to 100, and how the names differ."""

    name: str
    score: float
    difference: str


@dataclass(frozen=True, slots=True)
class FileMatch:
    """``file`` is set where the state is ``matched``; ``normalised`` says that only the Unicode form differs."""

    label: str
    state: MatchState
    file: str | None = None
    normalised: bool = False
    candidates: tuple[Candidate, ...] = ()


class FilesError(Exception):
    """The names to match against cannot be read; the message is one line."""


def file_names(path: Path) -> tuple[str, ...]:
    """The names in a folder (at any depth, hidden ones left out), or the lines of a listing.

    Raises:
        FilesError: there is no such file or folder, or it holds no name.
    """
    if path.is_dir():
        names = sorted(_names_under(path))
    elif path.is_file():
        try:
            text = path.read_bytes().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise FilesError(f"{path}: not a listing of file names in UTF-8") from error
        names = [line for line in text.replace("\r\n", "\n").split("\n") if line.strip()]
    else:
        raise FilesError(f"{path}: no such folder or listing of file names")
    if not names:
        raise FilesError(f"{path}: holds no file name to match labels against")
    return tuple(names)


def _names_under(path: Path) -> Iterator[str]:
    for _, folders, files in os.walk(path):
        folders[:] = [folder for folder in folders if not folder.startswith(".")]
        yield from (name for name in files if not name.startswith("."))


class FileIndex:
    """The names there are, ready to be asked for."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names: Sequence[str] = tuple(dict.fromkeys(names))
        self._exact = set(self.names)
        self._normal: dict[str, str] = {}
        self._folded: dict[str, list[str]] = defaultdict(list)
        self._stems: dict[str, list[str]] = defaultdict(list)
        for name in self.names:
            self._normal.setdefault(unicodedata.normalize("NFC", name), name)
            self._folded[_folded(name)].append(name)
            self._stems[_stem(_folded(name))].append(name)

    def match(self, label: str, search: bool = True) -> FileMatch:
        """The file of that very name; else one that differs only in Unicode form; else the near ones, nearest first, for
        which all names are compared (unless ``search`` is false)."""
        if not label.strip():
            return FileMatch(label, MatchState.NOT_STARTED)
        if label in self._exact:
            return FileMatch(label, MatchState.MATCHED, label)
        same = self._normal.get(unicodedata.normalize("NFC", label))
        if same is not None:
            return FileMatch(label, MatchState.MATCHED, same, normalised=True)
        candidates = self._candidates(label, search)
        state = MatchState.CANDIDATES_FOUND if candidates else MatchState.NO_MATCH
        return FileMatch(label, state, candidates=candidates)

    def _candidates(self, label: str, search: bool) -> tuple[Candidate, ...]:
        folded = _folded(label)
        names = [*self._folded.get(folded, ()), *self._stems.get(_stem(folded), ())]
        names = list(dict.fromkeys(names)) or (self._alike(folded) if search else [])
        found = [Candidate(name, _score(folded, _folded(name)), difference(label, name)) for name in names]
        return tuple(sorted(found, key=lambda each: (-each.score, each.name))[:_CANDIDATES])

    def _alike(self, folded: str) -> list[str]:
        from rapidfuzz import fuzz, process

        hits = process.extract(folded, self._all_folded, scorer=fuzz.ratio, score_cutoff=_NEAR, limit=_CANDIDATES)
        return [self.names[place] for _, _, place in hits]

    @cached_property
    def _all_folded(self) -> list[str]:
        return [_folded(name) for name in self.names]


@dataclass(frozen=True)
class FileLabels:
    """A column that names files, and the names it is matched against: what rules about file names look at."""

    table: Table
    column: str
    names: tuple[str, ...]

    @cached_property
    def misses(self) -> list[tuple[int, FileMatch]]:
        """Row index and match of every label that is filled and not the exact name of a file."""
        index = FileIndex(self.names)
        known: dict[str, FileMatch] = {}
        misses = []
        for row, label in self.table.rows_where(~self.table.empty(self.column), self.column):
            match = known.get(label)
            if match is None:
                match = known[label] = index.match(label, search=len(known) < _SEARCHED)
            if match.state is not MatchState.MATCHED or match.normalised:
                misses.append((row, match))
        return misses


def difference(label: str, name: str) -> str:
    """How ``label`` differs from ``name``, in the words a person would use: ``case``, ``extension``, ``trailing space``, …"""
    found = []
    label, name = unicodedata.normalize("NFC", label), unicodedata.normalize("NFC", name)
    if _base(label) != label or _base(name) != name:
        if label.replace("\\", "/") != name.replace("\\", "/"):
            found.append("path prefix")
        label, name = _base(label), _base(name)
    for strip, word in ((str.lstrip, "leading space"), (str.rstrip, "trailing space")):
        if strip(label) != label or strip(name) != name:
            found.append(word)
            label, name = strip(label), strip(name)
    if label != name and _spaced(label) == _spaced(name):
        found.append("inner spaces")
    label, name = _spaced(label), _spaced(name)
    if label != name and label.casefold() == name.casefold():
        found.append("case")
    elif label != name and _stem(label.casefold()) == _stem(name.casefold()):
        found.append("extension")
        if _stem(label) != _stem(name):
            found.append("case")
    elif label != name:
        compatible = unicodedata.normalize("NFKC", label) == unicodedata.normalize("NFKC", name)
        found.append("kinds of characters" if compatible else "spelling")
    return " and ".join(found) or "nothing"


def _base(name: str) -> str:
    return re.split(r"[/\\]", name)[-1]


def _spaced(name: str) -> str:
    return re.sub(r"\s+", " ", name)


def _folded(name: str) -> str:
    """What is left of a name when everything people get wrong is taken out of it, but its extension."""
    plain = unicodedata.normalize("NFKC", _base(name.strip())).casefold()
    return re.sub(r"[\s_\-]+", " ", plain).strip()


def _stem(name: str) -> str:
    return PurePosixPath(name).stem if name else name


def _score(one: str, other: str) -> float:
    from rapidfuzz import fuzz

    return round(float(fuzz.ratio(one, other)), 1)
