"""Which words of two texts differ: for marking, not for scoring."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import Final, TypeAlias

_WORD: Final = re.compile(r"\w+(?:[.,'’]\w+)*", re.UNICODE)
_MOST: Final = 1_500  # words; comparing longer texts would hold the screen up

Runs: TypeAlias = list[tuple[int, int]]
"""(start, end) of runs of words, in characters."""


def differing(one: str, other: str) -> tuple[Runs, Runs]:
    """The runs of words of each text that the other does not have at that place; case does not count.

    Both empty for texts that are too long to compare at once, and where nothing is alike.
    """
    mine, theirs = list(_WORD.finditer(one)), list(_WORD.finditer(other))
    if not mine or not theirs or max(len(mine), len(theirs)) > _MOST:
        return [], []
    matcher = SequenceMatcher(
        None, [word[0].lower() for word in mine], [word[0].lower() for word in theirs], autojunk=False
    )
    blocks = matcher.get_matching_blocks()
    if not any(block.size for block in blocks):
        return [], []
    left, right = [], []
    at = bt = 0
    for block in blocks:
        if block.a > at:
            left.append((mine[at].start(), mine[block.a - 1].end()))
        if block.b > bt:
            right.append((theirs[bt].start(), theirs[block.b - 1].end()))
        at, bt = block.a + block.size, block.b + block.size
    return left, right
