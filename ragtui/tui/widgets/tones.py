"""Tones: what a piece of text means, and how the current theme shows it. The one place where meaning becomes colour.

Made once a theme, not by CSS: a table would need a style node for every tone, and the first paint would wait for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from rich.style import Style
from textual.color import Color

if TYPE_CHECKING:
    from textual.app import App

TONES: Final = (
    "", "title", "good", "bad", "warn", "dim", "strong", "accent", "cool", "rule", "bar", "bar-blurred",
    "header", "header-current", "cursor", "cursor-blurred", "cursor-cell", "match", "current",
    "mark-good", "mark-bad", "mark-differs",
)  # fmt: skip
"""Tones for text, and the parts of tables and texts. ``""`` is plain text on a surface."""

_VARIABLES: Final = (
    "foreground", "surface", "panel", "primary", "success", "error", "accent", "warning", "secondary", "border-blurred",
)  # fmt: skip

_known: dict[tuple[object, ...], Mapping[str, Style]] = {}


def tones(app: App[object]) -> Mapping[str, Style]:
    """A style for each tone, in the app's current theme."""
    variables = app.theme_variables
    # While a theme is changed its name is there before its colours: what is kept belongs to the colours.
    key = (app.native_ansi_color, *(variables.get(name) for name in _VARIABLES))
    if key not in _known:
        _known[key] = _ansi(variables) if app.native_ansi_color else _coloured(variables)
    return _known[key]


def _coloured(variables: Mapping[str, str]) -> dict[str, Style]:
    def colour(name: str) -> Color:
        return Color.parse(variables[name])

    text, surface, panel = colour("foreground"), colour("surface"), colour("panel")
    primary, good, bad, accent = colour("primary"), colour("success"), colour("error"), colour("accent")

    def fg(shade: Color, bold: bool | None = None, underline: bool | None = None) -> Style:
        return Style(color=shade.rich_color, bold=bold, underline=underline)

    def on(shade: Color, amount: float, bold: bool | None = None, underline: bool | None = None) -> Style:
        return Style(bgcolor=surface.blend(shade, amount).rich_color, bold=bold, underline=underline)

    muted = text.blend(surface, 0.4)
    plain = Style(color=text.rich_color, bgcolor=surface.rich_color)
    return {
        "": plain,
        "title": fg(primary, bold=True),
        "good": fg(good),
        "bad": fg(bad, bold=True),
        "warn": fg(colour("warning")),
        "dim": fg(muted),
        "strong": Style(bold=True),
        "accent": fg(accent),
        "cool": fg(colour("secondary")),
        "rule": fg(colour("border-blurred")),
        "bar": fg(primary, bold=True),
        "bar-blurred": fg(colour("border-blurred")),
        "header": plain + fg(muted, bold=True),
        "header-current": plain + Style(bold=True, underline=True),
        "cursor": plain + on(primary, 0.22),
        "cursor-blurred": plain + Style(bgcolor=panel.rich_color),
        "cursor-cell": on(primary, 0.42, bold=True),
        "match": Style(color=surface.rich_color, bgcolor=accent.rich_color),
        "current": on(accent, 0.4, bold=True, underline=True),
        "mark-good": on(good, 0.22, underline=True),
        "mark-bad": on(bad, 0.26, underline=True),
        "mark-differs": fg(accent, bold=True, underline=True),
    }


def _ansi(variables: Mapping[str, str]) -> dict[str, Style]:
    """With the terminal's own colours, or none: what matters is also bold, underlined or reversed."""

    def fg(name: str, bold: bool | None = None) -> Style:
        return Style(color=Color.parse(variables[name]).rich_color, bold=bold)

    reverse = Style(reverse=True)
    return {
        "": Style(),
        "title": fg("primary", bold=True),
        "good": fg("success"),
        "bad": fg("error", bold=True),
        "warn": fg("warning"),
        "dim": Style(dim=True),
        "strong": Style(bold=True),
        "accent": fg("accent"),
        "cool": fg("secondary"),
        "rule": Style(dim=True),
        "bar": fg("primary", bold=True),
        "bar-blurred": Style(dim=True),
        "header": Style(bold=True),
        "header-current": Style(bold=True, underline=True),
        "cursor": reverse,
        "cursor-blurred": Style(bold=True),
        "cursor-cell": Style(reverse=True, bold=True, underline=True),
        "match": reverse,
        "current": Style(reverse=True, bold=True),
        "mark-good": Style(underline=True),
        "mark-bad": Style(reverse=True, underline=True),
        "mark-differs": Style(bold=True, underline=True),
    }
