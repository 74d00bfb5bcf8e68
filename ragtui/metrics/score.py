"""The result of one cell: exactly one state, and a number only where it was scored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

Inputs: TypeAlias = Mapping[str, "str | tuple[str, ...]"]
"""A case as a metric sees it: ``context`` (chunks, in rank order) and ``ground_truth`` (gold answers, of which the best
counts) are tuples, every other input is text. An absent input is not in the mapping; an empty one is ``""`` or ``()``."""


class State(StrEnum):
    SCORED = "scored"
    NOT_APPLICABLE = "not_applicable"
    TARGET_ERROR = "target_error"
    METRIC_ERROR = "metric_error"
    JUDGE_ERROR = "judge_error"
    SKIPPED = "skipped"
    PENDING = "pending"

    @property
    def is_error(self) -> bool:
        return self in (State.TARGET_ERROR, State.METRIC_ERROR, State.JUDGE_ERROR)


def texts(inputs: Inputs, name: str) -> tuple[str, ...]:
    """An input as texts: none where it is absent."""
    value = inputs.get(name, ())
    return (value,) if isinstance(value, str) else value


@dataclass(frozen=True, slots=True)
class Evidence:
    """One claim with its verdict (``entailed``, ``contradicted``, ``neutral``).

    ``chunk`` is the 0-based context (for facts: the response is chunk 0) whose characters ``start`` to ``end`` support or
    contradict it; ``None`` where nothing was found.
    """

    claim: str
    verdict: str
    chunk: int | None = None
    start: int | None = None
    end: int | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one cell. ``score`` is set if and only if ``state`` is ``scored``; ``cause`` names an error's kind."""

    state: State
    score: float | None = None
    cause: str | None = None
    reason: str = ""
    evidence: tuple[Evidence, ...] = ()

    def __post_init__(self) -> None:
        if (self.state is State.SCORED) != (self.score is not None) or (
            self.score is not None and self.score != self.score
        ):
            raise ValueError(f"state {self.state} with score {self.score}")


def scored(score: float, reason: str = "", evidence: tuple[Evidence, ...] = ()) -> Outcome:
    return Outcome(State.SCORED, float(score), reason=reason, evidence=evidence)


def not_applicable(reason: str) -> Outcome:
    return Outcome(State.NOT_APPLICABLE, reason=reason)
