"""One column of a table: where its values come from, how they are written, how wide they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from rich.cells import cell_len, set_cell_size

from ragtui.text import cell

Painted = tuple[str, str]
"""A cell as shown: safe text, and its tone (see ``tones``)."""

Paint = Callable[[Sequence[Any]], Painted]
"""Makes a cell of the values of its column and of the columns it ``also`` needs."""


def plain(values: Sequence[Any]) -> Painted:
    return cell(values[0]), ""


@dataclass(frozen=True)
class TableColumn:
    """``key`` names the frame's column; ``also`` further ones that ``paint`` is given.

    ``width`` 0 is as wide as the first rows need, at most ``most``; the column that may ``grow`` takes what is left. An
    ``extra`` one is shown only where the user chose it.
    """

    key: str
    title: str
    also: tuple[str, ...] = ()
    paint: Paint = plain
    width: int = 0
    most: int = 40
    right: bool = False
    grow: bool = False
    searched: bool = True
    extra: bool = False

    @property
    def keys(self) -> tuple[str, ...]:
        return (self.key, *self.also)


def fit(text: str, width: int, right: bool = False) -> str:
    """``text`` in exactly ``width`` cells; what is cut ends in ``…``, and a wide character is never halved."""
    length = len(text) if text.isascii() else cell_len(text)
    if length > width:
        return set_cell_size(text, width - 1) + "…" if width > 0 else ""
    pad = " " * (width - length)
    return pad + text if right else text + pad


def widths(columns: Sequence[TableColumn], painted: Sequence[Sequence[Painted]], room: int, gap: int) -> list[int]:
    """How many cells each column gets. ``painted`` holds each column's first cells; ``room`` is the table's width."""
    found = []
    for column, cells in zip(columns, painted, strict=True):
        need = max([cell_len(column.title) + 1, *(cell_len(text) for text, _ in cells)])
        found.append(column.width or max(1, min(need, column.most)))
    growing = [i for i, column in enumerate(columns) if column.grow]
    spare = room - sum(found) - gap * (len(columns) - 1)
    for i in growing:
        found[i] = max(min(found[i], 12), found[i] + spare // len(growing))
    return found
