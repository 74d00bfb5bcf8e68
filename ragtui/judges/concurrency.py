"""How many calls are in flight: as many as asked for, fewer while the endpoint pushes back, turned up or down by hand."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

MOST: Final = 1024
_WINDOW: Final = 20
_PUSHED_BACK: Final = 0.1
_STEADY: Final = 8


class Concurrency:
    """A limit on calls in flight that adapts. Used by one event loop; ``turn`` and the figures may be used by any thread.

    ``asked`` is what the user wants, ``limit`` what is allowed now. The limit is halved when more than one reply in ten
    of late was a push-back (429 or a time-out), at most once for the calls that were then in flight, and grows by one
    for every eight good replies until it is back. Optional rates hold back the start of calls, not their number.
    """

    def __init__(
        self, asked: int, *, requests_per_minute: int | None = None, tokens_per_minute: int | None = None
    ) -> None:
        if asked < 1:
            raise ValueError("concurrency must be at least 1")
        self.asked = min(asked, MOST)
        self.limit = self.asked
        self.in_flight = 0
        self.pushed_back = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._recent: deque[bool] = deque(maxlen=_WINDOW)
        self._good = 0
        self._halved_at = float("-inf")
        self._requests = _Rate(requests_per_minute)
        self._tokens = _Rate(tokens_per_minute)
        self._loop: asyncio.AbstractEventLoop | None = None

    def turn(self, by: int) -> int:
        """Raises or lowers what is asked for, and with it the limit; returns what is asked for now."""
        self.asked = min(MOST, max(1, self.asked + by))
        self.limit = self.asked
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._admit)
        return self.asked

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Waits for a place among the calls in flight, and for the request rate."""
        await self._enter()
        try:
            await self._requests.take(1)
            yield
        finally:
            self._leave()

    async def afford(self, tokens: int) -> None:
        """Waits until the token rate allows ``tokens`` more; what was estimated is set right by ``spent``."""
        await self._tokens.take(tokens)

    def spent(self, estimated: int, tokens: int) -> None:
        self._tokens.correct(tokens - estimated)

    def succeeded(self) -> None:
        self._recent.append(False)
        self._good += 1
        if self._good >= _STEADY and self.limit < self.asked:
            self.limit += 1
            self._good = 0
            self._admit()

    def push_back(self, started: float) -> None:
        """A 429 or a time-out of a call that began at ``started`` (monotonic seconds)."""
        self.pushed_back += 1
        self._recent.append(True)
        self._good = 0
        share = sum(self._recent) / max(len(self._recent), _WINDOW // 2)
        if share > _PUSHED_BACK and started >= self._halved_at:
            self.limit = max(1, self.limit // 2)
            self._halved_at = time.monotonic()
            self._recent.clear()

    async def _enter(self) -> None:
        self._loop = asyncio.get_running_loop()
        if self.in_flight < self.limit and not self._waiting:
            self.in_flight += 1
            return
        turn: asyncio.Future[None] = self._loop.create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._leave()
            else:
                self._waiting.remove(turn)
            raise

    def _leave(self) -> None:
        self.in_flight -= 1
        self._admit()

    def _admit(self) -> None:
        while self._waiting and self.in_flight < self.limit:
            turn = self._waiting.popleft()
            if not turn.done():
                self.in_flight += 1
                turn.set_result(None)


class _Rate:
    """So many units a minute, taken in order, with a burst of one second's worth."""

    def __init__(self, per_minute: int | None) -> None:
        self._per_second = None if per_minute is None else per_minute / 60
        self._free_at = 0.0

    async def take(self, units: float) -> None:
        if self._per_second is None:
            return
        now = time.monotonic()
        begin = max(self._free_at, now - 1.0)
        self._free_at = begin + units / self._per_second
        if begin > now:
            await asyncio.sleep(begin - now)

    def correct(self, units: float) -> None:
        if self._per_second is not None:
            self._free_at += units / self._per_second
