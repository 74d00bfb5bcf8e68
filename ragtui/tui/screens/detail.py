"""One case whole: the answer with its scores at the left, what it rests on (or the baseline) at the right."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content

from ragtui.experiments.plan import Side
from ragtui.text import cell as safe
from ragtui.tui.actions import bindings
from ragtui.tui.performing import tell, work
from ragtui.tui.screens import case_views
from ragtui.tui.screens.case_actions import CaseActions
from ragtui.tui.screens.over import OverScreen
from ragtui.tui.screens.reading import Reading
from ragtui.tui.triage import Triage
from ragtui.tui.widgets.part import Part
from ragtui.tui.widgets.prompt_line import Line, PromptLine
from ragtui.tui.widgets.virtual_table import VirtualTable
from ragtui.tui.widgets.wrapped_text import WrappedText

if TYPE_CHECKING:
    from ragtui.experiments.results import CaseDetail
    from ragtui.tui.workbench import Workbench


class DetailScreen(OverScreen[None], CaseActions, inherit_bindings=False):
    """Walks through the same rows, in the same order, as the table it was opened from."""

    SCOPES = ("detail", "case")
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("detail", "case")]
    LINES = ("case-title", "case-scores")

    def __init__(self, workbench: Workbench, triage: Triage, table: VirtualTable) -> None:
        super().__init__()
        self.workbench = workbench
        self.triage: Triage | None = triage
        self._table = table
        self._claim = -1
        self._beside = False

    def parts(self) -> ComposeResult:
        with Horizontal(id="case-whole"):
            with Part("answer", id="answer-part"):
                yield WrappedText(id="answer")
            with Part("evidence", id="evidence-part"):
                yield WrappedText(id="evidence")

    def on_mount(self) -> None:
        self.set_focus(self.query_one("#answer", WrappedText))
        self._show()

    def case_id(self) -> str | None:
        row = self._table.row
        return None if row is None or self.triage is None else self.triage.case_at(row)

    def rows_table(self) -> VirtualTable:
        return self._table

    def rows_changed(self) -> None:
        """Filtered or sorted from here: the case at the table's cursor; never none, keys must not go nowhere."""
        if not self._table.count:
            tell(self, "no row is like that: all are shown again", "warning")
            self._table.let_go_of_filter()
        self._show()

    @property
    def case(self) -> CaseDetail | None:
        case_id = self.case_id()
        return None if case_id is None or self.triage is None else self.triage.detail(case_id)

    def _show(self, *, keep: bool = False) -> None:
        case, triage = self.case, self.triage
        if case is None or triage is None or not case.sides:
            return
        self._claim = self._claim if keep else -1
        side = case.sides[0]
        baseline = case.side(Side.BASELINE) if self._beside else None
        answer, evidence = self.query_one("#answer", WrappedText), self.query_one("#evidence", WrappedText)
        answer.show(case_views.answer(case, side, triage.plan, baseline), keep=keep)
        self.query_one("#answer-part", Part).title("candidate" if self._beside else "answer and scores")
        if baseline is not None:
            evidence.show(case_views.answer(case, baseline, triage.plan, side), keep=keep)
            self.query_one("#evidence-part", Part).title("baseline")
        else:
            evidence.show(case_views.evidence(side, triage.plan), keep=keep)
            what = "ranking" if side.ranking and not side.contexts else "contexts"
            self.query_one("#evidence-part", Part).title(what, f"{len(side.contexts or side.ranking)}")
            if side.ranking:
                work(self, partial(self._fetch_texts, case), "texts")
        self._show_bars(case)
        if not keep:
            answer.go_to(f"metric {triage.metric}") if self.app.size.height < 32 and not case.expected else None

    async def _fetch_texts(self, case: CaseDetail) -> None:
        """The documents' texts, read when they are looked at."""
        side = case.sides[0]
        wanted = [each.doc_id for each in side.ranking if each.rank is None or each.rank <= 10]
        if self.triage is None:
            return
        texts = await asyncio.to_thread(self.workbench.document_texts, self.triage, wanted)
        if texts and self.case is case and not self._beside:
            self.query_one("#evidence", WrappedText).show(case_views.evidence(side, self.triage.plan, texts), keep=True)

    def _show_bars(self, case: CaseDetail) -> None:
        triage, table = self.triage, self._table
        assert triage is not None
        label = case.labels.get("candidate", "")
        title = Content.assemble(
            Content.styled(f" {safe(case.case_id)} ", "bold $background on $primary"),
            Content(f"  {safe(case.name)}"),
        )
        self.query_one("#case-title", Line).show(title)
        parts, room = [Content(" ")], self.app.size.width - len("  +99")
        if label:
            parts.append(Content.styled(f"✎ {safe(label)}   ", "bold $accent"))
        cells = case.sides[0].cells
        for count, cell in enumerate(cells):
            words, tone = case_views.score_words(cell, triage.plan)
            style = {"good": "$success", "bad": "bold $error", "warn": "$warning"}.get(tone, "")
            words = words.partition(" (")[0]
            part = Content.assemble(Content(f"{safe(cell.metric)} "), Content.styled(words, style))
            if sum(each.cell_length for each in parts) + part.cell_length > room:
                parts.append(Content(f"+{len(cells) - count}"))
                break
            parts += [part, Content("   ")]
        self.query_one("#case-scores", Line).show(Content.assemble(*parts))
        done, failing = triage.progress()
        line = self.query_one(PromptLine)
        line.status(Content(f"{done:,} of {failing:,} failing rows labelled"))
        line.position(Content(f"case {table.position + 1:,} of {table.count:,}"))
        self.show_keys()

    # What the keys do

    def labelled(self, case_id: str) -> None:
        row = self.triage.row_of(case_id) if self.triage is not None else None
        if row is not None and case_id != self.case_id():
            self._table.go_to(row)
            self._show()
        else:
            self._show(keep=True)

    def moved(self) -> None:
        self._show()

    def do_compare(self) -> None:
        self._beside = not self._beside
        self._show()

    def do_prompt(self) -> None:
        case, triage = self.case, self.triage
        if case is not None and triage is not None:
            passage = case_views.prompt_and_reply(case.sides[0], triage.metric, triage.plan.judge)
            self.app.push_screen(Reading(f"{case.case_id} · prompt and raw reply", passage))

    def do_next_claim(self) -> None:
        self._step_claim(1)

    def do_previous_claim(self) -> None:
        self._step_claim(-1)

    def _step_claim(self, step: int) -> None:
        case, triage = self.case, self.triage
        if case is None or triage is None:
            return
        claims = case_views.claims_of(case.sides[0], triage.metric)
        if not claims:
            tell(self, "no metric made claims about this case")
            return
        self._claim = (self._claim + step) % len(claims)
        place, evidence = claims[self._claim]
        self.query_one("#answer", WrappedText).go_to(place)
        about_contexts = case_views.rests_on_contexts(place.partition(" claim ")[0], triage.plan)
        if not self._beside and evidence.chunk is not None and about_contexts:
            text = self.query_one("#evidence", WrappedText)
            text.go_to(place if evidence.start is not None else f"chunk {evidence.chunk}")

    def why_not(self, name: str) -> str | None:
        case = self.case
        if name == "compare":
            return None if case is not None and case.side(Side.BASELINE) is not None else "there is no baseline"
        if name in ("prompt", "next-claim", "previous-claim"):
            return None if case is not None else "there is no case here"
        return self.why_no_case(name)

    @on(VirtualTable.Moved)
    def _ignore(self) -> None:
        """The table behind moves with this screen."""
