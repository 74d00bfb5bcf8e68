"""The main screen: four panes between the bars at the top and the two lines at the bottom."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import ContentSwitcher

from ragtui.text import cell
from ragtui.tui.performing import tell
from ragtui.tui.screens.datasets import DatasetsPane
from ragtui.tui.screens.pane import Pane
from ragtui.tui.widgets.key_bar import KeyBar
from ragtui.tui.widgets.prompt_line import PromptLine
from ragtui.tui.widgets.top_bar import PANES, TopBar
from ragtui.tui.widgets.virtual_table import VirtualTable

if TYPE_CHECKING:
    from ragtui.experiments.preflight import Preflight
    from ragtui.tui.workbench import Workbench


def _groups(workbench: Workbench) -> Pane:
    from ragtui.tui.screens.groups import GroupsPane

    return GroupsPane(workbench, id="groups")


def _experiments(workbench: Workbench) -> Pane:
    from ragtui.tui.screens.experiments import ExperimentsPane

    return ExperimentsPane(workbench, id="experiments")


def _results(workbench: Workbench) -> Pane:
    from ragtui.tui.screens.results import ResultsPane

    return ResultsPane(workbench, id="results")


_MADE_WHEN_SHOWN: dict[str, Callable[[Workbench], Pane]] = {
    "groups": _groups,
    "experiments": _experiments,
    "results": _results,
}


class MainScreen(Screen[None], inherit_bindings=False):
    """Shows one pane at a time; a pane is made when it is first shown."""

    BINDINGS: ClassVar[list[BindingType]] = []
    AUTO_FOCUS = ""
    ALLOW_IN_MAXIMIZED_VIEW = "#top, #bottom"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-short"), (32, "-tall")]  # noqa: RUF012

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self.workbench = workbench
        self._before: list[str] = []

    def compose(self) -> ComposeResult:
        # Known before anything is styled, so that the first paint is the right one.
        width, height = self.app.size
        self.set_classes(("-wide" if width >= 100 else "-narrow", "-tall" if height >= 32 else "-short"))
        yield TopBar(id="top")
        with ContentSwitcher(initial="datasets", id="panes"):
            yield DatasetsPane(self.workbench, id="datasets")
        with Vertical(id="bottom"):
            yield PromptLine()
            yield KeyBar()

    def on_mount(self) -> None:
        if (first := self.pane.start()) is not None:
            self.set_focus(first)
        self.alter()

    @property
    def pane(self) -> Pane:
        name = self.query_one(ContentSwitcher).current or "datasets"
        return self.query_one(f"#{name}", Pane)

    async def show_pane(self, name: str, *, remember: bool = True, refresh: bool = True) -> Pane:
        """Brings a pane to the front, making it if need be, and gives it the focus."""
        switcher = self.query_one(ContentSwitcher)
        old = switcher.current or "datasets"
        self.maximized = None
        if not self.query(f"#{name}"):
            await switcher.add_content(_MADE_WHEN_SHOWN[name](self.workbench), set_current=True)
        elif old != name:
            switcher.current = name
        if remember and old != name:
            self._before = [*self._before[-8:], old]
        pane = self.pane
        if refresh:
            pane.refreshed()
        if self.focused is None or pane not in self.focused.ancestors:
            self.set_focus(pane.start())
        self.alter()
        return pane

    async def open_results(self, experiment: str) -> None:
        """Shows an experiment's results."""
        from ragtui.tui.screens.results import ResultsPane

        pane = await self.show_pane("results", refresh=False)  # not what it would open of itself
        if isinstance(pane, ResultsPane):
            await pane.open(experiment)

    @on(Pane.Results)
    async def _results_wanted(self, event: Pane.Results) -> None:
        await self.open_results(event.experiment)

    @on(Pane.Evaluate)
    def _experiment_wanted(self, event: Pane.Evaluate) -> None:
        """The form lies over the pane it was asked for from: who leaves it is back there."""
        from ragtui.tui.screens.experiment_form import ExperimentForm

        self.app.push_screen(ExperimentForm(self.workbench, event.dataset), self._launch)

    async def _launch(self, looked_at: Preflight | None) -> None:
        from ragtui.tui.screens.experiments import ExperimentsPane

        if looked_at is not None:
            pane = await self.show_pane("experiments")
            if isinstance(pane, ExperimentsPane):
                pane.launch(looked_at)

    @on(Pane.Ended)
    async def _run_ended(self, event: Pane.Ended) -> None:
        from ragtui.tui.screens.results import ResultsPane

        for pane in self.query(ResultsPane):
            await pane.reload(event.experiment)

    @on(Pane.Activity)
    def _activity(self, event: Pane.Activity) -> None:
        self.query_one(TopBar).show(running=event.words)

    async def step_back(self) -> None:
        """One step back: from a zoomed part, a filter, a part, or to the pane before."""
        focused = self.focused
        if self.maximized is not None:
            self.minimize()
        elif (isinstance(focused, VirtualTable) and focused.let_go()) or self.pane.step_back():
            pass
        elif self._before:
            await self.show_pane(self._before.pop(), remember=False)

    # The bars follow what happens in the panes.

    @on(TopBar.Picked)
    async def _picked(self, event: TopBar.Picked) -> None:
        await self.show_pane(event.pane)

    @on(Pane.Altered)
    def alter(self) -> None:
        """Draws breadcrumb, counts, status and footer anew."""
        pane = self.pane
        title = dict(PANES)[pane.id or "datasets"]
        crumbs = [self.workbench.workspace.root.name or "/", title, *pane.crumbs()]
        self.query_one(TopBar).show(pane.id, crumbs, self.workbench.counts())
        self._show_keys()
        self._show_status()

    def on_resize(self) -> None:
        # A part that the new size hides loses the focus; keys must not go nowhere.
        self.call_after_refresh(self._refocus)

    def _refocus(self) -> None:
        if self.focused is None:
            self.set_focus(self.pane.start())

    def on_descendant_focus(self) -> None:
        self._show_keys()
        self._show_status()

    def _show_keys(self) -> None:
        self.query_one(KeyBar).update_for(self.focused or self.pane)

    @on(VirtualTable.Moved)
    def _moved(self, event: VirtualTable.Moved) -> None:
        if event.table is self.focused:
            line = self.query_one(PromptLine)
            line.position(position(event.table))
            if remark := self.pane.remark():
                line.status(Content(cell(remark)))

    @on(VirtualTable.Filtered)
    def _filtered(self, event: VirtualTable.Filtered) -> None:
        try:
            self.workbench.kept.filtered(event.condition)
        except OSError as error:
            tell(self, f"this filter is not kept for the next time: {error.strerror or error}", "warning")

    @on(VirtualTable.Changed)
    def _changed(self, event: VirtualTable.Changed) -> None:
        if event.table is self.focused:
            self._show_status()
            self._show_keys()

    def _show_status(self) -> None:
        line = self.query_one(PromptLine)
        table: Widget | None = self.focused
        if isinstance(table, VirtualTable):
            remark = self.pane.remark()
            line.status(Content(cell(remark)) if remark else status(table))
            line.position(position(table))
        else:
            line.status(Content(""))
            line.position(Content(""))


def status(table: VirtualTable) -> Content:
    """What narrows and orders a table, as chips."""
    chips: list[Content] = []
    if table.condition:
        chips.append(Content.styled(f" where {cell(table.condition)} ", "$background on $accent"))
    if table.sorted_by:
        arrow = "" if table.sorted_by in {order.name for order in table.orders} else " ▼" if table.descending else " ▲"
        title = next((order.title for order in table.orders if order.name == table.sorted_by), table.sorted_by)
        chips.append(Content(f"sorted by {cell(title)}{arrow}"))
    if table.searched:
        chips.append(Content(f"{table.found:,} found: {cell(table.searched)}"))
    if table.marks:
        chips.append(Content.styled(f"{len(table.marks):,} marked", "bold $accent"))
    return Content("  ").join(chips)


def position(table: VirtualTable) -> Content:
    """``37 of 42 (150 in all)``."""
    if table.frame is None or table.frame.height == 0:
        return Content("")
    here = f"{min(table.position + 1, table.count):,} of {table.count:,}"
    return Content(here if table.count == table.frame.height else f"{here} ({table.frame.height:,} in all)")
