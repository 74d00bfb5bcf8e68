"""A process that is asked by JSON lines and answers by JSON lines, kept alive between questions.

A question is ``{"id", "query", "inputs", "filters", …}`` on its standard input; an answer is an object with the same
``id`` on its standard output, in any order; answers without an ``id`` are taken in the order of the questions, as long
as that order tells whose they are. What it writes to standard error is kept for messages and shown nowhere else.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import signal
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from ragtui import children
from ragtui.targets.calling import CallFailed
from ragtui.targets.output import BAD_OUTPUT, EXCEPTION, TIMEOUT, shown
from ragtui.targets.surplus import Kind, Surplus

LONGEST_LINE: Final = 64 * 2**20  # bytes of an answer
_TAIL: Final = 4_000  # characters of standard error that are kept
_QUIET: Final = 3.0  # seconds after a line that is no answer until its input ends: one that has no more to say ends too
_SILENT: Final = 30.0  # seconds after which such a line counts as an answer that cannot be read
_LAST_WORDS: Final = 2.0  # seconds that a process gets to answer after its input was closed
_GOODBYE: Final = 0.3  # the same where nothing is open any more
_LOOK: Final = 0.1


class Died(CallFailed):
    """The process ended with this question unanswered; ``alone``: it was the only one, so it is the one to blame."""

    def __init__(self, message: str, alone: bool) -> None:
        super().__init__(EXCEPTION, message)
        self.alone = alone


class Unclear(CallFailed):
    """It answers without ids and chats as well, so that an answer can be told to a question only where no other is open."""

    def __init__(self) -> None:
        super().__init__(BAD_OUTPUT, "answered without an id, beside lines that are no JSON: print the id")


_ID: Final = re.compile(r'"id"\s*:\s*"([^"\\]*)"')


@dataclass(eq=False)
class _Asked:
    sent: float
    answer: asyncio.Future[Any]
    noise: str = ""  # what came since in place of an answer
    noise_at: float = 0.0


@dataclass(eq=False)
class LineProcess:
    """One running process. ``answered`` counts its answers; once ``ending`` it is asked nothing more. ``foreign``: it
    is somebody's program, which may read all of its input before it answers."""

    process: asyncio.subprocess.Process
    foreign: bool = False
    surplus: Surplus = field(default_factory=Surplus)
    answered: int = 0
    ending: bool = False
    _over: bool = False
    _in_order: list[_Asked] = field(default_factory=list)  # what waits for an answer, or was given up without one
    _done: set[str] = field(default_factory=set)
    _given_up: set[str] = field(default_factory=set)
    _noisy: bool = False
    _is_ready: asyncio.Event = field(default_factory=asyncio.Event)
    _asked: dict[str, _Asked] = field(default_factory=dict)
    _stderr: str = ""
    _readers: list[asyncio.Task[None]] = field(default_factory=list)

    @classmethod
    async def start(
        cls,
        command: Sequence[str],
        folder: Path,
        environment: Mapping[str, str],
        foreign: bool = False,
        surplus: Surplus | None = None,
    ) -> LineProcess:
        """Starts it in a process group of its own.

        Raises:
            CallFailed: it cannot be started.
        """
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                cwd=folder,
                env={**os.environ, **environment},
                limit=LONGEST_LINE,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise CallFailed(EXCEPTION, f"{command[0]} cannot be started: {reason}") from error
        children.started(process.pid)
        found = cls(process, foreign, surplus or Surplus())
        found._readers = [asyncio.ensure_future(found._read()), asyncio.ensure_future(found._drain())]
        return found

    @property
    def idle(self) -> bool:
        return not self._asked

    async def ready(self, timeout: float) -> None:
        """Waits until the process says ``{"_ready": true}``: loading a model is no part of an answer's time.

        Raises:
            CallFailed: it ends before that, or takes longer than ``timeout`` seconds.
        """
        try:
            await asyncio.wait_for(self._is_ready.wait(), timeout)
        except TimeoutError:
            self.ending = True
            raise CallFailed(TIMEOUT, f"was not ready within {timeout:g} s") from None
        if self._over:
            raise Died(self.last_words(), alone=False)

    async def ask(self, wire_id: str, question: Mapping[str, Any], timeout: float) -> Any:
        """The answer to one question; several may be open at once.

        Raises:
            CallFailed: no usable answer came in time, or the process ended.
        """
        asked = _Asked(time.monotonic(), asyncio.get_running_loop().create_future())
        self._asked[wire_id] = asked
        self._in_order.append(asked)
        self._done.discard(wire_id)
        try:
            if self._over:
                raise Died(self.last_words(), alone=False)
            await self._send({"id": wire_id, **question})
            found = await self._wait(asked, timeout)
            self._done.add(wire_id)
            return found
        finally:
            self._asked.pop(wire_id, None)
            if wire_id not in self._done:
                self._given_up.add(wire_id)
                asked.answer.cancel()

    async def _send(self, question: Mapping[str, Any]) -> None:
        stdin = self.process.stdin
        assert stdin is not None
        with contextlib.suppress(ConnectionError):  # it has ended: its reader says so
            stdin.write(json.dumps(question).encode() + b"\n")
            await stdin.drain()

    async def _wait(self, asked: _Asked, timeout: float) -> Any:
        while True:
            left = asked.sent + timeout - time.monotonic()
            done, _ = await asyncio.wait({asked.answer}, timeout=max(0.0, min(_LOOK, left)))
            if done:
                return asked.answer.result()
            if asked.noise and not self.surplus.chats:
                silent = time.monotonic() - asked.noise_at
                if silent > _SILENT:
                    raise CallFailed(BAD_OUTPUT, f"printed no JSON line: {shown(asked.noise)}")
                if silent > _QUIET and self.foreign and not self.ending:
                    self._end_input()
            if left <= 0:
                return await self._last_words(asked, timeout)

    def _end_input(self) -> None:
        """Asks it nothing more, which it can see: a program that waits for its next question ends, one at work goes on."""
        self.ending = True
        if self.process.stdin is not None:
            self.process.stdin.close()

    async def _last_words(self, asked: _Asked, timeout: float) -> Any:
        """Asks it nothing more. One that has not answered anything gets the end of its input: a program that answers only
        once it has read everything does so now."""
        self.ending = True
        if self.foreign and not self.answered:
            self._end_input()
            done, _ = await asyncio.wait({asked.answer}, timeout=_LAST_WORDS)
            if done:
                with contextlib.suppress(Died):
                    return asked.answer.result()
        if asked.noise:
            raise CallFailed(BAD_OUTPUT, f"printed no JSON line: {shown(asked.noise)}")
        silent = self.foreign and not self.answered
        hint = "; does it write one line for each it reads, and flush it?" if silent else ""
        raise CallFailed(TIMEOUT, f"no answer within {timeout:g} s{hint}")

    async def close(self) -> None:
        """Ends the process, and what it started. A program that has answered all sees the end of its input first, and
        what it still prints then is heard."""
        if self.foreign and self.idle and not self.ending:
            self._end_input()
            await asyncio.wait(self._readers[:1], timeout=_GOODBYE)
        self.ending = True
        if self.process.stdin is not None:
            self.process.stdin.close()
        with contextlib.suppress(ProcessLookupError, PermissionError):
            children.ended(self.process.pid)
            os.killpg(self.process.pid, signal.SIGKILL)  # not process.kill(), which would reap it behind asyncio's back
        for each in self._readers:
            each.cancel()
        await asyncio.gather(*self._readers, return_exceptions=True)
        end = time.monotonic() + _LAST_WORDS
        while self.process.returncode is None and time.monotonic() < end:
            await asyncio.sleep(0.002)  # until asyncio has heard of the end: to close sooner would reap it, too
        # What it printed beyond the limit is still in the pipe, which asyncio would wait to be read to its end.
        self.process._transport.close()  # type: ignore[attr-defined]
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.process.wait(), _LAST_WORDS)

    # -- what it prints ------------------------------------------------------------------------------------------

    async def _read(self) -> None:
        stdout = self.process.stdout
        assert stdout is not None
        while True:
            try:
                line = await stdout.readline()
            except ValueError:  # a line beyond the limit
                self._noise(f"a line of more than {LONGEST_LINE:,} bytes")
                break
            if not line:
                break
            self._take(line)
        self.ending = True
        await self._ended()

    def _take(self, line: bytes) -> None:
        text = line.decode("utf-8", "replace").strip()
        if not text:
            return
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            self._broken(text) if text[0] in '{["' else self._noise(text)
            return
        if not isinstance(value, dict):
            self._noise(text)
            return
        if value.get("_ready") is True:
            self._is_ready.set()
            return
        wire_id = value.pop("id", None)
        wire_id = wire_id if wire_id is None or isinstance(wire_id, str) else json.dumps(wire_id)
        if wire_id is None:
            self._take_nameless(value)
            return
        asked = self._asked.get(wire_id)
        if asked is None or asked.answer.done():
            known = Kind.LATE if wire_id in self._given_up else Kind.UNKNOWN
            self.surplus.add(Kind.TWICE if asked is not None or wire_id in self._done else known, wire_id)
            return
        self._answer(asked, value)

    def _take_nameless(self, value: dict[str, Any]) -> None:
        """An answer without an ``id`` is that to the question asked longest ago, given up or not; after a line that is no
        JSON, which may have stood for an answer or not, only if one question is open."""
        if not self._in_order:
            self.surplus.add(Kind.NAMELESS, None)
        elif self._noisy and len(self._in_order) > 1:
            self.surplus.one_at_a_time = self.ending = True
            for each in self._in_order:
                if not each.answer.done():
                    each.answer.set_exception(Unclear())
        elif (asked := self._in_order[0]).answer.done():
            self._in_order.remove(asked)
            self.surplus.add(Kind.LATE, None)
        else:
            self._answer(asked, value)

    def _answer(self, asked: _Asked, value: dict[str, Any]) -> None:
        self.answered += 1
        self.surplus.chats = self.surplus.chats or bool(asked.noise)
        self._in_order.remove(asked)
        asked.answer.set_result(value)

    def _broken(self, text: str) -> None:
        """JSON that does not parse stands for the answer that is due: that of the ``id`` in it, else the oldest."""
        named = self._asked.get(found[1]) if (found := _ID.search(text)) else None
        asked = named or next(iter(self._in_order), None)
        if asked is not None and not asked.answer.done():
            self._in_order.remove(asked)
            asked.answer.set_exception(CallFailed(BAD_OUTPUT, f"printed broken JSON: {shown(text)}"))

    def _noise(self, text: str) -> None:
        """A line that is no JSON may be chatter, or stand in place of an answer: time tells."""
        self._noisy = True
        for each in self._asked.values():
            if not each.noise:
                each.noise, each.noise_at = text, time.monotonic()
                return

    async def _drain(self) -> None:
        stderr = self.process.stderr
        assert stderr is not None
        while chunk := await stderr.read(65_536):
            self._stderr = (self._stderr + chunk.decode("utf-8", "replace"))[-_TAIL:]

    async def _ended(self) -> None:
        """Tells every open question that no answer will come."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.process.wait(), _LAST_WORDS)
        await asyncio.wait({self._readers[1]}, timeout=0.5)
        self._over = True
        self._is_ready.set()
        open_ = [each for each in self._asked.values() if not each.answer.done()]
        for each in open_:
            if each.noise:
                each.answer.set_exception(CallFailed(BAD_OUTPUT, f"printed no JSON line: {shown(each.noise)}"))
            else:
                each.answer.set_exception(Died(self.last_words(), alone=len(open_) == 1))

    def last_words(self) -> str:
        """How the process ended, with the end of what it wrote to standard error."""
        code = self.process.returncode
        how = "closed its output" if code is None else f"ended with status {code}"
        if code is not None and code < 0:
            with contextlib.suppress(ValueError):
                how = f"was ended by {signal.Signals(-code).name}"
        lines = [line.strip() for line in self._stderr.splitlines() if line.strip()]
        return f"the process {how}{': ' + shown(lines[-1]) if lines else ''}"
