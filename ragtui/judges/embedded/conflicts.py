"""What in a passage speaks against a claim: another number, an opposite, a denial, another name, the roles swapped."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from ragtui.judges.embedded.matching import Cover, Match
from ragtui.judges.embedded.occurrences import EXACT, equal_quantities
from ragtui.judges.embedded.passage import Passage
from ragtui.judges.embedded.quantities import Quantity
from ragtui.judges.embedded.words import Line, Word, plain

_CLEARLY: Final = 0.35
_SURELY: Final = 0.8
_NEAREST: Final = 1.5  # what a quantity's nearness is of its sentence's share at most
_ALL: Final = frozenset(
    ["all", "any", "every", "anyone", "everyone", "anybody", "everybody", "each", "always", "anything"]
)
_SLOT_WORDS: Final = frozenset(["of", "in", "on", "at", "from", "by", "with", "into", "as", "the", "a", "an"])


def conflict(claim: Line, passage: Passage, cover: Cover) -> str:
    """The first thing that speaks against the claim at its best place, as a short phrase; empty where there is none."""
    return (
        _number(claim, passage, cover)
        or _opposite(cover)
        or _denial(cover)
        or _exclusion(claim, passage, cover)
        or _swap(claim, passage, cover)
        or _other_name(claim, passage, cover)
        or _other_owner(claim, passage, cover)
    )


def _number(claim: Line, passage: Passage, cover: Cover) -> str:
    if not _predicate_held(claim, cover):
        return ""
    for quantity in claim.quantities:
        rival = _rival(quantity, passage, cover)
        if rival is not None:
            place, other = rival
            return f"says {claim.surface(quantity)} where the context has {passage.places[place].line.surface(other)}"
    return ""


def _predicate_held(claim: Line, cover: Cover) -> bool:
    """Whether the context speaks of what the claim says, not only of what it is about."""
    said = [match for word, match in zip(claim.words, cover.matches, strict=True) if not word.name]
    return 2 * sum(match is not None for match in said) >= len(said)


def _rival(quantity: Quantity, passage: Passage, cover: Cover) -> tuple[int, Quantity] | None:
    """Another quantity of the same kind that stands nearer to the claim's words than any equal one."""
    equal = equal_quantities(quantity, passage)
    said = cover.spread.equal_places
    sharing = cover.spread.sharing(_CLEARLY / _NEAREST)  # elsewhere nothing is near enough
    rivals = [
        (place, other)
        for place, other in passage.by_kind.get(quantity.kind, ())
        if place in sharing and (place, other.first) not in said and quantity.rivals(other)
    ]

    def near(option: tuple[int, Quantity]) -> float:
        place, other = option
        return cover.clause_share(place, passage.places[place].line.clause_of(other)) + 0.5 * cover.sentence_share(
            place
        )

    if not rivals:
        return None
    best = max(rivals, key=lambda option: (near(option), -option[0]))
    sure = _CLEARLY if _same_noun(quantity, best[1]) else _SURELY
    if near(best) < sure:
        return None
    if not equal:
        return best if best[0] in cover.places else None
    return best if _outdoes(best, max(equal, key=near), quantity, cover, near) else None


def _outdoes(
    rival: tuple[int, Quantity],
    equal: tuple[int, Quantity],
    quantity: Quantity,
    cover: Cover,
    near: Callable[[tuple[int, Quantity]], float],
) -> bool:
    """Whether the claim is rather about the rival's place than about that of the equal quantity."""
    if _same_noun(quantity, rival[1]) and equal[1].noun and not _same_noun(quantity, equal[1]):
        return True
    if rival[0] == equal[0]:
        return near(rival) > near(equal) + _CLEARLY
    return cover.sentence_share(rival[0]) > cover.sentence_share(equal[0]) + _CLEARLY


def _same_noun(one: Quantity, two: Quantity) -> bool:
    return one.kind != "count" or one.noun == two.noun


def _opposite(cover: Cover) -> str:
    agreeing = {id(match.found) for match in cover.matches if match is not None and match.agrees}
    for match in _at_home(cover):
        if match.flipped and not match.agrees and id(match.found) not in agreeing:
            return f'says "{match.word.text}" where the context says "{match.found.text}"'
    return ""


def _denial(cover: Cover) -> str:
    """A word that one side denies and the other does not, unless another denied word agrees."""
    denied = [match for match in _at_home(cover) if not match.flipped and (match.word.head or match.found.head)]
    if any(match.agrees and match.word.negative for match in denied):
        return ""
    for match in denied:
        if not match.agrees:
            return f'{"denies" if match.word.negative else "affirms"} "{match.word.text}" where the context does not'
    return ""


def _at_home(cover: Cover) -> Iterator[Match]:
    """Matches in the sentence that holds most of the claim."""
    for match, place in zip(cover.matches, cover.match_places, strict=True):
        if match is not None and place == cover.home:
            yield match


def _exclusion(claim: Line, passage: Passage, cover: Cover) -> str:
    """The context says "only X"; the claim says it of all, or of something else."""
    line = passage.places[cover.home].line
    if not line.exclusive or claim.exclusive:
        return ""
    only = next(index for index, low in enumerate(line.low) if low in ("only", "solely"))
    after = [word for word in line.words if only < word.place <= only + 4 and word.clause == line.clauses[only]]
    restricted = (
        after[:2] or [word for word in line.words if word.place < only and word.clause == line.clauses[only]][-2:]
    )
    if not restricted:
        return ""
    found = {id(match.found) for match in cover.matches if match is not None}
    everyone = not _ALL.isdisjoint(claim.low)
    if everyone or not any(id(word) in found for word in restricted[:1]):
        return f'leaves out that it is only "{restricted[0].text}"'
    return ""


def _swap(claim: Line, passage: Passage, cover: Cover) -> str:
    """ "A beats B" where the context has "B beats A"; likewise "A is larger than B"."""
    line = passage.places[cover.home].line
    exact = [match for match in _at_home(cover) if match.strength == EXACT]
    for left, pivot, right in zip(exact, exact[1:], exact[2:], strict=False):
        if not (right.found.place < pivot.found.place < left.found.place and left.word.stem != right.word.stem):
            continue
        if not (left.word.name or left.word.place == 0) or not right.word.name:
            continue
        if left.found.clause != right.found.clause or _passive(claim, pivot.word, right.word) != _passive(
            line, pivot.found, left.found
        ):
            continue
        return f'"{left.word.text}" and "{right.word.text}" have changed places'
    return _swapped_comparison(claim, line, exact)


def _passive(line: Line, pivot: Word, after: Word) -> bool:
    return "by" in line.low[pivot.place : after.place]


def _swapped_comparison(claim: Line, line: Line, exact: list[Match]) -> str:
    if "than" not in claim.low or not {"than", "as"} & set(line.low):
        return ""
    here = claim.low.index("than")
    there = line.low.index("than") if "than" in line.low else len(line.low) - 1 - line.low[::-1].index("as")
    before = [match for match in exact if match.word.place < here]
    after = [match for match in exact if match.word.place > here]
    moved = [match for match in before if match.found.place > there]
    back = [match for match in after if match.found.place < there]
    if moved and back and len(back) == len(after):
        return f'"{moved[0].word.text}" and "{back[0].word.text}" have changed places'
    return ""


def _unheld(claim: Line, cover: Cover) -> int:
    """How many words that matter the place lacks: another one in the same slot only contradicts if all else agrees."""
    return sum(match is None and word.weight >= 1 for word, match in zip(claim.words, cover.matches, strict=True))


def _other_name(claim: Line, passage: Passage, cover: Cover) -> str:
    """A name or thing after the same words as another one in the context: "island of Skye" for "island of Jura"."""
    line = passage.places[cover.home].line
    if _unheld(claim, cover) > 1:
        return ""
    taken = {id(match.found) for match in cover.matches if match is not None}
    by_word = {match.word.place: match.found for match in _at_home(cover)}
    for word, match in zip(claim.words, cover.matches, strict=True):
        if match is not None or plain(word) in passage.folded:
            continue
        link = _link_before(claim, word)
        anchor = by_word.get(word.place - len(link) - 1)
        if anchor is None or not (link or word.name):
            continue
        start = anchor.place + 1 + len(link)
        if line.low[anchor.place + 1 : start] != link:
            continue
        other = next((each for each in line.words if each.place == start), None)
        if other is not None and id(other) not in taken and other.name == word.name:
            return f'says "{word.text}" where the context has "{other.text}"'
    return ""


def _other_owner(claim: Line, passage: Passage, cover: Cover) -> str:
    """ "Barcelona of Spain" where the claim says Madrid of it."""
    line = passage.places[cover.home].line
    if _unheld(claim, cover) > 1:
        return ""
    taken = {id(match.found) for match in cover.matches if match is not None}
    strangers = [
        word
        for word, match in zip(claim.words, cover.matches, strict=True)
        if match is None and word.name and plain(word) not in passage.folded
    ]
    if not strangers:
        return ""
    for match in _at_home(cover):
        link = _link_before(line, match.found)
        before = match.found.place - len(link) - 1
        other = next((word for word in line.words if word.place == before), None)
        if link and match.word.name and other is not None and other.name and id(other) not in taken:
            return f'says "{strangers[0].text}" where the context has "{other.text}"'
    return ""


def _link_before(claim: Line, word: Word) -> tuple[str, ...]:
    """The function words right before a word, nearest last."""
    start = word.place
    while start > 0 and claim.low[start - 1] in _SLOT_WORDS and word.place - start < 3:
        start -= 1
    return claim.low[start : word.place]
