"""A Python function that answers: ``python:MODULE:FUNCTION``, with ``python = ".venv/bin/python"`` in its own environment.

It runs in a process of its own, so that it cannot take the app down, write over the screen or hang the run. See
``function_process/__main__.py`` for what it is called with and what it may return.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from ragtui.datasets.dataset import Dataset
from ragtui.targets.calling import Limits
from ragtui.targets.command import environment
from ragtui.targets.line_target import LineTarget
from ragtui.targets.options import LIMITS, Options
from ragtui.targets.target import TargetError
from ragtui.workspace import Workspace

KIND: Final = "python"
LIVE: Final = True
OPTIONS: Final = LIMITS | {"python", "env", "contexts", "load_timeout"}
LOADS_WITHIN: Final = 600.0  # seconds for importing the module: it may load a model
_RUNNER: Final = Path(__file__).with_name("function_process")


def open_kind(rest: str, dataset: Dataset, workspace: Workspace, given: Mapping[str, Any] | None = None) -> LineTarget:
    """Opens the function; nothing is imported before the first case.

    Raises:
        TargetError: the spec has no function, the file is not there, or the interpreter is not.
    """
    options = Options(KIND, given or {}, OPTIONS)
    module, colon, function = rest.rpartition(":")
    if not colon or not module or not function.replace(".", "").isidentifier():
        raise TargetError(f"python:{rest}: name module and function, as python:bot:answer or python:src/bot.py:answer")
    file = _file(module, workspace)
    if file is None and (module.endswith(".py") or "/" in module):
        raise TargetError(f"python:{rest}: {module} is not there")
    limits = options.limits(Limits())
    return LineTarget(
        spec=f"python:{rest}",
        command=function_command(interpreter(options, workspace), str(file or module), function, limits.concurrency),
        folder=workspace.root,
        limits=limits,
        code=(f"python:{rest}", *((file,) if file is not None else ())),
        environment=environment(options),
        with_contexts=options.flag("contexts"),
        loads_within=options.number("load_timeout", LOADS_WITHIN, 0.01),
    )


def function_command(python: str, module: str, function: str, concurrency: int) -> tuple[str, ...]:
    """What starts the process that calls a function for each line."""
    return (python, "-u", str(_RUNNER), module, function, str(concurrency))


def interpreter(options: Options, workspace: Workspace) -> str:
    """The interpreter of a table (a file, or the folder of an environment), else this one.

    Raises:
        TargetError: it is not there.
    """
    named = options.text("python")
    if not named:
        return sys.executable
    path = workspace.root / Path(named).expanduser()
    for each in (path, path / "bin" / "python", path / "Scripts" / "python.exe"):
        if each.is_file():
            return str(each.absolute())  # not resolved: an environment is told by its link's place
    raise TargetError(f"ragtui.toml: python = {named!r}: neither an interpreter nor an environment")


def _file(module: str, workspace: Workspace) -> Path | None:
    """The file of a module that lies in the workspace or where ragtui was started; ``None`` for an installed one."""
    if module.endswith(".py") or "/" in module:
        names = [Path(module)]
    else:
        parts = Path(*module.split("."))
        names = [parts.with_suffix(".py"), parts / "__init__.py"]
    found = (folder / name for folder in (workspace.root, Path.cwd()) for name in names)
    return next((path.resolve() for path in found if path.is_file()), None)
