"""Results: the metrics' figures above, the rows worst first below, the reason for the row at the cursor beside it."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.timer import Timer

from ragtui.experiments import wording
from ragtui.experiments.store import StoreError
from ragtui.text import cell
from ragtui.tui.actions import bindings
from ragtui.tui.opened import complete_path
from ragtui.tui.performing import tell, work
from ragtui.tui.screens import case_views
from ragtui.tui.screens import result_views as views
from ragtui.tui.screens.case_actions import CaseActions
from ragtui.tui.screens.pane import Pane
from ragtui.tui.triage import Triage
from ragtui.tui.widgets.arrangement import arranged
from ragtui.tui.widgets.part import Part
from ragtui.tui.widgets.passage import Passage
from ragtui.tui.widgets.prompt_line import ask
from ragtui.tui.widgets.table_column import TableColumn
from ragtui.tui.widgets.virtual_table import VirtualTable
from ragtui.tui.widgets.wrapped_text import WrappedText
from ragtui.tui.workbench import Workbench

NOTHING = """No experiment is open here.
press 3 for the experiments; enter opens one
press 1 for the datasets; x there makes an experiment with one"""

_WAIT = 0.05  # seconds without a key before the case beside the table follows


class ResultsPane(Pane, CaseActions):
    """The queue of one experiment."""

    SCOPES = ("results", "case")
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("results", "case")]

    def __init__(self, workbench: Workbench, *, id: str) -> None:
        super().__init__(workbench, id=id)
        self.triage: Triage | None = None
        self._differences = False
        self._strict = False
        self._soon: Timer | None = None
        self._shown: str | None = None
        self._wanted = ""

    def compose(self) -> ComposeResult:
        with Part("results", id="overview-part"):
            yield VirtualTable(id="overview", empty=NOTHING)
        with Horizontal(id="results-below"):
            with Part("rows", id="cases-part"):
                yield VirtualTable(id="cases", cells=True)
            with Part("case", id="case-part"):
                yield WrappedText(id="case-text")

    @property
    def overview(self) -> VirtualTable:
        return self.query_one("#overview", VirtualTable)

    def rows_table(self) -> VirtualTable:
        return self.query_one("#cases", VirtualTable)

    def start(self) -> VirtualTable | None:
        return self.rows_table() if self.triage is not None else self.overview

    def crumbs(self) -> list[str]:
        return [] if self.triage is None else [self.triage.results.experiment, self.triage.metric]

    def case_id(self) -> str | None:
        row = self.rows_table().row
        return None if row is None or self.triage is None else self.triage.case_at(row)

    # Opening

    def refreshed(self) -> None:
        """Opens the experiment that has ended since the last look; where nothing is open yet, the one touched last."""
        if unseen := self.workbench.unseen:
            work(self, partial(self.open, unseen), "open")
        elif self.triage is None and not self._wanted and (known := self.workbench.experiments()):
            work(self, partial(self.open, known[0].id), "open")

    async def open(self, experiment: str) -> None:
        """Opens an experiment's results; the worst row of the first metric is under the cursor."""
        self._wanted, self.workbench.unseen = experiment, ""
        try:
            triage = await asyncio.to_thread(self.workbench.triage, experiment)
        except StoreError as error:
            tell(self, str(error), "error")
            return
        if self._wanted != experiment:  # another one was asked for meanwhile
            return
        self.triage = triage
        self._shown, self._strict, self._differences = None, False, False
        self._show_overview()
        self._show_rows(fresh=True)
        if said := views.remarked(triage.results):
            tell(self, said, "warning")
        if self.display:  # another pane may have been asked for meanwhile
            self.screen.set_focus(self.start())
        self.post_message(self.Altered())

    async def reload(self, experiment: str) -> None:
        """Shows what has landed since in this experiment, if it is the one that is open; all else stays as it was."""
        if self.triage is None or self.triage.results.experiment != experiment:
            return
        triage = await asyncio.to_thread(self.workbench.triage, self.triage.results.experiment)
        triage.metric = self.triage.metric
        self.triage = triage
        self._shown = None
        self._show_overview()
        self._show_rows(fresh=False)

    @property
    def _wide(self) -> bool:
        return self.app.size.width >= 100

    @property
    def _short(self) -> bool:
        return self.app.size.height < 32

    def _show_overview(self) -> None:
        triage = self.triage
        if triage is None:
            return
        frame = views.overview_frame(triage.metrics, triage.summaries, triage.comparisons, self._strict)
        columns = views.overview_columns(self._wide, triage.compared, self._strict)
        at = triage.specs.index(triage.metric) if triage.metric in triage.specs else 0
        self.overview.show(frame, columns, row=at)
        cases = triage.frame.height
        self.query_one("#overview-part", Part).title(views.title(triage.results), wording.count(cases, "case"))
        self._fit_overview()

    def _show_rows(self, *, fresh: bool) -> None:
        triage, table = self.triage, self.rows_table()
        if triage is None:
            return
        table.orders = views.orders(triage.metrics, triage.compared)
        columns = arranged(self._columns(), self.workbench.kept.columns(self._arrangement))
        row = None if fresh else table.row
        table.show(triage.frame, columns, row=row, keep=not fresh)
        if fresh:
            self._sort_by_metric()
        self._title_rows()

    @property
    def _arrangement(self) -> str:
        """The name that the arrangement of what is shown is kept under."""
        return "differences" if self._differences else "results"

    def _columns(self) -> list[TableColumn]:
        triage = self.triage
        if triage is None:
            return []
        return views.row_columns(
            triage.metrics, differences=self._differences, wide=self._wide, compared=triage.compared
        )

    def do_columns(self) -> None:
        from ragtui.tui.screens.arranging import arrange

        title = "differences to the baseline" if self._differences else "the rows of results"
        arrange(self, self._arrangement, title, self._columns(), partial(self._show_rows, fresh=False))

    def _sort_by_metric(self) -> None:
        if self.triage is not None and self.triage.metric:
            kind = "regression" if self._differences else "worst"
            self.rows_table().sort(f"{kind} {self.triage.metric}")

    def _title_rows(self) -> None:
        triage, table = self.triage, self.rows_table()
        if triage is None:
            return
        order = next((order.title for order in table.orders if order.name == table.sorted_by), "rows")
        done, failing = triage.progress()
        self.query_one("#cases-part", Part).title(
            order, f"{failing:,} failing" if failing else "", f"{done:,} labelled"
        )

    def _fit_overview(self) -> None:
        """On a small screen the overview shows fewer metrics while the rows have the focus."""
        triage = self.triage
        metrics = 3 if triage is None else len(triage.metrics)
        looked_at = self.overview.has_focus or triage is None
        room = (6 if looked_at else 3) if self._short else max(3, self.app.size.height // 4 - 3)
        borders = 2 if self._wide else 1
        self.query_one("#overview-part").styles.height = min(metrics, room) + 1 + borders

    def on_descendant_focus(self) -> None:
        self._fit_overview()

    def on_resize(self) -> None:
        if self.triage is not None:
            self._show_overview()
            self._show_rows(fresh=False)
        else:
            self._fit_overview()

    # Following the cursor

    @on(VirtualTable.Moved, "#overview")
    def _other_metric(self, event: VirtualTable.Moved) -> None:
        triage = self.triage
        if triage is None or event.row is None or triage.metric == triage.specs[event.row]:
            return
        triage.metric = triage.specs[event.row]
        self._sort_by_metric()
        self._shown = None
        self.post_message(self.Altered())

    @on(VirtualTable.Sorted, "#cases")
    def _sorted_by(self, event: VirtualTable.Sorted) -> None:
        """What one sorts by is the metric one looks at: overview, title and explanation follow."""
        triage, spec = self.triage, event.by.removeprefix("worst ").removeprefix("regression ").removesuffix(" Δ")
        if triage is not None and spec in triage.specs and spec != triage.metric:
            triage.metric, self._shown = spec, None
            self.overview.go_to(triage.specs.index(spec))
            self._title_rows()
            self._show_case()
            self.post_message(self.Altered())

    @on(VirtualTable.Moved, "#cases")
    def _other_case(self) -> None:
        if self._soon is not None:
            self._soon.stop()
        self._soon = self.set_timer(_WAIT, self._show_case)

    @on(VirtualTable.Changed, "#cases")
    def _other_rows(self) -> None:
        self._title_rows()

    def _show_case(self) -> None:
        triage, case_id, text = self.triage, self.case_id(), self.query_one("#case-text", WrappedText)
        if triage is None or case_id is None:
            text.show(Passage())
            return
        key = f"{case_id} {triage.metric}"
        if key != self._shown:
            self._shown = key
            text.show(case_views.brief(triage.detail(case_id), triage.plan, triage.metric, reason_first=self._short))
            self.query_one("#case-part", Part).title(case_id)

    # What the keys do

    @on(VirtualTable.Opened, "#cases")
    def _open_case(self) -> None:
        from ragtui.tui.screens.detail import DetailScreen

        if self.triage is not None and self.case_id() is not None:
            self.app.push_screen(DetailScreen(self.workbench, self.triage, self.rows_table()), self._came_back)

    def _came_back(self, _: object) -> None:
        self._shown = None
        self.labelled("")
        self._show_case()

    @on(VirtualTable.Opened, "#overview")
    def _open_metric(self) -> None:
        self.screen.set_focus(self.rows_table())
        self.rows_table().do_top()

    def labelled(self, case_id: str) -> None:
        if self.triage is None:
            return
        self._shown = None
        self._show_rows(fresh=False)
        self._show_case()

    def moved(self) -> None:
        self.screen.set_focus(self.rows_table())

    def do_compare(self) -> None:
        self._differences = not self._differences
        self._show_rows(fresh=True)

    def do_strict(self) -> None:
        self._strict = not self._strict
        self._show_overview()
        tell(self, "means count errors as the worst score" if self._strict else "means are over what was scored")

    def do_what_if(self, cuts: str = "") -> None:
        work(self, partial(self._what_if, cuts), "what if")

    async def _what_if(self, cuts: str) -> None:
        from ragtui.tui.screens.reading import Reading
        from ragtui.tui.screens.what_if_view import what_if

        triage, case_id = self.triage, self.case_id()
        if triage is None:
            return
        found = await asyncio.to_thread(self.workbench.what_if, triage, cuts, case_id)
        if isinstance(found, str):
            tell(self, found, "error" if cuts else "warning")
        else:
            self.app.push_screen(Reading("at other cuts  (:what-if 1 5 20 chooses them)", what_if(found, case_id)))

    def do_slices(self, column: str = "") -> None:
        work(self, partial(self._slices if column else self._choose_slices, column), "slices")

    async def _choose_slices(self, _: str) -> None:
        from ragtui.experiments.slices import sliceable
        from ragtui.tui.widgets.choosing import Choice, Choosing

        triage = self.triage
        if triage is None:
            return
        found = await asyncio.to_thread(sliceable, triage.results)
        if not found:
            tell(self, "no column has few enough values to look at the cases by", "warning")
            return
        choices = [Choice(name, cell(name), wording.count(n, "value")) for name, n in found.items()]
        self.app.push_screen(Choosing("by which column?", choices), lambda name: self.do_slices(name) if name else None)

    async def _slices(self, column: str) -> None:
        from ragtui.tui.screens.reading import Reading
        from ragtui.tui.screens.slices_view import slices_of

        triage = self.triage
        if triage is None:
            return
        found = await asyncio.to_thread(self.workbench.slices, triage, column)
        if isinstance(found, str):
            tell(self, found, "error")
        else:
            self.app.push_screen(Reading(f"by {column}", slices_of(found, triage.results)))

    def do_blind(self) -> None:
        from ragtui.tui.blind import BlindLabels
        from ragtui.tui.screens.blind_labelling import BlindLabelling

        triage = self.triage
        if triage is None or triage.store is None:
            return
        try:
            sample = BlindLabels(triage.store, triage.results.experiment, triage.metric)
        except StoreError as error:
            tell(self, str(error), "warning")
            return
        if not sample.waiting:
            self.do_agreement()
        else:
            self.app.push_screen(BlindLabelling(sample), lambda given: self.do_agreement() if given else None)

    def do_agreement(self) -> None:
        from ragtui.tui.blind import agreement_passage
        from ragtui.tui.screens.reading import Reading

        triage = self.triage
        if triage is None or triage.store is None:
            return
        try:
            passage = agreement_passage(triage.store, triage.results.experiment, triage.metric)
        except StoreError as error:
            tell(self, str(error), "warning")
            return
        self.app.push_screen(Reading(f"judge and people on {triage.metric}", passage))

    def do_export(self, name: str = "") -> None:
        if name:
            self._export(name)
        else:
            ask(
                self,
                "export to (.csv: the rows shown; .md .html …: all)"
                if self._wide
                else "export (.csv rows shown, .md all)",
                then=self._export,
                value="rows.csv",
                replace=True,
                complete=complete_path,
            )

    def _export(self, name: str) -> None:
        from ragtui.tui.running import expected

        rows = self.rows_table().shown_rows()
        if not name or rows is None or self.triage is None:
            return
        try:
            tell(self, self.workbench.export(self.triage, rows["case_id"].to_list(), name))
        except expected() as error:
            tell(self, str(error), "error", title="export")

    def why_not(self, name: str) -> str | None:
        if self.triage is None:
            return "no experiment is open"
        if name == "compare":
            return None if self.triage.compared else "there is no baseline"
        if name in ("blind", "agreement"):
            return None if self.triage.can_label else "this result file is only read"
        if name in ("strict", "export", "what-if", "slices", "columns"):
            return None
        return self.why_no_case(name)
