"""How the Datasets pane opens files: first rows at once, findings as they come, progress, a stop, and changes on disk."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from functools import partial
from typing import TYPE_CHECKING, Final

from ragtui.tui import opened
from ragtui.tui.opening import Opening
from ragtui.tui.performing import tell, work
from ragtui.tui.screens import dataset_views as views
from ragtui.tui.screens.pane import Pane
from ragtui.tui.widgets.choosing import Choice, Choosing
from ragtui.tui.widgets.virtual_table import VirtualTable
from ragtui.tui.workbench import Workbench

if TYPE_CHECKING:
    import polars as pl

    from ragtui.tui.opened import OpenDataset

_DRAIN_EVERY: Final = 0.1  # seconds
_LOOK_EVERY: Final = 2.0
_BY_CONTENT: Final = "content"


class OpensDatasets(Pane):
    """A pane with the list of what is open. It shows ``current`` in ``refreshed`` and its findings in ``show_rules``."""

    def __init__(self, workbench: Workbench, *, id: str) -> None:
        super().__init__(workbench, id=id)
        self._openings: list[Opening] = []
        self._count = 0  # of datasets listed
        self._words = ""  # said of what is opened
        self._frame: pl.DataFrame | None = None  # whose rows are shown

    @property
    def current(self) -> OpenDataset | None:
        """The dataset under the cursor."""
        number = self.query_one("#list", VirtualTable).value("dataset")
        return self.workbench.datasets[number] if number is not None else None

    @abstractmethod
    def show_rules(self) -> None:
        """Shows the findings of the current dataset by their rules."""

    def on_mount(self) -> None:
        self.set_interval(_LOOK_EVERY, self._look_for_changes)

    async def open(self, paths: list[str]) -> None:
        """Opens files and folders, and puts the cursor on the first of them. The first rows of large ones come at once,
        what is found as it is found."""
        before = len(self.workbench.datasets)
        opening = Opening(paths, self.workbench.workspace.root)
        self._openings.append(opening)
        looking = self.set_interval(_DRAIN_EVERY, lambda: self._take(opening, before))
        try:
            await asyncio.to_thread(opening.run, self.workbench.read)
        finally:
            opening.watch.stop()  # where this job was replaced by another
            looking.stop()
            self._openings.remove(opening)
            self._take(opening, before)
            self._settle(opening)

    def _take(self, opening: Opening, before: int) -> None:
        """Shows what has come of what is opened."""
        new = list(opening.news())
        for datasets in new:
            self.workbench.put(datasets)
        reading = [each for each in self.workbench.datasets if each.reading is opening.watch]
        found = [each for each in reading if opening.told(each)]
        words = opening.words() if opening in self._openings else ""
        further, self._words = words != self._words, words
        if further and (reading or not self.workbench.datasets):
            self.post_message(self.Activity(words))
        if new:
            count = self._count
            self.refreshed()
            if before and count <= before < self._count:  # the first that came
                self.go_to_dataset(before)
        elif found or (further and reading):
            self.list_again()
            if self.current in found:
                self.show_rules()

    def _settle(self, opening: Opening) -> None:
        """What is left of an opening that was stopped keeps its first rows; what the whole turned out not to hold goes."""
        self.post_message(self.Activity(""))
        left = [each for each in self.workbench.datasets if each.reading is opening.watch]
        if not left:
            return
        if not opening.was_stopped:
            self.workbench.datasets = [each for each in self.workbench.datasets if each not in left]
        for each in left:
            each.reading, each.is_beginning = None, True
        self.refreshed()

    async def _look_for_changes(self) -> None:
        """Says once of every dataset whose files were changed since they were read."""
        known = [each for each in self.workbench.datasets if each.is_whole and not each.changed]
        if not known or not self.app.app_focus:
            return
        altered = await asyncio.to_thread(lambda: [each for each in known if opened.changed_since(each)])
        for each in altered:
            each.changed = True
        if altered:
            names = ", ".join(each.name for each in altered[:3]) + (" …" if len(altered) > 3 else "")
            tell(self, f"changed on disk: {names}; r reads it again", "warning")
            self.list_again()

    def list_again(self) -> None:
        table, self._count = self.query_one("#list", VirtualTable), len(self.workbench.datasets)
        table.show(views.list_frame(self.workbench.datasets), views.LIST_COLUMNS, row=table.row, keep=True)

    def go_to_dataset(self, number: int) -> None:
        table = self.query_one("#list", VirtualTable)
        assert table.frame is not None
        row = table.frame["dataset"].search_sorted(number)
        table.go_to(int(row))

    def do_reread(self) -> None:
        work(self, partial(self._reread), "open")

    async def _reread(self) -> None:
        """What is open is read again, each in its place; what is no longer there goes."""
        before = list(self.workbench.datasets)
        await self.open(self.workbench.opened_paths())
        if any(each.is_beginning for each in self.workbench.datasets):
            return  # it was stopped
        self.workbench.datasets = [each for each in self.workbench.datasets if not any(each is old for old in before)]
        self._frame = None
        self.refreshed()
        tell(self, f"read {len(self.workbench.datasets)} again")

    def do_read_as(self, name: str = "") -> None:
        current = self.current
        titles = opened.format_titles()
        if current is None:
            return

        def then(chosen: str | None) -> None:
            if chosen in titles or chosen == _BY_CONTENT:
                said = self._keep_format(current, None if chosen == _BY_CONTENT else chosen)
                work(self, partial(self.check_again, current.path, said), "open")
            elif chosen:
                tell(self, f"there is no format {chosen}", "warning")

        if name:
            then(name)
        else:
            start = current.dataset.format if current.dataset is not None else "table"
            choices = [Choice(_BY_CONTENT, "as what it is by its content")]
            choices += [Choice(key, f"{key}  {title}") for key, title in titles.items()]
            self.app.push_screen(Choosing(f"read {current.path} as", choices, start), then)

    def _keep_format(self, current: OpenDataset, format: str | None) -> str:
        """Keeps the format that was chosen for a dataset beside its roles; returns what to say. Where it cannot be kept it
        counts until the app ends."""
        from ragtui.datasets.settings import save_format

        path, sheet = current.place
        try:
            self.workbench.workspace = save_format(self.workbench.workspace, path, sheet, format)
        except OSError as error:
            if format is not None:
                self.workbench.named_formats[current.path] = format
            return f"ragtui.toml cannot be written ({error.strerror or error}): this is not kept"
        self.workbench.named_formats.pop(current.path, None)
        return f"read as {format}; ragtui.toml keeps it, = chooses again" if format else "read as its content says"

    async def check_again(self, path: str, said: str) -> None:
        """Reads and checks what lies at a path again, with what was said of it since."""
        before = [each for each in self.workbench.datasets if each.path == path]
        await self.open([path])
        self.workbench.datasets = [each for each in self.workbench.datasets if not any(each is old for old in before)]
        self._frame = None
        self.refreshed()
        tell(self, said)

    def do_stop(self) -> None:
        for opening in self._openings:
            opening.stop()
