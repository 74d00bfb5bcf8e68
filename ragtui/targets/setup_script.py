"""Setup scripts: ``def setup(test_case) -> dict`` in a file of the workspace's ``setups/``.

It is called once a case before the target is, with what the target may see (``query``, ``inputs``, ``filters``,
``case_id``), and what it returns are inputs that win over the row's. It runs in a process of its own.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from ragtui.metrics.score import State
from ragtui.targets.around import Around
from ragtui.targets.calling import CallFailed, Limits, only
from ragtui.targets.line_target import LineTarget
from ragtui.targets.output import MARKERS, failed, shown
from ragtui.targets.python import function_command
from ragtui.targets.target import Case, Response, Target, TargetError
from ragtui.workspace import Workspace

FOLDER: Final = "setups"
FUNCTION: Final = "setup"
LIMITS: Final = Limits(concurrency=4, timeout=60.0, retries=0)


def find(name: str, workspace: Workspace) -> Path:
    """The file of a setup script, by its name with or without ``.py``.

    Raises:
        TargetError: it is not there; the message lists those that are.
    """
    folder = workspace.root / FOLDER
    path = folder / (name if name.endswith(".py") else f"{name}.py")
    if path.is_file() and path.resolve().is_relative_to(folder.resolve()):
        return path
    there = ", ".join(sorted(each.stem for each in folder.glob("*.py")))
    raise TargetError(f"there is no setup script {name!r} in {FOLDER}/" + (f"; there are {there}" if there else ""))


def with_setups(target: Target, names: Sequence[str], every: str | None, workspace: Workspace) -> Target:
    """The target behind its setup scripts: each case's own (of ``names``), else ``every``.

    Raises:
        TargetError: a script is not there.
    """
    files = {name: find(name, workspace) for name in dict.fromkeys([*names, *([every] if every else [])])}
    if not files:
        return target
    return _SetUp(target, {name: _opened(path, workspace) for name, path in files.items()}, every)


def _opened(path: Path, workspace: Workspace) -> LineTarget:
    command = function_command(sys.executable, str(path), FUNCTION, LIMITS.concurrency)
    return LineTarget(
        f"{FOLDER}/{path.name}", command, workspace.root, LIMITS, code=(path,), loads_within=LIMITS.timeout
    )


@dataclass(eq=False)
class _SetUp(Around):
    """Asks the script, then the target; where the script fails, that is the case's failure."""

    scripts: dict[str, LineTarget]
    every: str | None

    @property
    def code(self) -> tuple[Path | str, ...]:
        return (*(each for script in self.scripts.values() for each in script.code), *super().code)

    async def close(self) -> None:
        for each in self.scripts.values():
            await each.close()
        await super().close()

    async def _ask(self, case: Case) -> Response:
        name = case.setup if case.setup in self.scripts else self.every
        inputs: dict[str, str] = {}
        if name is not None:
            try:
                inputs = _inputs(await self.scripts[name].value(case))
            except CallFailed as error:
                return failed(case.case_id, error.cause, f"{FOLDER}/{name}: {error}")
        changed = replace(case, inputs={**case.inputs, **inputs})
        found = await only(self.target.respond([changed]))
        if not inputs or found.state is not State.SCORED:
            return found
        return replace(found, extra={**found.extra, "setup": inputs})


def _inputs(value: Any) -> dict[str, str]:
    """What a script returned, as inputs.

    Raises:
        CallFailed: it failed, or returned no dict of inputs.
    """
    for marker, cause in MARKERS.items():
        if marker in value:
            raise CallFailed(cause, shown(value[marker]))
    given = {key: each for key, each in value.items() if key != "latency_ms" and each is not None}
    return {
        str(key): each if isinstance(each, str) else json.dumps(each, ensure_ascii=False) for key, each in given.items()
    }
