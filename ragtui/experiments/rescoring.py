"""Scores stored responses anew, with another judge, other metrics or newer versions of them: no target is called."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ragtui.experiments.plan import Plan, Side
from ragtui.experiments.recorder import Recorder, response_of
from ragtui.experiments.store import Store
from ragtui.metrics.score import State
from ragtui.targets.target import Response

_AT_ONCE: Final = 500


def stored_responses(store: Store, experiment: str, side: Side) -> Iterator[Response]:
    """What one side of an experiment answered, with its case ids; a case without a stored response has none.

    Raises:
        StoreError: there is no such experiment.
    """
    number = store.results(experiment).number
    sql = (
        "SELECT responses.*, cases.case_id FROM responses JOIN cases USING (experiment, position) "
        "WHERE experiment = ? AND side = ? ORDER BY position"
    )
    for row in store.query(sql, number, side):
        yield response_of(row, row["case_id"])


def take_responses(recorder: Recorder, plan: Plan, size: int) -> None:
    """Copies the responses of the plan's earlier experiment, paired by case id, those that failed with their failure; a
    case it did not answer is ``pending``."""
    assert plan.responses_of is not None
    store = recorder.store
    ids = store.query("SELECT position, case_id FROM cases WHERE experiment = ?", recorder.number)
    positions = {row["case_id"]: row["position"] for row in ids}
    for side, _ in plan.sides:
        open_ = set(range(size)) - recorder.answered(side)
        found = {
            positions[each.case_id]: each
            for each in stored_responses(store, plan.responses_of, side)
            if each.case_id in positions
        }
        missing = Response("", State.PENDING, message=f"experiment {plan.responses_of} has no response")
        rows = [(at, found.get(at, missing)) for at in sorted(open_)]
        for start in range(0, len(rows), _AT_ONCE):
            recorder.respond(side, rows[start : start + _AT_ONCE])
