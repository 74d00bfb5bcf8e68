"""What stands before or beside a statement and states nothing itself: "Yes, …", and a bare denial of what was asked."""

from __future__ import annotations

import re
from typing import Final

from ragtui.judges.embedded.languages import ENGLISH, Language
from ragtui.judges.embedded.words import analyse

_OPENER: Final = re.compile(
    r"^\W*(?:(?:yes|yep|yeah|no|nope|correct|right|exactly|indeed|of course|certainly|sure|ja|nein|doch|oui|non|si|sí|sì|sim|não|nee|"
    r"да|нет)\s*(?:[,.;:!]|\s[-–—]|—)+\s*|(?:是的|不是|不|はい|いいえ)[，,。、]\s*)",
    re.IGNORECASE,
)
_DENIES: Final = re.compile(
    r"^(?P<subject>that|this|it|they|these|those|there)\s*(?:is|are|was|were|['’]s|['’]re)?\s*(?:not|n['’]t|no)\b|"
    r"^(?P<contracted>that|this|it|they|these|those|there)\s+(?:isn|aren|wasn|weren)['’]t\b",
    re.IGNORECASE,
)
_POINTING: Final = ("that", "this")


def without_opener(claim: str) -> str:
    """ "Yes, it is free." without its "Yes,"; as it is where nothing would be left. "No refunds." keeps its "No"."""
    rest = _OPENER.sub("", claim, count=1)
    return rest if re.search(r"\w", rest) else claim


def says_nothing(claim: str, language: Language) -> bool:
    """ "Yes, you can.": nothing but function words, so that there is nothing to look for."""
    line = analyse(without_opener(claim), language)
    opened = without_opener(claim) != claim
    return opened and not line.words and not line.quantities


def bare_denial(claim: str, query: str) -> bool:
    """ "That is not a bug.": denies one thing that was asked or said before, and adds nothing a context could hold."""
    text = without_opener(claim)
    match = _DENIES.match(text)
    if match is None:
        return False
    line = analyse(text, ENGLISH)
    if line.quantities or not 1 <= len(line.words) <= 2 or any(word.name or not word.negative for word in line.words):
        return False
    asked = {word.stem for word in analyse(query, ENGLISH).words}
    subject = (match["subject"] or match["contracted"]).lower()
    return subject in _POINTING or all(word.stem in asked for word in line.words)
