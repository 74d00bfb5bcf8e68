"""Datasets written in a format. One module a format, each with a ``WRITER``; adding one touches nothing else."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ragtui.datasets.writing.cases import WrittenCases


class Writer(Protocol):
    """Writes cases in one format. ``write`` returns what is lost, a line each; ``folders`` says that it writes a folder,
    else ``endings`` are those of the files it writes (with any other that stands for no kind of data it writes the first)."""

    id: str
    title: str
    folders: bool
    endings: tuple[str, ...]

    def write(self, cases: WrittenCases, path: Path) -> list[str]: ...


@cache
def writers() -> dict[str, Writer]:
    """Every format that can be written, by its id."""
    found: dict[str, Writer] = {}
    for info in pkgutil.iter_modules(__path__):
        module = importlib.import_module(f"{__name__}.{info.name}")
        for each in getattr(module, "WRITERS", [getattr(module, "WRITER", None)]):
            if each is not None:
                found[each.id] = each
    return found


def written_for(platform: str) -> list[str]:
    """The formats that can be written and that a platform loads."""
    from ragtui.datasets.formats import formats

    return [each for each in writers() if platform in getattr(formats().get(each), "platforms", ())]
