"""Which labels speak of an experiment's own answers: those given there, and those given elsewhere to the same text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from ragtui.experiments.plan import Plan, Side

if TYPE_CHECKING:
    from ragtui.experiments.labels import Given
    from ragtui.experiments.store import Entry, Store

_TEXT: Final = (
    "SELECT text FROM responses JOIN experiments ON number = experiment JOIN cases USING (experiment, position) "
    "WHERE id = ? AND side = ? AND case_id = ?"
)


def told_apart(store: Store, entry: Entry, given: Iterable[Given]) -> tuple[list[Given], list[Given]]:
    """The labels of an experiment's answers, and those of the same dataset that were given to other answers."""
    mine: list[Given] = []
    others: list[Given] = []
    for each in given:
        (mine if speaks_of(store, entry, each) else others).append(each)
    return mine, others


def speaks_of(store: Store, entry: Entry, given: Given) -> bool:
    """Whether a label was given to the answer that ``entry`` holds. One that is older than the experiment of its own id
    was given to what ``--fresh`` has replaced since."""
    if given.experiment == entry.id:
        return given.at >= entry.created
    here = _text(store, entry.id, given)
    return _text(store, given.experiment, given) == here if here is not None else _same_target(store, entry, given)


def _text(store: Store, experiment: str, given: Given) -> str | None:
    found = store.query(_TEXT, experiment, given.side, given.case_id)
    return found[0]["text"] if found else None


def _same_target(store: Store, entry: Entry, given: Given) -> bool:
    """Where answers are rankings: whether the same run, unchanged, gave them."""
    found = store.query("SELECT plan FROM experiments WHERE id = ?", given.experiment)
    return bool(found) and _target(Plan.from_json(found[0]["plan"]), given.side) == _target(entry.plan, given.side)


def _target(plan: Plan, side: Side) -> tuple[str | None, str | None]:
    spec = dict(plan.sides).get(side)
    return spec, plan.contents.get(spec or "")
