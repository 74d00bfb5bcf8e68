"""Opens a target by what the user wrote: ``recorded``, ``recorded:FILE``, ``run:FILE``, ``bm25``, ``python:MODULE:FUNCTION``,
``command:…``, ``http:URL``, ``openai:MODEL@URL``, or a name from ``[targets]`` in ``ragtui.toml``.

A file of this folder with a ``KIND`` is a kind; it gives ``open_kind(rest, dataset, workspace)``, which gets what
stands after the colon, and, where it has ``OPTIONS``, the rest of the table in ``ragtui.toml``. ``ALIASES`` are other
beginnings of a spec that is its whole (``https://…``); ``LIVE`` says that its targets are asked for answers.
"""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import ragtui.targets
from ragtui.datasets.dataset import Column, Dataset, Role, Shape
from ragtui.targets import templates
from ragtui.targets.target import Target, TargetError
from ragtui.workspace import Workspace


def open_target(spec: str, dataset: Dataset, workspace: Workspace) -> Target:
    """The target that ``spec`` names, ready to answer for ``dataset``. Relative files are looked for where ragtui was
    started, in the workspace and beside the dataset.

    Raises:
        TargetError: it cannot be used; the message is one line with the remedy.
    """
    return _open(spec.strip(), dataset, workspace)


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


def meaning(spec: str, workspace: Workspace) -> tuple[str, dict[str, Any]]:
    """What a name of ``ragtui.toml`` stands for, through as many names as it takes: a kind's spec and its options.

    Raises:
        TargetError: there is no such target, or names lead in a circle.
    """
    named, through, options = workspace.table("targets"), [], dict[str, Any]()
    while True:
        kind, colon, _ = spec.partition(":")
        if (kind in _kinds() or _alias(kind)) and (colon or spec not in named):
            return spec, options
        if spec not in named:
            raise TargetError(_unknown(spec, kind, named))
        if spec in through:
            raise TargetError(f"ragtui.toml: the target {spec!r} is defined by itself")
        through.append(spec)
        spec, more = _written(spec, named[spec])
        options = {**more, **options}


def is_live(spec: str, workspace: Workspace) -> bool:
    """Whether this target is asked for answers, rather than what is there already being looked up.

    Raises:
        TargetError: there is no such target.
    """
    kind = meaning(spec.strip(), workspace)[0].partition(":")[0]
    return bool(getattr(_kinds().get(kind) or _alias(kind), "LIVE", False))


def check_target(name: str, workspace: Workspace) -> None:
    """Makes sure that a name of ``ragtui.toml`` stands for a target that can be opened, whatever the dataset: its inputs
    are taken to be there. Nothing is sent or started.

    Raises:
        TargetError: it cannot.
    """
    meant, options = meaning(name, workspace)
    kind = meant.partition(":")[0]
    module = _kinds().get(kind) or _alias(kind)
    if getattr(module, "LIVE", False) or options:
        named = sorted(templates.inputs_of([meant, options]))
        columns = tuple(Column(each, Role.INPUT, position) for position, each in enumerate(named))
        _open(name, Dataset("", "", Path(), "table", "", Shape.CASES, columns=columns), workspace)


def _open(spec: str, dataset: Dataset, workspace: Workspace) -> Target:
    meant, options = meaning(spec, workspace)
    kind, _, rest = meant.partition(":")
    module = _kinds().get(kind) or _alias(kind)
    assert module is not None
    rest = rest if kind == module.KIND else meant
    if hasattr(module, "OPTIONS"):
        opened: Target = module.open_kind(rest, dataset, workspace, options)
        return opened
    if options:
        raise TargetError(f"ragtui.toml: a {kind} target takes no options; there are {', '.join(options)}")
    found: Target = module.open_kind(rest, dataset, workspace)
    return found


def _alias(kind: str) -> ModuleType | None:
    return next((each for each in _kinds().values() if kind in getattr(each, "ALIASES", ())), None)


def _unknown(spec: str, kind: str, named: Mapping[str, object]) -> str:
    near = difflib.get_close_matches(kind, [*_kinds(), *named], n=1)
    known = ", ".join([*target_kinds(), *named])
    return f"there is no target {spec!r}; " + (f"did you mean {near[0]}?" if near else f"there are {known}")


def _written(name: str, value: object) -> tuple[str, dict[str, Any]]:
    """The spec that ``ragtui.toml`` gives for a name: a text, or a table with ``target`` and options beside it."""
    spec = value.get("target") if isinstance(value, dict) else value
    if not isinstance(spec, str) or not spec.strip():
        raise TargetError(f'ragtui.toml: [targets] {name} must be a text, as {name} = "recorded:answers.jsonl"')
    options = {key: each for key, each in value.items() if key != "target"} if isinstance(value, dict) else {}
    return spec.strip(), options
