"""Asks a live target for many cases at once: so many in flight, each with a time limit, tried again where that helps."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from ragtui.metrics.score import State
from ragtui.targets.output import CONNECTION, TIMEOUT, failed
from ragtui.targets.target import Case, Response

LONGEST_WAIT: Final = 60.0  # seconds that a server may ask to wait for


@dataclass(frozen=True, slots=True)
class Limits:
    """``timeout`` in seconds for one try; ``retries`` after the first try, ``wait`` seconds before the first of them,
    doubled each time."""

    concurrency: int = 4
    timeout: float = 60.0
    retries: int = 2
    wait: float = 0.5


class CallFailed(Exception):
    """One try gave no answer. ``again``: trying again may help, after ``wait`` seconds if the other side said so; ``once``:
    one more try is enough to know."""

    def __init__(
        self, cause: str, message: str, *, again: bool = False, wait: float | None = None, once: bool = False
    ) -> None:
        super().__init__(message)
        self.cause, self.again, self.wait, self.once = cause, again, wait, once


async def answers(
    cases: Sequence[Case], ask: Callable[[Case], Awaitable[Response]], limits: Limits
) -> AsyncIterator[Response]:
    """The response to each case as it comes, ``limits.concurrency`` in flight; a failure is the case's response."""
    waiting = iter(cases)
    running: set[asyncio.Task[Response]] = set()
    try:
        while True:
            for case in waiting:
                running.add(asyncio.ensure_future(answer(case, ask, limits)))
                if len(running) >= limits.concurrency:
                    break
            if not running:
                return
            done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            for each in done:
                yield each.result()
    finally:
        for each in running:
            each.cancel()
        await asyncio.gather(*running, return_exceptions=True)


async def only(responses: AsyncIterator[Response]) -> Response:
    """The response to the one case that was asked."""
    return [each async for each in responses].pop()


async def answer(case: Case, ask: Callable[[Case], Awaitable[Response]], limits: Limits) -> Response:
    """One case, tried as often as allowed. The latency is that of the try that answered, measured here unless the target
    says it itself."""
    tries = 0
    while True:
        started = time.monotonic()
        tries += 1
        try:
            found = await asyncio.wait_for(ask(case), limits.timeout)
        except TimeoutError:
            error = CallFailed(TIMEOUT, f"no answer within {limits.timeout:g} s", again=True)
        except CallFailed as failure:
            error = failure
        except OSError as failure:
            error = CallFailed(CONNECTION, f"{type(failure).__name__}: {failure}", again=True)
        else:
            if found.state is State.SCORED and found.latency_ms is None:
                found = replace(found, latency_ms=(time.monotonic() - started) * 1000)
            return found
        if not error.again or tries > (min(1, limits.retries) if error.once else limits.retries):
            said = f"{error} (tried {tries} times)" if tries > 1 else str(error)
            return failed(case.case_id, error.cause, said)
        await asyncio.sleep(_pause(error, tries, limits))


def _pause(error: CallFailed, tries: int, limits: Limits) -> float:
    if error.wait is not None:
        return min(error.wait, LONGEST_WAIT)
    return limits.wait * 2.0 ** min(tries - 1, 16) * random.uniform(0.5, 1.0)
