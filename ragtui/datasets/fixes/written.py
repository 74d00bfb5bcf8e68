"""Mended copies put where the user wants them. A crash or a full disk leaves every file either as it was or as it should be."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

from ragtui.datasets.fixes.passes import FixedFile, Mended, called
from ragtui.workspace import replacing


@contextmanager
def staging() -> Iterator[Path]:
    """An empty folder for copies, removed afterwards."""
    folder = Path(mkdtemp(prefix="ragtui-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def beside(mended: Mended, output: Path | None = None) -> list[Path]:
    """Writes ``NAME.fixed.EXT`` beside the file, or ``DIR.fixed/`` with all files of its datasets, or ``output`` in their
    place; nothing where nothing differs. Returns what was written; ``mended.left`` speaks of that afterwards.

    Raises:
        OSError: something cannot be written.
    """
    typed = Path(mended.typed.partition("#")[0] if not Path(mended.typed).exists() else mended.typed)
    written = []
    sheets = [each for each in mended.files if each.sheet is not None]
    for sheet in sheets:
        target = output if output and not typed.is_dir() and len(sheets) == 1 else _sheet_target(sheet, typed, output)
        _copy(sheet.copy, target)
        written.append(target)
    if mended.root is None or len(sheets) == len(mended.files):
        return written
    if typed.is_dir():
        target = output or fixed_name(typed)
        for original, copy in mended.all.items():
            _copy(copy, target / original.relative_to(typed))
    else:
        target = output or fixed_name(typed)
        _copy(mended.root, target)
    called(mended.left, str(mended.root), str(target))
    return [*written, target]


def put_back(backups: list[tuple[Path, Path]]) -> None:
    """Undoes ``in_place``: each file is again what its backup holds, and the backup goes.

    Raises:
        OSError: a backup is not there any more.
    """
    for path, backup in backups:
        backup.replace(path.resolve())


def in_place(mended: Mended, backups: list[tuple[Path, Path]] | None = None) -> list[Path]:
    """Replaces each file that differs in one step, after its bytes were kept as ``NAME.orig`` (or ``NAME.1.orig``, … where
    that is there already: no backup is ever overwritten). Workbooks are not edited: their sheets become CSV beside them.
    ``backups`` is told which file is kept where.

    Raises:
        OSError: something cannot be written; what was not replaced yet is as it was.
    """
    written = []
    for each in mended.files:
        if each.sheet is not None:
            target = _sheet_target(each, Path(), None)
            _copy(each.copy, target)
            written.append(target)
            continue
        backup = _back_up(each.path)
        _copy(each.copy, each.path)
        if backups is not None:
            backups.append((each.path, backup))
        written.append(each.path)
    if mended.root is not None:
        called(mended.left, str(mended.root), mended.typed)
    return written


def write_mended(path: Path, data: bytes, place: bool = False, output: Path | None = None) -> Path:
    """Writes the mended bytes of one file as ``--fix`` (or, with ``place``, ``--in-place``) does; returns where.

    Raises:
        OSError: it cannot be written.
    """
    target = path if place else output or fixed_name(path)
    if place:
        _back_up(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    with replacing(target) as out:
        out.write(data)
    return target


def fixed_name(path: Path) -> Path:
    """Where the mended copy of a file or folder goes: ``cases.fixed.csv``, ``set.fixed``."""
    if path.is_dir():
        real = path if path.name not in ("", "..") else path.resolve()
        return real.parent / f"{real.name}.fixed"
    return path.with_name(f"{path.stem}.fixed{path.suffix}")


def _sheet_target(sheet: FixedFile, typed: Path, output: Path | None) -> Path:
    shown = Path(sheet.shown)
    if output is not None:
        return output / (shown.relative_to(typed) if typed.is_dir() else shown.name)
    return shown.with_name(f"{shown.stem}.fixed.csv")


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with source.open("rb") as stream, replacing(target) as out:
        shutil.copyfileobj(stream, out, 1 << 20)


def _back_up(path: Path) -> Path:
    """Keeps the bytes of a file under a name that nobody has yet, which is returned."""
    number = 0
    while True:
        name = f"{path.name}.{number}.orig" if number else f"{path.name}.orig"
        backup = path.with_name(name)
        try:
            _link_or_copy(path.resolve(), backup)
            return backup
        except FileExistsError:
            number += 1


def _link_or_copy(path: Path, backup: Path) -> None:
    """A second name for the bytes, which takes no space and one step; a copy where the file system knows none."""
    try:
        os.link(path, backup)
        return
    except FileExistsError:
        raise
    except OSError:
        pass
    with backup.open("xb") as out:
        try:
            with path.open("rb") as stream:
                shutil.copyfileobj(stream, out, 1 << 20)
            out.flush()
            os.fsync(out.fileno())
        except BaseException:
            backup.unlink()
            raise
    shutil.copystat(path, backup)
