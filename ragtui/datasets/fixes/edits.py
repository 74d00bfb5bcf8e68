"""Edits put into the bytes of a file. What no edit touches keeps its bytes."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import pairwise

from ragtui.datasets.findings import Edit, Finding


def compatible(findings: Iterable[Finding], unsafe: bool) -> tuple[list[Edit], list[Finding]]:
    """Edits that can be made in one go, in order, and the findings they mend. A finding's edits are made all or none; of two
    findings that touch the same bytes the one that rewrites more comes first, and the other has to wait for the next pass."""
    wanted = [each for each in findings if each.fix and (unsafe or each.fixable)]
    every = sorted({edit for each in wanted for edit in each.fix}, key=lambda edit: (edit.start, edit.end))
    if not _overlap([(edit.start, edit.end) for edit in every]):
        return every, wanted  # as nearly always
    wanted.sort(key=lambda each: (-_reach(each.fix), each.fix[0].start))
    taken: list[tuple[int, int]] = []  # sorted and apart from each other
    edits: dict[tuple[int, int, str], Edit] = {}
    mended = []
    for finding in wanted:
        new = [edit for edit in dict.fromkeys(finding.fix) if (edit.start, edit.end, edit.text) not in edits]
        spans = [(edit.start, edit.end) for edit in new]
        if any(_touches(taken, *span) for span in spans) or _overlap(sorted(spans)):
            continue
        for edit in new:
            edits[edit.start, edit.end, edit.text] = edit
            span = (edit.start, edit.end)
            taken.insert(bisect_left(taken, span), span)
        mended.append(finding)
    return sorted(edits.values(), key=lambda edit: edit.start), mended


def apply(data: bytes, edits: Sequence[Edit]) -> bytes:
    """``data`` with ``edits`` (in order, apart from each other) made."""
    pieces: list[bytes] = []
    reached = 0
    for edit in edits:
        pieces += [data[reached : edit.start], edit.text.encode("utf-8", "backslashreplace")]
        reached = edit.end
    pieces.append(data[reached:])
    return b"".join(pieces)


def _reach(edits: Sequence[Edit]) -> int:
    return max(edit.end - edit.start for edit in edits)


def _touches(taken: Sequence[tuple[int, int]], start: int, end: int) -> bool:
    """Whether bytes of one of ``taken`` are among those from ``start`` to ``end``, or both insert at one place."""
    place = bisect_left(taken, (start, end))
    near = taken[max(0, place - 1) : place + 1]
    return any((start < other_end and other < end) or start == other for other, other_end in near)


def _overlap(spans: Sequence[tuple[int, int]]) -> bool:
    return any(one[1] > other[0] or one[0] == other[0] for one, other in pairwise(spans))
