"""Asks a judge many questions at once: as many in flight as allowed, each verdict handed on as it lands."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterable, AsyncIterator, Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from ragtui.judges.cache import Cache, kept, reused
from ragtui.judges.concurrency import Concurrency
from ragtui.judges.judge import Judge, Question, Verdict
from ragtui.metrics.score import State

K = TypeVar("K", bound=Hashable)

_LOOK: Final = 0.05  # seconds between two looks at ``stop``


@dataclass(frozen=True, slots=True)
class Asked:
    """How a round of questions went: verdicts handed on, those of them that were not paid for, and whether it was stopped."""

    verdicts: int
    reused: int
    stopped: bool


async def ask_all(
    judge: Judge,
    questions: AsyncIterable[tuple[K, Question]] | Iterable[tuple[K, Question]],
    *,
    on_verdict: Callable[[K, Verdict], None],
    concurrency: Concurrency | None = None,
    stop: Callable[[], bool] | None = None,
    cache: Cache | None = None,
) -> Asked:
    """Asks every question once and hands each verdict to ``on_verdict`` in the loop's thread, in the order they land.

    Questions are drawn only as fast as they can be asked. Of equal questions in flight one is asked and the others wait
    for it; later ones are found in ``cache``. A question that the judge refuses is ``not_applicable`` with the reason.
    ``stop`` is looked at 20 times a second: once true, calls in flight are dropped at once. ``concurrency`` replaces the
    judge's own and can be turned meanwhile.

    Raises:
        JudgeStopped: the judge cannot go on; every verdict that landed was handed on.
    """
    shared = concurrency or getattr(judge, "concurrency", None) or Concurrency(1)
    if hasattr(judge, "concurrency"):
        judge.concurrency = shared
    round_ = _Round(judge, on_verdict, shared, stop or (lambda: False), cache)
    return await round_.run(_stream(questions))


async def _stream(
    questions: AsyncIterable[tuple[K, Question]] | Iterable[tuple[K, Question]],
) -> AsyncIterator[tuple[K, Question]]:
    if isinstance(questions, AsyncIterable):
        async for each in questions:
            yield each
    else:
        for item in questions:
            yield item


class _Round(Generic[K]):
    def __init__(
        self,
        judge: Judge,
        on_verdict: Callable[[K, Verdict], None],
        concurrency: Concurrency,
        stop: Callable[[], bool],
        cache: Cache | None,
    ) -> None:
        self._judge = judge
        self._on_verdict = on_verdict
        self._concurrency = concurrency
        self._stop = stop
        self._cache = cache
        self._running: set[asyncio.Task[None]] = set()
        self._landed = asyncio.Event()
        self._asked_now: dict[str, asyncio.Future[Verdict]] = {}
        self._failed: BaseException | None = None
        self._verdicts = 0
        self._reused = 0
        self._stopped = False

    async def run(self, questions: AsyncIterator[tuple[K, Question]]) -> Asked:
        feed = asyncio.ensure_future(
            self._feed(questions) if self._judge.host is not None else self._feed_inline(questions)
        )
        try:
            while not feed.done():
                await asyncio.wait({feed}, timeout=_LOOK)
                self._landed.set()
                if self._stop():
                    self._stopped = True
                    break
            if feed.done():
                feed.result()
        finally:
            feed.cancel()
            for task in self._running:
                task.cancel()
            await asyncio.gather(feed, *self._running, return_exceptions=True)
        return Asked(self._verdicts, self._reused, self._stopped)

    async def _feed_inline(self, questions: AsyncIterator[tuple[K, Question]]) -> None:
        """A judge in this process: one after the other, with a look at the loop now and then."""
        looked = time.monotonic()
        async for key, question in questions:
            self._hand_on(key, await self._verdict(question))
            if time.monotonic() - looked > _LOOK:
                await asyncio.sleep(0)
                if self._stop():
                    self._stopped = True
                    return
                looked = time.monotonic()

    async def _feed(self, questions: AsyncIterator[tuple[K, Question]]) -> None:
        async for key, question in questions:
            task = asyncio.ensure_future(self._one(key, question))
            self._running.add(task)
            task.add_done_callback(self._done)
            while len(self._running) >= self._concurrency.limit and self._failed is None:
                await self._next_landing()
            if self._failed is not None:
                raise self._failed
        while self._running and self._failed is None:
            await self._next_landing()
        if self._failed is not None:
            raise self._failed

    async def _next_landing(self) -> None:
        """Until a question is done, or ``run`` looks round: the limit may have been turned up."""
        self._landed.clear()
        await self._landed.wait()

    def _done(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None and self._failed is None:
            self._failed = error
        self._landed.set()

    async def _one(self, key: K, question: Question) -> None:
        self._hand_on(key, await self._verdict(question))

    def _hand_on(self, key: K, verdict: Verdict) -> None:
        self._verdicts += 1
        self._reused += verdict.cached
        self._on_verdict(key, verdict)

    async def _verdict(self, question: Question) -> Verdict:
        refusal = self._judge.refuses(question.name)
        if refusal is not None:
            return Verdict(State.NOT_APPLICABLE, reason=refusal)
        name = self._judge.cache_key(question)
        if name is None:
            return await self._judge.ask(question)
        while name in self._asked_now:
            same = await asyncio.shield(self._asked_now[name])
            if kept(same):
                return reused(same)
        known = self._cache.get(name) if self._cache else None
        return known if known is not None else await self._asked(name, question)

    async def _asked(self, name: str, question: Question) -> Verdict:
        waiting: asyncio.Future[Verdict] = asyncio.get_running_loop().create_future()
        self._asked_now[name] = waiting
        try:
            verdict = await self._judge.ask(question)
        except BaseException:
            waiting.cancel()
            raise
        else:
            waiting.set_result(verdict)
            if self._cache:
                self._cache.put(name, verdict)
            return verdict
        finally:
            del self._asked_now[name]
