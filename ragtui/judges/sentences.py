"""Sentences of a text with their places: the unit a judge calls a statement."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final

_LIST_MARK: Final = re.compile(r"\s*(?:[-*•‣▪–—+]\s+|\(?\d{1,3}[.)]\s+|\(?[a-zA-Z]\)\s+|#{1,6}\s+|>\s+)+")
_NEW_ITEM: Final = re.compile(r"\n(?=[ \t]*(?:[-*•‣▪–+]\s|\(?\d{1,3}[.)]\s|#{1,6}\s|>\s|\|))|\n[ \t]*(?=\n)")
_LINE: Final = re.compile(r"\n")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_WRAPPED_FROM: Final = 60  # a line this long that does not end a sentence goes on in the next one


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence: ``text`` is ``whole[start:end]``, in code points, without list marks and outer space."""

    text: str
    start: int
    end: int


@lru_cache(maxsize=4096)
def sentences(text: str, language: str = "en") -> tuple[Sentence, ...]:
    """The sentences of ``text`` in order. List items, headings and table rows end sentences; wrapped lines do not."""
    found: list[Sentence] = []
    for start, end in _blocks(text):
        mark = _LIST_MARK.match(text, start, end)
        start = mark.end() if mark is not None and mark.end() < end else start
        for low, high in _boundaries(text[start:end], language):
            piece = _trimmed(text, start + low, start + high)
            if piece is not None:
                found.append(piece)
    return tuple(found)


def _boundaries(block: str, language: str) -> list[tuple[int, int]]:
    from sentencex import get_sentence_boundaries

    whole = _SURROGATE.sub("\ufffd", block)  # one character for one, so that places stay
    return [(each["start_index"], each["end_index"]) for each in get_sentence_boundaries(language, whole)]


def _blocks(text: str) -> list[tuple[int, int]]:
    """Parts that no sentence crosses, as (start, end)."""
    cuts = {match.start() for match in _NEW_ITEM.finditer(text)}
    last = 0
    for match in _LINE.finditer(text):
        at = match.start()
        line = text[last:at].rstrip()
        ends = line.endswith((".", "!", "?", ":", ";", "。", "！", "？", "|"))
        following = text[at + 1 : at + 2]
        if ends or (len(line) < _WRAPPED_FROM and not following.islower()):
            cuts.add(at)
        last = at + 1
    edges = [0, *sorted(cuts), len(text)]
    return [(low, high) for low, high in pairwise(edges) if high > low]


def _trimmed(text: str, start: int, end: int) -> Sentence | None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if not any(character.isalnum() for character in text[start:end]):
        return None
    return Sentence(text[start:end], start, end)
