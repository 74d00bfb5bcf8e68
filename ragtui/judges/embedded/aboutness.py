"""Whether a text is about a question and holds the kind of answer it asks for."""

from __future__ import annotations

import re
from typing import Final

from ragtui.judges.embedded.languages import ENGLISH, language_of
from ragtui.judges.embedded.matching import candidates
from ragtui.judges.embedded.passage import Passage, read_passage
from ragtui.judges.embedded.wordlists import word_class
from ragtui.judges.embedded.words import Word, analyse
from ragtui.judges.refusals import declines
from ragtui.judges.sentences import sentences

_YES_OR_NO: Final = re.compile(
    r"^\W*(?:is|are|was|were|do|does|did|can|could|may|must|should|will|would|has|have|am)\b", re.I
)
_ASKS: Final = (
    (_YES_OR_NO, "yes or no"),
    (re.compile(r"\bhow\s+(?:many|much|long|often|far|old|big|tall|high|fast|large|deep|heavy)\b", re.I), "an amount"),
    (re.compile(r"\bwhat\s+(?:percentage|share|number)\b", re.I), "an amount"),
    (re.compile(r"(?:^|[.,;:?!]\s*|\band\s+)when\b|\bhow\s+soon\b", re.I), "a time"),
    (re.compile(r"\b(?:what|which)\s+(?:time|date|day|year|month)\b", re.I), "a time"),
    (re.compile(r"\bhow\s+(?:do|does|can|could|should|would|must|may|to)\b", re.I), "a way to do it"),
    (re.compile(r"^\W*(?:who|whom|whose)\b", re.I), "a name"),
)
_ASKS_ELSEWHERE: Final = (
    (re.compile(r"\b(?:wie\s+viele?|wie\s+lange|combien|cu[aá]nt[oa]s?|quant[oi])\b", re.I), "an amount"),
    (re.compile(r"\b(?:wann|quand|cuándo|quando)\b", re.I), "a time"),
    (re.compile(r"^\W*(?:wer|qui|quién)\b", re.I), "a name"),
)
_TIMES: Final = frozenset(["clock", "date", "month", "year", "weekday", "time", "ordinal", "rate"])
_TIME_WORDS: Final = re.compile(
    r"\b(?:before|after|when|once|during|until|daily|weekly|monthly|yearly|always|never|today|tomorrow|immediately|soon|now|by|every|within)\b",
    re.I,
)
_ADVICE: Final = re.compile(
    r"\b(?:you|users?|one|please|customers?|members?)\s+(?:\w+\s+)?(?:can|need|must|should|may|have\s+to|could|will|are)\b|"
    r"\bby\s+\w+ing\b|\b(?:first|then|next|step|please)\b",
    re.I,
)
_SHORT_NAME: Final = 4
_ENOUGH_WORDS: Final = 5.0
_DIRECT: Final = re.compile(
    r"^\W*(?:yes|no|not|only|never|always)\b|\b(?:not|cannot|can|may|must|is|are|does|do|will|should|n't)\b", re.I
)


def judge_relevance(query: str, response: str) -> tuple[int, str]:
    """A score of 1 to 5 and its reason."""
    if not response.strip():
        return 1, "the response is empty"
    pieces = [sentence.text for sentence in sentences(response, language_of(response).code)]
    said = [piece for piece in pieces if not declines(piece)]
    if len(said) < len(pieces) and len(said) <= len(pieces) // 2:
        return 2, "the response declines to answer"
    share, missing = asked_about(query, read_passage((response,), language_of(query)))
    kind = _kind(query)
    if kind and _holds(kind, response, query):
        if share >= 0.3 or len(pieces) == 1:
            return 5, f"gives {kind}, as asked" + (", about what is asked" if share >= 0.3 else "")
        return 4, f"gives {kind}, as asked"
    if kind and share >= 0.3:
        return (3 if share >= 0.6 else 2), f"is on the subject but does not give {kind}, which is asked for"
    if share >= 0.6:
        return 5, "is about what is asked"
    if share >= 0.4:
        return 4, "is about most of what is asked" + _without(missing)
    if share >= 0.2:
        return 3, "is about a part of what is asked" + _without(missing)
    return (2 if share > 0 else 1), "does not speak of what is asked" + _without(missing)


def judge_retrieval(query: str, chunks: tuple[str, ...]) -> tuple[int, str]:
    """A score of 1 to 5 and its reason, from the chunk that speaks of most of the query and its rank."""
    language = language_of(query)
    shares = [asked_about(query, read_passage((chunk,), language)) for chunk in chunks]
    rank = max(range(len(shares)), key=lambda index: (round(shares[index][0], 3), -index))
    best, missing = shares[rank]
    kind = _kind(query)
    answered = kind not in ("an amount", "a time") or _holds(kind, chunks[rank], query)
    level = 5 if best >= 0.75 else 4 if best >= 0.55 else 3 if best >= 0.35 else 2 if best >= 0.15 else 1
    if level >= 4 and not answered:
        level = 3
    if level >= 4 and rank > 0:
        level = max(3, level - (1 if rank < 3 else 2))
    if best == 0:
        return 1, "no chunk speaks of what is asked" + _without(missing)
    where = f"chunk {rank + 1} of {len(chunks)} speaks of {best:.0%} of what is asked"
    lack = (
        f", but gives no {kind.removeprefix('a ').removeprefix('an ')}"
        if kind and not answered and kind != "yes or no"
        else ""
    )
    return level, where + lack + _without(missing)


def asked_about(query: str, passage: Passage) -> tuple[float, list[Word]]:
    """The weighted share of the query's words that the passage holds, and those it lacks. Of a long query a handful of
    words is all of it: people tell stories when they ask."""
    line = analyse(query, language_of(query))
    held = total = 0.0
    missing: list[Word] = []
    for word in line.words:
        weight = word.weight * (1.3 if word.name else 1.0)
        best = max((match.strength for _, match in candidates(word, passage)), default=0.0)
        held += weight * best
        total += weight
        if not best:
            missing.append(word)
    for quantity in line.quantities:
        total += 1.0
        held += any(quantity.equals(other) for place in passage.places for other in place.line.quantities)
    return (min(1.0, held / min(total, _ENOUGH_WORDS)) if total else 0.0), missing


def _kind(query: str) -> str | None:
    """What kind of thing a question asks for, where its words tell."""
    asks = _ASKS if language_of(query) is ENGLISH else _ASKS_ELSEWHERE
    return next((kind for pattern, kind in asks if pattern.search(query)), None)


def _holds(kind: str, text: str, query: str) -> bool:
    """Whether a text has what kind of thing is asked for."""
    if kind == "yes or no":
        return bool(_DIRECT.search(text))
    if kind == "a way to do it":
        return any(_instructs(sentence.text) for sentence in sentences(text, language_of(text).code))
    lines = [analyse(sentence.text, language_of(text)) for sentence in sentences(text, language_of(text).code)]
    if kind == "an amount":
        return any(line.quantities for line in lines) or bool(re.search(r"\d", text))
    if kind == "a time":
        timed = any(each.kind in _TIMES or each.kind == "count" for line in lines for each in line.quantities)
        return timed or bool(_TIME_WORDS.search(text))
    asked = query.lower()
    named = any(word.name and word.text.lower() not in asked for line in lines for word in line.words)
    return named or (len(text.split()) <= _SHORT_NAME and text[:1].isupper())


def _instructs(sentence: str) -> bool:
    """ "Open the portal", "you need to …", "by choosing …"."""
    begins = re.findall(r"(?:^\W*|,\s*|:\s*)(\w+)", sentence.lower())
    return not word_class("instructions").isdisjoint(begins) or bool(_ADVICE.search(sentence))


def yes_or_no(text: str) -> str | None:
    """ "yes" or "no" where a text begins with it."""
    match = re.match(
        r"\W*(yes|no|ja|nein|oui|non|sí|si|sim|não|да|нет)\b(?!\s+(?:one|longer|more|less)\b)", text, re.IGNORECASE
    )
    return (
        None if match is None else "yes" if match[1].lower() in ("yes", "ja", "oui", "sí", "si", "sim", "да") else "no"
    )


def _without(missing: list[Word]) -> str:
    return f" (nothing about {', '.join(repr(word.text) for word in missing[:3])})" if missing else ""
