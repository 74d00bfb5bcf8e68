"""A person's opinions of rows and verdicts: kept by the dataset's place in the workspace and case id, so that they survive
reruns and edits and never stand at another dataset of the same name; all undoable.

A label of a row's cause belongs to case and side; an opinion of a verdict to case, side and metric; both to the answer
they were given for (``labelled_answers``), so that another system's answer has labels of its own. Authors are kept beside
each other.
"""

from __future__ import annotations

import getpass
import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from ragtui.experiments.database import explained, transaction
from ragtui.experiments.labelled_answers import speaks_of
from ragtui.experiments.plan import PlannedMetric, Side
from ragtui.experiments.store import Entry, Store, StoreError, now


class Label(StrEnum):
    """What a person can say. The first four are causes of a row, the others opinions of one verdict; a person's own
    score is the number as text."""

    RETRIEVAL = "retrieval fault"
    MODEL = "model fault"
    BAD_LABEL = "bad label"
    IGNORE = "ignore"
    AGREE = "agree"
    WRONG = "judge wrong"


_PLACE: Final = "dataset = ? AND case_id = ? AND side = ? AND metric = ? AND author = ?"
_ALL: Final = "SELECT * FROM labels WHERE dataset = ? UNION ALL SELECT * FROM earlier_labels WHERE dataset = ?"
CAUSES: Final = (Label.RETRIEVAL, Label.MODEL, Label.BAD_LABEL, Label.IGNORE)
KEYS: Final = {
    "r": Label.RETRIEVAL,
    "m": Label.MODEL,
    "b": Label.BAD_LABEL,
    "i": Label.IGNORE,
    "a": Label.AGREE,
    "w": Label.WRONG,
}


@dataclass(frozen=True, slots=True)
class Given:
    """One label as given. ``dataset`` is what ``dataset_of`` says, ``metric`` is empty for the label of a row, ``value``
    where there is only a note."""

    dataset: str
    case_id: str
    side: Side
    metric: str
    author: str
    value: str
    note: str
    experiment: str
    at: str


def value_of(key: str) -> str:
    """The label a key or word stands for: ``r``, ``retrieval fault``, ``4``.

    Raises:
        StoreError: it stands for none.
    """
    if key in KEYS:
        return KEYS[key].value
    if key in {each.value for each in Label}:
        return key
    try:
        return f"{float(key):g}"
    except ValueError:
        choices = ", ".join(f"{letter} ({label})" for letter, label in KEYS.items())
        raise StoreError(f"{key!r} is no label; it is one of {choices}, or a score such as 4") from None


def is_cause(value: str) -> bool:
    """Whether a label speaks of the row's cause rather than of one verdict."""
    return value in CAUSES


def me() -> str:
    """The author of new labels: the user's name."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "unknown"


def give(
    store: Store,
    experiment: str,
    case_id: str,
    key: str,
    *,
    side: Side = Side.CANDIDATE,
    metric: str | None = None,
    note: str | None = None,
    author: str | None = None,
) -> Given:
    """Labels a case of an experiment; an older label of the same author at the same place is replaced.

    ``key`` is a letter, a word or a score, or empty to set the note alone. An opinion of a verdict (``a``, ``w``, a
    score) needs ``metric``; a cause takes none.

    Raises:
        StoreError: no such experiment, case or metric, or the label does not fit.
    """
    entry = store.entry(experiment)
    _check_case(store, entry.id, case_id)
    value = value_of(key) if key else ""
    if value and is_cause(value) != (metric is None):
        remedy = "the row: name no metric" if metric else "a verdict: name its metric"
        raise StoreError(f"{value!r} speaks of {remedy}")
    if side not in [planned for planned, _ in entry.plan.sides]:
        raise StoreError(f"experiment {entry.id} has no {side}")
    if metric is not None and metric not in {each.spec for each in entry.plan.metrics}:
        known = ", ".join(each.spec for each in entry.plan.metrics)
        raise StoreError(f"experiment {entry.id} has no metric {metric!r}; it has {known}")
    if metric is not None and value and value not in set(Label):
        _check_score(float(value), entry.plan.metric(metric))
    before = _find(store, entry, case_id, side, metric or "", author or me())
    given = Given(
        entry.source,
        case_id,
        side,
        metric or "",
        author or me(),
        value or (before.value if before else ""),
        note if note is not None else before.note if before else "",
        entry.id,
        now(),
    )
    _replace(store, before, given)
    return given


def remove(
    store: Store,
    experiment: str,
    case_id: str,
    *,
    side: Side = Side.CANDIDATE,
    metric: str | None = None,
    author: str | None = None,
) -> Given | None:
    """Takes a label away; returns what it was, or ``None`` if there was none."""
    entry = store.entry(experiment)
    before = _find(store, entry, case_id, side, metric or "", author or me())
    if before is not None:
        _replace(store, before, None)
    return before


def undo(store: Store, author: str | None = None) -> tuple[Given | None, Given | None] | None:
    """Takes the author's last step back, all the way to the first; returns what was and what is now there."""
    last = store.query("SELECT * FROM label_log WHERE author = ? ORDER BY number DESC LIMIT 1", author or me())
    if not last:
        return None
    row = last[0]
    before, after = _load(row["before"]), _load(row["after"])
    connection = store.connection
    with explained(store.path), transaction(connection):
        connection.execute("DELETE FROM label_log WHERE number = ?", (row["number"],))
        _put(store, after, before)
    return after, before


def dataset_of(store: Store, experiment: str) -> str:
    """What the labels of an experiment's dataset are kept under.

    Raises:
        StoreError: no such experiment.
    """
    return store.entry(experiment).source


def labels(store: Store, dataset: str, author: str | None = None) -> list[Given]:
    """Every label of a dataset, oldest first; of one author, or of all; whatever answer they were given for."""
    found = store.query(f"{_ALL} ORDER BY at", dataset, dataset)
    return [_given(row) for row in found if author is None or row["author"] == author]


def _check_score(score: float, metric: PlannedMetric) -> None:
    low, high = metric.scale
    if not math.isfinite(score) or (low is not None and score < low) or (high is not None and score > high):
        ends = f"{'any number' if low is None else f'{low:g}'} to {'any number' if high is None else f'{high:g}'}"
        raise StoreError(f"{score:g} is outside the scale of {metric.spec}, {ends}")


def _check_case(store: Store, experiment: str, case_id: str) -> None:
    sql = "SELECT 1 FROM cases JOIN experiments ON experiment = number WHERE id = ? AND case_id = ?"
    if not store.query(sql, experiment, case_id):
        raise StoreError(f"experiment {experiment} has no case {case_id!r}; `ragtui show {experiment}` lists the worst")


def _find(store: Store, entry: Entry, *key: str) -> Given | None:
    """The label at a place that was given for the answer of this experiment, the newest of them."""
    sql = f"SELECT * FROM ({_ALL}) WHERE case_id = ? AND side = ? AND metric = ? AND author = ? ORDER BY at DESC"
    found = [_given(row) for row in store.query(sql, entry.source, entry.source, *key)]
    return next((each for each in found if speaks_of(store, entry, each)), None)


def _replace(store: Store, before: Given | None, after: Given | None) -> None:
    one = after or before
    assert one is not None
    log = (one.dataset, one.case_id, one.side, one.metric, one.author, _dump(before), _dump(after), now())
    connection = store.connection
    with explained(store.path), transaction(connection):
        _put(store, before, after)
        connection.execute(
            "INSERT INTO label_log(dataset, case_id, side, metric, author, before, after, at) VALUES (?,?,?,?,?,?,?,?)",
            log,
        )


def _put(store: Store, before: Given | None, after: Given | None) -> None:
    """Takes ``before`` away and puts ``after`` there; one of another answer, which stood at that place, is kept."""
    connection = store.connection
    if before is not None:
        for table in ("labels", "earlier_labels"):
            connection.execute(
                f"DELETE FROM {table} WHERE {_PLACE} AND experiment = ?", (*_row(before)[:5], before.experiment)
            )
    if after is not None:
        place = _row(after)[:5]
        connection.execute(f"INSERT OR REPLACE INTO earlier_labels SELECT * FROM labels WHERE {_PLACE}", place)
        connection.execute("INSERT OR REPLACE INTO labels VALUES (?,?,?,?,?,?,?,?,?)", _row(after))
        connection.execute(f"DELETE FROM earlier_labels WHERE {_PLACE} AND experiment = ?", (*place, after.experiment))


def _row(given: Given) -> tuple[str, ...]:
    return (
        given.dataset,
        given.case_id,
        given.side,
        given.metric,
        given.author,
        given.value,
        given.note,
        given.experiment,
        given.at,
    )


def _given(row: Iterable[Any]) -> Given:
    dataset, case_id, side, metric, author, value, note, experiment, at = row
    return Given(dataset, case_id, Side(side), metric, author, value, note, experiment, at)


def _dump(given: Given | None) -> str | None:
    return None if given is None else json.dumps(_row(given))


def _load(text: str | None) -> Given | None:
    return None if text is None else _given(json.loads(text))
