"""The Metric Groups of one workspace, as the screens have them: made, changed, and put back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ragtui.workspace import Workspace, write_atomically

if TYPE_CHECKING:
    from ragtui.experiments.store import Entry
    from ragtui.metrics.groups import Group
    from ragtui.metrics.metric import Metric
    from ragtui.metrics.own.files import OwnFile


class MetricGroups:
    """The part of the workbench that knows groups, and the experiments that use them."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.group_problems: list[str] = []
        self._groups: list[Group] | None = None
        self._undo_groups: tuple[str, str] | None = None  # ragtui.toml before and after the last change
        self._entries: list[Entry] = []

    def groups(self) -> list[Group]:
        """The workspace's groups that can be used, in the order of ``ragtui.toml``; ``group_problems`` says what is wrong
        with the others."""
        if self._groups is None:
            from ragtui.metrics.groups import group_names, load_group
            from ragtui.metrics.spec import MetricError

            self._groups, self.group_problems = [], []
            for name in group_names(self.workspace):
                try:
                    self._groups.append(load_group(self.workspace, name))
                except MetricError as error:
                    self.group_problems.append(str(error))
        return self._groups

    def forget_groups(self) -> None:
        """Makes ``groups`` look again: at the files of own metrics, too."""
        self._groups = None

    def used_groups(self) -> dict[str, int]:
        """How many experiments use each group."""
        return Counter(entry.plan.group for entry in self._entries if entry.plan.group)

    def catalogue(self, further: Sequence[str] = ()) -> tuple[Metric, ...]:
        """Every metric a group can be made of, at the usual cuts; ``further`` ones may be at others."""
        from ragtui.metrics.own.files import own_metrics
        from ragtui.metrics.registry import metrics, resolve_all

        own = own_metrics(self.workspace)
        found = [*metrics(own), *(resolve_all(further, own) if further else ())]
        return tuple({each.name: each for each in found}.values())

    def variants(self) -> tuple[tuple[Metric, str], ...]:
        """The variants of metrics, each with what it does differently: criteria of relevance among them."""
        from ragtui.metrics.registry import variants

        return variants()

    def own_file(self, metric: Metric) -> tuple[OwnFile | None, bool]:
        """The file of a metric of the user's own, and whether it may run; ``None`` for a shipped one."""
        from ragtui.metrics.metric import Kind
        from ragtui.metrics.own import files
        from ragtui.trust import is_trusted

        file = files.own_file(self.workspace, metric.name)
        return file, file is None or file.kind is not Kind.CODE or is_trusted(self.workspace, file.path)

    def check_new_group(self, name: str) -> None:
        """Raises: MetricError: a new group cannot be called so."""
        from ragtui.metrics.groups import check_new_name

        check_new_name(self.workspace, name)

    def save_group(self, name: str, specs: Sequence[str]) -> None:
        """Writes a group to ``ragtui.toml``.

        Raises:
            MetricError: a name or metric cannot be used.
        """
        from ragtui.metrics.groups import save_group

        self.change_groups(lambda: save_group(self.workspace, name, specs))

    def duplicate_group(self, name: str, copy: str) -> None:
        """Writes a group a second time; raises as ``save_group``."""
        from ragtui.metrics.groups import duplicate_group

        self.change_groups(lambda: duplicate_group(self.workspace, name, copy))

    def rename_group(self, old: str, new: str) -> None:
        """Gives a group another name; raises as ``save_group``."""
        from ragtui.metrics.groups import rename_group

        self.change_groups(lambda: rename_group(self.workspace, old, new))

    def delete_group(self, name: str) -> None:
        """Deletes a group; raises as ``save_group``, also where experiments use it."""
        from ragtui.metrics.groups import delete_group

        users = [entry.id for entry in self._entries if entry.plan.group == name]
        self.change_groups(lambda: delete_group(self.workspace, name, users))

    def change_groups(self, change: Callable[[], Workspace]) -> None:
        """Changes groups or metrics by what gives the workspace as it is then; ``undo_groups`` takes it back."""
        before = self._config_text()
        self.workspace, self._groups = change(), None
        if (after := self._config_text()) != before:
            self._undo_groups = (before, after)

    def _config_text(self) -> str:
        path = self.workspace.config_path
        return path.read_text("utf-8") if path.exists() else ""

    @property
    def can_undo_groups(self) -> bool:
        return self._undo_groups is not None

    def undo_groups(self) -> str:
        """Puts ``ragtui.toml`` back as it was before the last change to a group; returns what to say.

        Raises:
            OSError: it cannot be written.
        """
        if self._undo_groups is None:
            return "nothing was changed"
        before, after = self._undo_groups
        if self._config_text() != after:
            return "ragtui.toml was changed since, so nothing was undone"
        write_atomically(self.workspace.config_path, before)
        self.workspace, self._groups, self._undo_groups = Workspace.open(self.workspace.root), None, None
        return "took the last change to the groups back"
