"""The settings of ``ragtui.toml`` one by one, each with its line."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

_SECRET: Final = re.compile(r"key$|token|secret|passw|auth|cookie|credential", re.IGNORECASE)
_IN_ADDRESS: Final = re.compile(r"//[^/@\s]+@|[?&]\w*(?:key|token|secret|sig)\w*=", re.IGNORECASE)
_FROM_ENVIRONMENT: Final = re.compile(r"\$\{env\.\w+\}")
_HEADER: Final = re.compile(r"\s*\[\[?([^\[\]]+)\]\]?\s*(?:#.*)?$")
_KEY: Final = re.compile(r"\s*([^=#\[\]{}]+?)\s*=")

Path_ = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Setting:
    """One value of a file: ``name`` is its dotted path, ``value`` its JSON, ``line`` is 0 where it cannot be told."""

    name: str
    value: str
    line: int


def settings(path: Path, config: Mapping[str, Any]) -> list[Setting]:
    """Every value of a TOML file that was read as ``config``; what looks like a secret is not shown."""
    lines = _lines_of(path)
    return [Setting(".".join(keys), _shown(keys, value), _line_of(keys, lines)) for keys, value in _leaves(config, ())]


def line_of(path: Path, keys: Path_) -> int:
    """The line of a value or a table of a TOML file, 0 where it cannot be told."""
    return _line_of(keys, _lines_of(path))


def _lines_of(path: Path) -> dict[Path_, int]:
    try:
        return _lines(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError):
        return {}


def _leaves(node: Mapping[str, Any], above: Path_) -> Iterator[tuple[Path_, Any]]:
    for key, value in node.items():
        if isinstance(value, dict) and value:
            yield from _leaves(value, (*above, key))
        else:
            yield (*above, key), value


def _shown(keys: Path_, value: Any) -> str:
    shown = json.dumps(value, ensure_ascii=False, default=str)
    named = any(_SECRET.search(key) for key in keys[1:]) and isinstance(value, str)
    if (named or _IN_ADDRESS.search(shown)) and not _FROM_ENVIRONMENT.search(shown):
        return "(not shown)"
    return shown


def _line_of(keys: Path_, lines: Mapping[Path_, int]) -> int:
    """The line of a value, or of what it stands in, as a table in one line."""
    return next((lines[keys[:n]] for n in range(len(keys), 0, -1) if keys[:n] in lines), 0)


def _lines(text: str) -> dict[Path_, int]:
    """The first line of each table and key."""
    found: dict[Path_, int] = {}
    table: Path_ = ()
    for number, line in enumerate(text.split("\n"), start=1):
        if header := _HEADER.match(line):
            table = _keys(header[1]) or table
            for n in range(1, len(table) + 1):  # [a.b] makes a as well
                found.setdefault(table[:n], number)
        elif (key := _KEY.match(line)) and (named := _keys(key[1])):
            found.setdefault((*table, *named), number)
    return found


def _keys(dotted: str) -> Path_:
    """A dotted key as TOML reads it; empty where it is none."""
    try:
        node: Any = tomllib.loads(f"{dotted} = 0")
    except tomllib.TOMLDecodeError:
        return ()
    keys = []
    while isinstance(node, dict):
        ((key, node),) = node.items()
        keys.append(key)
    return tuple(keys)
