"""Whether a verdict contradicts itself: a reason that names a fault beside the best score, praise beside the worst, or a
score that its own claims do not bear out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from ragtui.metrics.score import Evidence

FLAG: Final = "reason and score contradict each other"

_FAULT: Final = re.compile(
    r"\b(?:not (?:\w+ )?(?:supported|grounded|relevant|mentioned|stated|answered|addressed)|unsupported|ungrounded|"
    r"contradict(?:s|ed|ory|ion|ions)?|fabricat(?:es|ed|ion)|hallucinat(?:es|ed|ion|ions)|made[- ]up|irrelevant|incorrect|"
    r"(?:does|do|did) not (?:answer|address|mention|support)|fails to|off[- ]topic|inaccura(?:te|cy|cies)|incoherent)\b",
    re.IGNORECASE,
)
_PRAISE: Final = re.compile(
    r"\b(?:(?:fully|entirely|completely|perfectly|directly|well) (?:supported|grounded|answers?|addresses|relevant|accurate|"
    r"correct|coherent|fluent)|all (?:\w+ )?(?:statements|claims|facts) (?:are|is) (?:\w+ )?(?:supported|grounded|correct)|"
    r"flawless|perfect(?:ly)?)\b",
    re.IGNORECASE,
)
_DENIED: Final = re.compile(
    r"\b(?:no|not|nothing|none|never|neither|nor|without|free of|isn't|aren't|doesn't|don't|any|hardly|rather than|if)\b"
    r"(?:\W+\w+){0,4}\W*$",
    re.IGNORECASE,
)
_APART: Final = 0.5  # of the scale, between a score and the one that its claims come to


def contradiction(score: float, reason: str, evidence: Sequence[Evidence], low: float = 1.0, high: float = 5.0) -> str:
    """What does not fit, in a few words; empty where nothing is seen to be wrong. For scales on which more is better.

    Claims are counted (``recomputed``); a reason is looked into only beside the best and the worst score, where there is
    no room for both praise and fault.
    """
    if evidence:
        expected = recomputed(evidence, low, high)
        if abs(score - expected) >= _APART * (high - low):
            return f"{FLAG}: its claims come to {expected:.2g}, it scores {score:g}"
        return ""
    fault, praise = _first(_FAULT, reason), _first(_PRAISE, reason)
    if score >= high and fault and not praise:
        return f"{FLAG}: the reason says “{fault}”, the score is the best"
    if score <= low and praise and not fault:
        return f"{FLAG}: the reason says “{praise}”, the score is the worst"
    return ""


def recomputed(evidence: Sequence[Evidence], low: float = 1.0, high: float = 5.0) -> float:
    """The score that the claims come to: the share of those that are supported, on the scale."""
    supported = sum(each.verdict == "entailed" for each in evidence)
    return low + (high - low) * supported / len(evidence)


def _first(pattern: re.Pattern[str], text: str) -> str:
    """The first match that is not denied by what stands before it in its sentence."""
    for sentence in re.split(r"(?<=[.!?;])\s+", text):
        for match in pattern.finditer(sentence):
            if not _DENIED.search(sentence[: match.start()]):
                return match.group()
    return ""
