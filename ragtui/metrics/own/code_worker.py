"""Runs one metric's Python file in this process, case after case: its text comes in as the first line, then a session a
line; a result a line goes out.

Started as a script by ``code_score``, never imported there, and imports nothing of ragtui, so that it starts fast and the
metric's file has a process to itself. What the file prints, and what libraries print past Python, is caught and sent along.

    python -P code_worker.py FILE MEGABYTES SECONDS
"""

from __future__ import annotations

import json
import linecache
import os
import sys
import tempfile
import traceback
import types
from typing import Any, TextIO

OUTPUT = 4_000  # characters of what was printed that are kept
DEEP = 30  # frames of a traceback that are kept


def main(path: str, megabytes: int, seconds: float) -> None:
    orders = os.fdopen(os.dup(0), "r", encoding="utf-8", newline="\n")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    printed = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as the process
    for number in (1, 2):
        os.dup2(printed.fileno(), number)
    limit_memory(megabytes)
    end_after(seconds)
    answer, evaluate = load(path, json.loads(orders.readline()))
    send(answers, answer, printed)
    end_after(None)
    for line in orders if evaluate is not None else ():
        end_after(seconds)
        send(answers, evaluated(evaluate, line), printed)
        end_after(None)


def end_after(seconds: float | None) -> None:
    """Ends this process where whoever started it is gone and can no longer watch the time."""
    try:
        import signal

        signal.setitimer(signal.ITIMER_REAL, 0 if seconds is None else seconds + 5)
    except (ImportError, AttributeError, OSError):
        return


def limit_memory(megabytes: int) -> None:
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (megabytes * 2**20, megabytes * 2**20))
    except (ImportError, OSError, ValueError):
        return  # no such limit on this system: the time limit still holds


def load(path: str, text: str) -> tuple[dict[str, Any], Any]:
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
    try:
        code = compile(text, path, "exec")
        module = sys.modules["metric"] = types.ModuleType("metric")
        module.__file__ = path
        exec(code, module.__dict__)
        return {"loaded": True}, module.__dict__["evaluate"]
    except BaseException as error:
        return raised(error), None


def evaluated(evaluate: Any, line: str) -> dict[str, Any]:
    try:
        return returned(evaluate(json.loads(line)))
    except BaseException as error:
        return raised(error)


def returned(value: Any) -> dict[str, Any]:
    """The value in plain JSON, with the name of its type where it is of none that counts."""
    if isinstance(value, dict):
        parts = {str(key): plain(each) for key, each in value.items() if key in ("score", "passed", "reason")}
        unknown = [str(key) for key in value if key not in ("score", "passed", "reason")]
        return {"dict": parts, "unknown": unknown}
    return {"value": plain(value), "type": type(value).__name__}


def plain(value: Any) -> Any:
    """Numbers of libraries become Python's; what is no number, bool or text becomes a list with its type's name."""
    if not isinstance(value, bool | int | float | str | None) and callable(getattr(value, "item", None)):
        value = value.item()
    if isinstance(value, bool | str | None):
        return value
    try:
        return float(value) if hasattr(value, "__float__") else [type(value).__name__]
    except (TypeError, ValueError, OverflowError):
        return [type(value).__name__]


def raised(error: BaseException) -> dict[str, Any]:
    """The last line, and the traceback from the metric's own first frame on."""
    trace = error.__traceback__.tb_next if error.__traceback__ is not None else None
    said = " ".join(traceback.format_exception_only(error)[-1].split())
    whole = "".join(traceback.format_exception(type(error), error, trace, limit=DEEP))
    return {"raised": said, "traceback": whole}


def send(answers: TextIO, answer: dict[str, Any], printed: Any) -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (AttributeError, ValueError, OSError):
            continue  # the metric closed it or put something else in its place
    printed.seek(0)
    output = printed.read(4 * OUTPUT).decode("utf-8", "replace")
    printed.seek(0)
    printed.truncate()
    answers.write(json.dumps({**answer, "output": output[:OUTPUT]}) + "\n")
    answers.flush()


if __name__ == "__main__":
    sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]
    main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]))
