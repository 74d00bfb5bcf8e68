"""One blind sample on the table: which case is shown, the person's own scores, and how far they agree with the judge's."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ragtui.experiments import agreement, blind_sample, labels
from ragtui.experiments.plan import Side
from ragtui.tui.widgets.passage import Passage

if TYPE_CHECKING:
    from ragtui.experiments.results import CaseDetail
    from ragtui.experiments.store import Store
    from ragtui.experiments.stored_results import StoredResults


class BlindLabels:
    """``waiting`` are the cases of the sample that this author has not labelled yet, in their random order."""

    def __init__(self, store: Store, experiment: str, metric: str) -> None:
        """Draws the sample.

        Raises:
            StoreError: the metric was not judged, or scored nothing.
        """
        self._store = store
        self.results: StoredResults = store.results(experiment)
        self.metric = blind_sample.judged_metric(self.results, metric)
        self.size = len(blind_sample.sample(self.results, metric))
        self.waiting = blind_sample.waiting(store, self.results, metric)
        self.given = 0

    @property
    def done(self) -> int:
        return self.size - len(self.waiting)

    def case(self) -> CaseDetail | None:
        """The case to label, without anything that was said of it; ``None`` when all are labelled."""
        if not self.waiting:
            return None
        case = self.results.detail(self.waiting[0])
        bare = tuple(replace(each, cells=(), cause=None, cause_evidence="") for each in case.sides)
        return replace(case, sides=bare, labels={}, note="")

    def give(self, key: str) -> None:
        """Stores a score for the case that is shown, and goes on to the next.

        Raises:
            StoreError: it is no score on the metric's scale, or cannot be stored.
        """
        blind_sample.give(self._store, self.results, self.waiting[0], key, self.metric.spec)
        del self.waiting[0]
        self.given += 1

    def skip(self) -> None:
        """Puts the case at the end of the queue."""
        self.waiting.append(self.waiting.pop(0))

    def undo(self) -> bool:
        """Takes the last score given here back and shows its case again; whether there was one."""
        if not self.given:
            return False
        step = labels.undo(self._store)
        was = step[0] if step is not None else None
        if was is not None:
            self.waiting.insert(0, was.case_id)
            self.given -= 1
        return was is not None


def agreement_passage(store: Store, experiment: str, metric: str) -> Passage:
    """How far judge and people agree, in words and figures.

    Raises:
        StoreError: the metric was not judged, or has no threshold.
    """
    found = agreement.agreement(store, experiment, metric, Side.CANDIDATE)
    passage = Passage()
    for line in agreement.lines(found):
        if not line:
            passage.gap()
        else:
            passage.line((line, "warn" if line.startswith("⚠") else ""), hang=2 if line.startswith("⚠") else 0)
    if not found.blind:
        passage.gap()
        passage.line(("B labels a blind random sample of this metric", "dim"))
    return passage
