"""Which round of a plan a run is: it goes on with the one begun last, or begins another."""

from __future__ import annotations

from dataclasses import replace

from ragtui.experiments.answering import asks_anyone
from ragtui.experiments.plan import Plan
from ragtui.experiments.progress import Status
from ragtui.experiments.store import Store
from ragtui.workspace import Workspace


def round_to_run(plan: Plan, store: Store, workspace: Workspace, new: bool = False) -> int:
    """The last round that was begun; the next one with ``new``, and where a live target has answered every case of the
    last: what it would say today is another thing than what is stored, so it is asked anew. Failed cells alone are asked
    again in the round they failed in."""
    if new:
        return store.next_round(plan)
    last = store.last_round(plan)
    if not asks_anyone(plan, workspace):
        return last
    begun = {entry.id: entry for entry in store.list()}.get(replace(plan, round=last).id)
    done = begun is not None and begun.status is Status.FINISHED and not begun.errors
    return store.next_round(plan) if done else last
