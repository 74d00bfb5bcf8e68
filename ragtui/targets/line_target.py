"""A target that is a process asked by JSON lines: started when it is needed, replaced when it hangs or dies."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from ragtui.metrics.score import State
from ragtui.targets.calling import CallFailed, Limits, answers
from ragtui.targets.line_process import Died, LineProcess, Unclear
from ragtui.targets.output import EXCEPTION, response_from
from ragtui.targets.surplus import Surplus
from ragtui.targets.target import Case, Response

FRUITLESS: Final = 5  # processes in a row that ended without a single answer, after which no other is started


@dataclass(eq=False)
class LineTarget:
    """Answers by ``command``. One case's crash or hang is that case's failure: the process is replaced, and the cases
    that were lost with it are asked again, each in a process of its own, so that the one to blame is found."""

    spec: str
    command: Sequence[str]
    folder: Path
    limits: Limits
    code: tuple[Path | str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    with_contexts: bool = False
    foreign: bool = False
    loads_within: float | None = None  # seconds that a process which says when it is ready has for that
    replays: bool = False
    host: str | None = None
    gives: frozenset[str] = frozenset({"response"})
    _surplus: Surplus = field(default_factory=Surplus, repr=False)
    _now: LineProcess | None = field(default=None, repr=False)
    _retired: list[LineProcess] = field(default_factory=list, repr=False)
    _starting: asyncio.Lock = field(default_factory=asyncio.Lock, repr=False)
    _one_by_one: asyncio.Lock = field(default_factory=asyncio.Lock, repr=False)
    _alone: asyncio.Lock = field(default_factory=asyncio.Lock, repr=False)
    _fruitless: int = field(default=0, repr=False)
    _hopeless: CallFailed | None = field(default=None, repr=False)

    def respond(self, cases: Sequence[Case]) -> AsyncIterator[Response]:
        """Each case's answer as it comes."""
        within = Limits(
            self.limits.concurrency, 86_400.0, self.limits.retries, self.limits.wait
        )  # timed by the process
        return answers(cases, self._ask, within)

    async def close(self) -> None:
        for each in (*self._retired, *([self._now] if self._now else [])):
            await each.close()
        self._now, self._retired = None, []

    def remarks(self) -> tuple[str, ...]:
        """What was answered that nobody had asked, a line a kind; complete once the target is closed."""
        return self._surplus.remarks()

    async def _ask(self, case: Case) -> Response:
        value, seconds = await self._timed(case)
        found = response_from(case.case_id, value)
        if found.state is State.SCORED and found.latency_ms is None:
            found = replace(found, latency_ms=seconds * 1000)
        return found

    async def value(self, case: Case) -> Any:
        """What the process answers to a case, as it is.

        Raises:
            CallFailed: it answers nothing.
        """
        return (await self._timed(case))[0]

    async def _timed(self, case: Case) -> tuple[Any, float]:
        """The answer, and the seconds from question to answer: neither a process's start nor a wait for one is in it."""
        try:
            return await self._in_turn(case)
        except Unclear:
            return await self._in_turn(case)
        except Died as error:
            return await self._by_itself(case, error)

    async def _in_turn(self, case: Case) -> tuple[Any, float]:
        async with self._one_by_one if self._surplus.one_at_a_time else contextlib.nullcontext():
            worker = await self._worker()
            try:
                return await self._asked(worker, case)
            except CallFailed as error:
                if not worker.answered:
                    self._last = error
                raise
            finally:
                await self._settle(worker)

    async def _asked(self, worker: LineProcess, case: Case) -> tuple[Any, float]:
        started = time.monotonic()
        found = await worker.ask(case.case_id, case.question(self.with_contexts), self.limits.timeout)
        return found, time.monotonic() - started

    async def _worker(self) -> LineProcess:
        async with self._starting:
            if self._now is not None and self._now.ending:
                self._count(self._now)
                self._retired.append(self._now)
                self._now = None
            if self._hopeless is not None:
                raise CallFailed(
                    self._hopeless.cause,
                    f"not asked: {FRUITLESS} processes in a row answered nothing; {self._hopeless}",
                )
            if self._now is None:
                self._now = await self._start()
            return self._now

    async def _start(self) -> LineProcess:
        """A process that can be asked.

        Raises:
            CallFailed: it cannot be started, which no other try would mend; or it ended or hung before it was ready.
        """
        try:
            worker = await LineProcess.start(self.command, self.folder, self.environment, self.foreign, self._surplus)
        except CallFailed as error:
            self._hopeless = error
            raise
        if self.loads_within is not None:
            try:
                await worker.ready(self.loads_within)
            except CallFailed as error:
                self._last = error
                self._count(worker)
                await worker.close()
                raise
        return worker

    def _count(self, worker: LineProcess) -> None:
        """Gives up once several processes in a row answered nothing."""
        self._fruitless = 0 if worker.answered else self._fruitless + 1
        if self._fruitless >= FRUITLESS and self._hopeless is None:
            self._hopeless = self._last

    async def _settle(self, worker: LineProcess) -> None:
        """A process that is asked nothing more is ended once its last question is done."""
        if worker.ending and worker.idle and worker in self._retired:
            self._retired.remove(worker)
            await worker.close()

    async def _by_itself(self, case: Case, error: Died) -> tuple[Any, float]:
        """Asks once more for a case that was lost with others, in a process of its own."""
        if error.alone or self._hopeless is not None:
            raise error
        async with self._alone:
            if self._hopeless is not None:
                raise error
            worker = await self._start()
            try:
                return await self._asked(worker, case)
            except CallFailed as failure:
                self._last = failure
                raise
            finally:
                self._count(worker)
                await worker.close()

    _last: CallFailed = field(default_factory=lambda: CallFailed(EXCEPTION, "nothing was answered"), repr=False)
