"""Which words of one text differ from another: for marking, not for scoring."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import Final

_WORD: Final = re.compile(r"\w+(?:[.,'’]\w+)*", re.UNICODE)
_MOST: Final = 1_500  # words; comparing longer texts would hold the screen up


def differing(text: str, other: str) -> list[tuple[int, int]]:
    """(start, end) in ``text`` of the runs of words that ``other`` does not have at that place; case does not count.

    Empty for texts that are too long to compare at once, and where nothing is alike.
    """
    mine, theirs = list(_WORD.finditer(text)), [word.lower() for word in _WORD.findall(other)]
    if not mine or not theirs or max(len(mine), len(theirs)) > _MOST:
        return []
    matcher = SequenceMatcher(None, [word[0].lower() for word in mine], theirs, autojunk=False)
    blocks = matcher.get_matching_blocks()
    if sum(block.size for block in blocks) == 0:
        return []
    found, at = [], 0
    for block in blocks:
        if block.a > at:
            found.append((mine[at].start(), mine[block.a - 1].end()))
        at = block.a + block.size
    return found
