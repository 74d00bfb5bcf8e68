"""Why a row fails: one cause, drawn from its scores and texts, with the evidence that led there.

The rules are few and read from the top: the first that fits names the cause. What cannot be known from the row (no
reference, no contexts) leaves a rule out: without a reference no answer is called wrong, and no refusal either. A row
that no rule explains has no cause. A right refusal is told too, though nothing is wrong with it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from typing import Final


class Cause(StrEnum):
    RETRIEVAL_MISS = "retrieval miss"
    RANKED_TOO_LOW = "ranked too low"
    CONTEXT_IGNORED = "context ignored"
    UNGROUNDED = "ungrounded"
    WRONG_THOUGH_GROUNDED = "wrong though grounded"
    REFUSED = "refused though answerable"
    RIGHT_REFUSAL = "right refusal"
    LABEL_SUSPECT = "label suspect"


@dataclass(frozen=True, slots=True)
class Diagnosis:
    cause: Cause
    evidence: str


@dataclass(frozen=True, slots=True)
class Signals:
    """What is known of one failing row. ``contexts`` is ``None`` where they are unknown. ``passed`` maps a metric's
    bare name to whether it passed; ``entailed`` counts the answer's claims that the contexts support, ``claims`` all of
    them, ``worst_claim`` is one without support."""

    response: str | None = None
    contexts: tuple[str, ...] | None = None
    gold: tuple[str, ...] = ()
    passed: Mapping[str, bool] = field(default_factory=dict)
    claims: int = 0
    entailed: int = 0
    worst_claim: str = ""
    refused: bool = False
    gold_refuses: bool = False


IN_TOP: Final = 3  # an answer first found below this rank was ranked too low
PRESENT: Final = 0.6  # share of the expected answer's words that a context must hold to hold the answer
ABSENT: Final = 0.4
FEW: Final = 0.25  # share of the shorter text's words below which two texts hardly speak of the same
GROUNDED: Final = ("groundedness", "groundedness_score")
MEANING: Final = ("correctness", "completeness", "alignment", "similarity", "response_completeness")
WORDING: Final = (
    "exact_match",
    "f1",
    "rouge1",
    "rouge2",
    "rougeL",
    "bleu",
    "meteor",
    "gleu",
    "chrf",
)  # where no metric compares meaning


def diagnose(row: Signals) -> Diagnosis | None:
    """The cause of a failing row, or ``None`` where nothing known explains it."""
    found, rank, share = _gold_in_contexts(row)
    grounded = _verdict(row.passed, GROUNDED)
    right = _verdict(row.passed, MEANING)
    if right is None:
        right = _right_by_wording(row)
    if row.refused and row.gold and (row.gold_refuses or right is not True):
        return _refusal(row, found)
    if found is False and right is False and grounded and row.passed.get("relevance") and row.passed.get("retrieval"):
        return Diagnosis(
            Cause.LABEL_SUSPECT,
            "the answer is relevant and supported by fitting contexts, but not what the reference says, "
            "of which no context speaks",
        )
    if found is False and grounded is False:  # right or not, it is not from what was retrieved
        known = ", so the right answer is not from there" if right else ""
        return Diagnosis(Cause.RETRIEVAL_MISS, f"{_missing(row, found, share)}{known}; {_unsupported(row)}")
    if (found is False or row.passed.get("retrieval") is False) and right is not True:
        return Diagnosis(Cause.RETRIEVAL_MISS, _missing(row, found, share))
    if found and right is False and rank > IN_TOP:
        return Diagnosis(Cause.RANKED_TOO_LOW, f"the expected answer first stands in context {rank}")
    if grounded is False:
        taken_up, of = _taken_up(row, rank) if found else (0, 0)
        if found and right is False and not row.entailed and taken_up < ABSENT * of:
            return Diagnosis(
                Cause.CONTEXT_IGNORED,
                f"context {rank} holds the expected answer; the answer has {taken_up} of the {of} words they share",
            )
        return Diagnosis(Cause.UNGROUNDED, _unsupported(row))
    if grounded and right is False:
        held = f"context {rank} holds the expected answer, " if found else ""
        said = _unlike_the_reference(row)
        return Diagnosis(Cause.WRONG_THOUGH_GROUNDED, f"{held}the contexts support the answer, but {said}")
    return None


def _right_by_wording(row: Signals) -> bool | None:
    """What metrics of wording know of an answer's being right, where none compares meaning. A low score alone is no
    evidence against it, for right answers are worded in many ways: it must say other numbers than every reference, or
    share few of the words."""
    verdict = _verdict(row.passed, WORDING)
    if verdict is not False:
        return verdict
    return False if row.gold and all(_unlike(gold, row.response or "") for gold in row.gold) else None


def _unlike(gold: str, response: str) -> str:
    """How an answer differs from a reference, by numbers and words alone; empty where both may say the same."""
    wanted, given = (words(each) or _short_words(each) for each in (gold, response))
    numbers = [{word for word in said if word[0].isdigit()} for said in (wanted, given)]
    if numbers[0] - numbers[1] and numbers[1] - numbers[0]:
        mine, theirs = (", ".join(sorted(each)[:3]) for each in (numbers[1] - numbers[0], numbers[0] - numbers[1]))
        return f"it says {mine} where the reference says {theirs}"
    shared = len(wanted & given)
    if shared >= FEW * max(1, min(len(wanted), len(given))):
        return ""
    return f"it has {shared} of the {len(wanted)} telling words of the reference"


def _unlike_the_reference(row: Signals) -> str:
    if _verdict(row.passed, MEANING) is None:
        return f"{_unlike(row.gold[0], row.response or '')} (no metric compared the meaning)"
    if row.passed.get("correctness") and not row.passed.get("completeness", True):
        return "it leaves out what the reference says"
    return "it is not what the reference says"


def _verdict(passed: Mapping[str, bool], names: Sequence[str]) -> bool | None:
    """Whether a family of metrics passed: all that are known must; ``None`` where none is."""
    known = [passed[name] for name in names if name in passed]
    return all(known) if known else None


def _refusal(row: Signals, found: bool | None) -> Diagnosis:
    if row.gold_refuses:
        return Diagnosis(Cause.RIGHT_REFUSAL, "the answer declines, as the reference does")
    if found is False:
        return Diagnosis(Cause.RETRIEVAL_MISS, "the answer declines, and no context holds the expected answer")
    held = "though a context holds the expected answer" if found else "though the reference has an answer"
    return Diagnosis(Cause.REFUSED, f"the answer declines {held}")


def _taken_up(row: Signals, rank: int) -> tuple[int, int]:
    """How many of the words that the expected answer and its context share stand in the answer, and of how many."""
    context = words((row.contexts or ())[rank - 1])
    shared = max((words(gold) & context for gold in row.gold), key=len)
    return len(shared & words(row.response or "")), len(shared)


def _missing(row: Signals, found: bool | None, share: float) -> str:
    if row.contexts == ():
        return "no context was retrieved"
    if found is False and row.contexts:
        hold = "the context holds" if len(row.contexts) == 1 else f"the {len(row.contexts)} contexts hold"
        return f"{hold} {share:.0%} of the expected answer's words"
    return "the retrieved contexts do not help with the question"


def _unsupported(row: Signals) -> str:
    if row.claims and row.worst_claim:
        n = row.claims - row.entailed
        if row.claims == 1:
            return f"its only statement has no support: “{row.worst_claim}”"
        return f"{n} of {row.claims} statements {'has' if n == 1 else 'have'} no support: “{row.worst_claim}”"
    return "the contexts do not support the answer"


def _gold_in_contexts(row: Signals) -> tuple[bool | None, int, float]:
    """Whether the contexts hold the expected answer (``None`` where that is unclear), the rank of the first that does,
    and the share of its words that one of them holds."""
    if row.gold_refuses or row.contexts is None or not any(words(each) or _short_words(each) for each in row.gold):
        return None, 0, 0.0
    if not row.contexts:
        return False, 0, 0.0
    share, rank = max((coverage(gold, row.contexts) for gold in row.gold), key=lambda found: found[0])
    if share >= PRESENT:
        return True, rank, share
    return (False if share < ABSENT else None), 0, share


def coverage(gold: str, contexts: Sequence[str]) -> tuple[float, int]:
    """The largest share of the gold answer's words that one context holds, and the rank (from 1) of the first context
    that holds nearly as much. Numbers count like words; short words count only where there are no others."""
    wanted, read = words(gold), words
    if not wanted:
        wanted, read = _short_words(gold), _short_words
    if not wanted:
        return 0.0, 0
    shares = [len(wanted & read(each)) / len(wanted) for each in contexts]
    best = max(shares)
    return best, next(rank for rank, share in enumerate(shares, start=1) if share >= min(best, PRESENT))


_WORD: Final = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]+")
_DENSE: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


@lru_cache(maxsize=8_192)
def words(text: str) -> frozenset[str]:
    """Words of at least four letters, numbers, and pairs of characters where a script writes without spaces."""
    found: set[str] = set()
    dense = not text.isascii() and _DENSE.search(text) is not None
    for word in _WORD.findall(text.casefold()):
        if dense and _DENSE.search(word):
            found.update(word[i : i + 2] for i in range(max(1, len(word) - 1)))
        elif len(word) > 3 or word[0].isdigit():
            found.add(word[:6])  # a crude stem: endings differ between answer and context
    return frozenset(found)


@lru_cache(maxsize=8_192)
def _short_words(text: str) -> frozenset[str]:
    """Every word, for texts that have none of at least four letters: ``Bob``, ``yes``."""
    return frozenset(_WORD.findall(text.casefold()))


def diagnose_ranking(grades: Mapping[str, int], ranking: Sequence[str], k: int) -> Diagnosis | None:
    """The cause of a query's low scores: what was relevant is not there, or stands below the cut."""
    relevant = {doc for doc, grade in grades.items() if grade > 0}
    if not relevant:
        return None
    first = next((rank for rank, doc in enumerate(ranking, start=1) if doc in relevant), None)
    if first is None:
        some = f"the {len(relevant)} relevant documents is" if len(relevant) > 1 else "the relevant document is"
        none_of = "none of " if len(relevant) > 1 else ""
        there = "among" if len(relevant) > 1 else "not among"
        return Diagnosis(Cause.RETRIEVAL_MISS, f"{none_of}{some} {there} the {len(ranking)} retrieved")
    if first > k:
        return Diagnosis(Cause.RANKED_TOO_LOW, f"the first relevant document, {ranking[first - 1]}, is at rank {first}")
    missing = relevant - set(ranking)
    if missing:
        return Diagnosis(
            Cause.RETRIEVAL_MISS,
            f"{len(missing)} of {len(relevant)} relevant documents {'was' if len(missing) == 1 else 'were'} not retrieved",
        )
    if len(relevant) == 1:
        return Diagnosis(Cause.RANKED_TOO_LOW, f"the relevant document is there, at rank {first}")
    return Diagnosis(
        Cause.RANKED_TOO_LOW, f"all {len(relevant)} relevant documents are there, the first at rank {first}"
    )
