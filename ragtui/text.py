"""The one door for untrusted text: makes what data, judges and targets say safe to show.

Nothing here knows a screen: the results are plain ``str`` without control characters, safe for a terminal as they are.
Callers on the top floor still must not parse them as markup.
"""

from __future__ import annotations

import re
from typing import Final

_TAB: Final = "    "
_MARK: Final = "·"  # one cell, for characters that would be invisible or reorder the line

# Bidi controls, zero width space, byte order mark, tag characters, Hangul fillers, other invisible characters.
_HIDDEN: Final = [
    0x00AD, 0x061C, 0x180E, 0x200B, 0x200E, 0x200F, 0x3164, 0xFEFF, 0xFFA0,
    *range(0x202A, 0x202F), *range(0x2061, 0x2070), *range(0xFFF9, 0xFFFC), *range(0xE0000, 0xE0080),
]  # fmt: skip

_PICTURES: Final[dict[int, str | None]] = {
    **{code: chr(0x2400 + code) for code in range(0x20)},
    0x7F: "␡",
    0x2028: "⏎",
    0x2029: "⏎",
    **dict.fromkeys(range(0x80, 0xA0), "\ufffd"),
    **dict.fromkeys(range(0xD800, 0xE000), "\ufffd"),  # lone surrogates cannot be written out
    # no characters: terminals show one cell, or nothing
    **dict.fromkeys(
        [*range(0xFDD0, 0xFDF0), *(p + n for p in range(0, 0x110000, 0x10000) for n in (0xFFFE, 0xFFFF))], "\ufffd"
    ),
    **dict.fromkeys(_HIDDEN, _MARK),
}

# In table cells terminals disagree about the width of these; a dropped one costs less than a shifted screen.
_UNSTEADY: Final = dict.fromkeys([0xFE0E, 0xFE0F, 0x20E3, 0x200C, 0x200D, 0x2060, *range(0x1F3FB, 0x1F400)])

_BLOCK: Final[dict[int, str | None]] = {**_PICTURES, 0x09: _TAB, 0x0A: "\n"}
_CELL: Final[dict[int, str | None]] = {**_PICTURES, 0x09: " ", 0x0A: "⏎", 0x0D: None, **_UNSTEADY}

# A joiner with nothing to join would swallow what comes next.
_LOOSE_JOINERS: Final = re.compile(
    "(?<!{0})\u200d+|\u200d+(?!{0})|\u200d{{2,}}".format("[^\x00-\x7f\u200d·\ufffd⏎\u2400-\u2421]")
)

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
    text = text.replace("\r\n", "\n").replace("\r", "\n").translate(_BLOCK)
    return _LOOSE_JOINERS.sub(lambda found: _MARK * len(found[0]), text) if "\u200d" in text else text
