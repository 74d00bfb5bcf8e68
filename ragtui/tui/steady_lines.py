"""Keeps lines straight where terminals disagree about widths: joined emoji, Indic signs, flags, what is not assigned yet.

What is sent to the terminal is looked through last of all. A letter of such a kind, with what is joined to it, is written
between two marks of the cursor: its cells are blanked, it is written, and the cursor is put where the app believes it to be.
However wide the terminal draws it, what comes after it stands in its place.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from rich.cells import split_graphemes

if TYPE_CHECKING:
    from textual.driver import Driver

# Measured alike by terminals: letters of one cell and their accents, Thai, punctuation, arrows, frames, symbols; then
# characters of two cells: kana, Hangul syllables, Han, full width forms, the older emoji.
_STEADY: Final = (
    "\x00-\u0482\u048a-\u058f\u05d0-\u05ea\u0621-\u0669\u0e01-\u0e3a\u0e3f-\u0e5b\u1e00-\u1fff\u2010-\u2027\u2030-\u205e"
    "\u2070-\u20cf\u2100-\u218b\u2190-\u2bff"
    "\u3000-\u3163\u3165-\ud7a3\uf900-\ufaff\uff01-\uff9f\uffa1-\uffe6\ufffd\U0001f300-\U0001f3fa\U0001f400-\U0001f64f"
    "\U0001f680-\U0001f6c5\U00020000-\U0003fffd"
)
_DOUBTFUL: Final = re.compile(f"[^{_STEADY}]")
_SEQUENCES: Final = re.compile(
    "(\x1b(?:\\[[0-9;:<=>?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)|[^\\[\\]])|[\x00-\x1a\x1c-\x1f])"
)
_NO_WRAP, _WRAP, _SAVE, _BACK = "\x1b[?7l", "\x1b[?7h", "\x1b7", "\x1b8"


def steady(data: str) -> str:
    """What is to be sent, with every run of doubtful text held in its cells."""
    if data.isascii() or _DOUBTFUL.search(data) is None:
        return data
    return "".join(_held(part) if _DOUBTFUL.search(part) else part for part in _SEQUENCES.split(data))


def _held(run: str) -> str:
    spans, _ = split_graphemes(run)
    return "".join(_letter(run[start:end], width) for start, end, width in spans)


def _letter(letter: str, width: int) -> str:
    if _DOUBTFUL.search(letter) is None:
        return letter
    ahead = f"\x1b[{width}C" if width else ""
    return f"{_NO_WRAP}{_SAVE}{' ' * width}{_BACK}{letter}{_BACK}{ahead}{_WRAP}"


@lru_cache
def held(driver: type[Driver]) -> type[Driver]:
    """The same driver, that sends only steady lines."""

    class Steady(driver):  # type: ignore[misc, valid-type]
        def write(self, data: str) -> None:
            super().write(steady(data))

    return Steady
