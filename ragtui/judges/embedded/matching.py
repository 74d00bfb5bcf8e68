"""Which words of a claim a passage holds, where, and whether they say the same or the opposite."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias

from ragtui.judges.embedded.occurrences import SYNONYM, Found, equal_quantities, occurrences, strongest
from ragtui.judges.embedded.passage import Passage
from ragtui.judges.embedded.quantities import Quantity
from ragtui.judges.embedded.words import Line, Word

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

GIVEN: Final = 2.0  # above any strength: known from the question
_NONE: Final[frozenset[str]] = frozenset()
_QUANTITY_WEIGHT: Final = 1.2
_NAME_WEIGHT: Final = 1.3
_ABSENT: Final = 1.1
_MORE: Final = 0.02  # of share that two sentences must hold more than one to be taken
_FEW: Final = 24  # windows that are all looked at; of more only those that may hold most
_ROUNDING: Final = 1e-9


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


class Spread:
    """How the words of a claim are spread over a passage; what a place holds is put together when it is asked for. Stems
    in ``given`` need not be said again: an answer of "90 days" leaves out what the question has said."""

    def __init__(self, claim: Line, passage: Passage, given: frozenset[str] = _NONE) -> None:
        self.claim, self.passage = claim, passage
        self.found = [occurrences(word, passage) for word in claim.words]
        self.weights = [_weight(word, passage) for word in claim.words]
        self.total = sum(self.weights) or 1.0
        self.anywhere = [GIVEN if word.stem in given else strongest(word, passage) for word in claim.words]
        self.equal = [equal_quantities(each, passage) for each in claim.quantities]
        self.equal_places = {(number, each.first) for equal in self.equal for number, each in equal}
        self._shares: dict[int, tuple[dict[int, float], float]] = {}

    @property
    def numbers(self) -> set[int]:
        """The places that hold any word or quantity of the claim."""
        return set().union(*self.found, (number for equal in self.equal for number, _ in equal))

    def absent(self, index: int) -> float:
        """What a word is worth where a window does not hold it."""
        weight, anywhere = self.weights[index], self.anywhere[index]
        return (
            weight * SYNONYM
            if anywhere == GIVEN
            else weight * anywhere * (0.6 if self.claim.words[index].name else 0.35)
        )

    def clause_share(self, number: int, clause: int) -> float:
        """How much of the claim's words one clause holds, of 1."""
        return self._shares_of(number)[0].get(clause, 0.0)

    def sentence_share(self, number: int) -> float:
        """How much of the claim's words one sentence holds, of 1."""
        return self._shares_of(number)[1]

    def _shares_of(self, number: int) -> tuple[dict[int, float], float]:
        if number not in self._shares:
            clauses: dict[int, float] = {}
            whole = 0.0
            for found, weight in zip(self.found, self.weights, strict=True):
                best: dict[int, float] = {}
                for word, strength, _ in found.get(number, ()):
                    best[word.clause] = max(best.get(word.clause, 0.0), strength * weight)
                for clause, value in best.items():
                    clauses[clause] = clauses.get(clause, 0.0) + value / self.total
                whole += max(best.values(), default=0.0)
            self._shares[number] = clauses, whole / self.total
        return self._shares[number]

    def sharing(self, least: float) -> Collection[int]:
        """The places whose sentence holds at least ``least`` of the claim's words, and perhaps others."""
        if len(self.passage.places) <= _FEW:
            return range(len(self.passage.places))
        import numpy as np

        shares = np.zeros(len(self.passage.places))
        for word, found, weight in zip(self.claim.words, self.found, self.weights, strict=True):
            places, strengths = _arrays(word, self.passage, found)
            shares[places] += strengths * (weight / self.total)
        return set(np.flatnonzero(shares >= least - _ROUNDING).tolist())

    def windows(self) -> Iterable[tuple[tuple[int, ...], float]]:
        """One or two sentences that hold any of the claim, each with the most that it can be worth; where there are many,
        those that can be worth most come first."""
        numbers = self.numbers
        if len(numbers) > _FEW:
            return _Bounds(self).in_order()
        places = self.passage.places
        single = [(number,) for number in sorted(numbers)]
        pairs = [
            (number, number + 1)
            for number in sorted(numbers)
            if number + 1 in numbers and places[number].chunk == places[number + 1].chunk
        ]
        return [(window, float("inf")) for window in (*single, *pairs)]


class _Bounds:
    """The most that each window of a long passage can be worth, computed for all of them at once."""

    def __init__(self, spread: Spread) -> None:
        import numpy as np

        size = len(spread.passage.places)
        self._base = 0.0
        self._one, self._two = np.zeros(size), np.zeros(max(0, size - 1))
        self._held = np.zeros(size, bool)
        for index, (found, weight) in enumerate(zip(spread.found, spread.weights, strict=True)):
            absent = spread.absent(index)
            self._base += absent
            places, strengths = _arrays(spread.claim.words[index], spread.passage, found)
            gains = np.full(size, -np.inf)
            gains[places] = weight * strengths - absent
            self._add(gains)
        for equal in spread.equal:
            gains = np.full(size, -np.inf)
            gains[[number for number, _ in equal]] = _QUANTITY_WEIGHT
            self._add(gains)
        self._total = sum(spread.weights) + _QUANTITY_WEIGHT * len(spread.equal)
        self._chunks = np.array([place.chunk for place in spread.passage.places])

    def _add(self, gains: Floats) -> None:
        import numpy as np

        self._held |= np.isfinite(gains)
        self._one += np.where(np.isfinite(gains), gains, 0.0)
        both = np.maximum(gains[:-1], gains[1:])
        self._two += np.where(np.isfinite(both), both, 0.0)

    def in_order(self) -> Iterable[tuple[tuple[int, ...], float]]:
        import numpy as np

        single = np.flatnonzero(self._held)
        pairs = np.flatnonzero(self._held[:-1] & self._held[1:] & (self._chunks[:-1] == self._chunks[1:]))
        worth = np.concatenate([self._one[single] + self._base, self._two[pairs] + self._base]) / (self._total or 1.0)
        worth[: single.size] += _MORE
        for at in np.argsort(-worth, kind="stable"):
            first = int(single[at]) if at < single.size else int(pairs[at - single.size])
            yield (first,) if at < single.size else (first, first + 1), float(worth[at])


def _arrays(word: Word, passage: Passage, found: Mapping[int, Sequence[Found]]) -> tuple[NDArray[np.intp], Floats]:
    """The places that hold a word, and how surely each does."""
    import numpy as np

    key = "arrays", word.stem, word.senses
    if key not in passage.known:
        strengths = [max(each[1] for each in options) for options in found.values()]
        passage.known[key] = np.fromiter(found, np.intp, len(found)), np.array(strengths, np.float64)
    places, strengths_ = passage.known[key]
    return places, strengths_


@dataclass(slots=True)
class Cover:
    """What one window (one or two sentences) holds of a claim. ``matches`` and ``match_places`` are parallel to the
    claim's words; ``home`` is the sentence that holds most."""

    places: tuple[int, ...]
    spread: Spread
    share: float
    matches: list[Match | None]
    match_places: list[int | None]
    home: int = 0
    equal: list[tuple[Quantity, Quantity, int]] = field(default_factory=list)
    lacking: list[Quantity] = field(default_factory=list)

    def clause_share(self, place: int, clause: int) -> float:
        """How much of the claim's words one clause holds, of 1."""
        return self.spread.clause_share(place, clause)

    def sentence_share(self, place: int) -> float:
        """How much of the claim's words one sentence holds, of 1."""
        return self.spread.sentence_share(place)


def best_cover(claim: Line, passage: Passage, given: frozenset[str] = _NONE) -> Cover | None:
    """The window that holds most of the claim; of equal ones a single sentence, then the first."""
    spread = Spread(claim, passage, given)
    best: Cover | None = None
    most: tuple[float, tuple[int, ...]] = (float("inf"), ())
    for window, worth in spread.windows():
        if best is not None and worth < -most[0] - _ROUNDING:
            break
        cover = _cover(spread, window)
        key = (-cover.share - (_MORE if len(window) == 1 else 0.0), window)
        if best is None or key < most:
            best, most = cover, key
    return best


def _cover(spread: Spread, window: tuple[int, ...]) -> Cover:
    claim = spread.claim
    count = len(claim.words)
    cover = Cover(window, spread, 0.0, [None] * count, [None] * count)
    at_place = dict.fromkeys(window, 0.0)
    held = total = 0.0
    for index, weight in enumerate(spread.weights):
        total += weight
        options = [(found, number) for number in window for found in spread.found[index].get(number, ())]
        if options:
            word = claim.words[index]
            (found, strength, flipped), place = max(
                options,
                key=lambda option: _preference(word, option[0], spread.clause_share(option[1], option[0][0].clause)),
            )
            cover.matches[index], cover.match_places[index] = Match(word, found, strength, flipped), place
            at_place[place] += weight * strength
            held += weight * strength
        else:
            held += spread.absent(index)
    for quantity, equal in zip(claim.quantities, spread.equal, strict=True):
        total += _QUANTITY_WEIGHT
        same = next(((quantity, other, number) for number, other in equal if number in window), None)
        if same is None:
            cover.lacking.append(quantity)
        else:
            cover.equal.append(same)
            held += _QUANTITY_WEIGHT
            at_place[same[2]] += _QUANTITY_WEIGHT
    cover.share = held / total if total else 0.0
    cover.home = max(window, key=lambda number: (at_place[number], -number))
    return cover


def _preference(word: Word, found: Found, share: float) -> tuple[float, bool]:
    return found[1] + 0.6 * share, (word.negative != found[0].negative) == found[2]


def _weight(word: Word, passage: Passage) -> float:
    weight = word.weight * passage.rarity.get(word.stem, _ABSENT)
    return weight * _NAME_WEIGHT if word.name else weight
