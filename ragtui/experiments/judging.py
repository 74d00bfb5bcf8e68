"""Asks a judge: over the network by the judges' engine, in this process, or in several where judging is work."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context
from typing import Final, TypeVar

from ragtui.judges.cache import Cache
from ragtui.judges.concurrency import Concurrency
from ragtui.judges.engine import ask_all
from ragtui.judges.judge import Judge, JudgeStopped, Question, Verdict

K = TypeVar("K")

BATCH: Final = 16  # questions handed to a process at once
POOL_FROM: Final = 400  # questions from which starting processes pays
_LOOK: Final = 0.05


@contextmanager
def processes(judge: Judge | None, questions: int) -> Iterator[Executor | None]:
    """Processes to judge in, where the judge works in this process and there is much to do; else ``None``."""
    workers = min(8, os.cpu_count() or 1)
    if judge is None or judge.host is not None or questions < POOL_FROM or workers < 2:
        yield None
        return
    pool = ProcessPoolExecutor(workers, get_context("spawn"), _leave_interrupts_to_the_run)
    try:
        yield pool
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


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

    Raises:
        JudgeStopped: the judge cannot go on; every verdict that landed was handed on.
    """
    if executor is None:
        await ask_all(judge, questions, on_verdict=on_verdict, stop=stop, concurrency=concurrency, cache=cache)
        return
    running: set[asyncio.Future[list[tuple[K, Verdict]]]] = set()
    loop = asyncio.get_running_loop()
    try:
        async for batch in _batches(questions):
            keys, asked = [key for key, _ in batch], [question for _, question in batch]
            running.add(asyncio.ensure_future(_one_batch(loop, executor, judge, keys, asked)))
            running = await _landed(running, on_verdict, stop, most=2 * min(8, os.cpu_count() or 1))
            if stop():
                return
        while running and not stop():
            running = await _landed(running, on_verdict, stop, most=1)
    except BrokenProcessPool as error:
        raise JudgeStopped("a judging process ended unexpectedly; the same command goes on from here") from error
    finally:
        for each in running:
            each.cancel()


async def _one_batch(
    loop: asyncio.AbstractEventLoop, executor: Executor, judge: Judge, keys: list[K], questions: list[Question]
) -> list[tuple[K, Verdict]]:
    verdicts = await loop.run_in_executor(executor, judge_batch, judge, questions)
    return list(zip(keys, verdicts, strict=True))


async def _landed(
    running: set[asyncio.Future[list[tuple[K, Verdict]]]],
    on_verdict: Callable[[K, Verdict], None],
    stop: Callable[[], bool],
    most: int,
) -> set[asyncio.Future[list[tuple[K, Verdict]]]]:
    """Hands on what has landed, and waits until fewer than ``most`` batches run."""
    while True:
        done = {each for each in running if each.done()}
        running = running - done
        for each in done:
            for key, verdict in each.result():
                on_verdict(key, verdict)
        if len(running) < most or stop():
            return running
        await asyncio.wait(running, timeout=_LOOK, return_when=asyncio.FIRST_COMPLETED)


async def _batches(questions: AsyncIterator[tuple[K, Question]]) -> AsyncIterator[list[tuple[K, Question]]]:
    batch: list[tuple[K, Question]] = []
    async for each in questions:
        batch.append(each)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def judge_batch(judge: Judge, questions: list[Question]) -> list[Verdict]:
    """Judges one after the other; what a process (or a machine of a cluster) does with a batch."""

    async def ask() -> list[Verdict]:
        return [await judge.ask(question) for question in questions]

    return asyncio.run(ask())


def _leave_interrupts_to_the_run() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
