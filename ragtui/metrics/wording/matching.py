"""Which retrieved chunks are relevant to a case of answer data: by id, by gold context, or by gold answer."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from ragtui.metrics.score import Inputs, texts

_CLOSING: Final = " .!?…。！？｡"
FUZZY_LENGTH, FUZZY_SCORE = 100, 65.0  # deepset's: shorter texts never match, a match is above 65 of 100
FUZZY_LONGEST: Final = 1_000  # of a longer text its first and its last so many characters are looked for

CRITERIA: Final = {
    "id": "a retrieved id is one of the gold ids",
    "file_name": "a retrieved id is one of the gold file names",
    "context": "a gold context lies in a chunk or a chunk in it, white space and case aside",
    "fuzzy": "a gold context and a chunk agree above 65 of 100 (both at least 100 characters; of the shorter one "
    "its first or last 1,000 count), as deepset matches",
    "answer": "a gold answer stands in a chunk, its closing punctuation aside",
}


@dataclass(frozen=True)
class Relevance:
    """Which gold items were found: per retrieved chunk, in rank order, the places of the gold items it matches."""

    criterion: str
    gold: int
    retrieved: tuple[frozenset[int], ...]

    @property
    def found(self) -> int:
        """How many gold items any chunk matches."""
        return len(frozenset().union(*self.retrieved))

    @property
    def ranks(self) -> list[int]:
        """The ranks, from 1, of chunks that match anything."""
        return [rank for rank, matches in enumerate(self.retrieved, 1) if matches]


def relevance(inputs: Inputs, criterion: str | None, k: int | None = None) -> Relevance | str:
    """Matches retrieved chunks with gold items; without a criterion by the first for which the case has both sides.

    Returns:
        The matches among the first ``k``, or a text that says what is missing.
    """
    for name in CRITERIA if criterion is None else (criterion,):
        gold, retrieved, matches = _SIDES[name](inputs)
        if gold and retrieved is not None:
            found = tuple(
                frozenset(place for place, wanted in enumerate(gold) if matches(wanted, each)) for each in retrieved[:k]
            )
            return Relevance(name, len(gold), found)
    return _missing(inputs, criterion)


def many(inputs: Inputs, name: str) -> tuple[str, ...] | None:
    """An input as several texts; a text that is a JSON list of texts is its items. ``None`` where it is absent."""
    if name not in inputs:
        return None
    found: list[str] = []
    for text in texts(inputs, name):
        try:
            parsed = json.loads(text) if text.lstrip().startswith("[") else text
        except ValueError:
            parsed = text
        found += (
            [each if isinstance(each, str) else json.dumps(each) for each in parsed]
            if isinstance(parsed, list)
            else [text]
        )
    return tuple(each for each in found if each.strip())


Matches = Callable[[str, str], bool]
Sides = tuple[tuple[str, ...], tuple[str, ...] | None, Matches]


def _by_id(inputs: Inputs) -> Sides:
    return many(inputs, "gold_ids") or (), many(inputs, "retrieved_ids"), lambda gold, each: gold == each


def _by_file_name(inputs: Inputs) -> Sides:
    return many(inputs, "gold_file_name") or (), many(inputs, "retrieved_ids"), lambda gold, each: gold == each


def _by_context(inputs: Inputs) -> Sides:
    return _plain(many(inputs, "gold_context") or ()), _chunks(inputs), lambda gold, each: gold in each or each in gold


def _by_fuzzy_context(inputs: Inputs) -> Sides:
    return _plain(many(inputs, "gold_context") or ()), _chunks(inputs), _near


def _by_answer(inputs: Inputs) -> Sides:
    golds = _plain(texts(inputs, "ground_truth"))
    return tuple(each.rstrip(_CLOSING) or each for each in golds), _chunks(inputs), lambda gold, each: gold in each


_SIDES: Final[dict[str, Callable[[Inputs], Sides]]] = {
    "id": _by_id,
    "file_name": _by_file_name,
    "context": _by_context,
    "fuzzy": _by_fuzzy_context,
    "answer": _by_answer,
}


def _chunks(inputs: Inputs) -> tuple[str, ...] | None:
    return _plain(texts(inputs, "context")) if "context" in inputs else None


def _plain(values: Sequence[str]) -> tuple[str, ...]:
    """Compatible Unicode forms and case made one, white space collapsed; texts without anything else left out."""
    folded = (" ".join(unicodedata.normalize("NFKC", each).casefold().split()) for each in values)
    return tuple(each for each in folded if each)


def _near(gold: str, each: str) -> bool:
    from rapidfuzz.fuzz import partial_ratio

    shorter, longer = sorted((gold, each), key=len)
    if len(shorter) < FUZZY_LENGTH:
        return False
    ends = dict.fromkeys((shorter[:FUZZY_LONGEST], shorter[-FUZZY_LONGEST:]))
    return shorter in longer or any(partial_ratio(end, longer) > FUZZY_SCORE for end in ends)


def _missing(inputs: Inputs, criterion: str | None) -> str:
    if criterion in ("id", "file_name"):
        gold = "gold_ids" if criterion == "id" else "gold_file_name"
        return f"no {gold if not many(inputs, gold) else 'retrieved_ids'}"
    if criterion in ("context", "fuzzy"):
        return "no gold_context" if not many(inputs, "gold_context") else "no context"
    if criterion == "answer":
        return "no ground truth" if not texts(inputs, "ground_truth") else "no context"
    if not any(name in inputs for name in ("context", "retrieved_ids")):
        return "nothing retrieved is known (no context, no retrieved_ids)"
    return "nothing says what is relevant (no gold ids, gold file name, gold context or ground truth that fits)"
