"""The texts a claim is held against, analysed once: lines with an index of their words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from ragtui.judges.embedded.languages import ENGLISH, Language
from ragtui.judges.embedded.quantities import Quantity
from ragtui.judges.embedded.words import Line, Word, analyse
from ragtui.judges.sentences import Sentence, sentences

_STEM_START: Final = 5


@dataclass(frozen=True, slots=True)
class Place:
    """One sentence of one chunk."""

    chunk: int
    sentence: Sentence
    line: Line


@dataclass(frozen=True, slots=True)
class Passage:
    """``by_stem``, ``by_sense`` and ``by_start`` lead from a word to (place number, word); ``rarity`` is 1 for a stem of
    one sentence and falls to 0.5 for one of all sentences. ``by_kind`` and ``by_number`` lead from a quantity to (place
    number, quantity), in order. ``known`` keeps what is found in the indexes again and again."""

    places: tuple[Place, ...]
    by_stem: Mapping[str, Sequence[tuple[int, Word]]]
    by_sense: Mapping[int, Sequence[tuple[int, Word, int]]]
    by_start: Mapping[str, Sequence[tuple[int, Word]]]
    rarity: Mapping[str, float]
    folded: frozenset[str]
    by_kind: Mapping[str, Sequence[tuple[int, Quantity]]] = field(default_factory=dict)
    by_number: Mapping[float, Sequence[tuple[int, Quantity]]] = field(default_factory=dict)
    known: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)


@lru_cache(maxsize=512)
def read_passage(chunks: tuple[str, ...], language: Language = ENGLISH) -> Passage:
    places = tuple(
        Place(number, sentence, analyse(sentence.text, language))
        for number, chunk in enumerate(chunks)
        for sentence in sentences(chunk, language.code)
    )
    by_stem: dict[str, list[tuple[int, Word]]] = {}
    by_sense: dict[int, list[tuple[int, Word, int]]] = {}
    by_start: dict[str, list[tuple[int, Word]]] = {}
    for number, place in enumerate(places):
        for word in place.line.words:
            by_stem.setdefault(word.stem, []).append((number, word))
            for concept, sign in word.senses:
                by_sense.setdefault(concept, []).append((number, word, sign))
            if len(word.stem) >= _STEM_START:
                by_start.setdefault(word.stem[:_STEM_START], []).append((number, word))
    scale = math.log(max(len(places), 2))
    rarity = {
        stem: 1.0 - 0.5 * min(1.0, math.log(max(1, len({number for number, _ in found}))) / scale)
        for stem, found in by_stem.items()
    }
    folded = frozenset(low.removesuffix("'s") for place in places for low in place.line.low)
    by_kind: dict[str, list[tuple[int, Quantity]]] = {}
    by_number: dict[float, list[tuple[int, Quantity]]] = {}
    for number, place in enumerate(places):
        for quantity in place.line.quantities:
            by_kind.setdefault(quantity.kind, []).append((number, quantity))
            by_number.setdefault(quantity.number, []).append((number, quantity))
    return Passage(places, by_stem, by_sense, by_start, rarity, folded, by_kind, by_number)
