"""Opens a target by what the user wrote: ``recorded``, ``recorded:FILE``, ``run:FILE``, ``bm25``, or a name from
``[targets]`` in ``ragtui.toml``.

A file of this folder with a ``KIND`` is a kind; it gives ``open_kind(rest, dataset, workspace)``, which gets what
stands after the colon.
"""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from functools import cache
from types import ModuleType

import ragtui.targets
from ragtui.datasets.dataset import Dataset
from ragtui.targets.target import Target, TargetError
from ragtui.workspace import Workspace


def open_target(spec: str, dataset: Dataset, workspace: Workspace) -> Target:
    """The target that ``spec`` names, ready to answer for ``dataset``. Relative files are looked for where ragtui was
    started, in the workspace and beside the dataset.

    Raises:
        TargetError: it cannot be used; the message is one line with the remedy.
    """
    return _open(spec.strip(), dataset, workspace, ())


def target_kinds() -> tuple[str, ...]:
    """Every kind that can stand before the colon."""
    return tuple(sorted(_kinds()))


@cache
def _kinds() -> dict[str, ModuleType]:
    found = {}
    for info in pkgutil.iter_modules(ragtui.targets.__path__):
        if info.name != "spec":
            module = importlib.import_module(f"{ragtui.targets.__name__}.{info.name}")
            if hasattr(module, "KIND"):
                found[module.KIND] = module
    return found


def _open(spec: str, dataset: Dataset, workspace: Workspace, through: tuple[str, ...]) -> Target:
    kind, colon, rest = spec.partition(":")
    named = workspace.table("targets")
    if kind in _kinds() and (colon or spec not in named):
        opened: Target = _kinds()[kind].open_kind(rest, dataset, workspace)
        return opened
    if spec in named:
        if spec in through:
            raise TargetError(f"ragtui.toml: the target {spec!r} is defined by itself")
        return _open(_written(spec, named[spec]), dataset, workspace, (*through, spec))
    near = difflib.get_close_matches(kind, [*_kinds(), *named], n=1)
    known = ", ".join([*target_kinds(), *named])
    raise TargetError(f"there is no target {spec!r}; " + (f"did you mean {near[0]}?" if near else f"there are {known}"))


def _written(name: str, value: object) -> str:
    """The spec that ``ragtui.toml`` gives for a name: a text, or a table with ``target``."""
    spec = value.get("target") if isinstance(value, dict) else value
    if not isinstance(spec, str) or not spec.strip():
        raise TargetError(f'ragtui.toml: [targets] {name} must be a text, as {name} = "recorded:answers.jsonl"')
    return spec.strip()
