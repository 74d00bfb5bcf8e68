"""The grammar of metric names: ``name[@k][:variant]``, as ``nDCG@10:exp``. Knows no metric."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

WHOLE: Final = "all"  # ``@all``: the whole list, no cut
_SPEC: Final = re.compile(r"(?P<base>[^@:,\s]+)(?:@(?P<cut>[^@:,\s]+))?(?::(?P<variant>[^@:,\s]+))?")
_TRAILING_CUT: Final = re.compile(r"(?P<base>.*[^\d_.-])[_.](?P<cut>\d+)")


class MetricError(ValueError):
    """A metric or Metric Group cannot be used; the message is one line with the remedy."""


@dataclass(frozen=True, slots=True)
class Spec:
    """A metric's name in parts. ``cut`` is a number as text, ``all``, or ``None`` where no ``@`` was written."""

    base: str
    cut: str | None = None
    variant: str | None = None

    def __str__(self) -> str:
        return self.base + (f"@{self.cut}" if self.cut else "") + (f":{self.variant}" if self.variant else "")

    @property
    def k(self) -> int | None:
        """The cut as a number; ``None`` for the whole list or no cut."""
        return None if self.cut in (None, WHOLE) else int(self.cut or 0)


def parse(text: str) -> Spec:
    """Takes ``name[@k][:variant]`` apart; the cut must be ``all`` or a whole number from 1.

    Raises:
        MetricError: the text is not of that form.
    """
    found = _SPEC.fullmatch(text.strip())
    if found is None:
        raise MetricError(f"{text.strip()!r} is not a metric's name; write name[@k][:variant], as nDCG@10 or f1:azure")
    base, cut, variant = found["base"], found["cut"], found["variant"]
    if cut is not None and cut.lower() != WHOLE:
        if not (cut.isascii() and cut.isdigit() and int(cut) > 0):
            raise MetricError(f"{text.strip()!r}: the cut after @ must be a whole number from 1, or all")
        cut = str(int(cut))
    return Spec(base, cut.lower() if cut else None, variant)


def split_cut(spec: Spec) -> Spec | None:
    """Reads trec_eval's way of writing a cut, ``ndcg_cut_10`` or ``P.5``; ``None`` where there is none."""
    found = _TRAILING_CUT.fullmatch(spec.base)
    if found is None or spec.cut is not None or int(found["cut"]) == 0:
        return None
    return Spec(found["base"], str(int(found["cut"])), spec.variant)


def folded(name: str) -> str:
    """A name as it is looked up: without case, hyphens, underscores and points."""
    return re.sub(r"[-_.]", "", name.casefold())
