"""Which rows of a frame a table shows, and in which order: a view is row numbers (u32), the frame is never copied.

The functions are pure and safe to run in a thread while the screen stays alive; ``FrameView`` keeps what they found.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import polars as pl

PAGE: Final = 256
CUT: Final = 400  # characters of a text that are fetched for a cell


def sorted_view(frame: pl.DataFrame, by: str, descending: bool = False, view: pl.Series | None = None) -> pl.Series:
    """The rows of ``view`` (``None``: all) ordered by a column; equal rows keep the frame's order, nulls come last."""
    import polars as pl

    column = frame[by] if view is None else frame[by].gather(view)
    if isinstance(column.dtype, pl.List):
        column = column.list.join(" ")
    order = ordered_by(column.to_frame(by), [pl.col(by)], [descending])
    return order if view is None else view.gather(order)


def ordered_by(frame: pl.DataFrame, keys: Sequence[pl.Expr], descending: Sequence[bool]) -> pl.Series:
    """All rows ordered by expressions over the frame; nulls last."""
    import polars as pl

    order = pl.arg_sort_by(list(keys), descending=list(descending), nulls_last=True, maintain_order=True)
    return frame.select(order.cast(pl.UInt32).alias("order")).to_series()


def matching_view(frame: pl.DataFrame, text: str, columns: Sequence[str]) -> pl.Series:
    """The rows in which any of ``columns`` holds ``text``; case counts only if ``text`` has a capital letter.

    Composed and decomposed letters are equal: a search for ``é`` finds ``e`` with a combining accent.
    """
    import polars as pl

    wanted = unicodedata.normalize("NFC", text)
    pattern = re.escape(wanted).replace("\\ ", " ")
    if wanted == wanted.lower():
        pattern = f"(?i){pattern}"
    tests = []
    for name in columns:
        dtype = frame.schema[name]
        column = pl.col(name).list.join(" ") if isinstance(dtype, pl.List) else pl.col(name)
        if dtype != pl.String and not isinstance(dtype, pl.List):
            column = column.cast(pl.String)
        if not wanted.isascii():
            column = column.str.normalize("NFC")
        plain = wanted.isascii() and pattern == wanted
        tests.append(column.str.contains(pattern, literal=plain))
    if not tests:
        return pl.Series("found", [], dtype=pl.UInt32)
    found = frame.lazy().select(pl.any_horizontal(*tests).fill_null(False).alias("found")).collect().to_series()
    return found.arg_true().cast(pl.UInt32)


class FrameView:
    """The rows of one frame as they are shown: ordered, filtered, searched. A position counts what is shown."""

    def __init__(self, frame: pl.DataFrame, natural: pl.Series | None = None) -> None:
        self.frame = frame
        self.natural = natural  # the order before any sorting
        self._order = natural
        self._kept: pl.Series | None = None
        self._matched: pl.Series | None = None
        self._pages: dict[int, list[list[Any]]] = {}
        self.rows: pl.Series | None = None
        self.found: pl.Series | None = None
        """Positions that the search found, ascending; ``None`` without a search."""
        self._update()

    def over(self, frame: pl.DataFrame, natural: pl.Series | None) -> FrameView:
        """The same filter, search and sorting over the same rows with other values."""
        other = FrameView(frame, natural)
        sorted_otherwise = self._order is not self.natural
        other._order = self._order if sorted_otherwise else natural
        other._kept, other._matched = self._kept, self._matched
        other._update()
        return other

    @property
    def count(self) -> int:
        return self.frame.height if self.rows is None else len(self.rows)

    def row_at(self, position: int) -> int | None:
        if not 0 <= position < self.count:
            return None
        return position if self.rows is None else int(self.rows[position])

    def position_of(self, row: int | None) -> int | None:
        """Where a row of the frame is shown; ``None`` where the filter hides it."""
        if row is None or not 0 <= row < self.frame.height:
            return None
        if self.rows is None:
            return row
        at = (self.rows == row).arg_max()
        return at if at is not None and int(self.rows[at]) == row else None

    def order(self, rows: pl.Series | None) -> None:
        """All rows in another order; ``None`` is as the frame has them."""
        self._order = rows
        self._update()

    def keep(self, rows: pl.Series | None) -> None:
        """Only these rows; ``None`` is all."""
        self._kept = rows
        self._update()

    def match(self, rows: pl.Series | None) -> None:
        """What a search found."""
        self._matched = rows
        self._update_found()

    def shown(self) -> pl.DataFrame:
        """The rows shown, in the order shown."""
        return self.frame if self.rows is None else self.frame[self.rows]

    def where(self, test: pl.Series) -> pl.Series:
        """Positions where ``test``, one truth value a row of the frame, holds."""
        truths = test if self.rows is None else test.gather(self.rows)
        return truths.fill_null(False).arg_true()

    def page(self, number: int, keys: Sequence[str]) -> list[list[Any]]:
        """One page of what is shown as lists, one a key; long texts are cut before they become Python objects."""
        page = self._pages.get(number)
        if page is None:
            start = number * PAGE
            rows = self.frame.slice(start, PAGE) if self.rows is None else self.frame[self.rows.slice(start, PAGE)]
            if len(self._pages) > 64:
                self._pages.clear()
            page = self._pages[number] = [_cut(rows[key]).to_list() for key in keys]
        return page

    def _update(self) -> None:
        self._pages.clear()
        if self._kept is None or self._order is None:
            self.rows = self._order if self._kept is None else self._kept
        else:
            import polars as pl

            inside = pl.repeat(False, self.frame.height, dtype=pl.Boolean, eager=True).scatter(self._kept, True)
            self.rows = self._order.filter(inside.gather(self._order))
        self._update_found()

    def _update_found(self) -> None:
        matched = self._matched
        if matched is None:
            self.found = None
        else:
            self.found = matched.sort() if self.rows is None else self.rows.is_in(matched.implode()).arg_true()


def step_from(position: int, positions: pl.Series, step: int) -> int | None:
    """The next (``step`` 1) or previous (-1) of ascending positions, round the end if need be."""
    if len(positions) == 0:
        return None
    if step > 0:
        at = int(positions.search_sorted(position, side="right"))
    else:
        at = int(positions.search_sorted(position, side="left")) - 1
    return int(positions[at % len(positions)])


def _cut(column: pl.Series) -> pl.Series:
    """A column ready to be shown: texts cut, lists of texts as one text (how many, and how they begin)."""
    import polars as pl

    if column.dtype == pl.String:
        return column.str.slice(0, CUT)
    if column.dtype != pl.List(pl.String):
        return column
    texts = column.list.eval(pl.element().str.slice(0, CUT)).list.join("  │  ").str.slice(0, CUT)
    frame = pl.DataFrame({"n": column.list.len(), "text": texts})
    shown = pl.when(pl.col("n").is_null()).then(None).otherwise(pl.format("[{}] {}", pl.col("n"), pl.col("text")))
    return frame.select(shown.alias("shown")).to_series()
