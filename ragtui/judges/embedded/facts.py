"""Takes the facts out of a reference answer: its sentences, and the clauses of a sentence that lists several."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from ragtui.judges.embedded.languages import ENGLISH, Language, language_of
from ragtui.judges.refusals import states_nothing
from ragtui.judges.sentences import sentences

_JOINTS: Final = re.compile(r"\s*;\s+|\s*,\s+(?:and|but|while|whereas)\s+|\s*,\s+|\s+(?:and|but|while|whereas)\s+")
_VERB: Final = re.compile(
    r"\b(?:is|are|was|were|has|have|had|can|cannot|could|will|would|must|may|might|should|do|does|did|\w+(?:n't|ed))\b",
    re.IGNORECASE,
)
_PREPOSITION: Final = re.compile(r"\b(?:of|in|for|to|at|on|from|by|with)\b")


@dataclass(frozen=True, slots=True)
class Fact:
    """A statement that stands alone: ``text`` may repeat the verb that the reference says only once."""

    text: str


def facts(reference: str) -> tuple[Fact, ...]:
    language = language_of(reference)
    found: list[Fact] = []
    for sentence in sentences(reference, language.code):
        if not states_nothing(sentence.text) or len(sentence.text.split()) <= 2:
            found += [Fact(clause) for clause in _clauses(sentence.text, language)]
    return tuple(found)


def _clauses(sentence: str, language: Language) -> list[str]:
    """The sentence in parts that each have a verb of their own, or the same pattern as the first part."""
    if language is not ENGLISH:
        return [sentence]
    parts = [part for part in _JOINTS.split(sentence) if part]
    if len(parts) < 2 or not _VERB.search(parts[0]):
        return [sentence]
    pattern = _pattern(parts[0])
    if pattern is not None:
        rest = [_filled(part, pattern) for part in parts[1:]]
        if all(rest):
            return [parts[0], *[each for each in rest if each]]
    return _with_own_verbs(sentence)


def _with_own_verbs(sentence: str) -> list[str]:
    """Cuts only where what follows has its own subject and verb."""
    pieces: list[str] = []
    rest = sentence
    for match in re.finditer(
        r"\s*;\s+|,\s+(?:and|but|while|whereas)\s+(?=(?:the|a|an|it|they|he|she|we|you|[A-Z])\b)", sentence
    ):
        before, after = sentence[: match.start()], sentence[match.end() :]
        begun = sum(len(piece) for piece in pieces)
        if _VERB.search(before[begun:]) and _VERB.search(after):
            pieces.append(rest[: len(rest) - len(sentence) + match.start()])
            rest = after
    return [piece.strip() for piece in (*pieces, rest) if piece.strip()]


@dataclass(frozen=True, slots=True)
class _Pattern:
    """ "Paris | is the capital | of | France": what a later "London of England" leaves out is ``middle``."""

    middle: str
    preposition: str


def _pattern(first: str) -> _Pattern | None:
    verb = _VERB.search(first)
    if verb is None:
        return None
    prepositions = list(_PREPOSITION.finditer(first, verb.end()))
    if not prepositions:
        return None
    last = prepositions[-1]
    return _Pattern(first[verb.start() : last.start()].strip(), last.group())


def _filled(part: str, pattern: _Pattern) -> str | None:
    pieces = re.split(rf"\b{pattern.preposition}\b", part.rstrip(". "), maxsplit=1)
    if len(pieces) != 2 or _VERB.search(part) or not all(piece.strip() for piece in pieces) or len(part.split()) > 7:
        return None
    return f"{pieces[0].strip()} {pattern.middle} {pattern.preposition} {pieces[1].strip()}"
