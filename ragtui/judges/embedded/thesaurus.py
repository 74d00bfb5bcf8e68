"""What words mean to the embedded judge: base forms, concepts with a sign, phrases of several words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from ragtui.judges.embedded.languages import ENGLISH, stem_in
from ragtui.judges.embedded.wordlists import rows, word_class

Sense = tuple[int, int]
"""A concept's number and the sign a word has in it: "allow" (7, +1), "forbid" (7, -1)."""


@dataclass(frozen=True)
class Thesaurus:
    """``senses`` by stem; ``phrases`` by first stem: (stems that follow, key of the phrase in ``senses``), longest first."""

    senses: Mapping[str, tuple[Sense, ...]]
    phrases: Mapping[str, tuple[tuple[tuple[str, ...], str], ...]]


_BRITISH: Final = re.compile(
    r"(?<=[a-z]{3})is(?=e$|es$|ed$|er$|ing$|ation$|ations$)|(?<=[a-z]{2})(?<!f)(?<!h)our(?=s$|ed$|ing$|ite$|able$|$)"
)
_KEPT: Final = word_class("not_british")


@lru_cache(maxsize=65536)
def base(word: str) -> str:
    """The stem of a folded English word: irregular forms led back, spelling made American."""
    plain = word.removesuffix("'s").replace("'", "")
    plain = _irregular().get(plain, plain)
    if plain not in _KEPT:
        plain = _BRITISH.sub(lambda match: "iz" if match.group() == "is" else "or", plain)
    return stem_in(ENGLISH.stemmer)(plain)


@cache
def thesaurus() -> Thesaurus:
    senses: dict[str, list[Sense]] = {}
    phrases: dict[str, set[tuple[str, ...]]] = {}
    for number, row in enumerate(rows("english.txt")):
        for sign, side in zip((1, -1), row.split("/"), strict=False):
            for entry in side.split():
                stems = tuple(base(part) for part in entry.split("_"))
                key = "_".join(stems)
                mine = senses.setdefault(key, [])
                if all(known != number for known, _ in mine):
                    mine.append((number, sign))
                if len(stems) > 1:
                    phrases.setdefault(stems[0], set()).add(stems[1:])
    found = {
        first: tuple((rest, "_".join((first, *rest))) for rest in sorted(tails, key=len, reverse=True))
        for first, tails in phrases.items()
    }
    return Thesaurus({key: tuple(value) for key, value in senses.items()}, found)


@cache
def _irregular() -> Mapping[str, str]:
    table: dict[str, str] = {}
    for row in rows("irregular.txt"):
        lemma, *forms = row.split()
        for form in forms:
            table.setdefault(form, lemma)
    for row in rows("gradable.txt"):
        for word in row.split():
            for form in _graded(word):
                table.setdefault(form, word)
    return table


def _graded(word: str) -> tuple[str, str]:
    """Comparative and superlative of a short adjective."""
    if word.endswith("e"):
        return word + "r", word + "st"
    if word.endswith("y") and word[-2] not in "aeou":
        return word[:-1] + "ier", word[:-1] + "iest"
    if len(word) <= 4 and word[-1] in "bdgmnt" and word[-2] in "aeiou" and word[-3] not in "aeiou":
        return word + word[-1] + "er", word + word[-1] + "est"
    return word + "er", word + "est"
