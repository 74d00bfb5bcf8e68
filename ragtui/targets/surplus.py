"""Lines of a program that were due to nobody: counted and named, since a wrong answer may hide behind one too many."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from ragtui.targets.output import shown

_NAMED: Final = 3  # ids in a remark
_LONGEST: Final = 60  # characters of an id
_TOLD_APART: Final = 10_000  # ids that are kept, so that a program that prints for ever takes no memory


class Kind(StrEnum):
    """Why nobody waited for an answer."""

    TWICE = "twice"  # its question had an answer already
    UNKNOWN = "unknown"  # no question had that id
    LATE = "late"  # its question was given up, or its process was asked nothing more
    NAMELESS = "nameless"  # it has no id, and no question was open


_TOLD: Final = {
    Kind.TWICE: "came for a case that had one already, of which the first is used",
    Kind.UNKNOWN: "had an id that no case has: not used",
    Kind.LATE: "came after its case was given up, and is not used",
    Kind.NAMELESS: (
        "without an id came when no case was open: answers without ids go to cases in their order, so each may stand at "
        "the wrong one; print the id"
    ),
}


@dataclass(eq=False)
class Surplus:
    """What came beside the answers that were due, over all processes of a target. ``chats``: a line that is no JSON was
    followed by the right answer once, so that such a line stands for nothing. ``one_at_a_time``: whose an answer is can
    be told only where a single question is open."""

    chats: bool = False
    one_at_a_time: bool = False
    _counts: dict[Kind, int] = field(default_factory=dict)
    _ids: dict[Kind, dict[str, None]] = field(default_factory=dict)

    def add(self, kind: Kind, wire_id: str | None) -> None:
        self._counts[kind] = self._counts.get(kind, 0) + 1
        ids = self._ids.setdefault(kind, {})
        if wire_id is not None and len(ids) < _TOLD_APART:
            ids.setdefault(wire_id)

    def remarks(self) -> tuple[str, ...]:
        """A line a kind: how many answers, of which ids."""
        return tuple(self._remark(kind) for kind in Kind if kind in self._counts)

    def _remark(self, kind: Kind) -> str:
        n, ids = self._counts[kind], self._ids[kind]
        named = ", ".join(shown(each, _LONGEST) for each in list(ids)[:_NAMED])
        rest = f" and {len(ids) - _NAMED:,} more" if len(ids) > _NAMED else ""
        which = f" ({named}{rest})" if ids else ""
        return f"{n:,} answer{'' if n == 1 else 's'} {_TOLD[kind]}{which}"
