"""What a metric is: a small value with a name that parses and prints."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from ragtui.metrics.score import Evidence, Inputs, Outcome, scored

if TYPE_CHECKING:
    from ragtui.metrics.judged import Rubric
    from ragtui.metrics.rankings.formula import Formula


class Kind(StrEnum):
    RETRIEVAL = "retrieval"
    OVERLAP = "overlap"
    JUDGED = "judged"
    FACTS = "facts"
    CODE = "code"
    OPERATIONAL = "operational"


@dataclass(frozen=True)
class Metric:
    """One metric as it can be named in a group: ``name`` is its whole spec, ``name[@k][:variant]``, as ``nDCG@10:exp``.

    ``inputs`` are needed, ``optional`` are used when there. ``scale`` is (worst-or-lowest, highest) in the score's
    unit; ``None`` is open. Exactly one of the three ways gives its score:

    * ``score`` computes it from one case's inputs (overlap, code, operational, retrieval on answer data);
    * ``ranking`` computes it for all queries at once from judgments and a run (``ranking.evaluate``);
    * ``question`` is what a judge is asked: several facts metrics share the question ``facts``. ``derive`` turns the
      judge's score, reason and evidence into this metric's outcome (``None``: the judge's score is the metric's). A
      metric of the user's own brings the ``rubric`` it is judged by.
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
    rubric: Rubric | None = field(default=None, compare=False)
    score: Callable[[Inputs], Outcome] | None = field(default=None, compare=False)
    ranking: Formula | None = field(default=None, compare=False)
    derive: Callable[[float | None, str, tuple[Evidence, ...]], Outcome] | None = field(default=None, compare=False)

    def passes(self, score: float, threshold: float | None = None) -> bool | None:
        """Whether an unrounded score passes; ``None`` where the metric has no threshold."""
        limit = self.threshold if threshold is None else threshold
        if limit is None:
            return None
        return score >= limit if self.higher_is_better else score <= limit

    def from_verdict(self, score: float | None, reason: str, evidence: tuple[Evidence, ...]) -> Outcome:
        """This metric's outcome from a judge's scored verdict on ``question``."""
        if self.derive is not None:
            return self.derive(score, reason, evidence)
        if score is None:
            raise ValueError(f"{self.name}: a verdict without a score")
        return scored(score, reason, evidence)

    def on_scale(self, value: float) -> bool:
        """Whether a threshold (or a score) lies on this metric's scale."""
        low, high = self.scale
        return (low is None or value >= low) and (high is None or value <= high)

    @property
    def shown_scale(self) -> str:
        """``1 to 5``, ``0 to 1``, ``0 and up``; with the unit where there is one."""
        low, high = ("" if end is None else f"{end:g}" for end in self.scale)
        text = f"{low} to {high}" if high else f"{low or 'any'} and up" if low else "any number"
        return f"{text} {self.unit}".strip()


class Cut(StrEnum):
    """Whether a metric's name takes ``@k``."""

    NEVER = "never"
    MAY = "may"
    MUST = "must"


@dataclass(frozen=True)
class Definition:
    """One row of the table of metrics that registry, help and documentation read.

    ``metric.name`` is the bare name. ``variants`` says what each ``:variant`` does. ``aliases`` maps other names to
    the spec they mean (``recip_rank`` → ``MRR@all``). ``build`` gets the metric with name, cut and variant filled in
    and may replace what depends on them. ``problem`` says why a metric of the user's own cannot be used.
    """

    metric: Metric
    cut: Cut = Cut.NEVER
    variants: Mapping[str, str] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)
    build: Callable[[Metric], Metric] | None = None
    cuts: tuple[int, ...] = ()  # what a name without its cut stands for; empty: 1, 3, 5 and 10
    problem: str = ""

    @property
    def shown_name(self) -> str:
        """``nDCG@k``, ``f1``."""
        return self.metric.name + {Cut.MUST: "@k", Cut.MAY: "[@k]", Cut.NEVER: ""}[self.cut]
