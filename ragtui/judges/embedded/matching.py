"""Which words of a claim a passage holds, where, and whether they say the same or the opposite."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from ragtui.judges.embedded.passage import Passage
from ragtui.judges.embedded.quantities import Quantity
from ragtui.judges.embedded.words import Line, Word

EXACT: Final = 1.0
SYNONYM: Final = 0.85
RELATED: Final = 0.75
GIVEN: Final = 2.0  # above any strength: known from the question
_NONE: Final[frozenset[str]] = frozenset()
_QUANTITY_WEIGHT: Final = 1.2
_NAME_WEIGHT: Final = 1.3
_ABSENT: Final = 1.1
_NEGATIVE_PREFIXES: Final = ("un", "in", "im", "non", "dis", "ir", "il")


@dataclass(frozen=True, slots=True)
class Match:
    """A claim's word found in a sentence; ``flipped`` where the found word means the opposite."""

    word: Word
    found: Word
    strength: float
    flipped: bool

    @property
    def agrees(self) -> bool:
        return (self.word.negative != self.found.negative) == self.flipped


@dataclass(slots=True)
class Cover:
    """What one window (one or two sentences) holds of a claim. ``matches`` and ``match_places`` are parallel to the
    claim's words; ``home`` is the sentence that holds most; ``affinity`` says how much of the claim each clause of the
    passage holds, 1 for all of its words."""

    places: tuple[int, ...]
    share: float
    matches: list[Match | None]
    match_places: list[int | None]
    affinity: Mapping[tuple[int, int], float]
    sentence_affinity: Mapping[int, float]
    home: int = 0
    equal: list[tuple[Quantity, Quantity, int]] = field(default_factory=list)
    lacking: list[Quantity] = field(default_factory=list)

    def clause_share(self, place: int, clause: int) -> float:
        """How much of the claim's words one clause holds, of 1."""
        return self.affinity.get((place, clause), 0.0)

    def sentence_share(self, place: int) -> float:
        """How much of the claim's words one sentence holds, of 1."""
        return self.sentence_affinity.get(place, 0.0)


def candidates(word: Word, passage: Passage) -> Iterator[tuple[int, Match]]:
    """Every occurrence of ``word`` or of a word that means the same or the opposite, with its place number."""
    for number, found in passage.by_stem.get(word.stem, ()):
        yield number, Match(word, found, EXACT, False)
    for concept, sign in word.senses:
        for number, found, other in passage.by_sense.get(concept, ()):
            if found.stem != word.stem:
                yield number, Match(word, found, SYNONYM, sign != other)
    if len(word.stem) >= 5:
        for number, found in passage.by_start.get(word.stem[:5], ()):
            if found.stem != word.stem and _related(word.stem, found.stem):
                yield number, Match(word, found, RELATED, False)
    for prefix in _NEGATIVE_PREFIXES:
        for opposite in (prefix + word.stem, word.stem.removeprefix(prefix)):
            if opposite != word.stem and len(opposite) > 3:
                for number, found in passage.by_stem.get(opposite, ()):
                    yield number, Match(word, found, RELATED, True)


def _related(one: str, two: str) -> bool:
    """Whether two stems are forms of one word: "vaccin" and "vaccinat"."""
    shared = 0
    for a, b in zip(one, two, strict=False):
        if a != b:
            break
        shared += 1
    return shared >= 5 and (shared >= 0.7 * max(len(one), len(two)) or shared == min(len(one), len(two)))


def covers(claim: Line, passage: Passage, given: frozenset[str] = _NONE, keep: int = 3) -> list[Cover]:
    """The windows that hold most of the claim, best first. Stems in ``given`` need not be said again: an answer of "90
    days" leaves out what the question has said."""
    per_place: dict[int, list[list[Match]]] = {}
    count = len(claim.words)
    anywhere = [0.0] * count
    for index, word in enumerate(claim.words):
        for number, match in candidates(word, passage):
            per_place.setdefault(number, [[] for _ in range(count)])[index].append(match)
            anywhere[index] = max(anywhere[index], match.strength)
        if word.stem in given:
            anywhere[index] = GIVEN
    weights = [_weight(word, passage) for word in claim.words]
    numbers = set(per_place) | _places_with(claim.quantities, passage)
    windows: list[tuple[int, ...]] = [(number,) for number in sorted(numbers)]
    windows += [
        (number, number + 1)
        for number in sorted(numbers)
        if number + 1 in numbers and passage.places[number].chunk == passage.places[number + 1].chunk
    ]
    affinity = _affinity(per_place, weights), _sentence_affinity(per_place, weights)
    found = [_cover(claim, passage, window, per_place, weights, anywhere, affinity) for window in windows]
    found.sort(key=lambda each: (-each.share - (0.02 if len(each.places) == 1 else 0.0), each.places))
    return found[:keep]


def _weight(word: Word, passage: Passage) -> float:
    weight = word.weight * passage.rarity.get(word.stem, _ABSENT)
    return weight * _NAME_WEIGHT if word.name else weight


def _places_with(wanted: Sequence[Quantity], passage: Passage) -> set[int]:
    if not wanted:
        return set()
    return {
        number
        for number, place in enumerate(passage.places)
        if any(each.equals(other) for each in wanted for other in place.line.quantities)
    }


def _cover(
    claim: Line,
    passage: Passage,
    window: tuple[int, ...],
    per_place: dict[int, list[list[Match]]],
    weights: list[float],
    anywhere: list[float],
    affinities: tuple[Mapping[tuple[int, int], float], Mapping[int, float]],
) -> Cover:
    count = len(claim.words)
    cover = Cover(window, 0.0, [None] * count, [None] * count, *affinities)
    affinity = cover.affinity
    at_place = dict.fromkeys(window, 0.0)
    held = total = 0.0
    for index, weight in enumerate(weights):
        total += weight
        options = [
            (match, number) for number in window for match in per_place.get(number, _NOTHING(len(weights)))[index]
        ]
        if options:
            best, place = max(
                options,
                key=lambda option: _preference(option[0], affinity.get((option[1], option[0].found.clause), 0.0)),
            )
            cover.matches[index], cover.match_places[index] = best, place
            at_place[place] += weight * best.strength
            held += weight * best.strength
        elif anywhere[index] == GIVEN:
            held += weight * SYNONYM
        elif anywhere[index]:
            held += weight * anywhere[index] * (0.6 if claim.words[index].name else 0.35)
    for quantity in claim.quantities:
        total += _QUANTITY_WEIGHT
        same = next(
            (
                (quantity, other, number)
                for number in window
                for other in passage.places[number].line.quantities
                if quantity.equals(other)
            ),
            None,
        )
        if same is None:
            cover.lacking.append(quantity)
        else:
            cover.equal.append(same)
            held += _QUANTITY_WEIGHT
            at_place[same[2]] += _QUANTITY_WEIGHT
    cover.share = held / total if total else 0.0
    cover.home = max(window, key=lambda number: (at_place[number], -number))
    return cover


def _NOTHING(count: int) -> list[list[Match]]:
    return [[]] * count


def _affinity(per_place: dict[int, list[list[Match]]], weights: list[float]) -> dict[tuple[int, int], float]:
    """How much of the claim's words each clause of the passage holds."""
    total = sum(weights) or 1.0
    found: dict[tuple[int, int], float] = {}
    for number, options_by_word in per_place.items():
        for index, options in enumerate(options_by_word):
            best: dict[int, float] = {}
            for match in options:
                clause = match.found.clause
                best[clause] = max(best.get(clause, 0.0), match.strength * weights[index])
            for clause, value in best.items():
                found[number, clause] = found.get((number, clause), 0.0) + value / total
    return found


def _sentence_affinity(per_place: dict[int, list[list[Match]]], weights: list[float]) -> dict[int, float]:
    """How much of the claim's words each sentence of the passage holds."""
    total = sum(weights) or 1.0
    return {
        number: sum(
            max((match.strength for match in options), default=0.0) * weight
            for options, weight in zip(by_word, weights, strict=True)
        )
        / total
        for number, by_word in per_place.items()
    }


def _preference(match: Match, affinity: float) -> tuple[float, bool]:
    return match.strength + 0.6 * affinity, match.agrees
