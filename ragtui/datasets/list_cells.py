"""Lists that became text on their way through a spreadsheet: JSON, a Python print, a numpy print, or joined by a character."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from ragtui.datasets.containers.json_text import kind_of, value_of
from ragtui.datasets.containers.table import Table
from ragtui.text import storable

if TYPE_CHECKING:
    import polars as pl

_LITERAL: Final = re.compile(r"""[bBuU]?(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")""", re.DOTALL)
_PRINTED: Final = re.compile(r"""\s*(array\()?\[\s*[bBuU]?['"]""")
_GAP: Final = re.compile(r"\s*")
_OTHER: Final = re.compile(r"[^\s,\[\]'\"]+")


@dataclass(frozen=True, slots=True)
class ListCell:
    """What a cell was read as: its ``items`` (``None`` where it cannot be read), ``how`` (``json``, ``python``, ``joined``,
    ``single``, ``plain``, ``empty``, ``broken``) and, where it is broken or an item of it is no text, ``fault``."""

    items: tuple[str, ...] | None
    how: str
    fault: str = ""


def read_list(text: str, separator: str | None = None) -> ListCell:
    """The list a cell holds. Text that looks like no list is one item (or several, with a ``separator``)."""
    stripped = text.strip()
    if not stripped:
        return ListCell(None, "empty")
    if stripped.startswith("array("):
        return ListCell(None, "broken", "it is the print of an array, not a list")
    if not stripped.startswith("["):
        if separator is not None:
            parts = tuple(part.strip() for part in text.split(separator) if part.strip())
            return ListCell(parts, "joined" if len(parts) > 1 else "single")
        return ListCell((text,), "plain")
    try:
        value = value_of(stripped)
    except (ValueError, RecursionError):
        return _python_list(stripped)
    return (
        ListCell(tuple(map(as_text, value)), "json", _odd_item(value))
        if isinstance(value, list)
        else ListCell((text,), "plain")
    )


def _odd_item(values: list[Any]) -> str:
    """What is wrong with the first item that is no text (nor a text with its source), empty where all are."""
    for place, value in enumerate(values, 1):
        if not isinstance(value, str) and not (isinstance(value, dict) and {"context", "source"} <= value.keys()):
            return f"item {place} is {kind_of(value)}, not a text"
    return ""


def printed_list(text: str) -> ListCell | None:
    """A cell whose text is a list of strings, as JSON, Python or numpy prints it; ``None`` for prose, also in brackets."""
    if not _PRINTED.match(text):
        return None
    cell = read_list(text)
    return None if cell.how == "plain" else cell


def listed(text: str | None) -> list[str] | str | None:
    """The texts of a list that a cell prints, in JSON or in Python; any other text as it is."""
    if text is None or not text.startswith("["):
        return text
    try:
        value = value_of(text)
    except (ValueError, RecursionError):
        cell = printed_list(text)
        return list(cell.items) if cell is not None and cell.items is not None else text
    return value if isinstance(value, list) and all(isinstance(each, str) for each in value) else text


@dataclass(frozen=True)
class ContextColumns:
    """A table with the columns that hold contexts, in a format that takes a context as text: what rules look at."""

    table: Table
    names: tuple[str, ...]


def as_text(value: Any) -> str:
    """One entry of a list of contexts as its text: of an object the text it carries."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        found = next(
            (
                value[key]
                for key in ("text", "content", "context", "page_content", "chunk")
                if isinstance(value.get(key), str)
            ),
            None,
        )
        if found is not None:
            return str(found)
    return json.dumps(value, ensure_ascii=False)


def _python_list(text: str) -> ListCell:
    """A list as Python prints it. Strings side by side without a comma, which Python would silently glue, are a fault."""
    items: list[str] = []
    position = _skip(text, 1)
    wants_item = True
    while position < len(text):
        if text[position] == "]":
            rest = text[position + 1 :].strip()
            return ListCell(None, "broken", "text follows the list") if rest else ListCell(tuple(items), "python")
        if text[position] == ",":
            if wants_item:
                return ListCell(None, "broken", "a comma without a value before it")
            wants_item, position = True, _skip(text, position + 1)
            continue
        literal = _LITERAL.match(text, position)
        other = None if literal else _OTHER.match(text, position)
        if literal is None and other is None:
            return ListCell(None, "broken", "a quote or bracket is not closed")
        if not wants_item:
            return ListCell(None, "broken", "not a list: strings are not separated by commas")
        if literal is not None:
            items.append(_unquoted(literal.group()))
            position = _skip(text, literal.end())
        elif other is not None:
            items.append(other.group())
            position = _skip(text, other.end())
        wants_item = False
    return ListCell(None, "broken", "a quote or bracket is not closed")


def _unquoted(literal: str) -> str:
    try:
        value = ast.literal_eval(literal.lstrip("bBuU"))
    except (ValueError, SyntaxError):
        value = literal.lstrip("bBuU")[1:-1]
    return storable(value if isinstance(value, str) else str(value))


def _skip(text: str, position: int) -> int:
    match = _GAP.match(text, position)
    return match.end() if match else position


@dataclass(frozen=True)
class ListColumn:
    """A column of lists as read: per row what its cell was (``None`` for null), and the column made of it."""

    name: str
    cells: tuple[ListCell | None, ...]
    series: pl.Series
    was_text: bool


def list_column(table: Table, name: str, separator: str | None = None) -> ListColumn:
    """Reads every cell of a column as a list of texts."""
    import polars as pl

    column = table.frame[name]
    if isinstance(column.dtype, pl.List):
        cells = tuple(None if value is None else ListCell(tuple(value), "json") for value in column.to_list())
        return ListColumn(name, cells, column, False)
    kinds = table.kinds[name].cast(pl.String).to_list() if name in table.kinds else None
    splits = separator if table.container != "json" else None  # a JSON document keeps lists as they are
    joined = [splits if kinds is None or kinds[row] == "text" else None for row in range(column.len())]
    cells = tuple(
        None if cell is None else read_list(cell, by) for cell, by in zip(column.to_list(), joined, strict=True)
    )
    values = [None if cell is None or cell.items is None else list(cell.items) for cell in cells]
    return ListColumn(name, cells, pl.Series(name, values, dtype=pl.List(pl.String)), True)


def with_lists(table: Table, columns: Sequence[ListColumn]) -> Table:
    """The table with these columns as lists of texts."""
    frame = table.frame
    for each in columns:
        if each.was_text:
            frame = frame.with_columns(each.series)
    return replace(table, frame=frame)
