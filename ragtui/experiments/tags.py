"""Tags and notes that a person keeps on experiments."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from ragtui.experiments.database import StoreError, explained
from ragtui.experiments.store import Store

MOST_TAGS = 20
LONGEST_TAG = 40


@dataclass(frozen=True, slots=True)
class Remark:
    """What is noted on one experiment; empty where nothing is."""

    tags: tuple[str, ...] = ()
    note: str = ""


def remarks(store: Store) -> dict[str, Remark]:
    """Every experiment's, by its id; one without is not there."""
    rows = store.query("SELECT experiment, tags, note FROM remarks")
    return {row["experiment"]: Remark(tuple(json.loads(row["tags"])), row["note"]) for row in rows}


def set_tags(store: Store, name: str, tags: Iterable[str]) -> Remark:
    """Replaces an experiment's tags; what is written as one text is split at commas.

    Raises:
        StoreError: there is no such experiment, or a tag is too long, or there are too many.
    """
    wanted = tuple(dict.fromkeys(part for each in tags for part in map(str.strip, each.split(",")) if part))
    for each in wanted:
        if len(each) > LONGEST_TAG:
            raise StoreError(f"the tag {each[:LONGEST_TAG]!r}… is longer than {LONGEST_TAG} characters")
    if len(wanted) > MOST_TAGS:
        raise StoreError(f"{len(wanted)} tags are too many; an experiment has at most {MOST_TAGS}")
    return _write(store, name, tags=wanted)


def set_note(store: Store, name: str, note: str) -> Remark:
    """Replaces an experiment's note; an empty one takes it away.

    Raises:
        StoreError: there is no such experiment.
    """
    return _write(store, name, note=note.strip())


def _write(store: Store, name: str, tags: tuple[str, ...] | None = None, note: str | None = None) -> Remark:
    experiment = store.entry(name).id
    before = remarks(store).get(experiment, Remark())
    after = Remark(before.tags if tags is None else tags, before.note if note is None else note)
    with explained(store.path):
        store.connection.execute(
            "INSERT OR REPLACE INTO remarks VALUES (?,?,?)", (experiment, json.dumps(after.tags), after.note)
        )
    return after
