"""Values of a request with places for a case's own: ``"${data.query}"`` or ``"{{item.query}}"`` in any text of a table.

Only what a target may see can be named: inputs, ``case_id``, ``filters``, ``contexts``, ``history``; in headers also
``${env.NAME}``. Texts are put in as data: a template is a value, not a text that is parsed after filling it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final

from ragtui.datasets.dataset import Dataset, Role
from ragtui.targets.target import Case, TargetError

PLACE: Final = re.compile(r"\$\{\s*([^{}]+?)\s*\}|\{\{\s*([^{}]+?)\s*\}\}")
_WHOLE: Final = ("case_id", "query", "filters", "inputs", "contexts", "history")


def filled(template: Any, case: Case) -> Any:
    """``template`` with every place filled from the case. A text that is one place becomes the value itself (an object
    stays one); a place within a text becomes text."""
    return _walk(template, lambda name: value_of(name, case))


def filled_text(template: str, case: Case) -> str:
    """A text with every place filled as text."""
    return PLACE.sub(lambda match: as_text(value_of(match[1] or match[2], case)), template)


def value_of(name: str, case: Case) -> Any:
    """What a place stands for; an input that this case does not have is an empty text."""
    name = _bare(name)
    if name in case.inputs:
        return case.inputs[name]
    if name in _WHOLE:
        value = getattr(case, name)
        return list(value) if isinstance(value, tuple) else dict(value) if isinstance(value, Mapping) else value
    if name == "context":
        return "\n\n".join(case.contexts)
    if name == "question":
        return case.query
    if name.startswith("filters."):
        return case.filters.get(name.removeprefix("filters."), "")
    return ""


def as_text(value: Any) -> str:
    import json

    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def from_environment(value: str, what: str) -> str:
    """A text with every ``${env.NAME}`` filled; other places stay.

    Raises:
        TargetError: a variable is not set.
    """

    def fill(match: re.Match[str]) -> str:
        name = match[1] or match[2]
        if not name.startswith("env."):
            return match[0]
        found = os.environ.get(name.removeprefix("env."))
        if not found:
            raise TargetError(f"{what}: set the environment variable {name.removeprefix('env.')}")
        return found

    return PLACE.sub(fill, value)


def check(template: Any, dataset: Dataset, what: str) -> None:
    """Makes sure that every place names something a target may see.

    Raises:
        TargetError: it names an expected column, or nothing there is.
    """
    for name in sorted(_names(template)):
        _check_name(_bare(name), name, dataset, what)


def inputs_of(template: Any) -> set[str]:
    """The inputs that a template names, if there are columns of these names."""
    return {_bare(name) for name in _names(template) if not name.startswith("env.")} - {"ground_truth", "expected"}


def _check_name(bare: str, name: str, dataset: Dataset, what: str) -> None:
    inputs = dataset.columns_with(Role.INPUT)
    if bare in inputs or bare in (*_WHOLE, "context", "question") or bare.startswith("filters."):
        return
    if name.startswith("env."):
        raise TargetError(f"{what}: ${{{name}}} can stand in headers only, so that no key lands in a request's text")
    if bare in dataset.columns_with(Role.EXPECTED) or bare in ("ground_truth", "expected"):
        raise TargetError(f"{what}: {bare} is an expected value, which a target never sees")
    known = ", ".join([*(f"${{data.{each}}}" for each in inputs), *(f"${{{each}}}" for each in _WHOLE)])
    raise TargetError(f"{what}: ${{{name}}} is nothing a target is given; there are {known}")


def _bare(name: str) -> str:
    for prefix in ("data.", "item.", "inputs.", "case."):
        if name.startswith(prefix):
            return name.removeprefix(prefix)
    return name


def _names(template: Any) -> set[str]:
    found: set[str] = set()

    def note(name: str) -> str:
        found.add(name)
        return ""

    _walk(template, note)
    return found


def _walk(template: Any, value: Callable[[str], Any]) -> Any:
    if isinstance(template, str):
        whole = PLACE.fullmatch(template.strip())
        if whole is not None:
            return value(whole[1] or whole[2])
        return PLACE.sub(lambda match: as_text(value(match[1] or match[2])), template)
    if isinstance(template, Mapping):
        return {key: _walk(each, value) for key, each in template.items()}
    if isinstance(template, Sequence):
        return [_walk(each, value) for each in template]
    return template


_STEP: Final = re.compile(r"[^.\[\]]+|\[\d+\]|\[\*\]")


def steps_of(path: str, what: str) -> tuple[str | int, ...]:
    """A path into a reply, ``documents[*].content`` or ``choices[0].message``: names, places, and ``*`` for each.

    Raises:
        TargetError: it is none.
    """
    steps = _STEP.findall(path.removeprefix("$.").removeprefix("$"))
    if not steps:
        raise TargetError(f"{what} = {path!r}: write a path into the reply, as answer.text or documents[*].content")
    return tuple("*" if each == "[*]" else int(each[1:-1]) if each[0] == "[" else each for each in steps)


def at(value: Any, steps: Collection[str | int]) -> Any:
    """What a path leads to in a reply, ``None`` where it leads nowhere."""
    for place, step in enumerate(steps):
        if step == "*":
            rest = tuple(steps)[place + 1 :]
            return [at(each, rest) for each in value] if isinstance(value, list) else None
        if isinstance(value, list):
            value = value[step] if isinstance(step, int) and step < len(value) else None
        else:
            value = value.get(step) if isinstance(value, Mapping) else None
    return value
