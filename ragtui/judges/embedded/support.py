"""Whether a passage supports a claim, contradicts it or does not speak of it, and what exactly is at fault."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ragtui.judges.embedded.languages import Language
from ragtui.judges.embedded.matching import Cover, covers
from ragtui.judges.embedded.passage import Passage
from ragtui.judges.embedded.words import Line, Word, analyse

ENTAILED: Final = "entailed"
CONTRADICTED: Final = "contradicted"
NEUTRAL: Final = "neutral"

_ENOUGH: Final = 0.72
_COMPARABLE: Final = 0.45


@dataclass(frozen=True, slots=True)
class Finding:
    """``share`` (0 to 1) is how much of the claim the best place holds; ``place`` is a number into the passage's places;
    ``fault`` says what differs or is missing, empty where the claim is supported."""

    verdict: str
    share: float
    place: int | None
    fault: str = ""


def judge_claim(claim: str, passage: Passage, language: Language) -> Finding:
    line = analyse(claim, language)
    found = covers(line, passage)
    if not found:
        return Finding(NEUTRAL, 0.0, None, _missing_note(line, None))
    best = found[0]
    fault = _conflict(line, passage, best)
    if fault and best.share >= _COMPARABLE:
        return Finding(CONTRADICTED, best.share, best.places[0], fault)
    novel = _novel(line, passage, best)
    if best.share >= _ENOUGH and not novel:
        return Finding(ENTAILED, best.share, best.places[0])
    return Finding(
        NEUTRAL, best.share, best.places[0] if best.share >= _COMPARABLE else None, novel or _missing_note(line, best)
    )


def _conflict(line: Line, passage: Passage, cover: Cover) -> str:
    return _number_conflict(line, passage, cover) or _polarity_conflict(line, passage, cover)


def _number_conflict(line: Line, passage: Passage, cover: Cover) -> str:
    for quantity in cover.lacking:
        for number in cover.places:
            other_line = passage.places[number].line
            for other in other_line.quantities:
                if quantity.rivals(other) and not any(other is same[1] for same in cover.equal):
                    return f"says {line.surface(quantity)} where the context has {other_line.surface(other)}"
    return ""


def _polarity_conflict(line: Line, passage: Passage, cover: Cover) -> str:
    for match in cover.matches:
        if match is None or match.agrees:
            continue
        if match.flipped:
            return f'says "{match.word.text}" where the context says "{match.found.text}"'
        if match.word.head or match.found.head:
            side = "denies" if match.word.negative else "affirms"
            return f'{side} "{match.word.text}" where the context does not'
    return ""


def _novel(line: Line, passage: Passage, cover: Cover) -> str:
    if cover.lacking:
        return f"{line.surface(cover.lacking[0])} is not in the context"
    names = [word for word, match in zip(line.words, cover.matches, strict=True) if word.name and match is None]
    absent = [word for word in names if word.text.lower() not in passage.folded]
    return f'"{absent[0].text}" is not in the context' if absent else ""


def _missing_note(line: Line, cover: Cover | None) -> str:
    missing = [word for index, word in enumerate(line.words) if cover is None or cover.matches[index] is None]
    return _listed(missing)


def _listed(missing: list[Word]) -> str:
    shown = ", ".join(f'"{word.text}"' for word in missing[:3])
    return f"nothing in the context about {shown}" if shown else "not said like that in the context"
