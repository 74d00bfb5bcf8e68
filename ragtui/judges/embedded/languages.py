"""Which language a text seems to be in, and the few word lists that matter per language."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Final

from ragtui.judges.embedded.wordlists import toml_list


@dataclass(frozen=True)
class Language:
    """``code`` is ISO 639-1. ``functions`` are words without content; ``negations`` turn what follows them round."""

    code: str
    name: str
    stemmer: str | None
    functions: frozenset[str]
    negations: frozenset[str]
    asks: frozenset[str] = frozenset()  # words that begin a question in this language and no sentence in English


LANGUAGES: Final[Mapping[str, Language]] = MappingProxyType(
    {
        code: Language(
            code,
            row["name"],
            row["stemmer"],
            frozenset(row["functions"].split()),
            frozenset(row["negations"].split()),
            frozenset(row.get("asks", "").split()),
        )
        for code, row in toml_list("languages.toml").items()
    }
)
ENGLISH: Final = LANGUAGES["en"]
_OTHER: Final = Language("xx", "a language it has no word lists for", None, frozenset(), frozenset())
_CHINESE: Final = Language("zh", "Chinese", None, frozenset(), frozenset("不没沒非无無"))
_JAPANESE: Final = Language("ja", "Japanese", None, frozenset(), frozenset(["ない", "ません", "なし"]))
_KOREAN: Final = Language("ko", "Korean", None, frozenset(), frozenset("않없"))

_TWO_WORDS: Final = {
    "de": ("was kostet", "was ist", "was sind", "was passiert", "was muss", "was gilt", "was bedeutet")
}

_SCRIPTS: Final = (
    (re.compile("[\u3040-\u30ff]"), _JAPANESE),
    (re.compile("[\uac00-\ud7af]"), _KOREAN),
    (re.compile("[\u4e00-\u9fff]"), _CHINESE),
)
_WORDS: Final = re.compile(r"[^\W\d_]+")
_SAMPLE: Final = 400


@lru_cache(maxsize=4096)
def language_of(text: str) -> Language:
    """The language by script, else by its function words; text without any (names, numbers) counts as English."""
    sample = text[:_SAMPLE]
    for script, language in _SCRIPTS:
        if len(script.findall(sample)) * 5 > len(sample.replace(" ", "")):
            return language
    words = [word.lower() for word in _WORDS.findall(sample)]
    if not words:
        return ENGLISH
    hits = {code: sum(word in each.functions for word in words) for code, each in LANGUAGES.items()}
    if "?" in sample:
        for code, each in LANGUAGES.items():
            hits[code] += words[0] in each.asks or " ".join(words[:2]) in _TWO_WORDS.get(code, ())
    best = max(hits, key=lambda code: (hits[code], code == "en"))
    if hits[best] > hits["en"] and hits[best] >= 2:
        return LANGUAGES[best]
    foreign = sum(not word.isascii() for word in words)
    return _OTHER if foreign * 2 > len(words) else ENGLISH


@cache
def stem_in(stemmer: str | None) -> Callable[[str], str]:
    """A remembering stemmer; without one, words stay as they are."""
    if stemmer is None:
        return lambda word: word
    from snowballstemmer import stemmer as snowball

    stem: Callable[[str], str] = lru_cache(maxsize=65536)(snowball(stemmer).stemWord)
    return stem
