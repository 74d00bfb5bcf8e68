"""The plain object between a run and whoever watches it: the run fills it, a screen drains it ten times a second."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from ragtui.metrics.score import State


class Status(StrEnum):
    PLANNED = "planned"
    RUNNING = "running"
    PAUSED = "paused"  # stopped by a judge or a budget; resumable
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"  # the process ended; resumable
    FINISHED = "finished"


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
    _stop: threading.Event = field(default_factory=threading.Event)
    _turn: Callable[[int], int] | None = None

    def begin(self) -> None:
        """Forgets the figures of an earlier run, where one watcher follows several; a wish to stop stays."""
        self.done = self.reused = self.total = self.in_flight = self.prompt_tokens = self.completion_tokens = 0
        self.states, self.cost, self.stage, self.message = Counter(), None, "", ""
        self.started = time.monotonic()

    def cancel(self) -> None:
        self._stop.set()

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
