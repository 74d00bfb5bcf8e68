"""The rows to look at first: worst by one metric, with the reason each was given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ragtui.experiments import tally, wording
from ragtui.experiments.plan import PlannedMetric, Side
from ragtui.experiments.results import Results

if TYPE_CHECKING:
    import polars as pl

OPERATIONAL: Final = "operational"


@dataclass(frozen=True, slots=True)
class WorstRow:
    """One row: its score by the metric, the reason (of the first repeat; where a metric gives none, answer against
    expected; for time, tokens and money what is usual), ragtui's cause, the person's label."""

    case_id: str
    name: str
    score: float
    reason: str
    cause: str | None
    label: str | None


def worst_rows(results: Results, metric: PlannedMetric, n: int, side: Side = Side.CANDIDATE) -> list[WorstRow]:
    """The ``n`` worst rows that a metric scored; rows with the best score of its scale are not among them."""
    rows = tally.worst_first(results.rows(side), metric)
    usual = _usual(rows, metric)
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
                _reason(results, row["case_id"], metric, side) or usual,
                row["cause"],
                row["label"],
            )
        )
    return found


def _reason(results: Results, case_id: str, metric: PlannedMetric, side: Side) -> str:
    case = results.detail(case_id)
    answered = case.side(side)
    cells = answered.cells if answered is not None else ()
    given = next((cell.reason for cell in cells if cell.metric == metric.spec and cell.reason), "")
    if given or answered is None or metric.kind == OPERATIONAL:
        return given
    if not answered.response or not case.expected:
        return answered.cause_evidence
    expected = case.expected.get("ground_truth") or next(iter(case.expected.values()))
    return f"says “{_short(answered.response)}” where “{_short(expected)}” is expected"


def _usual(rows: pl.DataFrame, metric: PlannedMetric) -> str:
    """What a figure of time, tokens or money is high against; wording does not explain it."""
    half = rows[metric.spec].median()
    if metric.kind != OPERATIONAL or not isinstance(half, float):
        return ""
    return f"half of the cases take {wording.score(half, metric)} or less"


def _short(text: str, limit: int = 120) -> str:
    flat = " ".join(text[: 2 * limit].split())
    return flat if len(flat) <= limit else flat[:limit] + "…"
