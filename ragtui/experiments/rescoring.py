"""Scores stored responses anew, with another judge, other metrics or newer versions of them: no target is called."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from ragtui.datasets.dataset import Dataset, Shape
from ragtui.experiments.plan import Plan, Side
from ragtui.experiments.planning import PlanError, make_plan
from ragtui.experiments.recorder import Recorder, response_of
from ragtui.experiments.store import Entry, Store
from ragtui.metrics.groups import group_names
from ragtui.metrics.score import State
from ragtui.targets.target import Response
from ragtui.workspace import Workspace

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


def rescored_plan(
    entry: Entry,
    dataset: Dataset,
    workspace: Workspace,
    *,
    metrics: str | Sequence[str] | None = None,
    group: str | None = None,
    judge: str | None = None,
    strategy: str | None = None,
    repeats: int | None = None,
) -> Plan:
    """The plan that scores what ``entry`` stored: its own metrics in their present versions unless others are named, and
    its judge unless another is.

    Raises:
        PlanError, MetricError, JudgeError: it cannot be planned as asked for.
    """
    old = entry.plan
    own = metrics is None and group is None
    group = old.group if own and old.group in group_names(workspace) else group
    named = [each.spec for each in old.metrics] if own and group is None else metrics
    kept = (
        {each.spec: each.threshold for each in old.metrics if each.threshold is not None}
        if own and group is None
        else {}
    )
    plan = make_plan(
        dataset,
        workspace,
        metrics=named,
        group=group,
        candidate=old.candidate,
        baseline=old.baseline,
        judge=judge or old.judge,
        strategy=strategy or old.strategy,
        mapping=old.mapping,
        thresholds=kept,
        repeats=repeats or old.repeats,
        seed=old.seed,
        limit=old.limit,
        split=old.split,
        average=old.average,
        setup=old.setup,
        per=old.per,
        replay=old.replay,
    )
    if dataset.shape is Shape.RETRIEVAL:
        raise PlanError("rankings are scored in a moment; run the same command with other --metrics")
    return replace(plan, responses_of=entry.id)


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
