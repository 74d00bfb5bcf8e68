"""The files of the workspace's ``metrics/`` folder, read without running any of them.

A file's name is its metric's name, its version a hash of its content. A file that cannot be used is a metric that says so
when it is asked for, and takes nothing else down.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ragtui.metrics.metric import Definition, Kind, Metric
from ragtui.metrics.spec import MetricError, folded
from ragtui.workspace import Workspace

FOLDER: Final = "metrics"
NAME: Final = re.compile(r"[^\W\d_]\w{0,63}")
LARGEST: Final = 1_000_000  # bytes of a metric's file
_ENDINGS: Final = {".py": Kind.CODE, ".toml": Kind.JUDGED}


@dataclass(frozen=True, slots=True)
class OwnFile:
    """A file that defines a metric. ``problem`` says why its content cannot be had at all."""

    name: str
    path: Path
    kind: Kind
    content: bytes = b""
    problem: str = ""

    @property
    def version(self) -> str:
        return hashlib.sha256(self.content).hexdigest()[:12]

    @property
    def shown(self) -> str:
        """``metrics/polite.py``."""
        return f"{FOLDER}/{self.path.name}"

    @property
    def text(self) -> str:
        return self.content.decode("utf-8-sig")


def ending_of(kind: Kind) -> str:
    return next(ending for ending, each in _ENDINGS.items() if each is kind)


def own_files(workspace: Workspace) -> tuple[OwnFile, ...]:
    """The files that define metrics, by name. Names that begin with ``_`` or a point are left alone."""
    folder = workspace.root / FOLDER
    try:
        paths = sorted(folder.iterdir())
    except OSError:
        return ()
    return tuple(_read(each) for each in paths if each.suffix in _ENDINGS and each.name[0] not in "_.")


def _read(path: Path) -> OwnFile:
    kind = _ENDINGS[path.suffix]
    try:
        if not path.is_file():
            return OwnFile(path.stem, path, kind, problem="it is no file")
        if path.stat().st_size > LARGEST:
            return OwnFile(path.stem, path, kind, problem=f"it is larger than {LARGEST:,} bytes")
        return OwnFile(path.stem, path, kind, path.read_bytes())
    except OSError as error:
        return OwnFile(path.stem, path, kind, problem=f"it cannot be read: {error.strerror or error}")


def own_file(workspace: Workspace, name: str) -> OwnFile | None:
    """The file of one metric, by its name in any case; ``None`` where there is none."""
    return next((each for each in own_files(workspace) if folded(each.name) == folded(name)), None)


def own_metrics(workspace: Workspace) -> Mapping[str, Definition]:
    """The workspace's own metrics by name; those that cannot be used say why when they are asked for."""
    found: dict[str, Definition] = {}
    taken: dict[str, OwnFile] = {}
    for each in own_files(workspace):
        if _shipped(each.name):
            continue  # the shipped metric stays what it is; ``problems`` tells
        twin = taken.setdefault(folded(each.name), each)
        if twin is not each:
            found[twin.name] = _unusable(twin, f"{each.shown} defines a metric of that name, too; rename one")
        else:
            found[each.name] = definition_of(each, workspace)
    return found


def problems(workspace: Workspace) -> tuple[str, ...]:
    """Why files of the folder define no metric, one line each."""
    hidden = [
        f"{each.shown}: {each.name} is the name of a metric that comes with ragtui; rename the file"
        for each in own_files(workspace)
        if _shipped(each.name)
    ]
    return (*hidden, *(each.problem for each in own_metrics(workspace).values() if each.problem))


def definition_of(file: OwnFile, workspace: Workspace) -> Definition:
    """The metric that a file defines; with its ``problem`` where it defines none."""
    try:
        return defined(file, workspace)
    except MetricError as error:
        return _unusable(file, str(error))


def defined(file: OwnFile, workspace: Workspace) -> Definition:
    """The metric that a file defines.

    Raises:
        MetricError: it defines none; one line with file, place and remedy.
    """
    from ragtui.metrics.own.code_file import read_code
    from ragtui.metrics.own.judged_file import read_judged

    if file.problem:
        raise MetricError(f"{file.shown}: {file.problem}")
    check_name(file.name, file.shown)
    try:
        _ = file.text
    except UnicodeDecodeError as error:
        raise MetricError(f"{file.shown}: it is not UTF-8 at byte {error.start}") from None
    read: Callable[[OwnFile, Workspace], Metric] = read_code if file.kind is Kind.CODE else read_judged
    return Definition(read(file, workspace))


def check_name(name: str, shown: str) -> None:
    """Makes sure that a metric may be called so.

    Raises:
        MetricError: it may not.
    """
    if not NAME.fullmatch(name):
        raise MetricError(
            f"{shown}: {name!r} cannot be a metric's name; use letters, digits and _ and begin with a letter"
        )
    if _shipped(name):
        raise MetricError(f"{shown}: {name} is the name of a metric that comes with ragtui; choose another")


def _shipped(name: str) -> bool:
    from ragtui.metrics.registry import is_shipped

    return is_shipped(name)


def _unusable(file: OwnFile, problem: str) -> Definition:
    """``problem`` may begin with the file's name, and the line."""
    said = problem.removeprefix(f"{file.shown}:").lstrip()
    metric = Metric(file.name, file.kind, f"cannot be used: {said}", version=file.version, source=file.shown)
    return Definition(metric, problem=problem if said != problem else f"{file.shown}: {problem}")
