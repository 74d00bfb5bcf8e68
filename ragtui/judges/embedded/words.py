"""A sentence as the embedded judge sees it: content words with stems, senses and polarity, quantities, names, clauses."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from ragtui.judges.embedded.languages import ENGLISH, Language, stem_in
from ragtui.judges.embedded.quantities import Quantity, quantities
from ragtui.judges.embedded.thesaurus import Sense, base, thesaurus
from ragtui.judges.embedded.tokens import Token, tokens
from ragtui.judges.embedded.wordlists import word_class

_BREAKS: Final = frozenset(",;:.()–—!?、，。；：")
_CLAUSE_WORDS: Final = word_class("clauses")
_SCOPE_ENDS: Final = word_class("negation_ends")
_NOUN_NEGATIONS: Final = word_class("noun_negations")
_CONTRACTED: Final = word_class("contracted")
_WHOLE: Final = frozenset(["nobody", "nothing", "none"])
_LINKS: Final = frozenset(["a", "an", "the", "any", "of", "and", "or", "nor"])
_GENERIC: Final = frozenset(base(word) for word in word_class("generic"))
_DEGREES: Final = frozenset(base(word) for word in word_class("degrees"))
_PREVENTING: Final = frozenset(base(word) for word in word_class("preventing"))
_NONE: Final[frozenset[str]] = frozenset()
_GENERIC_WEIGHT: Final = 0.5
_DEGREE_WEIGHT: Final = 0.25


@dataclass(frozen=True, slots=True)
class Word:
    """``place`` is the token index; ``negative`` whether a negation covers it; ``head`` whether it is what is denied."""

    text: str
    stem: str
    senses: tuple[Sense, ...]
    weight: float
    place: int
    clause: int
    start: int
    end: int
    name: bool = False
    negative: bool = False
    head: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """One analysed sentence. ``low`` are its folded tokens, ``clauses`` the clause of each token."""

    text: str
    words: tuple[Word, ...]
    quantities: tuple[Quantity, ...]
    low: tuple[str, ...]
    clauses: tuple[int, ...]
    exclusive: bool

    def clause_of(self, quantity: Quantity) -> int:
        return self.clauses[quantity.first]

    def surface(self, quantity: Quantity) -> str:
        """The quantity as written."""
        found = tokens(self.text)
        return self.text[found[quantity.first].start : found[quantity.last - 1].end]


_NAME: Final = re.compile(r"(?<=[\w,;] )[A-ZÀ-ÖØ-Þ][\w’']*")


def names_in(text: str) -> frozenset[str]:
    """Words with a capital inside a sentence."""
    return frozenset(_NAME.findall(text))


def plain(word: Word) -> str:
    """The word folded and without a possessive ending."""
    return word.text.lower().replace("’", "'").removesuffix("'s")


@lru_cache(maxsize=16384)
def analyse(text: str, language: Language = ENGLISH, names: frozenset[str] = _NONE) -> Line:
    """Analyses one sentence; remembered, since contexts and answers come again for each metric. A capital that begins the
    sentence makes a name only of a word in ``names``."""
    line = tokens(text)
    amounts = quantities(line)
    taken = {place for each in amounts for place in range(each.first, each.last)}
    clauses = _clauses(line)
    keys, skipped = _phrases(line, taken) if language is ENGLISH else ({}, set())
    negative, heads = _negations(line, taken | skipped | set(keys), language)
    words: list[Word] = []
    for place, token in enumerate(line):
        if place in taken or place in skipped or token.kind not in "wj":
            continue
        phrase = keys.get(place)
        stem, senses = _meaning(token, phrase and phrase.key, language)
        if phrase is None and (token.low in language.functions or token.low.partition("'")[0] in _CONTRACTED):
            continue
        end = line[phrase.last].end if phrase else token.end
        first = place == 0 and not token.text[1:2].isupper() and token.text not in names
        name = token.kind == "w" and token.text[0].isupper() and not first and language.code != "de"
        weight = _GENERIC_WEIGHT if stem in _GENERIC else _DEGREE_WEIGHT if stem in _DEGREES else 1.0
        if token.kind == "w" and len(token.text) == 1 and not name:
            weight = 0.2
        words.append(
            Word(
                text[token.start : end], stem, senses, weight, place, clauses[place], token.start, end,
                name and token.low not in language.functions, place in negative, place in heads,
            )
        )  # fmt: skip
    low = tuple(token.low for token in line)
    return Line(text, tuple(words), tuple(amounts), low, tuple(clauses), "only" in low or "solely" in low)


def _meaning(token: Token, key: str | None, language: Language) -> tuple[str, tuple[Sense, ...]]:
    if language is not ENGLISH:
        return (token.low if token.kind == "j" else stem_in(language.stemmer)(token.low)), ()
    stem = key or base(token.low)
    return stem, thesaurus().senses.get(stem, ())


class _Phrase(NamedTuple):
    """A known phrase: its key in the thesaurus and the place of its last token."""

    key: str
    last: int


def _phrases(line: list[Token], taken: set[int]) -> tuple[dict[int, _Phrase], set[int]]:
    """Known phrases by the place of their first token, and the places of their other tokens."""
    known = thesaurus().phrases
    stems = [base(token.low) if token.kind == "w" else "" for token in line]
    keys: dict[int, _Phrase] = {}
    skipped: set[int] = set()
    for place, stem in enumerate(stems):
        if place in skipped or place in taken or stem not in known:
            continue
        for rest, key in known[stem]:
            places = range(place + 1, place + 1 + len(rest))
            if tuple(stems[place + 1 : place + 1 + len(rest)]) == rest and taken.isdisjoint(places):
                keys[place] = _Phrase(key, place + len(rest))
                skipped.update(places)
                break
    return keys, skipped


def _clauses(line: list[Token]) -> list[int]:
    found, number = [], 0
    for token in line:
        if token.text in _BREAKS or token.low in _CLAUSE_WORDS:
            number += 1
        found.append(number)
    return found


def _negations(line: list[Token], fixed: set[int], language: Language) -> tuple[set[int], set[int]]:
    """Token places under a negation (an even number of them cancels out), and those that are what is denied. A cue
    inside a known phrase or quantity (``fixed``), as in "must not exceed", denies nothing."""
    counts: dict[int, int] = {}
    heads: set[int] = set()
    for place, token in enumerate(line):
        if language is ENGLISH and token.kind == "w" and base(token.low) in _PREVENTING:
            for each in _scope(line, place, language):
                counts[each] = counts.get(each, 0) + 1
            continue
        if place in fixed or not (token.low in language.negations or token.low.endswith("n't")):
            continue
        if token.low == "no" and place + 1 < len(line) and line[place + 1].low in ("more", "less", "later"):
            continue  # "no more than" sets a limit
        scope = _scope(line, place, language)
        for each in scope:
            counts[each] = counts.get(each, 0) + 1
        heads.update(_heads(line, scope, language, token.low in _NOUN_NEGATIONS))
    return {place for place, count in counts.items() if count % 2}, heads


def _scope(line: list[Token], at: int, language: Language) -> list[int]:
    low = line[at].low
    end = at + 1
    while end < len(line) and line[end].text not in _BREAKS - {","} and line[end].low not in _SCOPE_ENDS:
        if line[end].text == "," and not _goes_on(line, end):
            break
        end += 1
    if not any(line[place].kind == "w" for place in range(at + 1, end)):
        return _before(line, at, language)  # "electronic devices are not"
    if low in _WHOLE or at == 0 or low not in _NOUN_NEGATIONS:
        return list(range(at + 1, end))
    scope: list[int] = []
    for place in range(at + 1, end):
        function = line[place].low in language.functions and line[place].low not in _LINKS
        if function and scope:
            break
        scope.append(place)
    before = at - 1
    if before >= 0 and line[before].kind == "w" and line[before].low not in language.functions:
        scope.insert(0, before)  # "requires no notice" denies the requiring
    return scope


def _before(line: list[Token], at: int, language: Language) -> list[int]:
    """The content words of the clause that a negation ends."""
    start = at
    while start > 0 and line[start - 1].text not in _BREAKS and line[start - 1].low not in _SCOPE_ENDS:
        start -= 1
    return [place for place in range(start, at) if line[place].low not in language.functions]


def _goes_on(line: list[Token], comma: int) -> bool:
    """Whether a comma is inside a list ("red, green or blue") rather than the end of a clause."""
    return any(token.low in ("or", "nor") for token in line[comma + 1 : comma + 4])


def _heads(line: list[Token], scope: list[int], language: Language, noun: bool) -> list[int]:
    """What is directly denied: the first word after the negation and what "or" joins to it; of a noun its whole phrase."""
    found: list[int] = []
    joined = True
    for place in scope:
        low = line[place].low
        if low in ("or", "nor", "and"):
            joined = True
        elif low in language.functions or line[place].kind == "p":
            joined = joined and not found
        elif joined:
            found.append(place)
            joined = noun
    return found
