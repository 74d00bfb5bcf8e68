"""Whether a passage supports a claim, contradicts it or does not speak of it, and what exactly is at fault."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ragtui.judges.embedded.conflicts import conflict
from ragtui.judges.embedded.languages import Language
from ragtui.judges.embedded.matching import Cover, best_cover
from ragtui.judges.embedded.passage import Passage
from ragtui.judges.embedded.words import Line, analyse, plain

ENTAILED: Final = "entailed"
CONTRADICTED: Final = "contradicted"
NEUTRAL: Final = "neutral"

_NONE: Final[frozenset[str]] = frozenset()
_ENOUGH: Final = 0.55
_ENOUGH_OF_LITTLE: Final = 0.9
_A_FEW: Final = 2  # words and numbers; a claim of fewer must be there whole
_COMPARABLE: Final = 0.45


@dataclass(frozen=True, slots=True)
class Finding:
    """``share`` (0 to 1) is how much of the claim the best place holds; ``place`` is a number into the passage's places;
    ``fault`` says what differs or is missing, empty where the claim is supported."""

    verdict: str
    share: float
    place: int | None
    fault: str = ""


def judge_claim(
    claim: str, passage: Passage, language: Language, question: str = "", names: frozenset[str] = _NONE
) -> Finding:
    """``question`` is what the passage answers, where it is an answer: its words need not be said again in it. ``names``
    are words known to be names from the text that the claim is of."""
    line = analyse(claim, language, names & {claim.split(" ", 1)[0]})
    given = frozenset(word.stem for word in analyse(question, language).words) if question else frozenset()
    best = best_cover(line, passage, given)
    if best is None:
        return Finding(NEUTRAL, 0.0, None, _missing(line, None))
    against = conflict(line, passage, best) if best.share >= _COMPARABLE else ""
    if against:
        return Finding(CONTRADICTED, best.share, best.home, against)
    novel = _novel(line, passage, best)
    enough = _ENOUGH if sum(word.weight for word in line.words) + len(line.quantities) >= _A_FEW else _ENOUGH_OF_LITTLE
    if best.share >= enough and not novel:
        return Finding(ENTAILED, best.share, best.home)
    place = best.home if best.share >= _COMPARABLE else None
    return Finding(NEUTRAL, best.share, place, novel or _missing(line, best))


def _novel(line: Line, passage: Passage, cover: Cover) -> str:
    """A number or a name that the passage does not have."""
    numbers = [each for each in cover.lacking if each.kind != "rate"]
    if numbers:
        return f"{line.surface(numbers[0])} is not in the context"
    for word, match in zip(line.words, cover.matches, strict=True):
        if word.name and match is None and plain(word) not in passage.folded:
            return f'"{word.text}" is not in the context'
    return ""


def _missing(line: Line, cover: Cover | None) -> str:
    missing = [word for index, word in enumerate(line.words) if cover is None or cover.matches[index] is None]
    shown = ", ".join(f'"{word.text}"' for word in missing[:3])
    return f"nothing in the context about {shown}" if shown else "not said like that in the context"
