"""A command that answers by JSON lines: ``command:./bot --fast``, or a table in ``ragtui.toml``.

It is started once, in the workspace, and reads a line a case: ``{"id", "query", "inputs", "filters"}``. For each it
prints a line ``{"id", "response", "contexts", …}``, in any order.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from ragtui.datasets.dataset import Dataset
from ragtui.targets.calling import Limits
from ragtui.targets.line_target import LineTarget
from ragtui.targets.options import LIMITS, Options
from ragtui.targets.target import TargetError
from ragtui.workspace import Workspace

KIND: Final = "command"
LIVE: Final = True
OPTIONS: Final = LIMITS | {"env", "contexts"}
_UNBUFFERED: Final = {"PYTHONUNBUFFERED": "1"}  # else a Python program's first answer waits for its last


def open_kind(rest: str, dataset: Dataset, workspace: Workspace, given: Mapping[str, Any] | None = None) -> LineTarget:
    """Opens the command; nothing is started before the first case.

    Raises:
        TargetError: it is empty or cannot be split into words.
    """
    options = Options(KIND, given or {}, OPTIONS)
    try:
        words = shlex.split(rest)
    except ValueError as error:
        raise TargetError(f"command:{rest}: {error}; mind the quotes") from error
    if not words:
        raise TargetError("name the command, as command:./bot or command:python bot.py")
    return LineTarget(
        spec=f"command:{rest}",
        command=_found(words, workspace),
        folder=workspace.root,
        limits=options.limits(Limits()),
        code=(f"command:{rest}", *_files(words, workspace)),
        environment={**_UNBUFFERED, **environment(options)},
        with_contexts=options.flag("contexts"),
        foreign=True,
    )


def environment(options: Options) -> dict[str, str]:
    """What a table sets in the environment of its process.

    Raises:
        TargetError: a value is no text.
    """
    found = options.table("env")
    for name, value in found.items():
        if not isinstance(value, str):
            raise TargetError(f'ragtui.toml: env.{name} must be a text, as {name} = "{value}"')
    return found


def _found(words: Sequence[str], workspace: Workspace) -> tuple[str, ...]:
    """The command's words; a program beside ``ragtui.toml`` is run from there."""
    program = workspace.root / words[0]
    return (str(program) if "/" in words[0] and program.is_file() else words[0], *words[1:])


def _files(words: Sequence[str], workspace: Workspace) -> tuple[Path, ...]:
    """The files of the workspace that the command names: their content is part of what the user allows."""
    found = (workspace.root / word for word in words)
    return tuple(path for path in found if path.is_file() and path.resolve().is_relative_to(workspace.root.resolve()))
