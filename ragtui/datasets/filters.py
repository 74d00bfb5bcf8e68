"""The ``filters`` cell of deepset labels: a JSON object in which a key may stand twice."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from ragtui.datasets.containers.json_text import value_of


class FiltersError(Exception):
    """The cell is no filters object; the message says why, ``position`` is the 0-based character."""

    def __init__(self, message: str, position: int = 0) -> None:
        super().__init__(message)
        self.position = position


@dataclass(frozen=True, slots=True)
class Filters:
    """Filters by key; the values of a repeated key are a list, in order, and the key is in ``repeated``."""

    values: dict[str, Any]
    repeated: tuple[str, ...] = ()


def parse_filters(cell: str) -> Filters:
    """Reads a cell; an empty one has no filters.

    Raises:
        FiltersError: it is not JSON, or not an object.
    """
    if not cell.strip():
        return Filters({})
    repeated: list[str] = []

    def merged(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        gathered: dict[str, list[Any]] = {}
        for key, value in pairs:
            gathered.setdefault(key, []).append(value)
        repeated.extend(key for key, values in gathered.items() if len(values) > 1)
        return {key: values if len(values) > 1 else values[0] for key, values in gathered.items()}

    try:
        value = value_of(cell, object_pairs_hook=merged)
    except json.JSONDecodeError as error:
        raise FiltersError(f"{error.msg} at character {error.pos + 1}", error.pos) from error
    except RecursionError as error:
        raise FiltersError("nested too deeply") from error
    if not isinstance(value, dict):
        kind = {list: "a list", str: "a text", bool: "true or false", type(None): "null"}.get(type(value), "a number")
        raise FiltersError(f"it is {kind}")
    return Filters(value, tuple(dict.fromkeys(repeated)))
