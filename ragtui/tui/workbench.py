"""What the app has open, and everything it asks of the floors below. Screens ask here and nowhere else.

Every import of a lower floor is made when it is first needed, so that the first paint waits for none of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ragtui.tui.opened import OpenDataset, around, read
from ragtui.tui.widgets.top_bar import Counts
from ragtui.workspace import Workspace

if TYPE_CHECKING:
    import polars as pl

    from ragtui.experiments.plan import Plan
    from ragtui.experiments.preflight import Preflight
    from ragtui.experiments.store import Entry, Store
    from ragtui.metrics.groups import Group
    from ragtui.metrics.metric import Metric
    from ragtui.tui.running import Run
    from ragtui.tui.triage import Triage


class Workbench:
    """One workspace with the datasets that are open."""

    def __init__(self, workspace: Workspace, paths: list[str] | None = None, *, demo: bool = False) -> None:
        self.workspace = workspace
        self.paths = paths or []
        self.demo = demo
        self.datasets: list[OpenDataset] = []
        self.run: Run | None = None
        self.last_run: Run | None = None
        self.last_triage: Triage | None = None
        self._store: Store | None = None
        self._groups: list[Group] | None = None
        self._entries: list[Entry] = []

    def setting(self, name: str, default: Any) -> Any:
        """A value of ``[app]`` in ``ragtui.toml``."""
        return self.workspace.table("app").get(name, default)

    def warm_up(self) -> None:
        """Imports what every pane needs; called in a thread after the first paint."""
        import polars  # noqa: F401

        self.groups()
        self.experiments()

    def counts(self) -> Counts:
        """What the breadcrumb line counts."""
        groups = self._groups or []
        metrics = {metric.name for group in groups for metric in group.metrics}
        return Counts(len(self.datasets), len(groups), len(metrics), len(self._entries))

    # Metric Groups

    def groups(self) -> list[Group]:
        """The workspace's groups, in the order of ``ragtui.toml``."""
        if self._groups is None:
            from ragtui.metrics.groups import groups

            self._groups = list(groups(self.workspace))
        return self._groups

    def used_groups(self) -> dict[str, int]:
        """How many experiments use each group."""
        return Counter(entry.plan.group for entry in self._entries if entry.plan.group)

    def catalogue(self) -> tuple[Metric, ...]:
        """Every metric a group can be made of."""
        from ragtui.metrics.registry import metrics

        return metrics()

    def save_group(self, name: str, specs: Sequence[str]) -> None:
        """Writes a group to ``ragtui.toml``.

        Raises:
            ValueError: a name or metric cannot be used.
        """
        from ragtui.metrics.groups import save_group

        self.workspace = save_group(self.workspace, name, specs)
        self._groups = None

    def rename_group(self, old: str, new: str) -> None:
        """Gives a group another name, its metrics and thresholds as they are."""
        from ragtui.metrics.groups import rename_group

        self.workspace = rename_group(self.workspace, old, new)
        self._groups = None

    def delete_group(self, name: str) -> None:
        from ragtui.metrics.groups import delete_group

        self.workspace = delete_group(self.workspace, name)
        self._groups = None

    # Experiments

    def store(self, write: bool = False) -> Store:
        """The workspace's experiments; kept open once opened."""
        from ragtui.experiments.store import Store

        if self._store is None or (write and not self._store.write):
            if self._store is not None:
                self._store.close()
            self._store = Store.open(self.workspace, write)
        return self._store

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
        from ragtui.tui.offers import plan_of
        from ragtui.tui.running import expected

        if opened is None or opened.dataset is None:
            return "open a dataset first"
        try:
            return preflight(plan_of(self, opened, values), opened.dataset, self.workspace)
        except expected() as error:
            return str(error)

    def start(self, plan: Plan) -> str:
        """Starts a run; returns one line if it cannot."""
        from ragtui.tui.running import Run

        dataset = next(
            (each.dataset for each in self.datasets if each.dataset and each.dataset.name == plan.dataset), None
        )
        if self.is_running:
            return "another experiment runs; stop it first"
        if dataset is None:
            return f"the dataset {plan.dataset} is not open"
        self.run = Run(plan, dataset, self.workspace)
        return ""

    def resume(self, entry: Entry) -> str:
        """Goes on with an experiment where it stopped; returns one line if it cannot."""
        from ragtui.datasets.check import open_dataset
        from ragtui.experiments.planning import fingerprint_of
        from ragtui.tui.running import Run, expected

        try:
            dataset, _ = open_dataset(entry.source)
            same = fingerprint_of(dataset, entry.plan.candidate, entry.plan.baseline) == entry.plan.fingerprint
        except expected() as error:
            return str(error)
        if not same:
            return f"{entry.source} has changed since this experiment began; start a new one"
        self.run = Run(entry.plan, dataset, self.workspace)
        return ""

    def take_ended(self) -> Run:
        """The run that has ended; the workbench lets go of it."""
        run = self.run
        assert run is not None
        self.run, self.last_run = None, run
        return run

    def triage(self, experiment: str) -> Triage:
        """An experiment's results, ready to be walked through and labelled.

        Raises:
            StoreError: there is none of that id.
        """
        from ragtui.tui.triage import Triage

        triage = Triage(self.store(write=True).results(experiment), self.store(write=True))
        _ = triage.summaries, triage.comparisons  # made here, in the thread that may wait
        self.last_triage = triage
        return triage

    def document_texts(self, triage: Triage | None, wanted: list[str]) -> dict[str, str]:
        """Documents of an experiment's corpus by their ids; empty where the corpus is not at hand."""
        return {}

    def export(self, rows: pl.DataFrame, name: str) -> str:
        """Writes rows to a file; returns what to say."""
        raise ValueError("not yet")

    def farewell(self) -> str:
        """What is left in the scrollback when the app ends: the figures that were looked at last, and how to come back."""
        if self.last_triage is not None:
            from ragtui.tui.screens.result_views import summary_lines

            return "\n".join(summary_lines(self.last_triage))
        if self.last_run is not None:
            return f"experiment {self.last_run.plan.id}: ragtui show {self.last_run.plan.id}"
        return ""

    # Datasets

    def read(self, paths: list[str]) -> list[OpenDataset]:
        """Opens files and folders, or without any what lies around the workspace. Takes its time: call it in a thread."""
        return read(paths or around(self.workspace.root))

    def put(self, opened: list[OpenDataset]) -> None:
        """Puts datasets on the workbench; one that was there already, by path and name, is replaced."""
        for each in opened:
            same = [i for i, old in enumerate(self.datasets) if (old.path, old.name) == (each.path, each.name)]
            if same:
                self.datasets[same[0]] = each
            else:
                self.datasets.append(each)

    def opened_paths(self) -> list[str]:
        """The paths of what is open, each once, as the user named them."""
        return list(dict.fromkeys(each.path for each in self.datasets))

    def with_texts(self, opened: OpenDataset, part: str, frame: pl.DataFrame) -> pl.DataFrame:
        """A table of a dataset with its documents' texts beside their ids, where they can be had at once."""
        return frame
