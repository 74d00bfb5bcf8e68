"""Cuts a sentence into tokens with their places: words, numbers, marks; CJK text into overlapping pairs of characters."""

from __future__ import annotations

import re
from typing import Final, NamedTuple


class Token(NamedTuple):
    """``kind`` is ``w`` word, ``n`` number, ``u`` unit sign, ``p`` mark, ``j`` CJK pair; ``low`` is the folded text."""

    kind: str
    text: str
    low: str
    start: int
    end: int


_CJK: Final = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\u0e00-\u0e7f々〆"
_TOKEN: Final = re.compile(
    rf"""(?P<j>[{_CJK}]+)
    |(?P<n>\d{{1,2}}:\d{{2}}(?!\d)|\d{{1,3}}(?:[,\u00a0\u202f'’]\d{{3}})+(?:\.\d+)?(?!\d)|\d+(?:[.,]\d+)?)(?P<suffix>(?:st|nd|rd|th)\b)?
    |(?P<u>°\s?[CF]\b|[%‰°$€£¥₹]|[µμ]g|m²|m³|km²)
    |(?P<w>[^\W\d_{_CJK}](?:[^\W_{_CJK}]|['’](?=[^\W\d_{_CJK}]))*)
    |(?P<p>[,;:.!?()\[\]–—/\-、，。；：！？])""",
    re.VERBOSE,
)


def tokens(text: str) -> list[Token]:
    found: list[Token] = []
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or "p"
        start, end = match.span()
        if kind == "suffix":
            found.append(Token("n", match["n"], "ordinal", start, end))
        elif kind == "j":
            found += _pairs(match.group(), start)
        else:
            piece = match.group()
            low = piece.lower().replace("’", "'") if kind == "w" else piece
            found.append(Token(kind, piece, low, start, end))
    return found


def _pairs(run: str, start: int) -> list[Token]:
    if len(run) == 1:
        return [Token("j", run, run, start, start + 1)]
    return [Token("j", run[i : i + 2], run[i : i + 2], start + i, start + i + 2) for i in range(len(run) - 1)]
