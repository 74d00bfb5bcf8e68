"""Where the words and quantities of a claim occur in a passage, found by its indexes; each word is looked up once."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from ragtui.judges.embedded.passage import Passage
from ragtui.judges.embedded.quantities import Quantity
from ragtui.judges.embedded.words import Word

EXACT: Final = 1.0
SYNONYM: Final = 0.85
RELATED: Final = 0.75
_NEGATIVE_PREFIXES: Final = ("un", "in", "im", "non", "dis", "ir", "il")
_WIDEST: Final = 0.03  # of a value: no two quantities further apart are equal

Found: TypeAlias = tuple[
    Word, float, bool
]  # a word of the passage, how surely it is meant, whether it means the opposite


def occurrences(word: Word, passage: Passage) -> Mapping[int, Sequence[Found]]:
    """Every occurrence of ``word`` or of a word that means the same or the opposite, by its place number."""
    key = word.stem, word.senses
    known: dict[int, list[Found]] | None = passage.known.get(key)
    if known is None:
        known = passage.known[key] = {}
        for number, found in _looked_up(word, passage):
            known.setdefault(number, []).append(found)
    return known


def _looked_up(word: Word, passage: Passage) -> Iterator[tuple[int, Found]]:
    for number, found in passage.by_stem.get(word.stem, ()):
        yield number, (found, EXACT, False)
    for concept, sign in word.senses:
        for number, found, other in passage.by_sense.get(concept, ()):
            if found.stem != word.stem:
                yield number, (found, SYNONYM, sign != other)
    if len(word.stem) >= 5:
        for number, found in passage.by_start.get(word.stem[:5], ()):
            if found.stem != word.stem and _related(word.stem, found.stem):
                yield number, (found, RELATED, False)
    for prefix in _NEGATIVE_PREFIXES:
        for opposite in (prefix + word.stem, word.stem.removeprefix(prefix)):
            if opposite != word.stem and len(opposite) > 3:
                for number, found in passage.by_stem.get(opposite, ()):
                    yield number, (found, RELATED, True)


def _related(one: str, two: str) -> bool:
    """Whether two stems are forms of one word: "vaccin" and "vaccinat"."""
    shared = 0
    for a, b in zip(one, two, strict=False):
        if a != b:
            break
        shared += 1
    return shared >= 5 and (shared >= 0.7 * max(len(one), len(two)) or shared == min(len(one), len(two)))


def strongest(word: Word, passage: Passage) -> float:
    """How surely the passage has ``word`` at all; 0 where it has not."""
    found: float = passage.known.get(key := ("strongest", word.stem, word.senses), -1.0)
    if found < 0:
        everywhere = occurrences(word, passage).values()
        found = passage.known[key] = max((each[1] for options in everywhere for each in options), default=0.0)
    return found


def equal_quantities(wanted: Quantity, passage: Passage) -> list[tuple[int, Quantity]]:
    """The passage's quantities that equal ``wanted``, in order, each with its place number."""
    near = _of_kind_and_value(wanted, passage)
    near += [each for each in passage.by_number.get(wanted.number, ()) if each[1].kind != wanted.kind]
    for one, other in (("date", "month"), ("month", "date")):
        if wanted.kind == one:
            near += passage.by_kind.get(other, ())
    equal = {(number, each.first): (number, each) for number, each in near if wanted.equals(each)}
    return [equal[key] for key in sorted(equal)]


def _of_kind_and_value(wanted: Quantity, passage: Passage) -> list[tuple[int, Quantity]]:
    """Those of the same kind whose value is about the same."""
    key = "values", wanted.kind
    if key not in passage.known:
        ordered = sorted(passage.by_kind.get(wanted.kind, ()), key=lambda each: each[1].value)
        passage.known[key] = ordered, [each[1].value for each in ordered]
    ordered, values = passage.known[key]
    slack = _WIDEST * abs(wanted.value) + 1e-9
    return list(ordered[bisect_left(values, wanted.value - slack) : bisect_right(values, wanted.value + slack)])
