"""The score of a code metric: its file runs in a process of its own, within limits, and only where the user allows it.

The process is started at the first case, kept for the next ones, and started anew after one that took too long or took it
down. Whatever goes wrong is a metric error with its cause: ``exception``, ``timeout`` or ``bad_return``.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import queue
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

from ragtui import children, trust
from ragtui.metrics.score import Inputs, Outcome, State, not_applicable, scored
from ragtui.workspace import Workspace

if TYPE_CHECKING:
    from ragtui.metrics.own.files import OwnFile

EXCEPTION: Final = "exception"
TIMEOUT: Final = "timeout"
BAD_RETURN: Final = "bad_return"
SESSION: Final = "session"
"""The input that holds a case whole, as JSON; where it is absent the session is made of the other inputs."""

LONGEST: Final = 8_000  # characters of traceback and output that are kept with a cell
_WORKER: Final = Path(__file__).with_name("code_worker.py")


@dataclass(frozen=True, slots=True)
class Limits:
    """What one case may take; the start of the file counts as one."""

    seconds: float = 10.0
    megabytes: int = 2048


class CodeScore:
    """Scores cases by the ``evaluate`` of one file. ``close`` ends its process; the next case starts it again."""

    def __init__(
        self, file: OwnFile, workspace: Workspace, limits: Limits, scale: tuple[float | None, float | None]
    ) -> None:
        self.file = file
        self._workspace, self._limits, self._scale = workspace, limits, scale
        self._process: _Process | None = None
        self._lock = threading.Lock()

    def __call__(self, inputs: Inputs) -> Outcome:
        with self._lock:
            if self._process is None and not is_allowed(self.file, self._workspace):
                return not_applicable(not_allowed(self.file))
            try:
                answer = self._asked(session_of(inputs))
            except _TooLong:
                self._end()
                return _error(TIMEOUT, f"it took longer than {self._limits.seconds:g} s")
            except _Gone as gone:
                self._end()
                return _error(EXCEPTION, str(gone))
        return self._outcome(answer)

    def close(self) -> None:
        with self._lock:
            self._end()

    def _asked(self, session: str) -> dict[str, Any]:
        if self._process is None:
            self._process = _Process(self.file, self._limits, self._workspace.root)
            loaded = self._process.answer()
            if "raised" in loaded:
                self._end()
                return loaded
        return self._process.ask(session)

    def _end(self) -> None:
        if self._process is not None:
            self._process.end()
            self._process = None

    def _outcome(self, answer: dict[str, Any]) -> Outcome:
        output = answer.get("output") or ""
        if "raised" in answer:
            first: str = answer["raised"]
            if first.startswith("MemoryError"):
                first += f" (it may take {self._limits.megabytes} MB)"
            return _error(EXCEPTION, first, answer["traceback"], output)
        parts = answer.get("dict", {"score": answer.get("value")})
        score, passed, reason = (parts.get(name) for name in ("score", "passed", "reason"))
        fault = self._fault(answer, score, passed, reason)
        if fault:
            return _error(BAD_RETURN, f"evaluate returned {fault}", output=output)
        if score is None and passed is None:
            return not_applicable(_told(str(reason or "evaluate gave no score"), output))
        said = str(reason or "")
        if score is not None and passed is not None:
            said = f"{said} (evaluate says {'passed' if passed else 'failed'})".strip()
        return scored(float(passed if score is None else score), _told(said, output))

    def _fault(self, answer: dict[str, Any], score: Any, passed: Any, reason: Any) -> str:
        """What is wrong with what was returned; empty for nothing."""
        if "dict" not in answer:
            if score is None:
                return "nothing; return a number, True, False or a dict"
            if isinstance(score, list | str):
                return f"a {answer['type']}, not a number, True, False or a dict"
        elif answer["unknown"]:
            return f"a dict with {answer['unknown'][0]!r}; it may hold score, passed and reason"
        elif not answer["dict"]:
            return "an empty dict; give it a score, passed or a reason"
        if not isinstance(passed, bool | None):
            return "passed that is not True or False"
        if isinstance(reason, list):
            return f"a reason that is a {reason[0]}, not text"
        return "" if score is None else self._off(score)

    def _off(self, score: Any) -> str:
        if isinstance(score, list | str):
            return f"a score that is {score[0] if isinstance(score, list) else 'text'}, not a number"
        value = float(score)
        if not math.isfinite(value):
            return f"{value}, which is no score"
        low, high = self._scale
        if (low is not None and value < low) or (high is not None and value > high):
            return f"{value:g}, which is outside its SCALE, {_end(low)} to {_end(high)}"
        return ""


def is_allowed(file: OwnFile, workspace: Workspace) -> bool:
    """Whether the user has allowed exactly this content: as it lies in the folder, or as the version that was kept."""
    from ragtui.metrics.own.versions import place_of

    place = place_of(file, workspace)
    return place is not None and trust.is_trusted(workspace, place)


def not_allowed(file: OwnFile) -> str:
    """Why code does not run yet, and what to do."""
    return (
        f"{file.shown} is code that you have not allowed to run; `ragtui metrics trust {file.name}` shows it and asks"
    )


def session_of(inputs: Inputs) -> str:
    """The session as one line of JSON: as given, or made of the metric inputs."""
    if isinstance(given := inputs.get(SESSION), str):
        return given
    values = {name: list(value) if isinstance(value, tuple) else value for name, value in inputs.items()}
    golds = inputs.get("ground_truth", ())
    golds = (golds,) if isinstance(golds, str) else golds
    expected = {"answer": golds[0], "answers": list(golds)} if golds else {}
    asked = {"query": inputs["query"]} if "query" in inputs else {}
    case = {"id": "", "name": values.get("query", ""), "inputs": asked, "expected": expected}
    response, contexts = values.get("response"), values.get("context", [])
    turn = {"query": values.get("query"), "answer": response, "contexts": contexts}
    session = {"test_case": case, "response": response, "contexts": contexts, "turns": [turn], "metric_inputs": values}
    return json.dumps(session)


def _end(end: float | None) -> str:
    return "open" if end is None else f"{end:g}"


def _error(cause: str, first: str, trace: str = "", output: str = "") -> Outcome:
    return Outcome(State.METRIC_ERROR, cause=cause, reason=_told(first, output, trace))


def _told(first: str, output: str, trace: str = "") -> str:
    """The first line says it all; traceback and what was printed follow, for whoever opens the cell."""
    parts = [first, trace.rstrip(), f"It printed:\n{output.rstrip()}" if output.strip() else ""]
    text = "\n\n".join(part for part in parts if part)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}\n…"


# --- the process ---------------------------------------------------------------------------------------------------


class _TooLong(Exception):
    """No answer within the time."""


class _Gone(Exception):
    """The process ended by itself."""


class _Process:
    """One worker. Its answers are read by a thread, so that waiting can end on every system."""

    def __init__(self, file: OwnFile, limits: Limits, folder: Path) -> None:
        self._limits = limits
        command = [sys.executable, "-P", str(_WORKER), str(file.path), str(limits.megabytes), str(limits.seconds)]
        self._popen = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=folder,
            encoding="utf-8", start_new_session=True,
        )  # fmt: skip
        children.started(self._popen.pid)
        self._answers: queue.SimpleQueue[str] = queue.SimpleQueue()
        assert self._popen.stdout is not None
        threading.Thread(target=_read, args=(self._popen.stdout, self._answers), daemon=True).start()
        self._send(json.dumps(file.text))

    def ask(self, session: str) -> dict[str, Any]:
        self._send(session)
        return self.answer()

    def _send(self, line: str) -> None:
        assert self._popen.stdin is not None
        try:
            self._popen.stdin.write(line + "\n")
            self._popen.stdin.flush()
        except OSError:
            raise _Gone(self._why()) from None

    def answer(self) -> dict[str, Any]:
        """The next answer.

        Raises:
            _TooLong, _Gone: there is none.
        """
        try:
            line = self._answers.get(timeout=self._limits.seconds)
        except queue.Empty:
            raise _TooLong from None
        if not line.endswith("\n"):
            raise _Gone(self._why())
        found: dict[str, Any] = json.loads(line)
        return found

    def _why(self) -> str:
        try:
            status = self._popen.wait(1)
        except subprocess.TimeoutExpired:
            return "its process closed its output"
        if status < 0:
            name = signal.Signals(-status).name if -status in set(signal.Signals) else str(-status)
            return f"its process was ended by {name}"
        return f"it ended its process with status {status}"

    def end(self) -> None:
        """Ends the process and whatever it has started."""
        children.ended(self._popen.pid)
        with contextlib.suppress(OSError):
            if self._popen.returncode is None and hasattr(os, "killpg"):
                os.killpg(self._popen.pid, signal.SIGKILL)
            else:
                self._popen.kill()
        self._popen.wait()
        for stream in (self._popen.stdin, self._popen.stdout):
            with contextlib.suppress(OSError):
                if stream is not None:
                    stream.close()


def _read(stream: IO[str], answers: queue.SimpleQueue[str]) -> None:
    with contextlib.suppress(OSError, ValueError):
        for line in stream:
            answers.put(line)
    answers.put("")
