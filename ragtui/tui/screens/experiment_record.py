"""What is done with experiments that were run: tags, notes, copies with changes, plots, differences, scoring anew."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from ragtui.tui import experiment_work
from ragtui.tui.performing import tell, work
from ragtui.tui.screens.pane import Pane
from ragtui.tui.widgets.choosing import Choice, Choosing
from ragtui.tui.widgets.prompt_line import ask
from ragtui.tui.widgets.virtual_table import VirtualTable

if TYPE_CHECKING:
    from ragtui.experiments.preflight import Preflight
    from ragtui.experiments.store import Entry

RECORDED = ("tags", "note", "copy", "rescore", "plot", "differences")


class ExperimentRecord(Pane):
    """Mixed into the pane that has the list of experiments."""

    _entries: list[Entry]

    @property
    @abstractmethod
    def table(self) -> VirtualTable: ...

    @property
    @abstractmethod
    def current(self) -> Entry | None: ...

    @abstractmethod
    def _show(self, experiment: str | None) -> None: ...

    @abstractmethod
    def launch(self, looked_at: Preflight) -> None:
        """Runs what the form of a new experiment came back with."""

    def why_not_recorded(self, name: str) -> str | None:
        """Why one of ``RECORDED`` cannot be done now."""
        entry = self.current
        if entry is None:
            return "there is no experiment"
        if name == "differences" and self._other(entry) is None:
            return "mark another experiment first (space)"
        if name == "rescore" and any(metric.kind == "retrieval" for metric in entry.plan.metrics):
            return "rankings are scored in a moment; copy it with other metrics (c)"
        return None

    def _other(self, entry: Entry) -> Entry | None:
        """The experiment that is marked beside the one at the cursor."""
        marked = [self._entries[row] for row in sorted(self.table.marks) if row < len(self._entries)]
        return next((each for each in marked if each.id != entry.id), None)

    def do_tags(self, typed: str = "") -> None:
        entry = self.current
        if entry is None:
            return
        known = experiment_work.remarks(self.workbench).get(entry.id)
        self._noted(entry, typed, "tags, with commas", ", ".join(known.tags) if known else "", experiment_work.set_tags)

    def do_note(self, typed: str = "") -> None:
        entry = self.current
        if entry is None:
            return
        known = experiment_work.remarks(self.workbench).get(entry.id)
        self._noted(entry, typed, "note", known.note if known else "", experiment_work.set_note)

    def _noted(self, entry: Entry, typed: str, label: str, before: str, keep: Callable[..., str]) -> None:
        def then(text: str) -> None:
            tell(self, keep(self.workbench, entry, text))
            self._show(entry.id)

        if typed:
            then(typed)
        else:
            ask(self, label, then=then, value=before)

    def do_copy(self) -> None:
        work(self, partial(self._form_of, False), "form")

    def do_rescore(self) -> None:
        work(self, partial(self._form_of, True), "form")

    async def _form_of(self, rescored: bool) -> None:
        """Opens the form with an experiment's own settings, to be changed and run as another."""
        from ragtui.tui.screens.experiment_form import ExperimentForm

        entry = self.current
        if entry is None:
            return
        opened = await asyncio.to_thread(experiment_work.dataset_of, self.workbench, entry)
        if isinstance(opened, str):
            tell(self, opened, "error")
            return
        values = experiment_work.values_of(entry, rescored)
        self.app.push_screen(
            ExperimentForm(self.workbench, opened, values),
            lambda found: self.launch(found) if found is not None else None,
        )

    def do_plot(self, metric: str = "") -> None:
        entry = self.current
        if entry is None:
            return
        specs = [each.spec for each in entry.plan.metrics]

        def chosen(name: str | None) -> None:
            if name:
                work(self, partial(self._plot, entry, name), "plot")

        if metric or len(specs) == 1:
            chosen(metric or specs[0])
        else:
            self.app.push_screen(Choosing("plot which metric?", [Choice(each, each) for each in specs]), chosen)

    async def _plot(self, entry: Entry, metric: str) -> None:
        from ragtui.tui.screens.reading import Reading

        points = await asyncio.to_thread(experiment_work.history_of, self.workbench, entry, metric)
        if isinstance(points, str):
            tell(self, points, "warning")
            return
        width = max(60, min(102, int(self.app.size.width * 0.92) - 6))
        passage = experiment_work.plotted(points, metric, width)
        self.app.push_screen(Reading(f"{metric} on {entry.plan.dataset}, the newest at the bottom", passage))

    def do_merge(self) -> None:
        work(self, self._merge, "merge")

    async def _merge(self) -> None:
        told, experiment = await asyncio.to_thread(experiment_work.merge_shards, self.workbench)
        tell(self, told, "information" if experiment else "error")
        self._show(experiment)

    def do_differences(self) -> None:
        work(self, self._compare, "differences")

    async def _compare(self) -> None:
        from ragtui.tui.comparing import comparison
        from ragtui.tui.screens.reading import Reading

        entry = self.current
        other = self._other(entry) if entry is not None else None
        if entry is None or other is None:
            return
        older, newer = sorted((entry, other), key=lambda each: each.created)
        passage = await asyncio.to_thread(comparison, self.workbench, older, newer)
        self.app.push_screen(Reading("two experiments", passage))

    def allowed_then(self, entry: Entry | None, then: Callable[[], None]) -> None:
        """Does ``then``, once the user has allowed the code that a run would start; ``entry`` is one that goes on, else it
        is the plan that was looked at last."""
        codes, shown = experiment_work.code_to_allow(self.workbench, entry)
        if not codes:
            then()
            return

        def answered(answer: str | None) -> None:
            if answer == "run":
                experiment_work.allow(self.workbench, codes)
                then()

        choices = [
            Choice("leave", "Do not run it"),
            Choice("run", "Run it, now and whenever it is the same"),
            *(Choice(str(at), each, heading=True) for at, each in enumerate(shown)),
        ]
        self.app.push_screen(Choosing("this runs code you have not allowed yet:", choices), answered)
