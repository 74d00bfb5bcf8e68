"""Metric Groups: which metrics are judged together, in which order; what each metric is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical

from ragtui.metrics.spec import MetricError
from ragtui.text import cell
from ragtui.tui.actions import bindings
from ragtui.tui.performing import tell
from ragtui.tui.screens.pane import Pane
from ragtui.tui.widgets.choosing import Choice, Choosing
from ragtui.tui.widgets.part import Part
from ragtui.tui.widgets.passage import Passage
from ragtui.tui.widgets.prompt_line import ask
from ragtui.tui.widgets.table_column import Painted, TableColumn
from ragtui.tui.widgets.virtual_table import VirtualTable
from ragtui.tui.widgets.wrapped_text import WrappedText
from ragtui.tui.workbench import Workbench

if TYPE_CHECKING:
    import polars as pl

    from ragtui.metrics.groups import Group
    from ragtui.metrics.metric import Metric

NOTHING = """No Metric Group yet.
press a to make one: a name, then the metrics that belong together
an experiment can also take single metrics without a group"""

MOST = 50


class GroupsPane(Pane):
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
    def _metric(self) -> Metric | None:
        group, row = self.current, self.query_one("#metric-list", VirtualTable).row
        return group.metrics[row] if group is not None and row is not None and row < len(group.metrics) else None

    def crumbs(self) -> list[str]:
        return [] if self.current is None else [self.current.name]

    def refreshed(self) -> None:
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
        part.title(group.name if group else "metrics", f"{len(group.metrics)} metrics" if group else "")
        self._show_metric()
        self.post_message(self.Altered())

    @on(VirtualTable.Moved, "#metric-list")
    def _show_metric(self) -> None:
        metric, text = self._metric, self.query_one("#metric-text", WrappedText)
        text.show(about_metric(metric) if metric is not None else Passage())
        self.query_one("#metric-part", Part).title(metric.name if metric is not None else "what it is")

    @on(VirtualTable.Opened, "#group-list")
    def _opened(self) -> None:
        self.screen.set_focus(self.query_one("#metric-list", VirtualTable))

    # What the keys do

    def do_new_group(self, name: str = "") -> None:
        if name:
            self._pick_metrics(name, ())
        else:
            ask(self, "name of the new group", then=lambda typed: self._pick_metrics(typed, ()) if typed else None)

    def do_add_metric(self) -> None:
        if (group := self.current) is not None:
            self._pick_metrics(group.name, group.specs)

    def _pick_metrics(self, name: str, have: Sequence[str]) -> None:
        choices = [
            Choice(metric.name, f"{metric.name}  {metric.summary}", metric.kind.value)
            for metric in self.workbench.catalogue()
            if metric.name not in have
        ]

        def add(chosen: str | None) -> None:
            if chosen:
                self._save(name, [*have, *chosen.splitlines()])

        self.app.push_screen(Choosing(f"metrics for {name}", choices, many=True), add)

    def _save(self, name: str, specs: Sequence[str], *, row: int | None = None) -> bool:
        return self._change(lambda: self.workbench.save_group(name, specs), name, row=row)

    def _change(self, change: Callable[[], None], name: str, *, row: int | None = None) -> bool:
        try:
            change()
        except (MetricError, OSError) as error:
            tell(self, str(error), "error")
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
                self._change(lambda: self.workbench.duplicate_group(group.name, typed), typed)

        if name:
            duplicate(name)
        else:
            ask(self, "name of the copy", then=duplicate, value=f"{group.name}-2", replace=True)

    def do_rename(self, name: str = "") -> None:
        if (group := self.current) is None:
            return

        def rename(typed: str) -> None:
            if typed and typed != group.name:
                self._change(lambda: self.workbench.rename_group(group.name, typed), typed)

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
            if answer == "delete" and self._change(lambda: self.workbench.delete_group(group.name), ""):
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
        if name == "new-group":
            return None
        group, metrics = self.current, self.query_one("#metric-list", VirtualTable)
        if group is None:
            return "there is no group"
        if name in ("move-up", "move-down") and not metrics.has_focus:
            return "go to the metrics first (tab)"
        if name == "add-metric" and len(group.metrics) >= MOST:
            return f"a group holds at most {MOST} metrics"
        if name in ("delete", "rename") and not metrics.has_focus and group.name in self.workbench.used_groups():
            return "experiments use it"
        return None


# How groups and metrics look


def _uses(values: Sequence[Any]) -> Painted:
    return (f"{values[0]}" if values[0] else "–"), "dim"


GROUP_COLUMNS: Final = (
    TableColumn("name", "name", grow=True, most=60),
    TableColumn("metrics", "metrics", right=True, searched=False),
    TableColumn("used", "experiments", paint=_uses, right=True, searched=False),
)

METRIC_COLUMNS: Final = (
    TableColumn("number", "#", paint=lambda values: (f"{values[0]}", "dim"), right=True, searched=False),
    TableColumn("name", "metric", paint=lambda values: (cell(values[0]), "strong")),
    TableColumn("kind", "kind", paint=lambda values: (cell(values[0]), "cool")),
    TableColumn("scale", "scale"),
    TableColumn("passes", "passes"),
    TableColumn("needs", "needs", most=34),
    TableColumn("summary", "what", grow=True, most=200),
)


def group_frame(groups: Sequence[Group], used: dict[str, int]) -> pl.DataFrame:
    import polars as pl

    rows = [(group.name, len(group.metrics), used.get(group.name, 0)) for group in groups]
    return pl.DataFrame(rows, schema={"name": pl.String, "metrics": pl.Int64, "used": pl.Int64}, orient="row")


def metric_frame(metrics: Sequence[Metric], thresholds: dict[str, float]) -> pl.DataFrame:
    import polars as pl

    rows = [
        (at, metric.name, metric.kind.value, metric.shown_scale, passes(metric, thresholds.get(metric.name)),
         ", ".join(metric.inputs), metric.summary)
        for at, metric in enumerate(metrics, 1)
    ]  # fmt: skip
    names = ["name", "kind", "scale", "passes", "needs", "summary"]
    return pl.DataFrame(rows, schema={"number": pl.Int64, **dict.fromkeys(names, pl.String)}, orient="row")


def passes(metric: Metric, threshold: float | None = None) -> str:
    """``≥ 3``: what a score must be to pass; empty without a threshold."""
    limit = metric.threshold if threshold is None else threshold
    return "" if limit is None else f"{'≥' if metric.higher_is_better else '≤'} {limit:g}"


def about_metric(metric: Metric) -> Passage:
    """A metric explained: what it says, how it is computed, what it needs."""
    passage = Passage()
    passage.line((metric.name, "strong"), (f"  {metric.kind.value}", "cool"))
    passage.text(metric.summary)
    passage.gap()
    better = "higher is better" if metric.higher_is_better else "lower is better"
    limit = passes(metric)
    passage.line(
        ("scale    ", "title"), (f"{metric.shown_scale}, {better}" + (f", passes {limit}" if limit else ""), "")
    )
    passage.line(("needs    ", "title"), (", ".join(metric.inputs) or "nothing", ""), hang=9)
    if metric.optional:
        passage.line(("can use  ", "title"), (", ".join(metric.optional), ""), hang=9)
    if metric.definition:
        passage.heading("How it is computed")
        passage.text(metric.definition)
    if metric.source:
        passage.gap()
        passage.line((metric.source, "dim"))
    return passage
