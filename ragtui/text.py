"""The one door for untrusted text: makes what data, judges and targets say safe to show.

Nothing here knows a screen: the results are plain ``str`` without control characters, safe for a terminal as they are.
Callers on the top floor still must not parse them as markup.
"""

from __future__ import annotations

import re
from typing import Final

_TAB: Final = "    "
_MARK: Final = "·"  # one cell, for characters that would be invisible or reorder the line

# Bidi controls, zero width space, byte order mark, tag characters, other invisible format characters.
_HIDDEN: Final = [
    0x00AD, 0x061C, 0x180E, 0x200B, 0x200E, 0x200F, 0xFEFF,
    *range(0x202A, 0x202F), *range(0x2061, 0x2070), *range(0xFFF9, 0xFFFC), *range(0xE0000, 0xE0080),
]  # fmt: skip

_PICTURES: Final[dict[int, str | None]] = {
    **{code: chr(0x2400 + code) for code in range(0x20)},
    0x7F: "␡",
    0x2028: "⏎",
    0x2029: "⏎",
    **dict.fromkeys(range(0x80, 0xA0), "\ufffd"),
    **dict.fromkeys(range(0xD800, 0xE000), "\ufffd"),  # lone surrogates cannot be written out
    **dict.fromkeys(_HIDDEN, _MARK),
}

# In table cells terminals disagree about the width of these; a dropped one costs less than a shifted screen.
_UNSTEADY: Final = dict.fromkeys([0xFE0E, 0xFE0F, 0x20E3, 0x200C, 0x200D, 0x2060, *range(0x1F3FB, 0x1F400)])

_BLOCK: Final[dict[int, str | None]] = {**_PICTURES, 0x09: _TAB, 0x0A: "\n"}
_CELL: Final[dict[int, str | None]] = {**_PICTURES, 0x09: " ", 0x0A: "⏎", 0x0D: None, **_UNSTEADY}

_PLAIN: Final = re.compile(r"[ -~]*")


def storable(text: str) -> str:
    """Text that every frame, store and stream can hold: U+FFFD for lone surrogates, as of file names that are no text."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def cell(value: object, limit: int = 4096) -> str:
    """One line of safe text for a table cell, cut after ``limit`` characters; ``None`` is empty."""
    if value is None:
        return ""
    text = value if isinstance(value, str) else str(value)
    cut = len(text) > limit
    if cut:
        text = text[:limit]
    if not _PLAIN.fullmatch(text):
        text = text.replace("\r\n", "\n").translate(_CELL)
    return text + "…" if cut else text


def block(value: object) -> str:
    """Safe text of many lines: line feeds stay, tabs are expanded, everything else that controls is a picture."""
    if value is None:
        return ""
    text = value if isinstance(value, str) else str(value)
    if _PLAIN.fullmatch(text):
        return text
    return text.replace("\r\n", "\n").replace("\r", "\n").translate(_BLOCK)
