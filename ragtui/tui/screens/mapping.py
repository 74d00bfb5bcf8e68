"""Which column feeds which metric input: the general mapping or one metric's own, with the first rows as they resolve."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content

from ragtui.experiments.wording import count
from ragtui.text import cell
from ragtui.tui.actions import bindings
from ragtui.tui.opened import complete_path
from ragtui.tui.performing import tell, work
from ragtui.tui.screens.dataset_views import MARKS
from ragtui.tui.screens.mapping_views import preview
from ragtui.tui.screens.over import OverScreen
from ragtui.tui.widgets.choosing import Choice
from ragtui.tui.widgets.form import Field, Form
from ragtui.tui.widgets.part import Part
from ragtui.tui.widgets.passage import Passage
from ragtui.tui.widgets.prompt_line import Line, PromptLine, ask
from ragtui.tui.widgets.wrapped_text import WrappedText

if TYPE_CHECKING:
    from ragtui.datasets.dataset import Dataset
    from ragtui.metrics.metric import Metric
    from ragtui.tui.workbench import Workbench

INPUTS: Final = ("query", "response", "context", "ground_truth")
_ALL: Final = ""


class MappingScreen(OverScreen["dict[str, str] | None"], inherit_bindings=False):
    """Ends with the mapping to keep (``input`` or ``METRIC.input`` to reference); ``None`` if it was left."""

    SCOPES = ("mapping",)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("mapping")]
    LINES = ("mapping-title",)
    DEFAULT_CSS = """
    MappingScreen #mapping-whole { height: 1fr; }
    MappingScreen #mapping-part { width: 44; }
    MappingScreen.-narrow #mapping-whole { layout: vertical; }
    MappingScreen.-narrow #mapping-part { width: 1fr; height: 9; }
    MappingScreen #mapping-part > Form { height: 1fr; padding: 0 1; }
    """

    def __init__(self, workbench: Workbench, dataset: Dataset, mapping: dict[str, str]) -> None:
        super().__init__()
        self.workbench, self.dataset = workbench, dataset
        self.mapping = dict(mapping)
        self._metric = _ALL

    def parts(self) -> ComposeResult:
        with Horizontal(id="mapping-whole"):
            with Part("mapping", id="mapping-part"):
                yield Form(self._fields(), id="mapping-form")
            with Part("what metrics get", id="preview-part"):
                yield WrappedText(id="preview", empty="looking …")

    def _fields(self) -> list[Field]:
        metrics = [Choice(_ALL, "all metrics"), *(Choice(each.name, each.name) for each in self._metrics())]
        fields = [Field("metric", "for", _ALL, lambda: metrics)]
        fields += [
            Field(name, name, self.mapping.get(name, ""), self._columns, "by its name", free=True) for name in INPUTS
        ]
        return fields

    def _columns(self) -> list[Choice]:
        from ragtui.datasets.mapping import columns_of
        from ragtui.datasets.references import DATA, Reference

        columns = columns_of(self.dataset)
        data = [Choice(str(Reference(DATA, (name,))), name, "column") for name in columns]
        return [Choice("", "by its name"), *data, Choice("${target.response}", "${target.response}", "the target")]

    def _metrics(self) -> list[Metric]:
        groups = self.workbench.groups()
        named = {metric.name: metric for group in groups for metric in group.metrics if metric.ranking is None}
        return list(named.values()) or self._proposed()

    def _proposed(self) -> list[Metric]:
        """What would fit the data, and the usual ones, where the workspace has no group."""
        from ragtui.metrics.groups import available_inputs, propose
        from ragtui.metrics.registry import metric

        specs = (*propose(available_inputs(self.dataset)), "groundedness", "relevance", "f1")
        return [found for spec in dict.fromkeys(specs) if (found := metric(spec)).ranking is None]

    def on_mount(self) -> None:
        title = Content.styled(" Mapping ", "bold $background on $primary")
        self.query_one("#mapping-title", Line).show(Content.assemble(title, "  ", cell(self.dataset.name)))
        self.query_one(PromptLine).status(
            Content("a metric's own mapping wins, then that for all, then names · ctrl+r saves")
        )
        self.set_focus(self.query_one(Form))
        self._look()

    @on(Form.Changed)
    def _changed(self, event: Form.Changed) -> None:
        form = self.query_one(Form)
        if event.name == "metric":
            self._metric = form.values["metric"]
            for name in INPUTS:
                form.set(name, self.mapping.get(self._key(name), ""))
        else:
            value = form.values[event.name].strip()
            if value:
                self.mapping[self._key(event.name)] = value
            else:
                self.mapping.pop(self._key(event.name), None)
        self._look()

    def _key(self, name: str) -> str:
        return f"{self._metric}.{name}" if self._metric else name

    def _look(self) -> None:
        work(self, partial(self._look_at, dict(self.mapping)), "preview")

    async def _look_at(self, mapping: dict[str, str]) -> None:
        metrics = self._metrics()
        shown = [each for each in metrics if each.name == self._metric] or metrics
        passage, wrong = await asyncio.to_thread(preview, self.dataset, shown, mapping)
        self.query_one("#preview", WrappedText).show(passage, keep=True)
        said = f"{count(wrong, 'input')} not resolved" if wrong else "everything resolves"
        self.query_one("#preview-part", Part).title("what metrics get", said)

    def do_load(self, name: str = "") -> None:
        if name:
            work(self, partial(self._load, Path(name).expanduser()), "load")
        else:
            ask(self, "mapping file", then=lambda typed: self.do_load(typed) if typed else None, complete=complete_path)

    async def _load(self, path: Path) -> None:
        """Takes in a file's entries beside those there are; what is wrong with it is listed, with its lines."""
        from ragtui.datasets.check import CannotOpen, mapping_report
        from ragtui.datasets.mapping_files import read_mapping
        from ragtui.tui.screens.reading import Reading

        try:
            report = await asyncio.to_thread(mapping_report, self.dataset, path)
            found = read_mapping(path).mapping()
        except CannotOpen as error:
            tell(self, str(error), "error")
            return
        self.mapping |= found
        form = self.query_one(Form)
        for each in INPUTS:
            form.set(each, self.mapping.get(self._key(each), ""))
        self._look()
        tell(self, f"{count(len(found), 'entry')} of {path.name}")
        if report.findings:
            passage = Passage()
            for finding in sorted(report.findings, key=lambda each: each.line):
                tone = MARKS.get(finding.level.value, ("", ""))
                passage.line(
                    (f"{tone[0]} {finding.line}  ", tone[1]),
                    (f"{finding.code} ", "strong"),
                    (finding.message, ""),
                    hang=4,
                )
            self.app.push_screen(Reading(f"what is wrong with {path.name}, by its lines", passage))

    def do_save(self) -> None:
        self.dismiss(self.mapping)
