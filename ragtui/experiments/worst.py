"""The rows to look at first: worst by one metric, with the reason each was given."""

from __future__ import annotations

from dataclasses import dataclass

from ragtui.experiments import tally
from ragtui.experiments.plan import PlannedMetric, Side
from ragtui.experiments.results import Results


@dataclass(frozen=True, slots=True)
class WorstRow:
    """One row: its score by the metric, the judge's reason (of the first repeat), ragtui's cause."""

    case_id: str
    name: str
    score: float
    reason: str
    cause: str | None
    label: str | None


def worst_rows(results: Results, metric: PlannedMetric, n: int, side: Side = Side.CANDIDATE) -> list[WorstRow]:
    """The ``n`` worst rows that a metric scored; rows with the best score of its scale are not among them."""
    rows = tally.worst_first(results.rows(side), metric)
    best = metric.scale[1] if metric.higher_is_better else metric.scale[0]
    found = []
    for row in rows.head(n).iter_rows(named=True):
        if best is not None and row[metric.spec] == best:
            break
        found.append(
            WorstRow(
                row["case_id"],
                row["name"],
                row[metric.spec],
                _reason(results, row["case_id"], metric.spec, side),
                row["cause"],
                row["label"],
            )
        )
    return found


def _reason(results: Results, case_id: str, metric: str, side: Side) -> str:
    detail = results.detail(case_id).side(side)
    cells = detail.cells if detail is not None else ()
    return next((cell.reason for cell in cells if cell.metric == metric and cell.reason), "")
