"""Makes, changes and deletes own metrics. A new one joins a group in the same step, existing or made with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ragtui import trust
from ragtui.metrics import groups
from ragtui.metrics.metric import Definition, Kind
from ragtui.metrics.own import code_file, judged_file, versions
from ragtui.metrics.own.files import FOLDER, OwnFile, check_name, defined, ending_of, own_file, own_metrics
from ragtui.metrics.registry import metric
from ragtui.metrics.spec import MetricError
from ragtui.workspace import Workspace, write_atomically

_TEMPLATES: Final = {Kind.CODE: code_file.TEMPLATE, Kind.JUDGED: judged_file.TEMPLATE}


@dataclass(frozen=True, slots=True)
class Saved:
    """A metric that was saved: the workspace as it is then, the metric's row, and whether it is a new version."""

    workspace: Workspace
    definition: Definition
    changed: bool = True


def template(kind: Kind, name: str) -> str:
    """What a new metric's file begins as."""
    return _TEMPLATES[kind].format(summary=f"{name.replace('_', ' ')}: what it says about an answer, in one line")


def create(workspace: Workspace, name: str, kind: Kind, text: str, group: str) -> Saved:
    """Writes a new metric and puts it into a group, which is made if it is not there. The user wrote its code, so it is
    allowed to run.

    Raises:
        MetricError: the name is taken, the text defines no metric, the group is full or cannot be used; nothing is written.
        OSError: it cannot be written.
    """
    check_new(workspace, name, group)
    file = _file(workspace, name, kind, text)
    definition = defined(file, workspace)
    write_atomically(file.path, file.content)
    try:
        changed = groups.add_metrics(workspace, group, [name])
    except BaseException:
        file.path.unlink(missing_ok=True)
        raise
    _remember(file, workspace)
    return Saved(changed, definition)


def check_new(workspace: Workspace, name: str, group: str) -> None:
    """Makes sure that a new metric may be called so and that the group can take it.

    Raises:
        MetricError: no.
    """
    if not group.strip():
        raise MetricError("a new metric must join a group; name one with --group (it is made if it is not there)")
    check_name(name, f"{FOLDER}/{name}")
    there = own_file(workspace, name)
    if there is not None:
        raise MetricError(f"there is a metric {there.name} already, {there.shown}; `ragtui metrics edit {there.name}`")
    _check_room(workspace, group)


def save(workspace: Workspace, name: str, text: str) -> Saved:
    """Writes a new version of a metric; every group that names it follows. The old version stays kept.

    Raises:
        MetricError: there is no such metric, or the text defines none; nothing is written.
        OSError: it cannot be written.
    """
    there = existing(workspace, name)
    file = _file(workspace, there.name, there.kind, text)
    definition = defined(file, workspace)
    _check_thresholds(workspace, definition)
    versions.keep(there, workspace)
    if file.content != there.content:
        write_atomically(there.path, file.content)
    _remember(file, workspace)
    return Saved(workspace, definition, file.content != there.content)


def delete(workspace: Workspace, name: str) -> OwnFile:
    """Deletes a metric; its versions stay kept, so that the experiments that used them can go on.

    Raises:
        MetricError: there is none, or a group has it.
        OSError: it cannot be deleted.
    """
    file = existing(workspace, name)
    holders = groups.holding(workspace, file.name)
    if holders:
        raise MetricError(f"{file.name} is in use: the group {', '.join(holders)} has it; take it out there first")
    versions.keep(file, workspace)
    file.path.unlink()
    return file


def allow(workspace: Workspace, file: OwnFile) -> None:
    """Lets the code of a metric run, as it is now. Only to be called after the user has seen it and said yes."""
    trust.trust(workspace, file.path)


def existing(workspace: Workspace, name: str) -> OwnFile:
    """The file of an own metric.

    Raises:
        MetricError: there is none; a shipped metric is named as such.
    """
    file = own_file(workspace, name)
    if file is not None:
        return file
    shipped = metric(name, own_metrics(workspace)).name  # raises with the nearest name where there is none at all
    raise MetricError(f"{shipped} comes with ragtui and cannot be changed; `ragtui metrics new` makes one of your own")


def _file(workspace: Workspace, name: str, kind: Kind, text: str) -> OwnFile:
    content = text.encode("utf-8", "surrogatepass")
    return OwnFile(name, workspace.root / FOLDER / f"{name}{ending_of(kind)}", kind, content)


def _check_room(workspace: Workspace, group: str) -> None:
    """Raises: MetricError: the group cannot take one more."""
    if group in groups.group_names(workspace):
        there = groups.load_group(workspace, group)
        if len(there.metrics) >= groups.MOST:
            raise MetricError(f"{group} holds {groups.MOST} metrics already, the most a group may have; name another")


def _check_thresholds(workspace: Workspace, definition: Definition) -> None:
    """Raises: MetricError: a group has a threshold for the metric that is off its new scale."""
    metric = definition.metric
    for group in groups.holding(workspace, metric.name):
        limit = groups.thresholds_of(workspace, group).get(metric.name)
        if isinstance(limit, int | float) and not metric.on_scale(limit):
            raise MetricError(
                f"the group {group} has the threshold {limit:g} for {metric.name}, which is off the new scale, "
                f"{metric.shown_scale}; change it with `ragtui group threshold {group} {metric.name} default`"
            )


def _remember(file: OwnFile, workspace: Workspace) -> None:
    versions.keep(file, workspace)
    if file.kind is Kind.CODE:
        allow(workspace, file)
