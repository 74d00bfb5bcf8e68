"""A new experiment: what is compared at the left, what a run would do at the right, before anything is asked."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.timer import Timer

from ragtui.experiments.wording import count
from ragtui.text import cell
from ragtui.tui import offers
from ragtui.tui.actions import bindings
from ragtui.tui.performing import work
from ragtui.tui.screens import experiment_views as views
from ragtui.tui.screens.over import OverScreen
from ragtui.tui.widgets.choosing import Choice
from ragtui.tui.widgets.form import Field, Form
from ragtui.tui.widgets.part import Part
from ragtui.tui.widgets.passage import Passage
from ragtui.tui.widgets.prompt_line import Line, PromptLine
from ragtui.tui.widgets.wrapped_text import WrappedText

if TYPE_CHECKING:
    from ragtui.experiments.preflight import Preflight
    from ragtui.tui.opened import OpenDataset
    from ragtui.tui.workbench import Workbench

_WAIT = 0.15  # seconds without a change before the plan is looked at again


class ExperimentForm(OverScreen["Preflight | None"], inherit_bindings=False):
    """Ends with the plan to run, looked at; ``None`` if it was left."""

    SCOPES = ("launch",)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("launch")]
    LINES = ("form-title", "form-note")

    def __init__(
        self, workbench: Workbench, dataset: OpenDataset | None = None, values: Mapping[str, str] | None = None
    ) -> None:
        super().__init__()
        self.workbench = workbench
        self._values = values or {}  # of an experiment that is copied
        self._dataset = dataset or next((each for each in workbench.datasets if each.dataset is not None), None)
        self._preflight: Preflight | None = None
        self._problem = ""
        self._looked_at: dict[str, str] | None = None
        self._wanted: dict[str, str] | None = None
        self._soon: Timer | None = None

    def parts(self) -> ComposeResult:
        with Horizontal(id="form-whole"):
            with Part("what to run", id="form-part"):
                yield Form(self._fields(), id="form")
            with Part("before it runs", id="preflight-part"):
                yield WrappedText(id="preflight", empty="looking at every case …")

    def _fields(self) -> list[Field]:
        bench = self.workbench
        datasets = [
            Choice(str(i), each.name, each.dataset.path)
            for i, each in enumerate(bench.datasets)
            if each.dataset is not None
        ]
        here = str(bench.datasets.index(self._dataset)) if self._dataset is not None else ""
        candidate, baseline = offers.proposed_targets(self._dataset)
        fields = [
            Field("dataset", "dataset", here, lambda: datasets),
            Field("metrics", "metrics", offers.proposed_metrics(bench, self._dataset), lambda: offers.metric_choices(bench),
                  free=True),
            Field("candidate", "candidate", candidate, lambda: offers.target_choices(self._dataset, bench.workspace), free=True),
            Field("baseline", "baseline", baseline, lambda: [Choice("", "none"), *offers.target_choices(self._dataset, bench.workspace)],
                  free=True),
            Field("judge", "judge", bench.setting("judge", "embedded"), lambda: offers.judge_choices(bench), free=True),
            Field("strategy", "strategy", "auto", lambda: [Choice(n, n) for n in ("auto", "claims", "rubric")]),
            Field("repeats", "repeats", "1", lambda: [Choice(n, n) for n in ("1", "2", "3", "5")], free=True),
            Field("limit", "limit", "", lambda: [Choice("", "all"), *(Choice(n, n) for n in ("10", "50", "100"))], "all",
                  free=True),
            Field("budget", "budget", "", lambda: [Choice("", "none"), *(Choice(n, f"${n}") for n in ("0.50", "1", "5", "20"))],
                  "none", free=True),
        ]  # fmt: skip
        for each in fields:
            each.value = self._values.get(each.name, each.value)
        return fields

    def on_mount(self) -> None:
        self.set_focus(self.query_one(Form))
        title = Content.styled(" New experiment ", "bold $background on $primary")
        self.query_one("#form-title", Line).show(title)
        self.query_one("#form-note", Line).show(Content(" nothing is asked or sent until it is started"))
        self._look()

    @on(Form.Changed)
    def _changed(self, event: Form.Changed) -> None:
        form = self.query_one(Form)
        if event.name == "dataset":
            self._dataset = self.workbench.datasets[int(form.values["dataset"])]
            candidate, baseline = offers.proposed_targets(self._dataset)
            form.set("metrics", offers.proposed_metrics(self.workbench, self._dataset))
            form.set("candidate", candidate)
            form.set("baseline", baseline)
        self._preflight, self._problem = None, ""
        self.query_one(PromptLine).status(Content("looking at every case …"))
        self.show_keys()
        if self._soon is not None:
            self._soon.stop()
        self._soon = self.set_timer(_WAIT, self._look)

    def _look(self) -> None:
        work(self, partial(self._look_at, dict(self.query_one(Form).values)), "preflight")

    async def _look_at(self, values: dict[str, str]) -> None:
        found = await asyncio.to_thread(self.workbench.preflight, self._dataset, values)
        text, passage = self.query_one("#preflight", WrappedText), Passage()
        self._looked_at = values
        if isinstance(found, str):
            self._preflight, self._problem = None, found
            passage.line(("cannot run", "bad"))
            passage.text(found)
        else:
            self._preflight = found
            self._problem = "no metric can score a single case" if found.nothing_to_do else ""
            passage = views.preflight(found)
        text.show(passage)
        if self._problem or isinstance(found, str):
            status = Content.styled(cell(self._problem), "$error")
        elif lost := {each.metric for each in found.checks} - {each.metric for each in found.checks if each.runs_on}:
            status = Content(f"ready: ctrl+r starts it; {count(len(lost), 'metric')} can score nothing (tab: why)")
        else:
            status = Content("ready: ctrl+r starts it")
        self.query_one(PromptLine).status(status)
        self.show_keys()
        if self._wanted == values and not self._problem:
            self.dismiss(self._preflight)
        elif self._wanted == values:
            self._wanted = None

    def do_start(self) -> None:
        """Starts what has been looked at; asked for sooner, it starts when that is done."""
        values = dict(self.query_one(Form).values)
        if self._looked_at != values:
            self._wanted = values
            self.query_one(PromptLine).status(Content("starts when every case has been looked at …"))
        else:
            self.dismiss(self._preflight)

    def why_not(self, name: str) -> str | None:
        return self._problem or None
