"""Which file each label means: state, candidates with scores and reasons; picks that are kept; the way back into the file."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content

from ragtui.experiments import wording
from ragtui.text import cell, storable
from ragtui.tui import opened
from ragtui.tui.actions import bindings
from ragtui.tui.performing import tell, work
from ragtui.tui.screens.over import OverScreen
from ragtui.tui.widgets.choosing import Choice, Choosing
from ragtui.tui.widgets.part import Part
from ragtui.tui.widgets.passage import Passage
from ragtui.tui.widgets.prompt_line import Line, PromptLine, ask
from ragtui.tui.widgets.table_column import Painted, TableColumn
from ragtui.tui.widgets.virtual_table import VirtualTable
from ragtui.tui.widgets.wrapped_text import WrappedText

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    import polars as pl

    from ragtui.datasets.dataset import Dataset
    from ragtui.datasets.matching import Label, Matching
    from ragtui.workspace import Workspace

_TONES = {"matched": "good", "no match": "bad", "candidates found": "warn", "not started": "dim"}


def _state(values: Sequence[Any]) -> Painted:
    return values[0], _TONES.get(values[0].partition(" (")[0], "")


def label_columns(wide: bool) -> tuple[TableColumn, ...]:
    """The columns; on a narrow screen the label has most of it, its candidates stand below in full."""
    return (
        TableColumn("label", "label", grow=True, most=40),
        TableColumn("state", "state", paint=_state, width=20),
        TableColumn("rows", "rows", right=True),
        TableColumn("file", "file, or nearest", most=60 if wide else 24),
    )


def label_frame(matching: Matching) -> pl.DataFrame:
    """One row a label, those that want a decision first."""
    import polars as pl

    rank = {"candidates found": 0, "no match": 1, "not started": 2, "matched": 3}
    labels = sorted(matching.labels, key=lambda each: (each.rejected, rank[each.state.value], -each.rows, each.label))
    rows = [(storable(each.label), _said(each), str(each.rows), _file(each), storable(each.label)) for each in labels]
    return pl.DataFrame(rows, schema=dict.fromkeys(("label", "state", "rows", "file", "key"), pl.String), orient="row")


def _said(label: Label) -> str:
    how = "picked" if label.picked else "rejected" if label.rejected else "reset" if label.reset else ""
    return f"{label.state.value} ({how})" if how and label.state.value != "candidates found" else label.state.value


def _file(label: Label) -> str:
    if label.file is not None:
        return storable(label.file)
    if label.candidates and not label.rejected:
        best = label.candidates[0]
        return storable(f"{best.name}  {best.score:.0f}, {best.difference}")
    return ""


def _nothing_near(label: Label) -> str:
    if label.state.value == "not started":
        return "not started: o chooses the files"
    return "it is the name of a file" if label.file is not None else "no file has a name like it"


class MatchingScreen(OverScreen["Path | None"], inherit_bindings=False):
    """Ends with the file that was written, if one was. Every decision is kept in the workspace as it is made."""

    SCOPES = ("matching",)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("matching")]
    LINES = ("match-title",)
    DEFAULT_CSS = """
    MatchingScreen #candidates-part { height: 8; }
    """

    def __init__(self, workspace: Workspace, dataset: Dataset, matching: Matching) -> None:
        super().__init__()
        self.workspace, self.dataset, self.matching = workspace, dataset, matching

    def parts(self) -> ComposeResult:
        with Part("labels", id="labels-part"):
            yield VirtualTable(id="labels", empty="no label names a file")
        with Part("candidates", id="candidates-part"):
            yield WrappedText(id="candidates")

    def on_mount(self) -> None:
        title = Content.styled(" Files of labels ", "bold $background on $primary")
        self.query_one("#match-title", Line).show(Content.assemble(title, "  ", cell(self.dataset.name)))
        self.set_focus(self.query_one("#labels", VirtualTable))
        self._show()
        if not self.matching.files:
            self.do_files()
        elif self.matching.added or self.matching.removed:
            reset = sum(each.reset for each in self.matching.labels)
            changed = f"{len(self.matching.added):,} added, {len(self.matching.removed):,} removed"
            tell(
                self,
                f"the files changed: {changed}; {wording.count(reset, 'label')} to be decided again",
                "warning",
            )

    @property
    def label(self) -> Label | None:
        key = self.query_one("#labels", VirtualTable).value("key")
        return None if key is None else self.matching.label(key)

    def _show(self, keep: str | None = None) -> None:
        table = self.query_one("#labels", VirtualTable)
        frame = label_frame(self.matching)
        keys = frame["key"].to_list()
        table.show(frame, label_columns(self.app.size.width >= 100), row=keys.index(keep) if keep in keys else None)
        counts = "  ".join(f"{state.value} {count:,}" for state, count in self.matching.counts().items() if count)
        self.query_one("#labels-part", Part).title("labels", counts)
        files = self.matching.files or "not chosen; o chooses them"
        self.query_one(PromptLine).status(Content(f"files: {cell(files)} ({len(self.matching.names):,})"))
        self._show_candidates()

    @on(VirtualTable.Moved, "#labels")
    def _show_candidates(self) -> None:
        label, passage = self.label, Passage()
        if label is not None:
            for each in label.candidates:
                mark = "● " if each.name == label.file else "  "
                passage.line(
                    (mark, "good"),
                    (f"{each.score:5.1f}  ", "dim"),
                    (each.name, "strong"),
                    (f"  differs in {each.difference}", "dim"),
                )
            if not label.candidates:
                passage.text(_nothing_near(label), tone="dim")
        self.query_one("#candidates", WrappedText).show(passage)
        self.query_one("#candidates-part", Part).title("candidates", label.label if label is not None else "")
        self.show_keys()

    # What the keys do

    @on(VirtualTable.Opened, "#labels")
    def _pick(self) -> None:
        label = self.label
        if label is None or not self.matching.names:
            return
        near = [Choice(each.name, each.name, f"{each.score:.0f}, {each.difference}") for each in label.candidates]
        names = [Choice(name, name) for name in self.matching.names if name not in {each.key for each in near}]

        def take(file: str | None) -> None:
            if file is not None:
                self._decide(lambda: self.matching.with_pick(label.label, file), self._next_key(label.label))

        self.app.push_screen(Choosing(f"the file of {label.label}", [*near, *names], label.file or ""), take)

    def do_reject(self) -> None:
        if (label := self.label) is not None:
            self._decide(lambda: self.matching.with_rejection(label.label), self._next_key(label.label))

    def do_clear(self) -> None:
        if (label := self.label) is not None:
            self._decide(lambda: self.matching.without_pick(label.label), label.label)

    def do_best(self) -> None:
        before = sum(each.picked for each in self.matching.labels)
        self._decide(lambda: self.matching.with_best(0))
        tell(self, f"picked {sum(each.picked for each in self.matching.labels) - before:,}; c takes one back")

    def _next_key(self, label: str) -> str | None:
        keys = label_frame(self.matching)["key"].to_list()
        place = keys.index(label) + 1
        return keys[place] if place < len(keys) else label

    def _decide(self, decide: Callable[[], Matching], keep: str | None = None) -> None:
        from ragtui.datasets.matching import MatchingError, save

        try:
            self.matching = decide()
            save(self.workspace, self.dataset, self.matching)
        except (MatchingError, OSError) as error:
            tell(self, str(error), "error")
            return
        self._show(keep)

    def do_files(self, path: str = "") -> None:
        def then(typed: str) -> None:
            if typed:
                work(self, partial(self._match, Path(typed).expanduser()), "match")

        if path:
            then(path)
        else:
            ask(self, "folder or listing of the files", then=then, complete=opened.complete_path, history="path")

    def do_rematch(self) -> None:
        from ragtui.datasets.matching import forget

        forget(self.workspace, self.dataset)
        work(self, partial(self._match, Path(self.matching.files)), "match")

    async def _match(self, files: Path) -> None:
        from ragtui.datasets.files import FilesError, file_names
        from ragtui.datasets.matching import MatchingError, load, matching_of

        def match() -> Matching:
            where = files.resolve()
            return matching_of(self.dataset, file_names(where), str(where), load(self.workspace, self.dataset))

        try:
            found = await asyncio.to_thread(match)
        except (FilesError, MatchingError, OSError) as error:
            tell(self, str(error), "error")
            return
        self._decide(lambda: found)

    def do_write(self) -> None:
        self._write(False)

    def do_in_place(self) -> None:
        self._write(True)

    def _write(self, place: bool) -> None:
        from ragtui.datasets.fixes.written import write_mended
        from ragtui.datasets.matching import MatchingError, mended

        try:
            data, changed = mended(self.dataset, self.matching)
            if not changed:
                tell(self, "every label has its file's name already")
                return
            target = write_mended(self.dataset.location, data, place)
        except (MatchingError, OSError) as error:
            tell(self, str(error), "error")
            return
        tell(self, f"wrote {wording.count(changed, 'name')} to {target}")
        self.dismiss(target)

    def why_not(self, name: str) -> str | None:
        if name == "files":
            return None
        if not self.matching.files:
            return "no files are chosen; o chooses them"
        if name in ("reject", "clear") and self.label is None:
            return "there is no label here"
        if name in ("write", "in-place") and self.dataset.path.rpartition("#")[0].endswith(".xlsx"):
            return "a workbook is not edited; save the sheet as CSV"
        return None
