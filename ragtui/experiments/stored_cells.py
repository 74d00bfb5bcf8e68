"""The cells of an experiment in the store, and one case whole."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from ragtui.experiments import labels
from ragtui.experiments.frames import spread_out
from ragtui.experiments.labelled_answers import told_apart
from ragtui.experiments.plan import PlannedMetric, Side
from ragtui.experiments.recorder import evidence_of, response_of
from ragtui.experiments.results import CaseDetail, Cell, SideDetail
from ragtui.experiments.store import marks
from ragtui.experiments.stored_rankings import ranking, unjudged
from ragtui.metrics.score import State

if TYPE_CHECKING:
    from ragtui.experiments.stored_results import StoredResults

_AT_ONCE: Final = 2_000  # cases whose cells are held in memory when all are walked
_TEXTS: Final = ", calls.prompt, calls.reply"


def detail(results: StoredResults, case_id: str) -> CaseDetail:
    """One case whole.

    Raises:
        KeyError: the experiment has no such case.
    """
    found = results.store.query("SELECT * FROM cases WHERE experiment = ? AND case_id = ?", results.number, case_id)
    if not found:
        raise KeyError(case_id)
    case = found[0]
    of_case = [each for each in labels.labels(results.store, results.entry.source) if each.case_id == case_id]
    given, others = told_apart(results.store, results.entry, of_case)
    return CaseDetail(
        case_id=case_id,
        name=case["name"],
        inputs={name: _shown(value) for name, value in json.loads(case["inputs"]).items()},
        expected={name: _shown(value) for name, value in json.loads(case["expected"]).items()},
        sides=tuple(_side_detail(results, side, case) for side in results.sides),
        labels={f"{each.side} {each.metric}".strip(): each.value for each in given if each.value},
        note="\n".join(each.note for each in given if each.note),
        on_other_answers=tuple(
            f"{each.side}{f' {each.metric}' if each.metric else ''}: {each.value or each.note} "
            f"(given to another answer, in {each.experiment})"
            for each in others
        ),
    )


def _side_detail(results: StoredResults, side: Side, case: Any) -> SideDetail:
    position = case["position"]
    rows = results.store.query(
        "SELECT * FROM responses WHERE experiment = ? AND side = ? AND position = ?", results.number, side, position
    )
    response = response_of(rows[0]) if rows else None
    diagnosis = results.diagnoses(side).filter(pl.col("position") == position)
    return SideDetail(
        side=side,
        state=response.state if response else State.PENDING,
        message=response.message if response else "",
        response=response.text if response else None,
        contexts=(response.contexts or ()) if response else (),
        ranking=ranking(results, side, position) or unjudged(response.ranking if response else None),
        latency_ms=response.latency_ms if response else None,
        cells=_cells(results, side, _cell_rows(results, side, position, position + 1, _TEXTS).get(position, [])),
        cause=diagnosis["cause"][0] if diagnosis.height else None,
        cause_evidence=diagnosis["evidence"][0] if diagnosis.height else "",
    )


def all_cells(results: StoredResults) -> Iterator[tuple[str, Cell]]:
    """``(case id, cell)`` for every cell of the plan, case by case, the candidate first; without prompts and
    replies, a part at a time. Cells that were not reached are there too, in their state."""
    counted = {side: set(results.positions(side).to_list()) for side in results.sides}
    for start in range(0, results.cases.height, _AT_ONCE):
        part = results.cases.slice(start, _AT_ONCE)
        rows = {side: _cell_rows(results, side, start, start + _AT_ONCE) for side in results.sides}
        for position, case_id in part.select("position", "case_id").iter_rows():
            for side in results.sides:
                if position in counted[side]:
                    yield from ((case_id, cell) for cell in _cells(results, side, rows[side].get(position, []), True))


def _cell_rows(
    results: StoredResults, side: Side, start: int, end: int, texts: str = ""
) -> dict[int, list[dict[str, Any]]]:
    """The stored cells of the positions from ``start`` up to ``end``. The metrics are named because the index has them
    before the positions: without them every score of the side would be looked at."""
    found = results.store.query(
        "SELECT scores.*, calls.judge, calls.attempts, calls.prompt_tokens, calls.completion_tokens, calls.cost, "
        f"calls.latency_ms{texts} FROM scores LEFT JOIN calls ON calls.id = scores.call "
        f"WHERE scores.experiment = ? AND scores.side = ? AND scores.metric IN ({marks(results.metrics)}) "
        "AND scores.position >= ? AND scores.position < ?",
        results.number,
        side,
        *results.metrics,
        start,
        end,
    )
    rows: dict[int, list[dict[str, Any]]] = {}
    for row in found:
        rows.setdefault(row["position"], []).append(dict(row))
    for spec, frame in results.frames(side):
        part = frame.filter(pl.col("position").is_between(start, end, closed="left"))
        for cell in part.iter_rows(named=True):
            whole = {"metric": spec, "repeat": 1, "evidence": None, "call": None, **cell}
            rows.setdefault(cell["position"], []).append(whole)
    return rows


def _cells(results: StoredResults, side: Side, rows: list[dict[str, Any]], whole: bool = False) -> tuple[Cell, ...]:
    """The cells of one case in the group's order; with ``whole`` those that were not reached as well."""
    by_cell = {(row["metric"], row["repeat"]): row for row in rows}
    seen: set[int] = set()
    cells = []
    for metric in results.plan.metrics:
        for repeat in range(1, results.plan.repeats_of(metric) + 1):
            row = by_cell.get((metric.spec, repeat))
            if row is not None:
                cells.append(_cell(row, metric, side, counted=row["call"] not in seen))
                seen.add(row["call"])
            elif whole:
                cells.append(Cell(metric.spec, side, repeat, results.rest, None, None, None, metric.threshold, "", ()))
    return tuple(cells)


def _shown(value: Any) -> str:
    """A value as text: several gold answers stand below each other."""
    return "\n".join(str(each) for each in value) if isinstance(value, list) else str(value)


def _cell(row: Mapping[str, Any], metric: PlannedMetric, side: Side, counted: bool) -> Cell:
    """A cell with what its call took; ``counted`` is false where an earlier metric shows that already."""
    score = row["score"]
    call = row if row.get("call") is not None and counted else {}
    return Cell(
        metric=metric.spec,
        side=side,
        repeat=row["repeat"],
        state=State(row["state"]),
        cause=row["cause"],
        score=score,
        passed=None if score is None else metric.passes(score),
        threshold=metric.threshold,
        reason=row["reason"] or "",
        evidence=evidence_of(row["evidence"]),
        judge=row.get("judge"),
        attempts=call.get("attempts") or 0,
        prompt_tokens=call.get("prompt_tokens"),
        completion_tokens=call.get("completion_tokens"),
        cost=call.get("cost"),
        latency_ms=call.get("latency_ms"),
        prompt=spread_out(row.get("prompt")),
        reply=spread_out(row.get("reply")),
    )
