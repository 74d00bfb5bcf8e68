"""A target around another one: it asks that one in its own way, and what is known of it is what is known of that one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ragtui.targets.calling import Limits, answers
from ragtui.targets.target import Case, Response, Target

_FOR_EVER: Final = 86_400.0  # seconds: the target around which it stands keeps its own time, and tries again by itself


@dataclass(eq=False)
class Around(ABC):
    """``_ask`` answers one case with ``target``."""

    target: Target

    @property
    def spec(self) -> str:
        return self.target.spec

    @property
    def replays(self) -> bool:
        return self.target.replays

    @property
    def host(self) -> str | None:
        return self.target.host

    @property
    def code(self) -> tuple[Path | str, ...]:
        return tuple(getattr(self.target, "code", ()))

    @property
    def limits(self) -> Limits:
        found: Limits = getattr(self.target, "limits", Limits())
        return found

    def remarks(self) -> tuple[str, ...]:
        found: tuple[str, ...] = getattr(self.target, "remarks", tuple)()
        return found

    def respond(self, cases: Sequence[Case]) -> AsyncIterator[Response]:
        """Each case's answer as it comes."""
        return answers(cases, self._ask, Limits(self.limits.concurrency, _FOR_EVER, 0))

    async def close(self) -> None:
        await self.target.close()

    @abstractmethod
    async def _ask(self, case: Case) -> Response: ...
