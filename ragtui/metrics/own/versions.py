"""Every version of an own metric that was saved or run, kept in ``.ragtui/metrics/`` as ``NAME@VERSION.py`` or ``.toml``.

Groups name metrics and follow the newest; an experiment names the version it was run with and can go on with it.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

from ragtui.metrics.metric import Kind, Metric
from ragtui.metrics.own.files import OwnFile, defined, ending_of, own_file
from ragtui.metrics.spec import MetricError
from ragtui.workspace import Workspace, write_atomically

_FOLDER: Final = "metrics"


def keep(file: OwnFile, workspace: Workspace) -> None:
    """Keeps the version of a file as it is now.

    Raises:
        OSError: it cannot be written.
    """
    place = _place(file, workspace)
    if not place.exists():
        write_atomically(place, file.content)


def kept(workspace: Workspace, name: str) -> tuple[str, ...]:
    """The versions of a metric that are kept, the oldest first."""
    found = [each for each in (workspace.state / _FOLDER).glob(f"{name}@*") if each.suffix in (".py", ".toml")]
    return tuple(each.stem.partition("@")[2] for each in sorted(found, key=lambda path: path.stat().st_mtime_ns))


def at_version(workspace: Workspace, name: str, version: str) -> OwnFile | None:
    """A metric's file as it was at a version; ``None`` where that was not kept."""
    now = own_file(workspace, name)
    if now is not None and now.version == version:
        return now
    for path in (workspace.state / _FOLDER).glob(f"{name}@{version}.*"):
        try:
            content = path.read_bytes()
        except OSError:
            continue
        kind = next((each for each in _kinds() if ending_of(each) == path.suffix), None)
        if kind is not None:
            found = OwnFile(name, workspace.root / _FOLDER / f"{name}{path.suffix}", kind, content)
            return found if found.version == version else None
    return None


def metric_at(workspace: Workspace, name: str, version: str) -> Metric:
    """The metric as it was at a version.

    Raises:
        MetricError: that version was not kept, or cannot be used.
    """
    file = at_version(workspace, name, version)
    if file is None:
        raise MetricError(
            f"{name} has changed since, and its version {version} was not kept; run it as a new experiment"
        )
    return replace(defined(file, workspace).metric, name=name)


def place_of(file: OwnFile, workspace: Workspace) -> Path | None:
    """Where exactly this content lies: in the folder, else among the kept versions."""
    for place in (file.path, _place(file, workspace)):
        try:
            if place.read_bytes() == file.content:
                return place
        except OSError:
            continue
    return None


def _place(file: OwnFile, workspace: Workspace) -> Path:
    return workspace.state / _FOLDER / f"{file.name}@{file.version}{file.path.suffix}"


def _kinds() -> tuple[Kind, ...]:
    return (Kind.CODE, Kind.JUDGED)
