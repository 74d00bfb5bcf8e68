"""One experiment on the table: its figures, its rows, the metric one looks at, and the labels one gives.

Labels are stored by the floor below as they are given; the rows in memory follow, so that nothing is read again.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from ragtui.experiments import labels
from ragtui.experiments.plan import PlannedMetric, Side

if TYPE_CHECKING:
    import polars as pl

    from ragtui.experiments.results import CaseDetail, MetricComparison, MetricSummary, Results
    from ragtui.experiments.store import Store

KEPT_DETAILS = 50


class Triage:
    """``metric`` is the spec of the metric that rows are sorted by and that opinions of a verdict are about."""

    def __init__(self, results: Results, store: Store | None) -> None:
        self.results = results
        self.plan = results.plan
        self._store = store  # None for result files that are only read
        self.metric = results.metrics[0] if results.metrics else ""
        self.frame: pl.DataFrame = results.rows()
        self._details: dict[str, CaseDetail] = {}

    @property
    def source(self) -> str:
        """Where the dataset lay when the experiment began; empty where that is not known."""
        entry = getattr(self.results, "entry", None)
        return entry.source if entry is not None else ""

    @property
    def metrics(self) -> tuple[PlannedMetric, ...]:
        return self.plan.metrics

    @property
    def specs(self) -> list[str]:
        return [metric.spec for metric in self.plan.metrics]

    @property
    def planned(self) -> PlannedMetric | None:
        """The metric one looks at."""
        return next((metric for metric in self.plan.metrics if metric.spec == self.metric), None)

    @cached_property
    def summaries(self) -> list[MetricSummary]:
        return self.results.summaries()

    @cached_property
    def comparisons(self) -> list[MetricComparison]:
        return self.results.comparisons()

    @property
    def compared(self) -> bool:
        return bool(self.comparisons)

    @property
    def can_label(self) -> bool:
        return self._store is not None

    def case_at(self, row: int) -> str:
        return str(self.frame.item(row, "case_id"))

    def row_of(self, case_id: str) -> int | None:
        at = (self.frame["case_id"] == case_id).arg_max()
        return at if at is not None and self.frame.item(at, "case_id") == case_id else None

    def detail(self, case_id: str) -> CaseDetail:
        """One case whole; the last few are kept."""
        if case_id not in self._details:
            if len(self._details) >= KEPT_DETAILS:
                self._details.clear()
            self._details[case_id] = self.results.detail(case_id)
        return self._details[case_id]

    def failing(self) -> pl.Series:
        """Which rows fail by the metric one looks at, or by any where it has no threshold."""
        from ragtui.tui.screens.result_views import failing

        return failing(self.frame, self.planned, self.specs)

    def unlabelled(self) -> pl.Series:
        return self.frame["label"].is_null()

    def progress(self) -> tuple[int, int]:
        """How many of the failing rows have a label, and how many there are."""
        wrong = self.failing()
        return int((wrong & ~self.unlabelled()).sum()), int(wrong.sum())

    # Labels

    @property
    def store(self) -> Store | None:
        """Where labels are kept; ``None`` for result files that are only read."""
        return self._store

    def give(self, case_id: str, key: str) -> str:
        """Labels the row (``r m b i``) or the selected metric's verdict (``a w``, or a score); returns what to say.

        Raises:
            StoreError: it cannot be stored.
        """
        assert self._store is not None
        value = labels.value_of(key)
        about_row = labels.is_cause(value)
        labels.give(
            self._store, self.results.experiment, case_id, key, metric=None if about_row else self.metric or None
        )
        if about_row:
            self._set(case_id, "label", value)
        self._details.pop(case_id, None)
        return f"{case_id}: {value}" + ("" if about_row else f" on {self.metric}")

    def note(self, case_id: str, text: str) -> None:
        """Writes a note to the row; an empty one takes it away."""
        assert self._store is not None
        labels.give(self._store, self.results.experiment, case_id, "", note=text)
        self._set(case_id, "note", text or None)
        self._details.pop(case_id, None)

    def undo(self) -> tuple[str, str] | None:
        """Takes the last step back; returns the case and what to say, ``None`` if there is nothing to take back."""
        assert self._store is not None
        step = labels.undo(self._store)
        if step is None:
            return None
        was, now = step
        one = was or now
        assert one is not None
        if one.dataset == labels.dataset_of(self._store, self.results.experiment) and one.side is Side.CANDIDATE:
            stored = self.results.rows()
            (row,) = stored.filter(stored["case_id"] == one.case_id).select("label", "note").rows() or [(None, None)]
            self._set(one.case_id, "label", row[0])
            self._set(one.case_id, "note", row[1])
            self._details.pop(one.case_id, None)
        said = (was.value or "note") if was else "removal"
        return one.case_id, f"took back {said} of {one.case_id}"

    def _set(self, case_id: str, column: str, value: str | None) -> None:
        import polars as pl

        row = self.row_of(case_id)
        if row is not None:
            old = self.frame[column].cast(pl.String)
            self.frame = self.frame.with_columns(old.scatter(row, value).alias(column))
