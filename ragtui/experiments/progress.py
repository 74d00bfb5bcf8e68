"""The plain object between a run and whoever watches it: the run fills it, a screen drains it ten times a second."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from ragtui.metrics.score import State


class Status(StrEnum):
    PLANNED = "planned"
    RUNNING = "running"
    PAUSED = "paused"  # stopped by a judge or a budget; resumable
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"  # the process ended; resumable
    FINISHED = "finished"


ROWS_TO_TELL_FROM: Final = 5
_MOST_COSTS: Final = 10_000


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a whole run will have taken: tokens of the judge, its cost (low, high) in USD where prices are known, seconds."""

    tokens: int
    cost: tuple[float, float] | None
    seconds: float | None


@dataclass
class Progress:
    """How far a run is: written by the run's thread, read by any; ``cancel`` asks it to stop soon."""

    total: int = 0
    done: int = 0
    reused: int = 0
    in_flight: int = 0
    concurrency: int = 0
    states: Counter[State] = field(default_factory=Counter)
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = None
    status: Status = Status.PLANNED
    message: str = ""
    stage: str = ""
    experiment: str | None = None
    started: float = field(default_factory=time.monotonic)
    calls: int = 0
    _rows: set[int] = field(default_factory=set)
    _costs: list[float] = field(default_factory=list)
    _cells_of_calls: int = 0
    _stop: threading.Event = field(default_factory=threading.Event)
    _turn: Callable[[int], int] | None = None

    def begin(self) -> None:
        """Forgets the figures of an earlier run, where one watcher follows several; a wish to stop stays."""
        self.done = self.reused = self.total = self.in_flight = self.prompt_tokens = self.completion_tokens = 0
        self.states, self.cost, self.stage, self.message = Counter(), None, "", ""
        self.calls = self._cells_of_calls = 0
        self._rows, self._costs = set(), []
        self.started = time.monotonic()

    def called(self, row: int, cells: int, tokens: tuple[int, int], cost: float | None, paid: bool) -> None:
        """Counts one call of the judge that gave ``cells`` cells of one row; ``paid`` is false for a reply that was kept."""
        self.prompt_tokens += tokens[0]
        self.completion_tokens += tokens[1]
        if cost is not None:
            self.cost = (self.cost or 0.0) + cost
        if paid:
            self.calls += 1
            self._cells_of_calls += cells
            if len(self._rows) < ROWS_TO_TELL_FROM:
                self._rows.add(row)
            if cost is not None and len(self._costs) < _MOST_COSTS:
                self._costs.append(cost)

    def forecast(self) -> Forecast | None:
        """What the whole run will take, from the rows that were judged so far; ``None`` before five were."""
        if len(self._rows) < ROWS_TO_TELL_FROM or not self.total:
            return None
        left = max(0, self.total - self.done) / max(1.0, self._cells_of_calls / self.calls)
        share = 1 + left / self.calls
        tokens = int((self.prompt_tokens + self.completion_tokens) * share)
        fresh = self.done - self.reused
        seconds = self.seconds * (1 + (self.total - self.done) / fresh) if fresh else None
        return Forecast(tokens, self._cost_of_all(left), seconds)

    def _cost_of_all(self, left: float) -> tuple[float, float] | None:
        """Spent, and for the calls that are left the mean so far give or take two standard errors and their own spread."""
        n = len(self._costs)
        if n < 2 or self.cost is None:
            return None
        mean = sum(self._costs) / n
        spread = (sum((each - mean) ** 2 for each in self._costs) / (n - 1)) ** 0.5
        half = 2 * spread * (left**2 / n + left) ** 0.5
        return self.cost + max(0.0, left * mean - half), self.cost + left * mean + half

    def cancel(self) -> None:
        self._stop.set()

    @property
    def turns(self) -> bool:
        """Whether there are judge calls in flight whose number can be turned."""
        return self._turn is not None

    def turn(self, by: int) -> None:
        """Asks for more or fewer judge calls in flight; without effect where nothing is in flight."""
        if self._turn is not None:
            self.concurrency = self._turn(by)

    @property
    def cancelled(self) -> bool:
        return self._stop.is_set()

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.started
