"""Filters as people type them: an SQL condition over a frame's columns, its completion, and what is wrong with one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import polars as pl


class FilterError(Exception):
    """The expression cannot be used; the message is one line. ``at`` is where in it, counted from 0, if that is known."""

    def __init__(self, message: str, at: int | None = None) -> None:
        super().__init__(message if at is None else f"at {at + 1}: {message}")
        self.at = at


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
            raise FilterError(_unknown_column(unknown[0], names, condition), _place_of(unknown[0], condition))
        kept = frame.select(expression.alias("kept")).to_series()
    except pl.exceptions.PolarsError as error:
        raise _syntax_fault(condition) or _type_fault(condition, frame, str(error)) from error
    except BaseException as error:  # a panic of the SQL parser is no Exception
        if isinstance(error, FilterError) or type(error).__name__ != "PanicException":
            raise
        raise FilterError("this expression cannot be evaluated") from error
    if kept.dtype != pl.Boolean:
        kind = "a number" if kept.dtype.is_numeric() else "text" if kept.dtype == pl.String else "a value"
        raise FilterError(f"this is {kind}, not a condition; compare it, as with = or <", 0)
    if len(kept) == 1 and frame.height != 1:
        kept = pl.Series("kept", [bool(kept[0])]).new_from_index(0, frame.height)
    return kept.fill_null(False).arg_true().cast(pl.UInt32)


_WORD: Final = re.compile(r"(\"[^\"]*|[^\s()=<>!,+*/\"'-]*)$")
_A_COLUMN_NEXT: Final = re.compile(r"(^|\b(and|or|not|where)\b)[\s(]*$", re.IGNORECASE)


def complete_column(typed: str, columns: Sequence[str]) -> list[str]:
    """What a condition may become whose last word is the beginning of a column's name, or where one comes next; names
    are quoted where SQL needs it. Names that begin so come before those that hold it."""
    found = _WORD.search(typed)
    word = found[0] if found else ""
    head, word = typed[: len(typed) - len(word)], word.lstrip('"').lower()
    if head.count("'") % 2 or (not word and not _A_COLUMN_NEXT.search(typed)):
        return []
    starting = [name for name in columns if name.lower().startswith(word)]
    holding = [name for name in columns if word in name.lower() and name not in starting]
    return [head + quoted(name) for name in [*starting, *holding]]


def quoted(name: str) -> str:
    """A column name as SQL takes it."""
    return name if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) else '"' + name.replace('"', '""') + '"'


def _unknown_column(name: str, names: Sequence[str], condition: str) -> str:
    from difflib import get_close_matches

    if f'"{name}"' in condition and (near := get_close_matches(name, names, 1, cutoff=0.8)) == []:
        return f"no column {name}; a text goes in single quotes: '{name}'"
    near = get_close_matches(name, names, 1, cutoff=0.5)
    if near:
        return f"no column {name}; did you mean {quoted(near[0])}?"
    return (
        f"no column {name}; there are {', '.join(quoted(each) for each in names[:6])}{', …' if len(names) > 6 else ''}"
    )


def _place_of(name: str, condition: str) -> int | None:
    found = re.search(rf'"{re.escape(name)}"|(?<!\w){re.escape(name)}(?!\w)', condition, re.IGNORECASE)
    return found.start() if found else None


_BEFORE: Final = "SELECT 1 FROM t WHERE "
_FAULT: Final = re.compile(r"(?:sql parser error: )?(.*?)(?: at Line: (\d+), Column: (\d+))?", re.DOTALL)


def _syntax_fault(condition: str) -> FilterError | None:
    """What is wrong with a condition as SQL, and where: a whole query is told that, a lone expression is not."""
    import polars as pl

    if not condition.strip():
        return FilterError("there is no condition", 0)
    try:
        pl.SQLContext(t=pl.LazyFrame()).execute(_BEFORE + condition)
    except pl.exceptions.SQLInterfaceError as error:
        if (found := _FAULT.fullmatch(_first_line(str(error)))) is None:
            return None
        at = int(found[3]) - 1 - len(_BEFORE) if found[2] == "1" else None
        expected = re.fullmatch(r"Expected: (.*), found: (.*)", found[1])
        if expected is None:
            return FilterError(found[1][:1].lower() + found[1][1:], at) if at is not None else None
        wanted, instead = expected[1], expected[2]
        if instead == "EOF":
            return FilterError(f"{_in_words(wanted)} is missing", len(condition))
        return FilterError(f"{_in_words(wanted)} expected, not {instead}", at)
    except pl.exceptions.PolarsError:
        return None
    return None


_WORDS: Final = {"an expression": "a column or a value", "end of statement": "and, or, or the end", ")": "a closing )"}


def _in_words(wanted: str) -> str:
    """What the parser expects, as people say it; of a long list only the beginning."""
    first, *more = re.split(r" \| |, ", wanted)
    return _WORDS.get(wanted, f"{first} or the like" if more else wanted)


def _type_fault(condition: str, frame: pl.DataFrame, told: str) -> FilterError:
    """A condition that is sound SQL but cannot be evaluated: what it is about, and where that stands."""
    line = _first_line(told).replace("sql parser error: ", "")
    if named := re.match(r"unsupported function '(\w+)'", line):
        return FilterError(f"there is no function {named[1]}", _place_of(named[1], condition))
    if list_ := _first_of(condition, frame, lists=True) if "List" in line and "cast" in line else None:
        name = quoted(list_[1])
        return FilterError(f"{name} is a list of texts: array_contains({name}, 'text')", list_[0])
    if "string" in line.lower() and ("compare" in line or "is_in" in line):
        if text := _first_of(condition, frame, lists=False):
            return FilterError(f"{quoted(text[1])} is text: compare it with a text in single quotes", text[0])
        quote = re.search(r"'[^']*'", condition)
        return FilterError("a number cannot be compared with a text", quote.start() if quote else None)
    return FilterError(line)


def _first_of(condition: str, frame: pl.DataFrame, lists: bool) -> tuple[int, str] | None:
    """Where the first column of texts, or of lists, stands in a condition, and its name."""
    import polars as pl

    names = [name for name, kind in frame.schema.items() if (isinstance(kind, pl.List) if lists else kind == pl.String)]
    return min(((at, name) for name in names if (at := _place_of(name, condition)) is not None), default=None)


def _first_line(message: str) -> str:
    lines = [line.strip() for line in message.splitlines() if line.strip()] or ["this expression cannot be evaluated"]
    about = next((line for line in lines if line.startswith("error: ")), "")  # of a regular expression
    return f"{lines[0]} {about.removeprefix('error: ')}" if about else lines[0]
