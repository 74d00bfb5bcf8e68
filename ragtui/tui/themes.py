"""Themes from TOML files: the shipped folder first, then the user's own. A bad file is shown as a problem."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

from textual.color import Color, ColorParseError
from textual.theme import Theme

from ragtui.workspace import bundled

DEFAULT: Final = "ragtui-dark"
WITHOUT_COLOUR: Final = "ansi-dark"

_COLOURS: Final = (
    "primary", "secondary", "warning", "error", "success", "accent", "foreground", "background", "surface", "panel",
    "boost",
)  # fmt: skip
_KEYS: Final = {field.name for field in fields(Theme)}


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a theme file was left out, in one line."""

    path: Path
    message: str


def user_folder() -> Path:
    """Where a user's own themes lie; it may not exist."""
    from platformdirs import user_config_path

    return user_config_path("ragtui") / "themes"


def load_themes(folders: list[Path] | None = None) -> tuple[list[Theme], list[Problem]]:
    """Every theme of the folders (shipped, then the user's; a later name wins), and what is wrong with the rest."""
    themes: dict[str, Theme] = {}
    problems: list[Problem] = []
    for folder in folders if folders is not None else [bundled("themes"), user_folder()]:
        for path in sorted(folder.glob("*.toml")):
            read = read_theme(path)
            if isinstance(read, Theme):
                themes[read.name] = read
            else:
                problems.append(read)
    return list(themes.values()), problems


def read_theme(path: Path) -> Theme | Problem:
    """One theme file as a theme, or what is wrong with it."""
    try:
        raw: dict[str, Any] = tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        return Problem(path, str(error))
    wrong = _first_fault(raw)
    return Problem(path, wrong) if wrong else Theme(**raw)


def _first_fault(raw: dict[str, Any]) -> str | None:
    for key in raw:
        if key not in _KEYS:
            near = get_close_matches(key, _KEYS, 1)
            return f'unknown key "{key}"' + (f'; did you mean "{near[0]}"?' if near else "")
    for key in ("name", "primary"):
        if not isinstance(raw.get(key), str) or not raw[key]:
            return f'"{key}" is missing'
    variables = raw.get("variables", {})
    if not isinstance(variables, dict):
        return '"variables" must be a table'
    for key, value in [*((key, raw[key]) for key in _COLOURS if key in raw), *variables.items()]:
        if not isinstance(value, str):
            return f'"{key}" must be text'
        if key in _COLOURS or value.startswith("#"):
            try:
                Color.parse(value)
            except ColorParseError:
                return f'"{key}" is not a colour: {value}'
    for key, kind in (("dark", bool), ("ansi", bool), ("luminosity_spread", float), ("text_alpha", float)):
        if key in raw and not isinstance(raw[key], kind):
            return f'"{key}" must be {"true or false" if kind is bool else "a number"}'
    return None
