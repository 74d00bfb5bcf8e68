"""What can be done with one case, in the table and on its own screen: label, note, undo, walk, copy, open elsewhere."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from pathlib import Path

from textual.widget import Widget

from ragtui.experiments import wording
from ragtui.experiments.store import StoreError
from ragtui.tui import outside
from ragtui.tui.exporting import shown_folder
from ragtui.tui.opened import complete_path
from ragtui.tui.performing import Performs, tell
from ragtui.tui.screens import case_views
from ragtui.tui.triage import Triage
from ragtui.tui.widgets.choosing import Choice, Choosing
from ragtui.tui.widgets.own_score import OwnScore
from ragtui.tui.widgets.prompt_line import ask
from ragtui.tui.widgets.virtual_table import VirtualTable


class CaseActions(Performs, Widget):
    """Mixed into whatever shows a case; it says which one in ``case_id`` and is told in ``labelled`` what changed."""

    triage: Triage | None = None

    @abstractmethod
    def case_id(self) -> str | None:
        """The case under the cursor."""

    @abstractmethod
    def rows_table(self) -> VirtualTable:
        """The table that is walked through."""

    def labelled(self, case_id: str) -> None:
        """A label or note of this case changed."""

    def moved(self) -> None:
        """The table's cursor was moved from here."""

    def why_no_case(self, name: str) -> str | None:
        """Why an action of the scope ``case`` cannot be performed now."""
        if self.triage is None:
            return "no experiment is open"
        if self.case_id() is None and name != "undo":
            return "there is no case here"
        marking = name.startswith("label") or name in ("agree", "judge-wrong", "own-score", "note", "undo")
        if marking and not self.triage.can_label:
            return "this result file is only read"
        metric = self.triage.planned
        if name in ("agree", "judge-wrong", "own-score") and (metric is None or metric.question is None):
            return f"{self.triage.metric} was not judged; pick a judged metric in the overview"
        return None

    def _here(self) -> tuple[Triage, str]:
        """What ``why_no_case`` made sure of: an experiment and a case."""
        triage, case_id = self.triage, self.case_id()
        if triage is None or case_id is None:
            raise LookupError("there is no case here")
        return triage, case_id

    # Labels

    def do_label_retrieval(self) -> None:
        self._label("r")

    def do_label_model(self) -> None:
        self._label("m")

    def do_label_bad(self) -> None:
        self._label("b")

    def do_label_ignore(self) -> None:
        self._label("i")

    def do_agree(self) -> None:
        self._label("a")

    def do_judge_wrong(self) -> None:
        self._label("w")

    def do_own_score(self, score: str = "") -> None:
        metric = self._here()[0].planned
        if score or metric is None:
            self._label(score)
            return
        self.app.push_screen(OwnScore(metric.spec, metric.scale), lambda given: self._label(given) if given else None)

    def _label(self, key: str) -> None:
        triage, case_id = self._here()
        self._stored(lambda: triage.give(case_id, key), case_id)

    def do_note(self, text: str = "") -> None:
        triage, case_id = self._here()

        def then(typed: str) -> None:
            self._stored(lambda: triage.note(case_id, typed), case_id)

        if text:
            then(text)
        else:
            ask(self, "note", then=then, value=triage.detail(case_id).note)

    def do_undo(self) -> None:
        triage = self.triage
        assert triage is not None
        try:
            done = triage.undo()
        except StoreError as error:
            tell(self, str(error), "error")
            return
        if done is None:
            tell(self, "there is nothing to undo")
            return
        self.labelled(done[0])
        tell(self, done[1])

    def _stored(self, change: Callable[[], object], case_id: str) -> None:
        try:
            change()
        except StoreError as error:
            tell(self, str(error), "error")
            return
        self.labelled(case_id)

    # Walking

    def do_next_failing(self) -> None:
        assert self.triage is not None
        self._walk(self.rows_table().find_next(self.triage.failing(), 1), "no row fails here")

    def do_previous_failing(self) -> None:
        assert self.triage is not None
        self._walk(self.rows_table().find_next(self.triage.failing(), -1), "no row fails here")

    def do_next_unlabelled(self) -> None:
        assert self.triage is not None
        table = self.rows_table()
        waiting = self.triage.failing() & self.triage.unlabelled()
        wanted = waiting if table.view is not None and len(table.view.where(waiting)) else self.triage.unlabelled()
        self._walk(table.find_next(wanted, 1), "every row here has a label")

    def _walk(self, found: bool, otherwise: str) -> None:
        if found:
            self.moved()
        else:
            tell(self, otherwise)

    # Elsewhere

    def do_send(self, name: str = "") -> None:
        marked = self._marked()
        what = "this case" if len(marked) == 1 else f"{len(marked):,} cases"
        if name:
            self._send(marked, name)
        else:
            ask(self, f"send {what} to (.jsonl)", then=lambda typed: self._send(marked, typed), value="selected.jsonl",
                replace=True, complete=complete_path)  # fmt: skip

    def _marked(self) -> list[str]:
        """The marked cases in their order, else the one at the cursor."""
        triage, case_id = self._here()
        marked = sorted(self.rows_table().marks)
        return [found for row in marked if (found := triage.case_at(row)) is not None] or [case_id]

    def _send(self, case_ids: list[str], name: str) -> None:
        from ragtui.datasets.check import CannotOpen
        from ragtui.experiments.selected import add_selected

        if not name or self.triage is None:
            return
        try:
            added, left = add_selected(self.triage.results, case_ids, Path(name).expanduser())
        except (CannotOpen, OSError) as error:
            tell(self, str(error), "error", title="dataset")
            return
        more = f"; {left:,} were there already" if left else ""
        tell(
            self,
            f"added {added:,} to {name} in {shown_folder(Path(name).expanduser().resolve().parent)}{more}",
            title="dataset",
        )

    def do_copy(self) -> None:
        triage, case_id = self._here()
        parts = case_views.copies(triage.detail(case_id))
        choices = [Choice(name, name, wording.count(len(text), "character")) for name, text in parts.items()]

        def copy(name: str | None) -> None:
            if name is not None:
                outside.copy(self, parts[name], name)

        self.app.push_screen(Choosing("copy", choices), copy)

    def do_editor(self) -> None:
        triage, case_id = self._here()
        outside.edit_text(self, case_views.as_text(triage.detail(case_id), triage.plan), "case.md")

    def do_pager(self) -> None:
        triage, case_id = self._here()
        outside.page(self, case_views.as_text(triage.detail(case_id), triage.plan))
