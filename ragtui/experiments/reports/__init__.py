"""Reports of an experiment, one module a form; the file's ending chooses. Adding a form touches nothing else."""

from __future__ import annotations

import importlib
import os
import pkgutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Protocol

from ragtui.experiments.database import StoreError
from ragtui.experiments.gates import Judgement
from ragtui.experiments.results import Results


class ReportError(ValueError):
    """A report cannot be written; the message is one line with the remedy."""


class Form(Protocol):
    """One form of report: ``SUFFIX`` with its point, ``render`` makes the file's content, whole or piece by piece."""

    SUFFIX: str

    @staticmethod
    def render(results: Results, judgement: Judgement) -> str | bytes | Iterator[str]: ...


@cache
def forms() -> dict[str, Form]:
    """Every form by its file ending."""
    found: dict[str, Form] = {}
    for info in pkgutil.iter_modules(__path__):
        module = importlib.import_module(f"{__name__}.{info.name}")
        if hasattr(module, "SUFFIX"):
            found[module.SUFFIX] = module  # type: ignore[assignment]
    return found


def check_path(path: Path) -> None:
    """Makes sure, before anything is paid for, that a report of that name can be written.

    Raises:
        ReportError: no form has that ending, or the folder is not there.
    """
    if path.suffix.lower() not in forms():
        raise ReportError(f"{path}: reports end in {', '.join(sorted(forms()))}")
    check_place(path)


def check_place(path: Path) -> None:
    """Makes sure that a file can be written there.

    Raises:
        ReportError: the folder is not there or takes no file, or the path is a folder itself.
    """
    folder = path.absolute().parent
    if not folder.is_dir():
        raise ReportError(f"{path}: there is no folder {path.parent}")
    if path.is_dir():
        raise ReportError(f"{path}: is a folder; name a file")
    if not os.access(path if path.exists() and not path.is_file() else folder, os.W_OK):
        raise ReportError(f"{path}: cannot be written; its folder is read-only")


def write_report(results: Results, judgement: Judgement, path: Path) -> None:
    """Writes one report; an older file is replaced whole.

    Raises:
        ReportError: no form has that ending.
        StoreError: the file cannot be written.
    """
    check_path(path)
    write_content(path, forms()[path.suffix.lower()].render(results, judgement))


def write_content(path: Path, content: str | bytes | Iterator[str]) -> None:
    """Writes what a form rendered.

    Raises:
        StoreError: the file cannot be written.
    """
    from ragtui.workspace import replacing

    try:
        with replacing(path) as stream:
            for piece in (content,) if isinstance(content, str | bytes) else content:
                stream.write(piece.encode("utf-8") if isinstance(piece, str) else piece)
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror or error}; no report was written") from error
