"""What ``ragtui.toml`` holds that nothing reads or that is of another type than what reads it: each with its keys."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ragtui.workspace import Workspace

_SAID: Final = {str: "text in quotes", bool: "true or false", dict: "a table", list: "a list of texts"}
_APP: Final[Mapping[str, type]] = {"theme": str, "judge": str, "mouse": bool}
_TOP: Final[Mapping[str, type]] = {
    "app": dict, "datasets": dict, "golden": list, "groups": dict, "judges": dict, "keys": dict, "targets": dict,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Fault:
    """``keys`` is the path of a value or a table; ``message`` says in one line what was expected there."""

    keys: tuple[str, ...]
    message: str


def faults(workspace: Workspace) -> list[Fault]:
    """Everything that is wrong with the workspace's settings, in the order of the file. Nothing is sent or started.
    Which names stand for keys of the app only the app knows."""
    found: list[Fault] = []
    for name, value in workspace.config.items():
        wrong = _typed((name,), value, _TOP)
        if wrong is None and name in _CHECKS:
            found += _CHECKS[name](workspace, value)
        found += [wrong] if wrong is not None else []
    return found


def _typed(keys: tuple[str, ...], value: object, known: Mapping[str, type]) -> Fault | None:
    """What is wrong with a key and its value where those of ``known`` may stand."""
    wanted = known.get(keys[-1])
    if wanted is None:
        near = difflib.get_close_matches(keys[-1].lower(), known, n=1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
        return Fault(keys, f"no setting has this name; {hint}")
    fits = isinstance(value, wanted) and (wanted is not list or _all_text(value))
    return None if fits else Fault(keys, f"must be {_SAID[wanted]}, not {_shown(value)}")


def _all_text(values: object) -> bool:
    return isinstance(values, list) and all(isinstance(each, str) for each in values)


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "a table" if isinstance(value, dict) else "a list" if isinstance(value, list) else repr(value)


def _app(workspace: Workspace, table: Mapping[str, Any]) -> Iterator[Fault]:
    from ragtui.judges.profile import JudgeError, profile

    for name, value in table.items():
        wrong = _typed(("app", name), value, _APP)
        if wrong is not None:
            yield wrong
        elif name == "judge":
            try:
                profile(value, workspace)
            except JudgeError as error:
                yield Fault(("app", name), str(error))


def _golden(workspace: Workspace, paths: Sequence[str]) -> Iterator[Fault]:
    for path in paths:
        if not (workspace.root / path).exists():
            yield Fault(("golden",), f"{path} is not there")


def _judges(workspace: Workspace, table: Mapping[str, Any]) -> Iterator[Fault]:
    from ragtui.judges.profile import JudgeError, profile

    for name in table:
        try:
            profile(name, workspace)
        except JudgeError as error:
            yield Fault(("judges", name), str(error).removeprefix(f"ragtui.toml [judges.{name}]: "))


def _groups(workspace: Workspace, table: Mapping[str, Any]) -> Iterator[Fault]:
    from ragtui.metrics.groups import load_group
    from ragtui.metrics.spec import MetricError

    for name in table:
        try:
            load_group(workspace, name)
        except MetricError as error:
            yield Fault(("groups", name), str(error).removeprefix(f"ragtui.toml: [groups.{name}]: "))


def _targets(workspace: Workspace, table: Mapping[str, Any]) -> Iterator[Fault]:
    from ragtui.targets.spec import check_target
    from ragtui.targets.target import TargetError

    for name in table:
        try:
            check_target(name, workspace)
        except TargetError as error:
            yield Fault(("targets", name), str(error).removeprefix("ragtui.toml: "))


def _datasets(workspace: Workspace, table: Mapping[str, Any]) -> Iterator[Fault]:
    from ragtui.datasets.dataset import Role
    from ragtui.datasets.formats import formats

    roles = [role.value for role in Role]
    for path, said in table.items():
        keys = ("datasets", path)
        if not isinstance(said, dict):
            yield Fault(keys, f"must be a table with format, roles or mapping, not {_shown(said)}")
            continue
        if not (workspace.root / path).exists() and not (workspace.root / Path(path.rpartition("#")[0])).is_file():
            yield Fault(keys, "there is no such file")
        for name, value in said.items():
            wrong = _typed((*keys, name), value, {"format": str, "roles": dict, "mapping": dict})
            if wrong is not None:
                yield wrong
                continue
            if name == "format":
                if value not in formats():
                    yield Fault((*keys, name), f"must be one of {', '.join(sorted(formats()))}, not {_shown(value)}")
                continue
            for column, word in value.items():
                if name == "roles" and word not in roles:
                    yield Fault((*keys, name, column), f"must be one of {', '.join(roles)}, not {_shown(word)}")
                elif not isinstance(word, str):
                    yield Fault((*keys, name, column), f'must be a text, as "${{data.{column}}}", not {_shown(word)}')


_CHECKS: Final[Mapping[str, Callable[[Workspace, Any], Iterator[Fault]]]] = {
    "app": _app, "datasets": _datasets, "golden": _golden, "groups": _groups, "judges": _judges, "targets": _targets,
}  # fmt: skip
