"""What screens and reports read of an experiment: small values for the overview, one frame for the rows, one case whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from ragtui.experiments.plan import Plan, Side
from ragtui.experiments.progress import Status
from ragtui.metrics.score import Evidence, State

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True)
class MetricSummary:
    """One metric on one side. ``mean`` is over the ``n_scored`` of ``n_total`` cells, ``strict_mean`` counts errors as the
    worst score; both are ``None`` where nothing was scored. ``histogram`` counts scores in equal bins over the scale."""

    metric: str
    side: Side
    mean: float | None
    strict_mean: float | None
    ci95: tuple[float, float] | None
    n_scored: int
    n_total: int
    states: Mapping[State, int]
    pass_rate: float | None
    threshold: float | None
    histogram: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MetricComparison:
    """Candidate minus baseline over the cases both scored, paired by case id. ``test`` names where ``p`` comes from;
    ``mde`` is the smallest difference this many pairs would show four times in five."""

    metric: str
    delta: float | None
    ci95: tuple[float, float] | None
    p: float | None
    p_holm: float | None
    test: str
    n_pairs: int
    wins: int
    ties: int
    losses: int
    new: int
    missing: int
    mde: float | None


@dataclass(frozen=True, slots=True)
class Cell:
    """One score with everything known of it. ``prompt`` and ``reply`` are the judge's, byte for byte (untrusted)."""

    metric: str
    side: Side
    repeat: int
    state: State
    cause: str | None
    score: float | None
    passed: bool | None
    threshold: float | None
    reason: str
    evidence: tuple[Evidence, ...]
    judge: str | None = None
    attempts: int = 0
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost: float | None = None
    latency_ms: float | None = None
    prompt: str | None = None
    reply: str | None = None


@dataclass(frozen=True, slots=True)
class RankedDocument:
    """One line of a ranking: ``grade`` is ``None`` for an unjudged document, ``rank`` is ``None`` for a relevant one that is missing."""

    rank: int | None
    doc_id: str
    score: float | None
    grade: int | None


@dataclass(frozen=True, slots=True)
class SideDetail:
    """What one side answered for one case."""

    side: Side
    state: State
    message: str
    response: str | None
    contexts: tuple[str, ...]
    ranking: tuple[RankedDocument, ...]
    latency_ms: float | None
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class CaseDetail:
    """One case whole: inputs, expected values, both sides, and the person's labels."""

    case_id: str
    name: str
    inputs: Mapping[str, str]
    expected: Mapping[str, str]
    sides: tuple[SideDetail, ...]
    labels: Mapping[str, str]
    note: str = ""


class Results(Protocol):
    """An experiment opened for reading; made by ``store.Store.results`` or by reading a result file."""

    experiment: str
    plan: Plan
    status: Status
    metrics: tuple[str, ...]  # in the group's order

    def summaries(self) -> list[MetricSummary]: ...

    def comparisons(self) -> list[MetricComparison]:
        """Empty without a baseline."""
        ...

    def rows(self, side: Side = Side.CANDIDATE) -> pl.DataFrame:
        """One row a case, in the dataset's order: ``case_id``, ``name``, then per metric ``NAME`` (score, null where not
        scored), ``NAME state``, ``NAME passed``, with a baseline ``NAME Δ``; ``cause`` (ragtui's), ``label``, ``note``."""
        ...

    def detail(self, case_id: str) -> CaseDetail: ...
