"""Asks a judge: over the network by the judges' engine, in this process, or in several where judging is work."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from collections.abc import AsyncIterator, Callable, Hashable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, redirect_stderr
from multiprocessing import get_context, resource_tracker
from typing import Final, Generic, TypeAlias, TypeVar

from ragtui.judges.cache import Cache
from ragtui.judges.concurrency import Concurrency
from ragtui.judges.engine import ask_all
from ragtui.judges.judge import Judge, Question, Verdict

K = TypeVar("K", bound=Hashable)
Batch: TypeAlias = list[tuple[K, Question]]

BATCH: Final = 16  # questions handed to a process at once
POOL_FROM: Final = 400  # questions from which starting processes pays
_LOOK: Final = 0.05


def workers() -> int:
    return min(8, os.cpu_count() or 1)


@contextmanager
def processes(judge: Judge | None, questions: int) -> Iterator[Executor | None]:
    """Processes to judge in, where the judge works in this process and there is much to do; else ``None``."""
    if judge is None or judge.host is not None or questions < POOL_FROM or workers() < 2:
        yield None
        return
    _start_tracker()
    pool = ProcessPoolExecutor(workers(), get_context("spawn"), _begin_process)
    try:
        yield pool
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _start_tracker() -> None:
    """Starts what multiprocessing needs beside its processes: it asks standard error for its number, which it does not
    have where a screen stands in for it."""
    with redirect_stderr(sys.__stderr__):
        resource_tracker.ensure_running()


async def judge_all(
    judge: Judge,
    questions: AsyncIterator[tuple[K, Question]],
    *,
    on_verdict: Callable[[K, Verdict], None],
    stop: Callable[[], bool],
    concurrency: Concurrency | None = None,
    cache: Cache | None = None,
    executor: Executor | None = None,
) -> None:
    """Asks every question once; ``on_verdict`` gets each verdict as it lands, in the loop's thread.

    Where processes cannot be had, or one dies, what is left is judged in this one.

    Raises:
        JudgeStopped: the judge cannot go on; every verdict that landed was handed on.
    """
    if executor is not None:
        questions = await _Spread(judge, executor, on_verdict, stop).ask(_batches(questions))
    if not stop():
        await ask_all(judge, questions, on_verdict=on_verdict, stop=stop, concurrency=concurrency, cache=cache)


class _Spread(Generic[K]):
    """Batches of questions handed to an executor, twice as many as there are workers at a time."""

    def __init__(
        self, judge: Judge, executor: Executor, on_verdict: Callable[[K, Verdict], None], stop: Callable[[], bool]
    ) -> None:
        self._judge, self._executor = judge, executor
        self._on_verdict, self._stop = on_verdict, stop
        self._most = 2 * workers()
        self._running: dict[asyncio.Future[list[Verdict]], Batch[K]] = {}

    async def ask(self, batches: AsyncIterator[Batch[K]]) -> AsyncIterator[tuple[K, Question]]:
        """Asks them all and returns what could not be asked: nothing, unless a process died."""
        loop = asyncio.get_running_loop()
        batch: Batch[K] = []
        try:
            async for batch in batches:
                asked = [question for _, question in batch]
                self._running[loop.run_in_executor(self._executor, judge_batch, self._judge, asked)] = batch
                batch = []
                await self._land(self._most)
                if self._stop():
                    break
            await self._land(1)
        except BrokenProcessPool:
            return _rest([*self._running.values(), batch], batches)
        finally:
            for each in self._running:
                each.cancel()
        return _rest([], batches)

    async def _land(self, most: int) -> None:
        """Hands on what has landed, and waits until fewer than ``most`` batches run."""
        while True:
            for each in [each for each in self._running if each.done()]:
                verdicts = each.result()
                for (key, _), verdict in zip(self._running.pop(each), verdicts, strict=True):
                    self._on_verdict(key, verdict)
            if len(self._running) < most or self._stop():
                return
            await asyncio.wait(self._running, timeout=_LOOK, return_when=asyncio.FIRST_COMPLETED)


async def _batches(questions: AsyncIterator[tuple[K, Question]]) -> AsyncIterator[Batch[K]]:
    batch: Batch[K] = []
    async for each in questions:
        batch.append(each)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


async def _rest(first: list[Batch[K]], more: AsyncIterator[Batch[K]]) -> AsyncIterator[tuple[K, Question]]:
    for batch in first:
        for each in batch:
            yield each
    async for batch in more:
        for each in batch:
            yield each


def judge_batch(judge: Judge, questions: list[Question]) -> list[Verdict]:
    """Judges one after the other; what a process (or a machine of a cluster) does with a batch."""

    async def ask() -> list[Verdict]:
        return [await judge.ask(question) for question in questions]

    return asyncio.run(ask())


def _begin_process() -> None:
    """Leaves interrupts to the run, writes nothing over a screen, and outlives nobody."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, name="end with the run", daemon=True).start()
    nothing = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(nothing, stream)
    os.close(nothing)


def _end_with_parent() -> None:
    """A run that is killed cannot end its processes: each watches for that itself."""
    from multiprocessing import parent_process
    from multiprocessing.connection import wait

    if (parent := parent_process()) is not None:
        wait([parent.sentinel])
        os._exit(1)
