"""Metric Groups: which metrics are judged together, in which order; what each metric is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical

from ragtui.experiments import wording
from ragtui.metrics.spec import MetricError
from ragtui.tui.actions import bindings
from ragtui.tui.performing import tell
from ragtui.tui.screens.group_metrics import GroupMetrics
from ragtui.tui.screens.group_views import GROUP_COLUMNS, METRIC_COLUMNS, about_metric, group_frame, metric_frame
from ragtui.tui.screens.pane import Pane
from ragtui.tui.widgets.choosing import Choice, Choosing
from ragtui.tui.widgets.part import Part
from ragtui.tui.widgets.passage import Passage
from ragtui.tui.widgets.prompt_line import Fault, ask
from ragtui.tui.widgets.virtual_table import VirtualTable
from ragtui.tui.widgets.wrapped_text import WrappedText
from ragtui.tui.workbench import Workbench

if TYPE_CHECKING:
    from ragtui.metrics.groups import Group
    from ragtui.metrics.metric import Metric

NOTHING = """No Metric Group yet.
press a to make one: a name, then the metrics that belong together
an experiment can also take single metrics without a group"""

MOST = 50


class GroupsPane(GroupMetrics, Pane):
    """Groups at the left, the metrics of one in their order at the right, and what the metric at the cursor means."""

    SCOPES = ("groups",)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("groups")]

    def __init__(self, workbench: Workbench, *, id: str) -> None:
        super().__init__(workbench, id=id)
        self._shown = ""
        self._told: list[str] = []

    def compose(self) -> ComposeResult:
        with Part("Metric Groups", id="groups-part"):
            yield VirtualTable(id="group-list", empty=NOTHING)
        with Vertical(id="groups-right"):
            with Part("metrics", id="metrics-part"):
                yield VirtualTable(id="metric-list", frozen=2)
            with Part("what it is", id="metric-part"):
                yield WrappedText(id="metric-text")

    @property
    def _groups(self) -> list[Group]:
        return self.workbench.groups()

    @property
    def current(self) -> Group | None:
        row = self.query_one("#group-list", VirtualTable).row
        groups = self._groups
        return groups[row] if row is not None and row < len(groups) else None

    @property
    def metric(self) -> Metric | None:
        group, row = self.current, self.query_one("#metric-list", VirtualTable).row
        return group.metrics[row] if group is not None and row is not None and row < len(group.metrics) else None

    def crumbs(self) -> list[str]:
        return [] if self.current is None else [self.current.name]

    def refreshed(self) -> None:
        self.workbench.forget_groups()  # a metric's file may have changed
        groups = self._groups
        if self.workbench.group_problems != self._told:
            self._told = list(self.workbench.group_problems)
            for problem in self._told:
                tell(self, problem, "warning")
        table = self.query_one("#group-list", VirtualTable)
        table.show(group_frame(groups, self.workbench.used_groups()), GROUP_COLUMNS, row=table.row)
        self._show_group()

    @on(VirtualTable.Moved, "#group-list")
    def _other_group(self) -> None:
        if (self.current.name if self.current is not None else "") != self._shown:
            self._show_group()

    def _show_group(self, *, row: int | None = None) -> None:
        group, table = self.current, self.query_one("#metric-list", VirtualTable)
        table.empty = "press + to add metrics" if group is not None else ""
        thresholds = {} if group is None else dict(group.thresholds)
        table.show(metric_frame(() if group is None else group.metrics, thresholds), METRIC_COLUMNS, row=row)
        self._shown = group.name if group is not None else ""
        part = self.query_one("#metrics-part", Part)
        part.title(group.name if group else "metrics", wording.count(len(group.metrics), "metric") if group else "")
        self._show_metric()
        self.post_message(self.Altered())

    @on(VirtualTable.Moved, "#metric-list")
    def _show_metric(self) -> None:
        metric, text = self.metric, self.query_one("#metric-text", WrappedText)
        text.show(about_metric(metric, *self.workbench.own_file(metric)) if metric is not None else Passage())
        self.query_one("#metric-part", Part).title(metric.name if metric is not None else "what it is")

    @on(VirtualTable.Opened, "#group-list")
    def _opened(self) -> None:
        self.screen.set_focus(self.query_one("#metric-list", VirtualTable))

    # What the keys do

    def do_new_group(self, name: str = "") -> None:
        if name:
            self.pick_metrics(name, (), ())
        else:
            ask(self, "name of the new group", then=lambda typed: self.pick_metrics(typed, (), ()) if typed else None,
                check=self._name_fault)  # fmt: skip

    async def _name_fault(self, typed: str) -> Fault | None:
        try:
            self.workbench.check_new_group(typed)
        except MetricError as error:
            return Fault(str(error)) if typed else None
        return None

    def do_add_metric(self) -> None:
        if (group := self.current) is not None:
            self.pick_metrics(group.name, group.specs, ())

    def pick_metrics(self, name: str, have: Sequence[str], proposed: Sequence[str], typed: str = "") -> None:
        """Lets the user choose the metrics that a group is to have besides ``have``; the proposed ones are marked. It comes
        back with what was ``typed`` where that is no metric."""
        choices = [
            Choice(metric.name, f"{metric.name}  {metric.summary}", metric.kind.value)
            for metric in self.workbench.catalogue(proposed)
            if metric.name not in have
        ]
        choices += [
            Choice(metric.name, f"{metric.name}  {text}", "variant")
            for metric, text in self.workbench.variants()
            if metric.name not in have
        ]
        choices.sort(key=lambda choice: proposed.index(choice.key) if choice.key in proposed else len(proposed))

        def add(chosen: str | None) -> None:
            picked = (chosen or "").splitlines()
            if picked and not self._save(name, [*have, *picked]):
                known = [spec for spec in picked if spec in offered]
                self.pick_metrics(name, have, known, next((spec for spec in picked if spec not in offered), ""))

        offered = {choice.key for choice in choices}
        title = f"metrics for {name}"
        self.app.push_screen(Choosing(title, choices, many=True, free=True, typed=typed, marked=proposed), add)

    def _save(self, name: str, specs: Sequence[str], *, row: int | None = None) -> bool:
        return self.change(lambda: self.workbench.save_group(name, specs), name, row=row)

    def change(self, change: Callable[[], None], name: str, *, row: int | None = None) -> bool:
        try:
            change()
        except (MetricError, OSError) as error:
            tell(self, str(error).replace("`ragtui metrics` lists them", "+ lists them"), "error")
            return False
        self._after_change(name, row=row)
        return True

    def _after_change(self, name: str, *, row: int | None = None) -> None:
        table = self.query_one("#group-list", VirtualTable)
        names = [group.name for group in self._groups]
        at = names.index(name) if name in names else 0
        table.show(group_frame(self._groups, self.workbench.used_groups()), GROUP_COLUMNS, row=at)
        self._show_group(row=row)

    def do_move_down(self) -> None:
        self._move(1)

    def do_move_up(self) -> None:
        self._move(-1)

    def _move(self, step: int) -> None:
        group, row = self.current, self.query_one("#metric-list", VirtualTable).row
        if group is None or row is None or not 0 <= row + step < len(group.metrics):
            return
        specs = list(group.specs)
        specs[row], specs[row + step] = specs[row + step], specs[row]
        self._save(group.name, specs, row=row + step)

    def do_duplicate(self, name: str = "") -> None:
        if (group := self.current) is None:
            return

        def duplicate(typed: str) -> None:
            if typed:
                self.change(lambda: self.workbench.duplicate_group(group.name, typed), typed)

        if name:
            duplicate(name)
        else:
            ask(self, "name of the copy", then=duplicate, value=f"{group.name}-2", replace=True)

    def do_rename(self, name: str = "") -> None:
        if (group := self.current) is None:
            return

        def rename(typed: str) -> None:
            if typed and typed != group.name:
                self.change(lambda: self.workbench.rename_group(group.name, typed), typed)

        if name:
            rename(name)
        else:
            ask(self, "new name", then=rename, value=group.name, replace=True)

    def do_delete(self) -> None:
        group, metrics = self.current, self.query_one("#metric-list", VirtualTable)
        if group is None:
            return
        if metrics.has_focus and metrics.row is not None:
            self._take_out(group, metrics.row)
            return

        def delete(answer: str | None) -> None:
            if answer == "delete" and self.change(lambda: self.workbench.delete_group(group.name), ""):
                tell(self, f"deleted {group.name}; u brings it back")

        choices = [Choice("keep", "Keep it"), Choice("delete", f"Delete {group.name}")]
        self.app.push_screen(Choosing(f"delete the group {group.name}?", choices), delete)

    def _take_out(self, group: Group, row: int) -> None:
        if len(group.metrics) == 1:
            tell(self, "a group holds at least one metric; delete the group itself", "warning")
            return
        specs = [spec for at, spec in enumerate(group.specs) if at != row]
        if self._save(group.name, specs, row=min(row, len(specs) - 1)):
            tell(self, f"took {group.specs[row]} out of {group.name}; u puts it back")

    def do_undo(self) -> None:
        try:
            done = self.workbench.undo_groups()
        except OSError as error:
            tell(self, str(error), "error")
            return
        tell(self, done)
        here = self.current
        self._after_change(here.name if here is not None else "")

    def why_not(self, name: str) -> str | None:
        if name == "undo":
            return None if self.workbench.can_undo_groups else "nothing was changed"
        if name in ("new-group", "new-metric", "delete-metric", "import"):
            return None
        if name in ("propose", "try-metric") and not self.workbench.usable_datasets():
            return "open a dataset first (1)"
        if name == "propose":
            return None
        group, metrics = self.current, self.query_one("#metric-list", VirtualTable)
        if group is None:
            return "there is no group"
        if name in ("move-up", "move-down") and not metrics.has_focus:
            return "go to the metrics first (tab)"
        if name == "add-metric" and len(group.metrics) >= MOST:
            return f"a group holds at most {MOST} metrics"
        if name in ("edit-metric", "try-metric", "threshold", "allow"):
            return self.why_no_metric(name)
        if name in ("delete", "rename") and not metrics.has_focus and group.name in self.workbench.used_groups():
            return "experiments use it"
        return None
