"""A blind sample, case by case: what was asked and answered, but nothing of what the judge made of it."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content

from ragtui.experiments.blind_sample import WANTED, definition
from ragtui.experiments.store import StoreError
from ragtui.metrics.judged import RUBRICS
from ragtui.text import cell as safe
from ragtui.tui.actions import bindings
from ragtui.tui.blind import BlindLabels
from ragtui.tui.performing import tell
from ragtui.tui.screens import case_views
from ragtui.tui.screens.over import OverScreen
from ragtui.tui.widgets.own_score import keys_of
from ragtui.tui.widgets.part import Part
from ragtui.tui.widgets.passage import Passage
from ragtui.tui.widgets.prompt_line import Line, PromptLine, ask
from ragtui.tui.widgets.wrapped_text import WrappedText


class BlindLabelling(OverScreen[int], inherit_bindings=False):
    """Ends with how many scores were given."""

    SCOPES = ("blind",)
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings("blind"),
        Binding("escape", "leave", show=False),
        *(Binding(str(n), f"score('{n}')", show=False) for n in range(10)),
    ]
    LINES = ("blind-title", "blind-what", "blind-ends", "blind-note")
    DEFAULT_CSS = """
    BlindLabelling {
        & #blind-whole { height: 1fr; width: 1fr; }
        &.-narrow #blind-whole { layout: vertical; }
        &.-narrow #blind-answer { height: 55%; }
    }
    """

    def __init__(self, sample: BlindLabels) -> None:
        super().__init__()
        self._sample = sample

    def parts(self) -> ComposeResult:
        with Horizontal(id="blind-whole"):
            with Part("question and answer", id="blind-answer"):
                yield WrappedText(id="answer")
            with Part("contexts", id="blind-contexts"):
                yield WrappedText(id="evidence")

    def on_mount(self) -> None:
        self.set_focus(self.query_one("#answer", WrappedText))
        self._show()

    def _show(self) -> None:
        sample = self._sample
        case = sample.case()
        if case is None:
            self.dismiss(sample.given)
            return
        title = Content.styled(f" Blind sample · {safe(sample.metric.spec)} ", "bold $background on $primary")
        self.query_one("#blind-title", Line).show(title)
        for name, told in zip(("#blind-what", "#blind-ends"), definition(sample.metric), strict=True):
            self.query_one(name, Line).show(Content(safe(f" {told}")))
        keys = keys_of(sample.metric.scale)
        note = f" {' '.join(keys)} gives your score; the judge's stays hidden; esc ends and compares"
        self.query_one("#blind-note", Line).show(Content(note))
        side = case.sides[0]
        passage = case_views.answer(case, side, sample.results.plan)
        self._levels(passage)
        self.query_one("#answer", WrappedText).show(passage)
        self.query_one("#evidence", WrappedText).show(case_views.evidence(side, sample.results.plan))
        line = self.query_one(PromptLine)
        enough = f"; about {WANTED} make a usable kappa" if sample.done < min(WANTED, sample.size) else ""
        line.status(Content(f"{sample.done:,} of {sample.size:,} labelled{enough}"))
        self.show_keys()

    def _levels(self, passage: Passage) -> None:
        """What the judge is told its scores mean, so that both measure with one stick."""
        rubric = RUBRICS.get(self._sample.metric.question or "")
        if rubric is None:
            return
        passage.heading("What a score means", self._sample.metric.spec)
        for score, meaning in rubric.levels.items():
            passage.line((f"{score}  ", "strong"), (meaning, ""), hang=3)

    def action_score(self, key: str) -> None:
        keys = keys_of(self._sample.metric.scale)
        if key in keys:
            self._give(keys[key])
        else:
            tell(self, f"{self._sample.metric.spec} has no score {key}: {' '.join(keys)}", "warning")

    def _give(self, score: str) -> None:
        try:
            self._sample.give(score)
        except StoreError as error:
            tell(self, str(error), "error")
            return
        self._show()

    def do_own_score(self, score: str = "") -> None:
        if score:
            self._give(score)
        else:
            ask(self.query_one("#answer", WrappedText), "your own score", then=self._give)

    def do_skip(self) -> None:
        self._sample.skip()
        self._show()

    def do_undo(self) -> None:
        try:
            undone = self._sample.undo()
        except StoreError as error:
            tell(self, str(error), "error")
            return
        if undone:
            self._show()
        else:
            tell(self, "nothing was labelled here yet")

    def action_leave(self) -> None:
        self.dismiss(self._sample.given)
