"""What the app has open, and everything it asks of the floors below. Screens ask here and nowhere else.

Every import of a lower floor is made when it is first needed, so that the first paint waits for none of them.
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ragtui.tui.widgets.top_bar import Counts
from ragtui.workspace import Workspace

if TYPE_CHECKING:
    import polars as pl

    from ragtui.datasets.check import Opened
    from ragtui.datasets.dataset import Dataset
    from ragtui.datasets.findings import Finding
    from ragtui.datasets.rules import Rule
    from ragtui.experiments.store import Store
    from ragtui.tui.triage import Triage

_READ_AGAIN: Final = 5_000_000  # bytes that are read once more for each platform
_LOOKED_AT: Final = 3_000  # entries of a folder that is scanned without being asked


@dataclass
class OpenDataset:
    """A dataset on the workbench. ``dataset`` is ``None`` while it is read, or if it could not be (``failure``).

    ``counts`` are the findings per rule code and level, also those not listed.
    """

    path: str
    dataset: Dataset | None = None
    findings: list[Finding] = field(default_factory=list)
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    failure: str = ""
    ready: dict[str, tuple[bool, str]] | None = None

    @property
    def name(self) -> str:
        return self.dataset.name if self.dataset is not None else self.path


class Workbench:
    """One workspace with the datasets that are open."""

    def __init__(self, workspace: Workspace, paths: list[str] | None = None, *, demo: bool = False) -> None:
        self.workspace = workspace
        self.paths = paths or []
        self.demo = demo
        self.datasets: list[OpenDataset] = []
        self._store: Store | None = None

    def setting(self, name: str, default: Any) -> Any:
        """A value of ``[app]`` in ``ragtui.toml``."""
        return self.workspace.table("app").get(name, default)

    def warm_up(self) -> None:
        """Imports what every pane needs; called in a thread after the first paint."""
        import polars  # noqa: F401

    def counts(self) -> Counts:
        """What the breadcrumb line counts."""
        return Counts(len(self.datasets))

    def running(self) -> str:
        """The experiment that runs now, in a few words; empty if none does."""
        return ""

    def cancel(self) -> None:
        """Asks the run to stop."""

    def farewell(self) -> str:
        """What is left in the scrollback when the app ends."""
        return ""

    # Experiments

    def store(self, write: bool = False) -> Store:
        """The workspace's experiments; kept open once opened."""
        from ragtui.experiments.store import Store

        if self._store is None or (write and not self._store.write):
            if self._store is not None:
                self._store.close()
            self._store = Store.open(self.workspace, write)
        return self._store

    def triage(self, experiment: str) -> Triage:
        """An experiment's results, ready to be walked through and labelled.

        Raises:
            StoreError: there is none of that id.
        """
        from ragtui.tui.triage import Triage

        triage = Triage(self.store(write=True).results(experiment), self.store(write=True))
        _ = triage.summaries, triage.comparisons  # made here, in the thread that may wait
        return triage

    def document_texts(self, triage: Triage | None, wanted: list[str]) -> dict[str, str]:
        """Documents of an experiment's corpus by their ids; empty where the corpus is not at hand."""
        return {}

    def export(self, rows: pl.DataFrame, name: str) -> str:
        """Writes rows to a file; returns what to say."""
        raise ValueError("not yet")

    # Datasets

    def read(self, paths: list[str]) -> list[OpenDataset]:
        """Opens files and folders; what cannot be opened says why. Takes as long as it takes: call it in a thread.

        Without a path: what lies around the workspace's folder, if that is quickly looked through.
        """
        from ragtui.datasets.check import CannotOpen, open_datasets

        if not paths:
            root = self.workspace.root
            return self.read([os.path.relpath(root)]) if _is_small(root) and _has_files(root) else []
        found: list[OpenDataset] = []
        for path in paths:
            try:
                found += _opened(path, open_datasets([path]))
            except CannotOpen as error:
                if path in self.paths or path in self.opened_paths() or paths != ["."]:
                    found.append(OpenDataset(path, failure=str(error)))
        return found

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

    def rule(self, code: str) -> Rule | None:
        """The rule of that code, for explaining it."""
        from ragtui.datasets.rules import rules

        return rules().get(code)

    def rule_names(self) -> dict[str, str]:
        """What each rule is called, by code."""
        from ragtui.datasets.rules import rules

        return {code: each.name for code, each in rules().items()}

    def ready_for(self, opened: OpenDataset) -> dict[str, tuple[bool, str]]:
        """Per platform, whether the dataset can be used there as it is, and what stands in the way.

        The data is judged anew for each platform: call it in a thread. Empty for what is too big to be read that often.
        """
        from ragtui.datasets.check import CannotOpen, open_datasets, platforms
        from ragtui.datasets.findings import Level
        from ragtui.datasets.formats import ReadOptions

        if opened.dataset is None or _size(opened.dataset.location) > _READ_AGAIN:
            return {}
        ready: dict[str, tuple[bool, str]] = {}
        for platform in platforms():
            try:
                judged = open_datasets([opened.dataset.path], ReadOptions(platform=platform))
            except CannotOpen as error:
                ready[platform] = (False, str(error))
                continue
            errors, warnings = judged.total(Level.ERROR), judged.total(Level.WARNING)
            foreign = next((finding.message for finding in judged.findings() if finding.code == "FILE201"), "")
            said = [f"{n} {word}{'' if n == 1 else 's'}" for n, word in ((errors, "error"), (warnings, "warning")) if n]
            ready[platform] = (errors == 0, foreign or ", ".join(said))
        return ready

    def with_texts(self, opened: OpenDataset, part: str, frame: pl.DataFrame) -> pl.DataFrame:
        """A table of a dataset with its documents' texts beside their ids, where they can be had at once."""
        return frame

    def file_of(self, opened: OpenDataset, finding: Finding | None = None) -> Path:
        """The file a finding lies in, or the dataset's own."""
        known = opened.dataset
        location = known.location if known is not None else Path(opened.path)
        if finding is not None and location.is_dir() and (location / finding.file).is_file():
            return location / finding.file
        return location

    def complete_path(self, typed: str) -> list[str]:
        """Files and folders that a beginning may become."""
        start = Path(typed).expanduser()
        folder, begin = (start, "") if typed.endswith("/") else (start.parent, start.name)
        try:
            found = sorted(each for each in folder.iterdir() if each.name.startswith(begin))
        except OSError:
            return []
        shown = [each for each in found if begin.startswith(".") or not each.name.startswith(".")][:20]
        return [f"{each}/" if each.is_dir() else str(each) for each in shown]


def _opened(path: str, opened: Opened) -> list[OpenDataset]:
    """What the reader found, a dataset each with the findings that are its own."""
    found: list[OpenDataset] = []
    for report in opened.reports:
        first = report.dataset or 0
        later = [each.dataset for each in opened.reports if (each.dataset or 0) > first]
        last = min((at for at in later if at is not None), default=len(opened.datasets))
        datasets = opened.datasets[first:last]
        for at, dataset in enumerate(datasets, first):
            mine = [finding for finding in report.findings if finding.dataset == at or len(datasets) == 1]
            counts = Counter((finding.code, finding.level.value) for finding in mine)
            if len(datasets) == 1:
                counts = Counter()
                for (_, code, level), n in report.counts.items():
                    counts[code, level.value] += n
            found.append(OpenDataset(path, dataset, mine, counts))
        if not datasets and report.counts:
            worst = min(report.findings, key=lambda finding: finding.level.rank)
            counts = Counter((finding.code, finding.level.value) for finding in report.findings)
            found.append(OpenDataset(report.shown or path, None, report.findings, counts, failure=worst.message))
    return found


def _size(location: Path) -> int:
    files = [location] if location.is_file() else list(location.rglob("*"))
    return sum(each.stat().st_size for each in files if each.is_file())


def _is_small(folder: Path) -> bool:
    """Whether a folder can be scanned without being asked: not a home folder with all that lies in it."""
    seen = 0
    for _, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        seen += len(folders) + len(files)
        if seen > _LOOKED_AT:
            return False
    return True


def _has_files(folder: Path) -> bool:
    return any(not name.startswith(".") for name in os.listdir(folder))
