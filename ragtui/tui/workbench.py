"""What the app has open, and everything it asks of the floors below. Screens ask here and nowhere else.

Every import of a lower floor is made when it is first needed, so that the first paint waits for none of them.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragtui.tui.kept import Kept
from ragtui.tui.metric_groups import MetricGroups
from ragtui.tui.opened import OpenDataset, around, as_said, read
from ragtui.tui.widgets.top_bar import Counts
from ragtui.workspace import Workspace

if TYPE_CHECKING:
    from ragtui.datasets.dataset import Dataset
    from ragtui.datasets.discover import Once
    from ragtui.datasets.watch import Watch
    from ragtui.experiments.plan import Plan
    from ragtui.experiments.preflight import Preflight
    from ragtui.experiments.progress import Progress
    from ragtui.experiments.run import RunOptions
    from ragtui.experiments.slices import Slice
    from ragtui.experiments.store import Entry, Store
    from ragtui.experiments.what_if import AtCut
    from ragtui.tui.running import Run
    from ragtui.tui.triage import Triage


class Workbench(MetricGroups):
    """One workspace with its Metric Groups, its experiments and the datasets that are open."""

    def __init__(self, workspace: Workspace, paths: list[str] | None = None, *, demo: bool = False) -> None:
        super().__init__(workspace)
        self.paths = paths or []
        self.kept = Kept(workspace)
        self.named_formats: dict[str, str] = {}  # by path, where the user chose one that could not be kept
        self.demo = demo
        self.started = Path(
            os.environ.get("PWD", ".") if demo else "."
        ).absolute()  # the demo is in a folder of its own
        self.datasets: list[OpenDataset] = []
        self.run: Run | None = None
        self.last_run: Run | None = None
        self.unseen = ""  # the experiment that has ended and was not looked at since
        self.last_triage: Triage | None = None
        self._stores: dict[bool, Store] = {}  # by whether it may write
        self._opened_stores: list[Store] = []
        self._opening = threading.Lock()
        self._planned: tuple[Plan, Dataset] | None = None
        self._options: dict[str, RunOptions | None] = {}  # how each plan was asked to be run, by its id
        self._corpora: dict[str, Dataset | None] = {}

    def setting(self, name: str, default: Any) -> Any:
        """A value of ``[app]`` in ``ragtui.toml``."""
        given = self.workspace.table("app").get(name, default)
        return given if isinstance(given, type(default)) else default  # `ragtui doctor` names what is of another type

    def warm_up(self) -> None:
        """Imports what every pane needs; called in a thread after the first paint."""
        import polars  # noqa: F401

        self.groups()
        self.experiments()

    def counts(self) -> Counts:
        """What the breadcrumb line counts."""
        metrics = {metric.name for group in self._groups or [] for metric in group.metrics}
        return Counts(len(self.datasets), len(self._groups or []), len(metrics), len(self._entries))

    # Experiments

    @property
    def has_store(self) -> bool:
        """Whether anything was ever run or labelled here."""
        return self.workspace.state.is_dir()

    def store(self, write: bool = False) -> Store:
        """The workspace's experiments. A store once opened stays open until the app ends: other threads may be reading
        from it."""
        from ragtui.experiments.store import Store

        with self._opening:
            known = self._stores.get(True) or (None if write else self._stores.get(False))
            if known is None:
                known = self._stores[write] = Store.open(self.workspace, write)
                self._opened_stores.append(known)
            return known

    def experiments(self) -> list[Entry]:
        """The workspace's experiments, the last touched first."""
        self._entries = self.store().list()
        return self._entries

    @property
    def is_running(self) -> bool:
        return self.run is not None and not self.run.ended

    def running(self) -> str:
        """The experiment that runs now, in a few words; empty if none does."""
        return f"experiment {self.run.plan.id}" if self.run is not None and self.is_running else ""

    def activity(self) -> str:
        """How far the run is, for the bar at the top; empty if none goes on."""
        if self.run is None or not self.is_running:
            return ""
        progress = self.run.progress
        return f"▶ {100 * progress.done // progress.total} %" if progress.total else "▶ starting"

    def cancel(self) -> None:
        """Asks the run to stop."""
        if self.run is not None:
            self.run.cancel()

    def preflight(self, opened: OpenDataset | None, values: Mapping[str, str]) -> Preflight | str:
        """What a run would do, or in one line why there can be none. Looks at every case: call it in a thread."""
        from ragtui.experiments.preflight import preflight
        from ragtui.tui.offers import options_of, plan_of
        from ragtui.tui.running import expected

        if opened is None or opened.dataset is None:
            return "open a dataset first"
        try:
            dataset, plan = plan_of(self.workspace, opened.dataset, values)
            self._options[plan.id] = options_of(values)
            found = preflight(plan, dataset, self.workspace)
            if plan.judge_model != "embedded":
                import openai  # noqa: F401  now, while one reads the plan: it would hold up the keys of a run that begins
        except expected() as error:
            return str(error)
        self._planned = (plan, dataset)
        return found

    def start(self, plan: Plan) -> str:
        """Starts the plan that was looked at last; returns one line if it cannot."""
        from ragtui.tui.running import Run

        if self.is_running:
            return "another experiment runs; stop it first"
        if self._planned is None or self._planned[0] != plan:
            return "this plan was not looked at; make it again"
        self.run = Run(*self._planned, self.workspace, self._options.get(plan.id))
        return ""

    def resume(self, entry: Entry) -> str:
        """Goes on with an experiment where it stopped; returns one line if it cannot."""
        from ragtui.experiments.planning import reopen
        from ragtui.tui.running import Run, expected

        try:
            dataset = reopen(entry, self.workspace)
        except expected() as error:
            return str(error)
        self.run = Run(entry.plan, dataset, self.workspace, self._options.get(entry.id))  # the budget holds again
        return ""

    def open_demo(self, progress: Progress) -> str:
        """Sets the demo up in its own folder, runs it if it was not, and moves the workbench there; returns the id of the
        experiment to show. Takes some seconds: call it in a thread.

        Raises:
            One of ``running.expected()``.
        """
        from ragtui.experiments.demo import default_folder, prepare, run_demo
        from ragtui.tui.running import make_processes_possible

        make_processes_possible()
        workspace = prepare(default_folder())
        experiment = run_demo(workspace, progress)
        os.chdir(workspace.root)
        with self._opening:
            self.workspace, self._stores = workspace, {}
        self._groups, self.datasets = None, []
        self.paths = ["."]
        self.put(self.read(self.paths))
        self.groups()
        self.experiments()
        return experiment

    def take_ended(self) -> Run:
        """The run that has ended; the workbench lets go of it."""
        run = self.run
        assert run is not None
        self.run, self.last_run = None, run
        if not run.problem:
            self.unseen = run.plan.id
        return run

    def triage(self, experiment: str) -> Triage:
        """An experiment's results, ready to be walked through and labelled.

        Raises:
            StoreError: there is none of that id.
        """
        from ragtui.tui.triage import Triage

        self.store().entry(experiment)  # before anything is written for an experiment that is not there
        store = self.store(write=True)
        triage = Triage(store.results(experiment), store)
        _ = triage.summaries, triage.comparisons  # made here, in the thread that may wait
        self.last_triage = triage
        return triage

    def what_if(self, triage: Triage, cuts: str, case_id: str | None) -> list[AtCut] | str:
        """The ranking metrics of an experiment at other cuts, or why there are none. Call it in a thread."""
        from ragtui.experiments.opened import at_cuts_of
        from ragtui.experiments.what_if import WhatIfError
        from ragtui.tui.running import expected

        known: tuple[type[Exception], ...] = (WhatIfError, *expected())
        try:
            return at_cuts_of(triage.results, self.workspace, cuts, case_id)
        except known as error:
            return str(error)

    def slices(self, triage: Triage, column: str) -> tuple[Slice, ...] | str:
        """The figures of an experiment per value of a column, or why there are none. Call it in a thread."""
        from ragtui.experiments.grouping import GroupError
        from ragtui.experiments.slices import slices
        from ragtui.tui.running import expected

        known: tuple[type[Exception], ...] = (GroupError, *expected())
        try:
            return slices(triage.results, column)
        except known as error:
            return str(error)

    def document_texts(self, triage: Triage, wanted: Sequence[str]) -> dict[str, str]:
        """Documents of an experiment's corpus by their ids; empty where the corpus is not at hand."""
        from ragtui.datasets.check import open_dataset
        from ragtui.datasets.texts import documents
        from ragtui.tui.running import expected

        plan, source = triage.plan, triage.source
        dataset = next(
            (each.dataset for each in self.datasets if each.dataset and each.dataset.name == plan.dataset), None
        )
        if dataset is None and source:
            if source not in self._corpora:
                path = Path(source) if Path(source).is_absolute() else self.workspace.root / source
                try:
                    self._corpora[source] = open_dataset(str(path), plan.dataset_format)[0]
                except expected():
                    self._corpora[source] = None
            dataset = self._corpora[source]
        return {} if dataset is None else {doc_id: text.whole for doc_id, text in documents(dataset, wanted).items()}

    def export(self, triage: Triage, case_ids: Sequence[str], name: str) -> str:
        """Writes the rows shown to a .csv, or with another ending the whole experiment; returns what to say.

        Raises:
            One of ``running.expected()``.
        """
        from ragtui.experiments.export import export
        from ragtui.tui.exporting import placed, write_rows

        path = Path(name).expanduser()
        if path.suffix.lower() == ".csv":
            return write_rows(triage.results, case_ids, path, self.started)
        results = self.store().results(triage.results.experiment)
        said = export(results, path).replace(str(path), placed(path, self.started), 1)
        return f"{said} (the whole experiment; only .csv holds just the rows shown)"

    def farewell(self) -> str:
        """What is left in the scrollback when the app ends: the figures that were looked at last, the run that was
        stopped, and how to come back to them."""
        lines: list[str] = []
        if self.last_triage is not None:
            from ragtui.tui.screens.result_views import summary_lines

            lines = summary_lines(self.last_triage)
        if self.last_run is not None:
            done, total = self.last_run.progress.done, self.last_run.progress.total
            experiment, stopped = self.last_run.plan.id, not total or done < total
            if stopped:
                lines.append(
                    f"experiment {experiment} stopped at {done:,} of {total:,}; r in the app goes on from there"
                )
            elif not lines:
                lines.append(f"experiment {experiment}: ragtui show {experiment}")
        return "\n".join(lines)

    def leave(self) -> None:
        """Stops what runs, gives it the time to put itself in order, and closes the stores."""
        if self.run is not None:
            self.run.cancel()
            self.run.wait()
            self.take_ended()
        for store in self._opened_stores:
            store.close()

    # Datasets

    def usable_datasets(self) -> list[OpenDataset]:
        """The open datasets that could be read."""
        return [each for each in self.datasets if each.dataset is not None]

    def read(self, paths: list[str], watch: Watch | None = None, once: Once | None = None) -> list[OpenDataset]:
        """Opens files and folders that ``once`` has not, or without any what lies around the workspace. Takes its time:
        call it in a thread.

        Raises:
            Stopped: ``watch`` was stopped.
        """
        found = read(paths or around(self.workspace.root), watch, once, self.named_formats, self.workspace)
        return as_said(self.workspace, found)

    def put(self, opened: list[OpenDataset]) -> None:
        """Puts datasets on the workbench; one that was there already is replaced, as is one of which only the first rows
        are there by the whole."""
        for each in opened:
            same = [i for i, old in enumerate(self.datasets) if old.origin == each.origin]
            if same:
                self.datasets[same[0]] = each
            else:
                self.datasets.append(each)

    def opened_paths(self) -> list[str]:
        """The paths of what is open, each once, as the user named them."""
        return list(dict.fromkeys(each.path for each in self.datasets))
