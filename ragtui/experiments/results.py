"""What screens and reports read of an experiment: small values for the overview, one frame for the rows, one case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from ragtui.experiments.plan import Plan, Side
from ragtui.experiments.progress import Status
from ragtui.metrics.score import Evidence, State

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True)
class MetricSummary:
    """One metric on one side. ``mean`` is over the ``n_scored`` of ``n_total`` cells, ``strict_mean`` counts errors as
    the worst score; both are ``None`` where nothing was scored (``strict_mean`` also where the scale has no worst end).
    ``histogram`` counts scores in equal bins over the scale. Repeats are folded: a case is one cell, its score their
    mean; ``ci95`` never leaves the scale; ``flips`` counts cases whose repeats disagree on passing. ``notes`` are short
    remarks that belong beside the figure ("2 queries not in the run")."""

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
    flips: int = 0

    @property
    def errors(self) -> int:
        return sum(n for state, n in self.states.items() if state.is_error)


@dataclass(frozen=True, slots=True)
class MetricComparison:
    """Candidate minus baseline over the cases both scored, paired by case id. ``test`` names where ``p`` comes from;
    ``mde`` is the smallest difference this many pairs detect with 80 % power; it and ``ci95`` are null where no pair differs
    from another. ``worst`` and ``best`` are the
    one-sided 95 % bounds of ``delta`` in the metric's direction: a drop is sure where ``best`` is below 0.
    ``sd`` is the deviation of the differences, for ``statistics.rows_needed``."""

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
    worst: float | None = None
    best: float | None = None
    sd: float | None = None
    p_worse: float | None = None  # one-sided, of a drop in the metric's direction: under 0.05 where ``best`` is below 0
    sources: int | None = None  # clusters of cases, where they were told apart


@dataclass(frozen=True, slots=True)
class Cell:
    """One score with everything known of it. ``prompt`` and ``reply`` are the judge's, byte for byte (untrusted).

    Metrics that share a judge's call (the facts metrics) all show it; ``attempts``, tokens, cost and latency stand at
    the first of them only, so that sums are right.
    """

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
    """One line of a ranking: ``grade`` is ``None`` for an unjudged document, ``rank`` for a relevant one not found."""

    rank: int | None
    doc_id: str
    score: float | None
    grade: int | None


@dataclass(frozen=True, slots=True)
class SideDetail:
    """What one side answered for one case; ``contexts`` are those its metrics saw, the dataset's where the target gave
    none; ``cause`` is ragtui's diagnosis with the evidence that led there."""

    side: Side
    state: State
    message: str
    response: str | None
    contexts: tuple[str, ...]
    ranking: tuple[RankedDocument, ...]
    latency_ms: float | None
    cells: tuple[Cell, ...]
    cause: str | None = None
    cause_evidence: str = ""


@dataclass(frozen=True, slots=True)
class CaseDetail:
    """One case whole: inputs, expected values, both sides, and the person's labels.

    ``labels`` maps a side (``candidate``) to the label of the row's cause, and a side with a metric
    (``candidate groundedness``) to the opinion of that verdict; the words are those of ``labels.Label``.
    ``on_other_answers`` are, in words, labels that other experiments' answers to this case were given.
    """

    case_id: str
    name: str
    inputs: Mapping[str, str]
    expected: Mapping[str, str]
    sides: tuple[SideDetail, ...]
    labels: Mapping[str, str]
    note: str = ""
    on_other_answers: tuple[str, ...] = ()

    def side(self, side: Side) -> SideDetail | None:
        return next((each for each in self.sides if each.side is side), None)


class Results(Protocol):
    """An experiment opened for reading; made by ``store.Store.results`` or by reading a result file."""

    experiment: str
    plan: Plan
    status: Status
    metrics: tuple[str, ...]  # in the group's order
    cluster: str | None  # the column that names each case's source, where intervals and tests are to heed it
    remarks: tuple[str, ...]  # what has to be said of its answers or its file, a line each
    slicing: tuple[str, ...]  # the columns by whose values the figures are shown apart as well

    @property
    def why_unfinished(self) -> str:
        """Why the run has not come to its end, in one line; empty where it has."""
        ...

    @property
    def stale(self) -> tuple[str, ...]:
        """Metrics that have a newer version than the one these scores are of."""
        ...

    def summaries(self) -> list[MetricSummary]:
        """Per metric in the group's order, the candidate before the baseline."""
        ...

    def comparisons(self) -> list[MetricComparison]:
        """Empty without a baseline."""
        ...

    def rows(self, side: Side = Side.CANDIDATE) -> pl.DataFrame:
        """One row a case, in the dataset's order: ``case_id``, ``name``, then per metric ``NAME`` (score, null where
        not scored), ``NAME state``, ``NAME passed``, with a baseline ``NAME Δ``; ``cause`` (ragtui's), ``label``,
        ``note``."""
        ...

    def texts(self, side: Side = Side.CANDIDATE, case_ids: Sequence[str] | None = None) -> pl.DataFrame:
        """One row a case: ``case_id``, each input by its name, ``expected NAME``, ``response``, ``contexts`` (JSON); of
        ``case_ids`` or of all, in the dataset's order, with the same columns whichever are asked for."""
        ...

    def reasons(self, side: Side = Side.CANDIDATE, case_ids: Sequence[str] | None = None) -> pl.DataFrame:
        """One row a case: ``case_id`` and per metric ``NAME reason`` (of the first repeat); of ``case_ids`` or of all."""
        ...

    def fields(self) -> pl.DataFrame:
        """One row a case: ``case_id`` and every column by which cases can be grouped, as text."""
        ...

    def detail(self, case_id: str) -> CaseDetail:
        """One case whole.

        Raises:
            KeyError: no such case in the experiment.
        """
        ...

    def causes(self, side: Side = Side.CANDIDATE) -> Mapping[str, int]:
        """Failing rows per cause of ragtui's, the most frequent first: rows that miss a threshold, right refusals and
        rows that a person labelled aside."""
        ...

    def labelled(self, side: Side = Side.CANDIDATE) -> Mapping[str, int]:
        """Rows per label that a person gave, failing or not."""
        ...
