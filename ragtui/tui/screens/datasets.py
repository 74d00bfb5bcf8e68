"""Datasets: what is open, its rows, what is wrong with it and where exactly."""

from __future__ import annotations

import asyncio
import os
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical

from ragtui.experiments import wording
from ragtui.tui import opened, outside
from ragtui.tui.actions import bindings
from ragtui.tui.document_texts import with_text_of, with_texts
from ragtui.tui.opened import OpenDataset
from ragtui.tui.performing import tell, work
from ragtui.tui.screens import dataset_views as views
from ragtui.tui.screens.dataset_work import DatasetWork
from ragtui.tui.screens.opening_datasets import OpensDatasets
from ragtui.tui.screens.reading import Reading
from ragtui.tui.widgets.arrangement import arranged
from ragtui.tui.widgets.part import Part
from ragtui.tui.widgets.prompt_line import ask
from ragtui.tui.widgets.virtual_table import VirtualTable
from ragtui.tui.widgets.wrapped_text import WrappedText
from ragtui.tui.workbench import Workbench

if TYPE_CHECKING:
    from ragtui.datasets.findings import Finding
    from ragtui.experiments.progress import Progress

FIRST_RUN = """Nothing is open here yet.
press d for the demo: a support desk's assistant, two versions compared
press a to open a file or folder, or start as: ragtui PATH
press ? for the keys that work here, q to quit"""

SETTING_UP = """The demo is being set up: a support desk's assistant, two versions compared.
Its results open by themselves in a few seconds."""


class DatasetsPane(DatasetWork, OpensDatasets):
    """List and description at the left, rows and findings at the right."""

    SCOPES = ("datasets",)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("datasets")]

    def __init__(self, workbench: Workbench, *, id: str) -> None:
        super().__init__(workbench, id=id)
        self._part = ""
        self._rows_part = ""
        self._stepping = False
        self._closed_last: tuple[int, OpenDataset] | None = None
        self._listed: list[Finding] = []
        self._shown: tuple[OpenDataset | None, str | None] = (None, None)
        self._ruled: OpenDataset | None = None
        self._judged: OpenDataset | None = None  # for platforms, just now
        self.set_class(not workbench.paths, "nothing")

    def compose(self) -> ComposeResult:
        with Vertical(id="datasets-left"):
            with Part("datasets", id="dataset-list"):
                yield VirtualTable(id="list", empty=self._empty())
            with Part("about", id="about"):
                yield WrappedText(id="about-text")
        with Vertical(id="datasets-right"):
            with Part("rows", id="rows-part"):
                yield VirtualTable(id="rows", cells=True)
            with Part("findings", id="findings"), Horizontal():
                yield VirtualTable(id="rules", frozen=2)
                yield VirtualTable(id="lines", frozen=2)

    def _empty(self) -> str:
        if self.workbench.paths:
            return "\n".join(f"opening {path} …" for path in self.workbench.paths[:8])
        return SETTING_UP if self.workbench.demo else FIRST_RUN

    # Loading

    async def loaded(self) -> None:
        """Opens what was named on the command line; what stands there already is shown meanwhile."""
        if self.workbench.demo:
            self.do_demo()
        else:
            await self.open(self.workbench.paths)

    def refreshed(self) -> None:
        self.set_class(not self.workbench.datasets and not self._openings, "nothing")
        self.query_one("#list", VirtualTable).empty = self._empty() if self._openings else FIRST_RUN
        self.list_again()
        self._show_dataset()

    # What is under the cursor

    def crumbs(self) -> list[str]:
        current = self.current
        return [] if current is None else [current.name, *([self._part] if self._part else [])]

    def rows_table(self) -> VirtualTable:
        return self.query_one("#rows", VirtualTable)

    def remark(self) -> str:
        table = self.query_one("#lines", VirtualTable)
        if table.row is None or not table.has_focus:
            return ""
        finding = self._listed[table.row]
        return f"{finding.code} {finding.message}"

    @on(VirtualTable.Moved, "#list")
    def _other_dataset(self) -> None:
        table = self.query_one("#list", VirtualTable)
        if (self.current, table.value("part")) != self._shown:
            self._show_dataset()

    def _show_dataset(self) -> None:
        current = self.current
        self._shown = (current, self.query_one("#list", VirtualTable).value("part"))
        part = self.query_one("#list", VirtualTable).value("part") or ""
        frames = views.frames_of(current) if current else {}
        self._show_rows(part or next(iter(frames), ""))
        self._part = part
        if current is None:
            return
        self.show_rules()
        self.query_one("#about-text", WrappedText).show(views.about(current, current.ready))
        self.query_one("#dataset-list", Part).title("datasets")
        self.query_one("#about", Part).title("about", current.name)
        self.post_message(self.Altered())
        if current.ready is None and current.is_whole and current is not self._judged:
            self._judged = current
            work(self, partial(self._judge_readiness, current), "ready")

    def show_rules(self) -> None:
        """The findings of the current dataset by their rules; the cursor stays on the rule it is on."""
        current = self.current
        rules, lines = self.query_one("#rules", VirtualTable), self.query_one("#lines", VirtualTable)
        if current is None:
            return
        here = rules.value("code") if current is self._ruled else None
        self._ruled = current
        rules.empty = views.no_findings(current)
        lines.empty = "" if current.counts else views.failure_lines(current, remedy_first=True)
        frame = views.rule_frame(current, opened.rule_names())
        row = frame["code"].to_list().index(here) if here is not None and here in frame["code"] else None
        rules.show(frame, views.RULE_COLUMNS, row=row)
        self._show_findings()
        total = sum(current.counts.values())
        self.query_one("#findings", Part).title(
            "findings",
            f"{total:,}" if total else "cannot be read" if current.failure else "none",
            views.so_far(current),
        )

    async def _judge_readiness(self, one: OpenDataset) -> None:
        """Judges a dataset for every platform, one after the other; another one is judged in its place when it is shown."""
        from ragtui.datasets.watch import Stopped, Watch

        watch = Watch()
        try:
            one.ready = await asyncio.to_thread(opened.ready_for, one, watch, self.workbench.workspace)
        except Stopped:
            return
        finally:
            watch.stop()
            self._judged = None if self._judged is one else self._judged
        if one is self.current:
            self.query_one("#about-text", WrappedText).show(views.about(one, one.ready), keep=True)

    def _show_rows(self, part: str) -> None:
        current, table, self._rows_part = self.current, self.rows_table(), part
        frame = views.frames_of(current).get(part) if current else None
        if current is None or frame is None:
            self._frame = None
            table.empty = views.failure_lines(current) if current else ""
            table.show(views.no_rows(), [])
            self.query_one("#rows-part", Part).title(current.name if current else "rows")
            return
        table.empty = ""
        if frame is not self._frame:
            self._frame = frame
            shown = with_texts(current, part, frame)
            columns = views.row_columns(current, part, shown)
            table.show(shown, arranged(columns, self.workbench.kept.columns(self._arrangement(current, part))))
        rows = f"{frame.height:,} {'row' if frame.height == 1 else 'rows'}"
        rows = rows if current.is_whole else f"{rows} so far"
        self.query_one("#rows-part", Part).title(current.name, "" if part == "cases" else part, rows)

    @on(VirtualTable.Moved, "#rules")
    def _show_findings(self) -> None:
        current, code = self.current, self.query_one("#rules", VirtualTable).value("code")
        found = [] if current is None else current.findings
        self._listed = views.in_line_order([each for each in found if code in (None, "all", each.code)])
        self._stepping = False
        table = self.query_one("#lines", VirtualTable)
        table.show(views.finding_frame(self._listed), views.finding_columns(self._listed, self.app.size.width >= 100))

    @on(VirtualTable.Moved, "#lines")
    def _show_place(self, event: VirtualTable.Moved | None = None) -> None:
        table = self.query_one("#lines", VirtualTable)
        if table.row is not None and (event is None or table.has_focus):
            self._jump(self._listed[table.row])

    def _jump(self, finding: Finding) -> None:
        current = self.current
        place = views.place_of(finding, views.frames_of(current)) if current else None
        if place is not None:
            self._show_rows(place[0])
            table = self.query_one("#rows", VirtualTable)
            table.go_to(place[1], views.column_of(finding.field, [column.key for column in table.columns]))

    # Opening, and what the keys do

    @on(VirtualTable.Opened)
    def _opened(self, event: VirtualTable.Opened) -> None:
        name = event.table.id
        if name == "list":
            self.screen.set_focus(self.query_one("#rows", VirtualTable))
        elif name == "rules":
            self.screen.set_focus(self.query_one("#lines", VirtualTable))
        elif name == "lines":
            self._show_place()
            self.screen.set_focus(self.query_one("#rows", VirtualTable))
        elif event.table.frame is not None and self.current is not None:
            names = [column.key for column in event.table.columns]
            frame = with_text_of(self.current, event.table.frame, event.row)
            names = [*names, *(name for name in frame.columns if name not in event.table.frame.columns)]
            row = event.row if frame is event.table.frame else 0
            passage = views.row_passage(self.current.name, frame, row, names)
            self.app.push_screen(Reading(f"{self.current.name} · row {event.row + 1:,}", passage))

    def do_next_finding(self) -> None:
        self._step(1)

    def do_previous_finding(self) -> None:
        self._step(-1)

    def _step(self, step: int) -> None:
        """The first key goes to the finding at the cursor; the focus goes along, so that ``i`` and ``e`` are about it."""
        table = self.query_one("#lines", VirtualTable)
        at = table.position + step if self._stepping or table.has_focus or step < 0 else table.position
        self._stepping = True
        self.screen.set_focus(table)
        table.move_to(at % max(1, table.count))
        self._show_place()
        self.post_message(self.Altered())

    def do_open_path(self, path: str = "") -> None:
        def then(typed: str) -> None:
            if typed:
                work(self, partial(self.open, [typed]), f"open {typed}")

        if path:
            then(path)
        else:
            ask(self, "open", then=then, complete=opened.complete_path, history="path")

    def do_demo(self) -> None:
        work(self, partial(self._open_demo), "demo")

    async def _open_demo(self) -> None:
        """Sets the demo up and shows its results; what goes on is said at the top meanwhile."""
        from ragtui.experiments.progress import Progress
        from ragtui.tui.running import expected

        progress = Progress()
        table = self.query_one("#list", VirtualTable)
        table.empty = SETTING_UP
        table.refresh()
        looking = self.set_interval(0.1, lambda: self.post_message(self.Activity(demo_words(progress))))
        try:
            experiment = await asyncio.to_thread(self.workbench.open_demo, progress)
        except expected() as error:
            tell(self, str(error), "error", title="demo")
            self.refreshed()
            return
        finally:
            looking.stop()
            self.post_message(self.Activity(""))
        self._frame = None
        self.refreshed()
        self.post_message(self.Results(experiment))

    def do_evaluate(self) -> None:
        if (current := self.current) is not None:
            self.post_message(self.Evaluate(current))

    def do_close(self) -> None:
        number = self.query_one("#list", VirtualTable).value("dataset")
        if number is not None:
            self._closed_last = (number, self.workbench.datasets.pop(number))
            self._roles_last = None
            self._frame = None
            self.refreshed()
            tell(self, f"closed {self._closed_last[1].name}; u opens it again, the file stays")

    def do_undo(self) -> None:
        if self._roles_last is not None:
            self.undo_role()
        elif self._fixed_last is not None:
            self.undo_fix()
        elif self._closed_last is not None:
            self.workbench.datasets.insert(*self._closed_last)
            number, self._closed_last = self._closed_last[0], None
            self._frame = None
            self.refreshed()
            self.go_to_dataset(number)

    def do_explain(self) -> None:
        code = self.query_one("#rules", VirtualTable).value("code")
        table = self.query_one("#lines", VirtualTable)
        if code == "all" and table.row is not None:
            code = self._listed[table.row].code
        rule = opened.rule(code or "")
        if self.screen.focused in (self.query_one("#rules"), table) and rule is not None:
            self.app.push_screen(Reading(f"rule {code}", views.rule_passage(code, rule)))
        elif (current := self.current) is not None:
            self.app.push_screen(Reading(current.name, views.about(current, current.ready)))

    def do_copy(self) -> None:
        table = self.screen.focused
        if not isinstance(table, VirtualTable) or table.row is None:
            return
        value = table.value(table.current_column)
        text = (
            "\n".join(map(str, value.to_list())) if hasattr(value, "to_list") else "" if value is None else str(value)
        )
        outside.copy(self, text, table.current_column)

    def _arrangement(self, current: OpenDataset, part: str) -> str:
        """The name that the arrangement of a dataset's columns is kept under: where it lies, seen from the workspace."""
        path, mark, sheet = (current.dataset.path if current.dataset is not None else current.path).partition("#")
        return f"rows {os.path.relpath(path, self.workbench.workspace.root)}{mark}{sheet} {part}".strip()

    def do_columns(self) -> None:
        from ragtui.tui.screens.arranging import arrange

        current, table = self.current, self.rows_table()
        if current is None or table.frame is None:
            return
        frame = table.frame
        columns = views.row_columns(current, self._rows_part, frame)
        name = self._arrangement(current, self._rows_part)

        def again() -> None:
            table.show(frame, arranged(columns, self.workbench.kept.columns(name)), keep=True)

        arrange(self, name, current.name, columns, again)

    def do_editor(self) -> None:
        current = self.current
        if current is None or current.dataset is None:
            return
        table = self.query_one("#lines", VirtualTable)
        finding = self._listed[table.row] if table.row is not None and table.has_focus else None
        path = opened.file_of(current, finding)
        rows = self.query_one("#rows", VirtualTable)
        lined = rows.frame is not None and "_line" in rows.frame.columns
        line = finding.line if finding else rows.value("_line") if lined else 0
        outside.edit(self, path, int(line or 0))

    def why_not(self, name: str) -> str | None:
        current = self.current
        if name in ("open-path", "demo"):
            return None
        if name == "stop":
            return None if self._openings else "nothing is being read"
        if name == "undo":
            return (
                None if self._closed_last or self._fixed_last or self._roles_last else "nothing was changed or closed"
            )
        if current is None:
            return "nothing is open"
        if name in ("fix", "match", "mapping", "roles", "convert"):
            return self.why_no_work(name)
        if name in ("next-finding", "previous-finding") and not current.findings:
            return "there are no findings"
        if name == "columns" and self._frame is None:
            return "it has no rows"
        if name in ("evaluate", "editor") and current.dataset is None:
            return "it is not read"
        if name == "evaluate" and current.reading is not None:
            return "it is still read"
        if name == "evaluate" and not current.is_whole:
            return "only its first rows are read; r reads it"
        return None


def demo_words(progress: Progress) -> str:
    """How far the demo is, for the bar at the top."""
    return f"demo: {wording.count(progress.done, 'score')}" if progress.done else "demo: reading"
