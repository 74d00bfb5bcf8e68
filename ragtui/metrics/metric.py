"""What a metric is: a small value with a name that parses and prints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from ragtui.metrics.score import Inputs, Outcome


class Kind(StrEnum):
    RETRIEVAL = "retrieval"
    OVERLAP = "overlap"
    JUDGED = "judged"
    FACTS = "facts"
    CODE = "code"
    OPERATIONAL = "operational"


@dataclass(frozen=True)
class Metric:
    """One metric as it can be named in a group: ``name[@k][:variant]``.

    ``inputs`` are needed, ``optional`` are used when there. ``scale`` is (worst-or-lowest, highest) in the score's unit;
    ``None`` is open. ``question`` is what a judge is asked for it: several facts metrics share the question ``facts``.
    ``score`` computes an overlap, code or operational metric from one case's inputs; the other kinds have their own way.
    """

    name: str
    kind: Kind
    summary: str
    inputs: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    scale: tuple[float | None, float | None] = (0.0, 1.0)
    higher_is_better: bool = True
    threshold: float | None = None
    unit: str = ""
    k: int | None = None
    variant: str | None = None
    question: str | None = None
    definition: str = ""
    source: str = ""
    version: str = "1"
    score: Callable[[Inputs], Outcome] | None = None

    def passes(self, score: float, threshold: float | None = None) -> bool | None:
        """Whether an unrounded score passes; ``None`` where the metric has no threshold."""
        limit = self.threshold if threshold is None else threshold
        if limit is None:
            return None
        return score >= limit if self.higher_is_better else score <= limit
