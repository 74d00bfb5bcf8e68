"""Whether a text is about a question and holds the kind of answer it asks for."""

from __future__ import annotations

import re
from typing import Final

from ragtui.judges.embedded.kinds import holds, is_short, kind_of
from ragtui.judges.embedded.languages import ENGLISH, Language, language_of
from ragtui.judges.embedded.occurrences import equal_quantities, strongest
from ragtui.judges.embedded.passage import Passage, read_passage
from ragtui.judges.embedded.words import Word, analyse
from ragtui.judges.refusals import declines
from ragtui.judges.sentences import sentences

_ENOUGH_WORDS: Final = 5.0


def judge_relevance(query: str, response: str) -> tuple[int | None, str]:
    """A score of 1 to 5, ``None`` where words cannot tell, and its reason."""
    if not response.strip():
        return 1, "the response is empty"
    pieces = [sentence.text for sentence in sentences(response, language_of(response).code)]
    said = [piece for piece in pieces if not declines(piece)]
    if len(said) < len(pieces) and len(said) <= len(pieces) // 2:
        return 2, "the response declines to answer"
    language = language_of(query)
    share, missing = asked_about(query, read_passage((response,), language))
    kind = kind_of(query, language)
    if kind and holds(kind, response, query, language):
        if share >= 0.3 or len(pieces) == 1:
            return 5, f"gives {kind}, as asked" + (", about what is asked" if share >= 0.3 else "")
        return 4, f"gives {kind}, as asked"
    if kind and share >= 0.3:
        low = 2 if language is ENGLISH else 3
        return (3 if share >= 0.6 else low), f"is on the subject but does not give {kind}, which is asked for"
    return _by_words(share, missing, response, language, kind)


def _by_words(
    share: float, missing: list[Word], response: str, language: Language, kind: str | None
) -> tuple[int | None, str]:
    """What the words that question and answer share say, where the kind of thing asked for says nothing."""
    if share >= 0.6:
        return 5, "is about what is asked"
    if share >= 0.4:
        return 4, "is about most of what is asked" + _without(missing)
    if kind in (None, "a name") and is_short(response):
        return 4, "a short answer, as the question asks for"
    if share >= 0.2:
        return 3, "is about a part of what is asked" + _without(missing)
    if language is not ENGLISH:
        return (
            None,
            f"shares too few words with the question to tell, which says little in {language.name}: needs a model",
        )
    return (2 if share > 0 else 1), "does not speak of what is asked" + _without(missing)


def judge_retrieval(query: str, chunks: tuple[str, ...]) -> tuple[int, str]:
    """A score of 1 to 5 and its reason, from the chunk that speaks of most of the query and its rank."""
    language = language_of(query)
    shares = [asked_about(query, read_passage((chunk,), language)) for chunk in chunks]
    rank = max(range(len(shares)), key=lambda index: (round(shares[index][0], 3), -index))
    best, missing = shares[rank]
    kind = kind_of(query, language)
    answered = kind not in ("an amount", "a time") or holds(kind, chunks[rank], query, language)
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
        best = strongest(word, passage)
        held += weight * best
        total += weight
        if not best:
            missing.append(word)
    for quantity in line.quantities:
        total += 1.0
        held += bool(equal_quantities(quantity, passage))
    return (min(1.0, held / min(total, _ENOUGH_WORDS)) if total else 0.0), missing


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
