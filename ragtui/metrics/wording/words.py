"""Words of any language, for comparing texts: case, width and accents' encoding do not count, scripts without spaces
are cut into characters."""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from typing import Any, Final

_ASCII_WORD: Final = re.compile(
    r"\d+(?:[.,]\d+)+"
    r"|[a-z0-9]+(?:'[a-z0-9]+)*"
    r"|-(?<![\w.,]-)\d+(?:[.,]\d+)*"
    r"|\$"
)
_MARKED: Final = re.compile(r"[0-9$]")  # what makes words more than letters
_LETTERS: Final = re.compile(r"[a-z]+(?:'[a-z]+)*")
_UNSPACED: Final = (
    r"[\p{Han}\p{Hiragana}\p{Katakana}\u30FC\p{Bopomofo}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}"
    r"&&[\p{L}\p{M}\p{N}]]"
)
_ANY_WORD: Final = (
    rf"(?V1){_UNSPACED}\p{{M}}*"
    r"|\p{Nd}+(?:[.,]\p{Nd}+)+"
    rf"|[[\p{{L}}\p{{M}}\p{{N}}]--{_UNSPACED}]+(?:'[[\p{{L}}\p{{M}}\p{{N}}]--{_UNSPACED}]+)*"
    r"|[-−](?<![\w.,][-−])\p{Nd}+(?:[.,]\p{Nd}+)*"
    r"|\p{Sc}|\p{So}[\p{Sk}\p{M}\u200D\p{So}]*"
)
_THOUSANDS: Final = re.compile(r",(?<=\d,)(?=\d{3}(?:\D|$))")


def words(text: str) -> list[str]:
    """The words of a text, in order, ready to be compared.

    Case is folded and compatible forms are made one (full-width letters, ligatures, composed and decomposed accents);
    accents stay. Chinese, Japanese, Thai and other scripts without spaces give a word a character; a number is a word
    with its sign and decimals, without thousands commas; an emoji or currency sign is a word; other punctuation is
    none.
    """
    lower = text.lower()
    if text.isascii() and _MARKED.search(lower) is None:
        return _LETTERS.findall(lower)
    out: list[str] = []
    ascii_only = text.isascii()
    for piece in lower.split():
        if piece.isalpha() and (ascii_only or piece.isascii()):
            out.append(piece)
        else:
            out += _cached(piece) if len(piece) < 40 else _piece_words(piece)
    return out


def _piece_words(piece: str) -> tuple[str, ...]:
    """The words of a lower-case text without white space."""
    if piece.isascii():
        return tuple(_ASCII_WORD.findall(_without_thousands(piece)))
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", piece).casefold())
    return tuple(_pattern(_ANY_WORD).findall(_without_thousands(folded).replace("’", "'").replace("\u200b", "")))


def _without_thousands(text: str) -> str:
    return _THOUSANDS.sub("", text) if "," in text else text


_cached = lru_cache(maxsize=200_000)(_piece_words)


def is_unspaced(word: str) -> bool:
    """Whether a word of ``words`` is one character of a script that is written without spaces."""
    return len(word) <= 4 and _is_unspaced(word)


@lru_cache(maxsize=65536)
def _is_unspaced(word: str) -> bool:
    return _pattern(rf"(?V1){_UNSPACED}").match(word) is not None


@cache
def _pattern(text: str) -> Any:
    import regex

    return regex.compile(text)
