"""Reading as seen by whoever waits for it: how far it is, what was found so far, and a way to stop it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from ragtui.datasets.findings import Report

_OFTEN: Final = 1 << 20  # characters of lines between two steps


class Stopped(Exception):
    """Reading was stopped by whoever waited for it."""


@dataclass
class Watch:
    """Filled by the thread that reads, looked at by another. ``done`` and ``total`` are bytes; ``reports`` are those of the
    sources begun so far and grow while one is read."""

    total: int = 0
    done: int = 0
    reports: list[Report] = field(default_factory=list)
    stopped: bool = False
    _begun: int = 0
    _size: int = 0

    def stop(self) -> None:
        """Asks the reader to stop at its next step."""
        self.stopped = True

    def begin(self, size: int) -> None:
        """A source of so many bytes is read from here on."""
        self._begun, self._size = self._begun + self._size, size
        self.done = self._begun
        self.step()

    def step(self, read: int = 0) -> None:
        """So many more bytes were read.

        Raises:
            Stopped: nobody waits for the rest.
        """
        if self.stopped:
            raise Stopped
        self.done = min(self.done + read, self._begun + self._size)

    def lines(self, lines: Iterable[str], share: float = 1.0) -> Iterator[str]:
        """The lines, with a step for every megabyte of them; ``share`` is how much of the work they are."""
        seen = 0
        for line in lines:
            seen += len(line)
            if seen > _OFTEN:
                self.step(int(seen * share))
                seen = 0
            yield line

    @property
    def portion(self) -> float:
        """What part of the whole is done, from 0 to 1."""
        return min(1.0, self.done / self.total) if self.total else 0.0
