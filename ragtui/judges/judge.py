"""The one interface of every judge: a question in, a verdict out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from ragtui.metrics.score import Evidence, Inputs, State

if TYPE_CHECKING:
    from ragtui.metrics.judged import Rubric


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked about one case: ``name`` is a metric's ``question`` (``groundedness``, …, or ``facts``). A metric of
    the user's own brings its ``rubric``."""

    name: str
    inputs: Inputs
    version: str = "1"
    repeat: int = 1
    rubric: Rubric | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """A judge's parsed reply. ``state`` is ``scored`` (for ``facts``: the evidence is the result and ``score`` is
    ``None``), ``not_applicable``, ``judge_error`` with its ``cause``, or ``skipped``.

    ``attempts`` counts every request; tokens and ``cost`` (USD) are ``None`` where unknown, never a made-up 0.
    """

    state: State
    score: float | None = None
    cause: str | None = None
    reason: str = ""
    evidence: tuple[Evidence, ...] = ()
    prompt: str | None = None
    reply: str | None = None
    repaired: bool = False
    cached: bool = False
    attempts: int = 0
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost: float | None = None
    latency_ms: float | None = None


class JudgeStopped(Exception):
    """Asking on is pointless (wrong key, quota exhausted, unknown model): the run pauses. The message is one clear line."""


class Judge(Protocol):
    """Who judges. ``name`` identifies it in plans and score files; ``host`` is where text is sent, ``None`` for offline."""

    name: str
    strategy: str
    host: str | None

    def refuses(self, question: str) -> str | None:
        """Why this judge cannot answer that kind of question at all, or ``None``."""
        ...

    def cache_key(self, question: Question) -> str | None:
        """Equal for two questions only if every byte sent would be equal; ``None`` where a verdict costs nothing."""
        ...

    async def ask(self, question: Question) -> Verdict:
        """Judges one case. Raises ``JudgeStopped`` only; every other failure is a verdict with its cause."""
        ...

    async def close(self) -> None: ...
