"""Reports of an experiment, one module a form; the file's ending chooses. Adding a form touches nothing else."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from pathlib import Path
from typing import Protocol

from ragtui.experiments.database import StoreError
from ragtui.experiments.gates import Judgement
from ragtui.experiments.results import Results


class ReportError(ValueError):
    """A report cannot be written; the message is one line with the remedy."""


class Form(Protocol):
    """One form of report: ``SUFFIX`` with its point, ``write`` makes the file's content."""

    SUFFIX: str

    @staticmethod
    def render(results: Results, judgement: Judgement) -> str | bytes: ...


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
    if not path.absolute().parent.is_dir():
        raise ReportError(f"{path}: there is no folder {path.parent}")


def write_report(results: Results, judgement: Judgement, path: Path) -> None:
    """Writes one report; an older file is replaced whole.

    Raises:
        ReportError: no form has that ending.
        StoreError: the file cannot be written.
    """
    from ragtui.workspace import write_atomically

    check_path(path)
    content = forms()[path.suffix.lower()].render(results, judgement)
    try:
        write_atomically(path, content)
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror or error}; no report was written") from error
