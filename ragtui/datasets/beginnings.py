"""The first rows of large datasets, to be looked at while all of them are read and checked."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from ragtui.datasets.check import CannotOpen, open_datasets, size_of
from ragtui.datasets.dataset import Dataset
from ragtui.datasets.discover import Once, sources_at
from ragtui.datasets.formats import Source

LARGE: Final = 8 << 20
"""Bytes from which it is worth the while to show the beginning first."""
_HEAD: Final = 1 << 16  # bytes of each file
_MOST: Final = 20  # sources of a folder
_MOST_FILES: Final = 200  # of one source


def beginnings(path: str, once: Once | None = None) -> Iterator[Dataset]:
    """What the beginnings of the large datasets at ``path`` hold, each as the dataset it is the beginning of. None for what
    makes sense only as a whole, as a workbook does, and for what ``once`` has already.

    Raises:
        CannotOpen: there is nothing at the path.
    """
    for source in sources_at(path)[:_MOST]:
        if source.sheet is None and size_of(source.path) > LARGE and not (once and once.has(source)):
            yield from _beginning(source)


def _beginning(source: Source) -> list[Dataset]:
    try:
        with tempfile.TemporaryDirectory(prefix="ragtui-") as folder:
            copy = Path(folder) / (source.path.name or "data")
            _copy(source.path, copy)
            opened = open_datasets([str(copy)], whole=True)
    except (OSError, CannotOpen):  # what is wrong is told when the whole is read
        return []
    return [
        replace(each, path=source.shown, location=source.path, corpus_path=_at(source.path, copy, each.corpus_path))
        for each in opened.datasets
    ]


def _at(path: Path, copy: Path, part: Path | None) -> Path | None:
    """Where a file of the copy lies in truth. The beginning is the same, so places in it are right there, too."""
    return None if part is None else path / part.relative_to(copy)


def _copy(path: Path, to: Path) -> None:
    if path.is_file():
        to.write_bytes(_head(path))
        return
    to.mkdir()
    files = sorted(each for each in [*path.iterdir(), *path.glob("*/*")] if each.is_file())
    for each in files[:_MOST_FILES]:
        target = to / each.relative_to(path)
        target.parent.mkdir(exist_ok=True)
        target.write_bytes(_head(each))


def _head(path: Path) -> bytes:
    """The first lines; of text in two bytes a letter the first letters."""
    with path.open("rb") as stream:
        data = stream.read(_HEAD)
        if len(data) < _HEAD or b"\0" in data:
            return data
        return data[: data.rfind(b"\n") + 1] or data
