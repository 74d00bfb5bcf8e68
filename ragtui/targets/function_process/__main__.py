"""Calls a Python function for each JSON line it reads and prints what it returns: run as a script, in any environment.

Needs nothing but the standard library of Python 3.8, since it also runs under interpreters that do not know ragtui.

    python ragtui/targets/function_process MODULE|FILE.py FUNCTION CONCURRENCY

A parameter that is named like an input gets it; ``query`` (or ``question``) the question, ``filters``, ``inputs``,
``history``, ``contexts`` and ``case_id`` what their names say, ``**more`` all inputs that are left. A single parameter of
another name gets the question, or the whole case where it is called ``case``, ``test_case``, ``row``, ``item`` or
``session`` or is annotated as a dict. The function may be async, and may yield its answer in pieces.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import inspect
import json
import os
import sys
import threading
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable  # noqa: UP035

WHOLE = ("case", "test_case", "row", "item", "session", "data")
QUERY = ("query", "question")


def load(module: str, function: str) -> Callable[..., Any]:
    """The function, from a file or an importable module."""
    sys.path.insert(0, os.getcwd())
    if module.endswith(".py"):
        sys.path.insert(0, os.path.dirname(os.path.abspath(module)))
        name = os.path.splitext(os.path.basename(module))[0]
        spec = importlib.util.spec_from_file_location(name, module)
        assert spec is not None
        assert spec.loader is not None
        loaded = importlib.util.module_from_spec(spec)
        sys.modules[name] = loaded
        spec.loader.exec_module(loaded)
    else:
        loaded = importlib.import_module(module)
    found: Any = loaded
    for part in function.split("."):
        if not hasattr(found, part):
            raise AttributeError(f"{module} has no {function!r}")
        found = getattr(found, part)
    if not callable(found):
        raise TypeError(f"{function} of {module} cannot be called: it is a {type(found).__name__}")
    function_found: Callable[..., Any] = found
    return function_found


def arguments(function: Callable[..., Any], case: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Positional and keyword arguments for one case."""
    given = dict(case["inputs"])
    for name in QUERY:
        given.setdefault(name, case["query"])
    whole = {key: value for key, value in case.items() if key != "id"}
    whole["case_id"] = case["id"]
    for name in ("filters", "inputs", "history", "contexts"):
        given.setdefault(name, case.get(name, [] if name in ("history", "contexts") else {}))
    given.setdefault("case_id", case["id"])
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return (case["query"],), {}
    positional: list[Any] = []
    named: dict[str, Any] = {}
    missing: list[inspect.Parameter] = []
    takes_all = False
    for each in parameters:
        if each.kind is each.VAR_KEYWORD:
            takes_all = True
        elif each.kind is each.VAR_POSITIONAL:
            continue
        elif each.name in given:
            if each.kind is each.POSITIONAL_ONLY:
                positional.append(given[each.name])
            else:
                named[each.name] = given[each.name]
        elif each.default is each.empty:
            missing.append(each)
    if len(missing) == 1 and not named and not positional:
        only = missing[0]
        value = whole if only.name in WHOLE or "dict" in str(only.annotation).lower() else case["query"]
        return ((value,), {}) if only.kind is not only.KEYWORD_ONLY else ((), {only.name: value})
    if missing:
        wanted = ", ".join(each.name for each in missing)
        raise TypeError("no input is called {}; there are {}".format(wanted, ", ".join(case["inputs"]) or "none"))
    if takes_all:
        named.update({key: value for key, value in case["inputs"].items() if key not in named})
    return tuple(positional), named


def joined(pieces: Any) -> Any:
    """What was yielded piece by piece: a text where all pieces are."""
    pieces = list(pieces)
    return "".join(pieces) if all(isinstance(each, str) for each in pieces) else pieces


async def called(
    function: Callable[..., Any], case: dict[str, Any], loop: asyncio.AbstractEventLoop, pool: ThreadPoolExecutor
) -> Any:
    """What the function returns, whatever its kind."""
    positional, named = arguments(function, case)
    target: Any = function
    if not (inspect.isroutine(function) or inspect.isclass(function)):
        target = function.__call__  # type: ignore[operator]
    if inspect.iscoroutinefunction(target):
        value = await function(*positional, **named)
    elif inspect.isasyncgenfunction(target):
        value = function(*positional, **named)
    else:

        def work() -> Any:
            found = function(*positional, **named)
            return joined(found) if inspect.isgenerator(found) else found

        value = await loop.run_in_executor(pool, work)
    if inspect.isawaitable(value):
        value = await value
    if inspect.isasyncgen(value):
        value = joined([each async for each in value])
    return value


def readable(value: Any) -> Any:
    """What JSON has no word for, as near as it gets: data classes and models by their fields, numbers of numpy as numbers."""
    for name in ("model_dump", "to_dict", "dict", "_asdict", "tolist", "item"):
        method = getattr(value, name, None)
        if callable(method) and not inspect.isclass(value):
            return method()
    if hasattr(value, "__dataclass_fields__") or hasattr(value, "__dict__"):
        return dict(vars(value))
    if isinstance(value, (set, frozenset, tuple)):
        return list(value)
    raise TypeError(f"returned a {type(value).__name__}, which is no text and no object of JSON")


def answered(case_id: str, value: Any) -> dict[str, Any]:
    """The line for what was returned."""
    if value is None:
        return {"id": case_id, "_bad_output": "returned None"}
    if not isinstance(value, (str, dict)):
        try:
            value = json.loads(json.dumps(value, default=readable))
        except (TypeError, ValueError) as error:
            return {"id": case_id, "_bad_output": str(error)}
    if isinstance(value, str):
        value = {"response": value}
    if not isinstance(value, dict):
        return {
            "id": case_id,
            "_bad_output": f"returned {type(value).__name__} instead of a text or a dict: {value!r:.200}",
        }
    return {**value, "id": case_id}


def fault(error: BaseException) -> str:
    """An exception in one line, with the place in the user's own file."""
    try:
        said = str(error)
    except BaseException:  # its own __str__ is broken
        said = "(it cannot be shown)"
    if isinstance(error, SystemExit):
        given = "" if error.code is None else repr(error.code)
        return f"the callable called sys.exit({given}){place_of(error)}"
    return f"{type(error).__name__}: {said}{place_of(error)}"


def place_of(error: BaseException) -> str:
    """Where in the user's own file, in brackets."""
    frames = [each for each in traceback.extract_tb(error.__traceback__) if each.filename != __file__]
    return f" ({os.path.basename(frames[-1].filename)}:{frames[-1].lineno})" if frames else ""


def main() -> None:
    module, function, concurrency = sys.argv[1:4]
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what the function prints is no answer
    lock = threading.Lock()

    def put(value: dict[str, Any]) -> None:
        try:
            line = json.dumps(value, default=readable)
        except (TypeError, ValueError) as error:
            line = json.dumps({"id": value["id"], "_bad_output": str(error)})
        with lock:
            out.write(line + "\n")
            out.flush()

    answer = load(module, function)
    put({"_ready": True})
    loop = asyncio.new_event_loop()
    pool = ThreadPoolExecutor(int(concurrency))

    async def one(case: dict[str, Any]) -> None:
        try:
            started = time.perf_counter()
            value = answered(case["id"], await called(answer, case, loop, pool))
            put({"latency_ms": (time.perf_counter() - started) * 1000, **value})
        except BaseException as error:  # what ends a program ends one call here
            put({"id": case["id"], "_exception": fault(error)})

    running: set[asyncio.Task[None]] = set()

    def start(case: dict[str, Any]) -> None:
        task = loop.create_task(one(case))
        running.add(task)
        task.add_done_callback(running.discard)

    def read() -> None:
        for line in sys.stdin.buffer:
            loop.call_soon_threadsafe(start, json.loads(line))
        loop.call_soon_threadsafe(loop.stop)

    threading.Thread(target=read, daemon=True).start()
    loop.run_forever()
    os._exit(0)  # a function that hangs in a thread must not keep the process


if __name__ == "__main__":
    try:
        main()
    except BaseException as failure:
        sys.stderr.write(fault(failure).replace("the callable called", "its module called") + "\n")
        sys.stderr.flush()
        os._exit(1)
