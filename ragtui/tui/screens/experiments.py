"""Experiments: what was run, what runs now, what can go on; making a new one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, cast

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.timer import Timer

from ragtui.experiments.store import StoreError
from ragtui.tui import experiment_work
from ragtui.tui.actions import bindings
from ragtui.tui.performing import Severity, tell, work
from ragtui.tui.screens import experiment_views as views
from ragtui.tui.screens.experiment_record import RECORDED, ExperimentRecord
from ragtui.tui.screens.experiment_views import metrics_of
from ragtui.tui.widgets.choosing import Choice, Choosing
from ragtui.tui.widgets.part import Part
from ragtui.tui.widgets.passage import Passage
from ragtui.tui.widgets.prompt_line import Line
from ragtui.tui.widgets.virtual_table import VirtualTable
from ragtui.tui.widgets.wrapped_text import WrappedText
from ragtui.tui.workbench import Workbench

if TYPE_CHECKING:
    from ragtui.experiments.preflight import Preflight
    from ragtui.experiments.store import Entry
    from ragtui.experiments.tags import Remark

NOTHING = """No experiment was run in this folder yet.
press a to make one from an open dataset
press 1 to open a dataset, or d there for the demo"""

_TICK = 0.1  # seconds between two looks at a run


class ExperimentsPane(ExperimentRecord):
    """The list above, the experiment at the cursor below; a run that goes on shows how far it is between them."""

    SCOPES = ("experiments",)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("experiments")]

    def __init__(self, workbench: Workbench, *, id: str) -> None:
        super().__init__(workbench, id=id)
        self._entries: list[Entry] = []
        self._remarks: dict[str, Remark] = {}
        self._ticking: Timer | None = None

    def compose(self) -> ComposeResult:
        with Part("experiments", id="experiments-part"):
            yield VirtualTable(id="experiment-list", empty=NOTHING)
        with Part("running", id="running-part"), Vertical():
            yield Line(id="running-bar")
            yield Line(id="running-states")
            yield Line(id="running-flight")
        with Part("experiment", id="experiment-part"):
            yield WrappedText(id="experiment-text")

    def on_mount(self) -> None:
        self.query_one("#running-part").display = False
        self._ticking = self.set_interval(_TICK, self._tick, pause=not self.workbench.is_running)

    @property
    def table(self) -> VirtualTable:
        return self.query_one("#experiment-list", VirtualTable)

    @property
    def current(self) -> Entry | None:
        row = self.table.row
        return self._entries[row] if row is not None and row < len(self._entries) else None

    def crumbs(self) -> list[str]:
        return [] if self.current is None else [self.current.id]

    def refreshed(self) -> None:
        here = self.current.id if self.current is not None else None
        self._show(here)

    def _show(self, experiment: str | None) -> None:
        self._entries = self.workbench.experiments()
        ids = [entry.id for entry in self._entries]
        at = ids.index(experiment) if experiment in ids else 0
        self._remarks = experiment_work.remarks(self.workbench)
        frame = views.list_frame(self._entries, remarks=self._remarks)
        self.table.show(frame, views.columns(frame), row=at)
        self._describe()
        work(self, self._look_for_shards, "shards")

    async def _look_for_shards(self) -> None:
        """Says what is not in any figure yet, in the list's title."""
        waiting = await asyncio.to_thread(experiment_work.waiting_shards, self.workbench)
        if self.is_attached:
            self.query_one("#experiments-part", Part).title("experiments", f"{waiting} (M merges)" if waiting else "")

    @on(VirtualTable.Moved, "#experiment-list")
    def _describe(self) -> None:
        entry = self.current
        text = self.query_one("#experiment-text", WrappedText)
        text.show(views.about(entry, self._remarks.get(entry.id)) if entry is not None else Passage())
        self.query_one("#experiment-part", Part).title(
            entry.plan.dataset if entry else "experiment", entry.id if entry else ""
        )
        self.post_message(self.Altered())

    @on(VirtualTable.Opened, "#experiment-list")
    def _opened(self) -> None:
        if (entry := self.current) is not None:
            self.post_message(self.Results(entry.id))

    # Running

    def do_new(self) -> None:
        self.post_message(self.Evaluate(None))

    def launch(self, looked_at: Preflight) -> None:
        """Runs what the form of a new experiment came back with."""
        self.allowed_then(None, lambda: self._run(self.workbench.start(looked_at.plan)))

    def do_resume(self) -> None:
        entry = self.current
        if entry is not None:
            self.allowed_then(entry, lambda: self._run(self.workbench.resume(entry)))

    def _run(self, problem: str) -> None:
        if problem:
            tell(self, problem, "error")
            return
        if self._ticking is not None:
            self._ticking.resume()
        self._tick()

    def _tick(self) -> None:
        """Looks at the run ten times a second; nothing else touches the screen while it goes on."""
        run = self.workbench.run
        part = self.query_one("#running-part", Part)
        if run is None:
            part.display = False
            return
        part.display = True
        width = max(20, self.app.size.width - 6)
        for name, line in zip(("bar", "states", "flight"), views.running(run.progress, "", width), strict=True):
            self.query_one(f"#running-{name}", Line).show(line)
        part.title("running", run.plan.dataset, run.progress.experiment or run.plan.id)
        self.post_message(self.Activity(self.workbench.activity()))
        if run.ended:
            self._ended()

    def _ended(self) -> None:
        run = self.workbench.take_ended()
        if self._ticking is not None:
            self._ticking.pause()
        self.query_one("#running-part").display = False
        said, severity = (run.problem, "error") if run.problem else views.ended(run.progress)
        tell(self, said, cast(Severity, severity))
        self._show(run.plan.id)
        self.post_message(self.Activity(""))
        self.post_message(self.Ended(run.plan.id))

    def do_cancel(self) -> None:
        self.workbench.cancel()
        tell(self, "stopping: what is in flight is let go, what is scored is kept")

    def do_more(self) -> None:
        self._turn(1)

    def do_fewer(self) -> None:
        self._turn(-1)

    def _turn(self, by: int) -> None:
        if (run := self.workbench.run) is not None:
            run.progress.turn(by)
            self._tick()

    def do_judges(self) -> None:
        from ragtui.tui.screens.judges import JudgesScreen

        self.app.push_screen(JudgesScreen(self.workbench))

    def do_delete(self) -> None:
        if (entry := self.current) is None:
            return

        def delete(answer: str | None) -> None:
            if answer == "delete":
                self._changed_list(
                    lambda: self.workbench.store(write=True).delete(entry.id), "deleted", "; u brings it back"
                )

        choices = [Choice("keep", "Keep it"), Choice("delete", f"Delete {entry.id}, with its scores")]
        self.app.push_screen(Choosing(f"delete {metrics_of(entry.plan)} on {entry.plan.dataset}?", choices), delete)

    def do_undelete(self) -> None:
        self._changed_list(lambda: self.workbench.store(write=True).undelete(), "brought back", "")

    def _changed_list(self, change: Callable[[], str | None], word: str, more: str) -> None:
        try:
            experiment = change()
        except StoreError as error:
            tell(self, str(error), "error")
            return
        tell(self, f"{word}: {experiment}{more}" if experiment else "nothing was deleted")
        self._show(experiment)

    def do_refresh(self) -> None:
        self.refreshed()

    def why_not(self, name: str) -> str | None:
        entry = self.current
        if name in RECORDED:
            return self.why_not_recorded(name)
        if name == "merge":
            there = experiment_work.has_shards(self.workbench)
            return None if there else "no shard was run here (ragtui run … --shard 1/4)"
        if name == "new":
            return None if any(each.dataset for each in self.workbench.datasets) else "open a dataset first (1, then a)"
        if name == "undelete":
            return None if self.workbench.has_store else "nothing was deleted"
        if name == "delete":
            return None if entry is not None else "there is no experiment"
        if name in ("more", "fewer"):
            turns = self.workbench.run is not None and self.workbench.is_running and self.workbench.run.progress.turns
            return None if turns else "no run asks a model judge"
        if name == "cancel":
            return None if self.workbench.is_running else "nothing runs"
        if name == "resume":
            if self.workbench.is_running:
                return "another experiment runs"
            if entry is None:
                return "there is no experiment"
            return None if entry.resumable or entry.errors else "it is finished"
        return None
