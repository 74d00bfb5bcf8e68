"""Which rows of a frame a table shows, and in which order: views are row numbers (u32), the frame itself is never copied.

Pure functions over Polars, safe to run in a thread while the screen stays alive.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl


class FilterError(Exception):
    """The expression cannot be used; the message is one line."""


def sorted_view(
    frame: pl.DataFrame, by: str, descending: bool = False, view: pl.Series | None = None
) -> pl.Series:
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


def filtered_view(frame: pl.DataFrame, condition: str) -> pl.Series:
    """The rows where an SQL condition over the frame's columns holds: ``groundedness < 3 and label is null``.

    Column names that are not plain words go in double quotes.

    Raises:
        FilterError: the condition is no SQL, names no column, or is not a yes-or-no question.
    """
    import polars as pl

    names = frame.columns
    try:
        expression = pl.sql_expr(condition)
        unknown = [name for name in expression.meta.root_names() if name not in names]
        if unknown:
            raise FilterError(_unknown_column(unknown[0], names))
        kept = frame.select(expression.alias("kept")).to_series()
    except pl.exceptions.PolarsError as error:
        raise FilterError(_first_line(str(error))) from error
    except BaseException as error:  # a panic of the SQL parser is no Exception
        if isinstance(error, FilterError) or type(error).__name__ != "PanicException":
            raise
        raise FilterError("this expression cannot be evaluated") from error
    if kept.dtype != pl.Boolean:
        raise FilterError(f"this is {kept.dtype}, not a condition; compare it with something: {condition} = …")
    if len(kept) == 1 and frame.height != 1:
        kept = pl.Series("kept", [bool(kept[0])]).new_from_index(0, frame.height)
    return kept.fill_null(False).arg_true().cast(pl.UInt32)


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


def positions(view: pl.Series | None, rows: pl.Series) -> pl.Series:
    """Where ``rows`` stand in ``view``, ascending; rows that are not in it are left out."""
    import polars as pl

    if view is None:
        return rows.sort()
    return view.is_in(rows.implode()).arg_true().cast(pl.UInt32)


def complete_column(typed: str, columns: Sequence[str]) -> list[str]:
    """Column names that the last word of a condition may become, quoted where SQL needs it."""
    word = re.split(r"[\s()=<>!,+*/-]", typed)[-1].lstrip('"').lower()
    found = [name for name in columns if name.lower().startswith(word)] if word else []
    head = typed[: len(typed) - len(re.split(r"[\s()=<>!,+*/-]", typed)[-1])]
    return [head + quoted(name) for name in found]


def quoted(name: str) -> str:
    """A column name as SQL takes it."""
    return name if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) else '"' + name.replace('"', '""') + '"'


def _unknown_column(name: str, names: Sequence[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, names, 1, cutoff=0.5)
    if near:
        return f"no column {name}; did you mean {quoted(near[0])}?"
    return f"no column {name}; there are {', '.join(quoted(each) for each in names[:6])}{', …' if len(names) > 6 else ''}"


def _first_line(message: str) -> str:
    return message.strip().splitlines()[0] if message.strip() else "this expression cannot be evaluated"
