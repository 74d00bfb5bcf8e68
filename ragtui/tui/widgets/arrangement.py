"""Which columns of a table are shown, in which order and how wide, as the user arranged them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from ragtui.tui.widgets.table_column import TableColumn

NARROWEST: Final = 3
WIDEST: Final = 200


@dataclass(frozen=True, slots=True)
class Place:
    """One column by its key. ``width`` in cells; 0 is as wide as the table makes it."""

    key: str
    shown: bool = True
    width: int = 0


def natural(columns: Sequence[TableColumn]) -> list[Place]:
    """The places that columns have before anyone arranges them: those that are ``extra`` are not shown."""
    return [Place(column.key, not column.extra) for column in columns]


def woven(first: Sequence[Place], second: Sequence[Place]) -> list[Place]:
    """``first`` with what only ``second`` has: each behind the one that stands before it there."""
    found = list(first)
    keys = [place.key for place in found]
    for i, place in enumerate(second):
        if place.key not in keys:
            at = keys.index(second[i - 1].key) + 1 if i else 0
            found.insert(at, place)
            keys.insert(at, place.key)
    return found


def places_of(columns: Sequence[TableColumn], kept: Sequence[Place]) -> list[Place]:
    """A place for each of ``columns``, as ``kept`` has it; columns that it does not know stand where they naturally do."""
    keys = {column.key for column in columns}
    return woven([place for place in kept if place.key in keys], natural(columns))


def arranged(columns: Sequence[TableColumn], kept: Sequence[Place]) -> list[TableColumn]:
    """The columns that are shown, in their order; a width of the user's own is kept whatever room there is."""
    by_key = {column.key: column for column in columns}
    shown = [(by_key[place.key], place.width) for place in places_of(columns, kept) if place.shown]
    if not shown:  # nothing of what was kept is left
        return [column for column in columns if not column.extra]
    return [replace(column, width=width, grow=False) if width else column for column, width in shown]


def written(places: Sequence[Place]) -> list[dict[str, Any]]:
    """Places as JSON has them."""
    return [{"key": place.key, "shown": place.shown, "width": place.width} for place in places]


def read(values: object) -> list[Place]:
    """Places from JSON; entries that cannot be used are left out."""
    found: dict[str, Place] = {}
    for value in values if isinstance(values, list) else []:
        if not isinstance(value, Mapping) or not isinstance(value.get("key"), str):
            continue
        width = value.get("width")
        wide = width if type(width) is int and NARROWEST <= width <= WIDEST else 0
        found[value["key"]] = Place(value["key"], value.get("shown") is not False, wide)
    return list(found.values())
