"""Brings the stores of shards together in the workspace's own: an experiment that is whole when every shard is.

Merging again takes in what has come since. What the workspace has scored itself stays, unless the shard was started anew.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ragtui.experiments import database, diagnoses, wording
from ragtui.experiments.database import StoreError, explained, transaction
from ragtui.experiments.finished_frame import write_frame
from ragtui.experiments.plan import Plan, Side
from ragtui.experiments.progress import Status
from ragtui.experiments.recorder import Recorder
from ragtui.experiments.shards import FOLDER, Shard, at_folder, shard_of
from ragtui.experiments.store import Entry, Store
from ragtui.workspace import STATE_NAME, Workspace

if TYPE_CHECKING:
    import polars as pl

_FOLDER: Final = re.compile(r"(\d+)-of-(\d+)")
_CASES: Final = (
    "SELECT case_id, name, inputs, expected, judgments, coalesce(fields, '{}') AS fields FROM cases "
    "LEFT JOIN case_fields USING (experiment, position) WHERE experiment = ? ORDER BY position"
)
_IN_MINE: Final = "position IN (SELECT position FROM mine)"
_RESULTS: Final = ("scores", "calls", "responses")


@dataclass(frozen=True, slots=True)
class FoundShard:
    """The store of one shard. ``entry`` is its experiment as it stands there: the whole's id, plan and cases."""

    shard: Shard
    folder: Path
    entry: Entry

    @property
    def finished(self) -> bool:
        return self.entry.status is Status.FINISHED


@dataclass(frozen=True, slots=True)
class Merged:
    """What came of a merge: ``missing`` shards were nowhere found, ``unfinished`` ones have not come to their end."""

    experiment: str
    of: int
    arrived: tuple[FoundShard, ...]
    missing: tuple[int, ...]
    status: Status

    @property
    def unfinished(self) -> tuple[FoundShard, ...]:
        return tuple(each for each in self.arrived if not each.finished)


def find_shards(workspace: Workspace, folders: Sequence[Path] = ()) -> list[FoundShard]:
    """The shards below ``folders`` (a workspace, its ``.ragtui``, or wherever their folders were copied to), else those of
    the workspace, by experiment and number. Of copies of one shard the one that is further counts.

    Raises:
        StoreError: a folder is not there, or a store among them cannot be read.
    """
    best: dict[tuple[str, int, int], FoundShard] = {}
    for folder in folders or [workspace.state / FOLDER]:
        if folders and not folder.is_dir():
            raise StoreError(f"{folder}: there is no such folder")
        for path in sorted(_stores(folder)):
            found = _opened(path.parent, workspace)
            if found is None:
                continue
            key = (found.entry.id, found.shard.of, found.shard.number)
            if key not in best or _further(found) > _further(best[key]):
                best[key] = found
    return [best[key] for key in sorted(best)]


def _stores(folder: Path) -> Iterator[Path]:
    for inside in dict.fromkeys((folder, folder / STATE_NAME, folder / STATE_NAME / FOLDER, folder / FOLDER)):
        yield from inside.glob(f"*-of-*/{database.FILE_NAME}")
        yield from inside.glob(f"*/*-of-*/{database.FILE_NAME}")
        yield from inside.glob(f"*/*/*-of-*/{database.FILE_NAME}")
        yield from inside.glob(f"*/{STATE_NAME}/{FOLDER}/*/*-of-*/{database.FILE_NAME}")


def _further(found: FoundShard) -> tuple[str, bool, int]:
    return found.entry.created, found.finished, found.entry.done


def _opened(folder: Path, workspace: Workspace) -> FoundShard | None:
    """The shard in a folder, ``None`` where its run has not begun."""
    named = _FOLDER.fullmatch(folder.name)
    if named is None:
        return None
    shard = Shard.read(f"{named[1]}/{named[2]}")
    with Store.open(at_folder(workspace, folder)) as store:
        entries = store.list()
    return FoundShard(shard, folder, entries[0]) if entries else None


def chosen(found: Sequence[FoundShard], experiment: str | None = None) -> list[FoundShard]:
    """The shards of one experiment, all cut the same way.

    Raises:
        StoreError: there are none, of several experiments, or of several cuts.
    """
    mine = [each for each in found if each.entry.id.startswith(experiment or "")]
    ids = list(dict.fromkeys(each.entry.id for each in mine))
    if not ids:
        where = f" of experiment {experiment}" if experiment else ""
        raise StoreError(f"there are no shards{where}; `ragtui run … --shard 1/4` makes them, name their folders")
    if len(ids) > 1:
        told = ", ".join(f"{each.entry.id} ({each.entry.plan.dataset})" for each in _first_of_each(mine))
        raise StoreError(f"there are shards of {len(ids)} experiments, {told}; choose one with --experiment")
    cuts = sorted({each.shard.of for each in mine})
    if len(cuts) > 1:
        told = " and ".join(str(each) for each in cuts)
        raise StoreError(f"{mine[0].folder.parent}: holds shards of {told}; delete the folders of the wrong cut")
    return mine


def _first_of_each(found: Sequence[FoundShard]) -> list[FoundShard]:
    return list({each.entry.id: each for each in found}.values())


def merge(store: Store, found: Sequence[FoundShard]) -> Merged:
    """Takes in what ``found`` shards of one experiment hold; those that are missing leave their cases ``pending``.

    Raises:
        StoreError: a shard is of other cases, or a store cannot be read or written.
    """
    first = found[0]
    plan, of = first.entry.plan, first.shard.of
    with store.begin(plan, first.entry.source, lambda: _cases(first, store.workspace)) as recorder:
        for each in found:
            _check(each, plan)
            _take(recorder, each)
        arrived = {each.shard.number for each in found}
        missing = tuple(number for number in range(1, of + 1) if number not in arrived)
        cells = _cells(recorder)
        status = Status.FINISHED if store.glance(recorder.number, plan)["done"] >= cells else Status.PAUSED
        merged = Merged(plan.id, of, tuple(found), missing, status)
        recorder.end(status, "" if status is Status.FINISHED else told(merged), cells)
        if status is Status.FINISHED:
            write_frame(store, recorder.number, plan)
            for path in store.file(plan.id).parent.glob(f"{plan.id}.*.causes-*"):
                path.unlink()
            diagnoses.keep(store.results(plan.id))
    return merged


def merge_all(store: Store) -> dict[str, str]:
    """Takes in every experiment's shards that lie in the workspace; by experiment what to say of it.

    Raises:
        StoreError: as for ``merge``.
    """
    found = find_shards(store.workspace)
    out = {}
    for experiment in dict.fromkeys(each.entry.id for each in found):
        merged = merge(store, chosen(found, experiment))
        out[experiment] = told(merged) or f"all {wording.count(merged.of, 'shard')} are here"
    return out


def waiting(store: Store) -> list[str]:
    """What shards in the workspace hold and its store does not, an experiment a line; none of it is in any figure yet.

    Raises:
        StoreError: a store of a shard cannot be read.
    """
    if not (store.workspace.state / FOLDER).is_dir():
        return []
    done = {entry.id: entry.done for entry in store.list()}
    by_cut: dict[tuple[str, int], list[FoundShard]] = {}
    for each in find_shards(store.workspace):
        by_cut.setdefault((each.entry.id, each.shard.of), []).append(each)
    return [
        f"{len(found)} of {of} shards of {experiment} ({found[0].entry.plan.dataset}) are here"
        f"{f', {unfinished} not done' if (unfinished := sum(not each.finished for each in found)) else ''}; not merged"
        for (experiment, of), found in by_cut.items()
        if sum(each.entry.done for each in found) > done.get(experiment, 0)
    ]


def told(merged: Merged) -> str:
    """Which shards are not there or not done, in one line."""
    parts = []
    if merged.missing:
        many = len(merged.missing) > 1
        numbers = ", ".join(str(number) for number in merged.missing)
        parts.append(f"shard{'s' if many else ''} {numbers} of {merged.of} {'are' if many else 'is'} missing")
    parts += [
        f"shard {each.shard.number} of {merged.of} is {each.entry.status} "
        f"({each.entry.done:,} of {wording.count(each.entry.cells, 'cell')})"
        for each in merged.unfinished
    ]
    if not parts and merged.status is not Status.FINISHED:
        parts.append("the shards do not hold all of their cases; was a folder renamed? run the shards again")
    return "; ".join(parts)


def _cells(recorder: Recorder) -> int:
    """Cells that there are to do; the cases that a recorded baseline does not have are none."""
    plan = recorder.plan
    cases = recorder.store.query("SELECT count(*) FROM cases WHERE experiment = ?", recorder.number)[0][0]
    return int((cases * len(plan.sides) - recorder.unanswered(Side.BASELINE)) * plan.cells_of_a_case)


def _cases(found: FoundShard, workspace: Workspace) -> pl.DataFrame:
    import polars as pl

    with Store.open(at_folder(workspace, found.folder)) as store:
        number = store.query("SELECT number FROM experiments WHERE id = ?", found.entry.id)[0][0]
        rows = store.query(_CASES, number)
    names = ("case_id", "name", "inputs", "expected", "judgments", "fields")
    return pl.DataFrame([tuple(row) for row in rows], schema=dict.fromkeys(names, pl.String), orient="row")


def _check(found: FoundShard, plan: Plan) -> None:
    if found.entry.plan.id != plan.id or found.entry.id != plan.id:
        raise StoreError(f"{found.folder}: is not a shard of experiment {plan.id}; run the shard again")


def _take(recorder: Recorder, found: FoundShard) -> None:
    """One transaction: all that a shard holds of its own cases."""
    connection = recorder.store.connection
    path = found.folder / database.FILE_NAME
    with explained(path), _attached(connection, path), transaction(connection):
        theirs = connection.execute("SELECT number FROM part.experiments WHERE id = ?", (found.entry.id,)).fetchone()
        names = {"mine": recorder.number, "theirs": theirs[0]}
        _choose_positions(connection, found, names)
        before = connection.execute(
            "SELECT created FROM shards WHERE experiment = ? AND number = ? AND of = ?",
            (found.entry.id, found.shard.number, found.shard.of),
        ).fetchone()
        anew = before is not None and before[0] != found.entry.created
        _copy(connection, names, anew)
        connection.execute(
            "INSERT OR REPLACE INTO shards VALUES (?,?,?,?)",
            (found.entry.id, found.shard.number, found.shard.of, found.entry.created),
        )


@contextmanager
def _attached(connection: sqlite3.Connection, path: Path) -> Iterator[None]:
    """The shard's store as ``part``, for reading only; where its folder cannot be written too."""
    for mode in ("mode=ro", "immutable=1"):
        connection.execute("ATTACH ? AS part", (f"{path.absolute().as_uri()}?{mode}",))
        try:
            connection.execute("SELECT 1 FROM part.experiments LIMIT 1").fetchone()
            break
        except sqlite3.OperationalError:
            connection.execute("DETACH part")
            if mode == "immutable=1":
                raise
    try:
        yield
    finally:
        connection.execute("DROP TABLE IF EXISTS temp.mine")
        connection.execute("DETACH part")


def _choose_positions(connection: sqlite3.Connection, found: FoundShard, names: Mapping[str, int]) -> None:
    """The positions of the shard's cases, as the table ``mine``; both stores must hold the same cases."""
    ids = connection.execute(
        "SELECT position, ours.case_id, part.cases.case_id FROM cases AS ours LEFT JOIN part.cases USING (position) "
        "WHERE ours.experiment = :mine AND (part.cases.experiment = :theirs OR part.cases.experiment IS NULL)",
        names,
    ).fetchall()
    count = connection.execute("SELECT count(*) FROM cases WHERE experiment = :mine", names).fetchone()[0]
    if len(ids) != count or any(row[1] != row[2] for row in ids):
        raise StoreError(f"{found.folder}: holds other cases than experiment {found.entry.id}; run the shard again")
    connection.execute("CREATE TEMP TABLE mine(position INTEGER PRIMARY KEY)")
    positions = ((row[0],) for row in ids if shard_of(row[1], found.shard.of) == found.shard.number)
    connection.executemany("INSERT INTO mine VALUES (?)", positions)


def _copy(connection: sqlite3.Connection, names: Mapping[str, int], anew: bool) -> None:
    """Rows that are not there yet, or there as errors; all of them where the shard was started ``anew``."""
    for table in _RESULTS:
        there = f"SELECT 1 FROM part.{table} AS new WHERE new.experiment = :theirs AND {_same_row(table)}"
        again = "" if anew else f" AND state LIKE '%_error' AND EXISTS ({there})"
        if anew or table != "calls":
            connection.execute(f"DELETE FROM {table} WHERE experiment = :mine AND {_IN_MINE}{again}", names)
    responses = "side, position, state, cause, message, text, contexts, ranking, latency_ms, prompt_tokens, completion_tokens, cost, extra"
    connection.execute(
        f"INSERT OR IGNORE INTO responses SELECT :mine, {responses} FROM part.responses "
        f"WHERE experiment = :theirs AND {_IN_MINE}",
        names,
    )
    calls = (
        "side, position, question, repeat, judge, attempts, prompt_tokens, completion_tokens, cost, latency_ms, cached, "
        "repaired, prompt, reply"
    )
    connection.execute(
        f"INSERT OR REPLACE INTO calls(experiment, {calls}) SELECT :mine, {calls} FROM part.calls AS call "
        f"WHERE experiment = :theirs AND {_IN_MINE} AND EXISTS (SELECT 1 FROM part.scores AS new WHERE new.call = call.id "
        "AND NOT EXISTS (SELECT 1 FROM scores WHERE scores.experiment = :mine AND scores.side = new.side "
        "AND scores.metric = new.metric AND scores.position = new.position AND scores.repeat = new.repeat))",
        names,
    )
    connection.execute(
        "INSERT OR IGNORE INTO scores SELECT :mine, new.side, new.metric, new.position, new.repeat, new.state, new.cause, "
        "new.score, new.reason, new.evidence, ours.id FROM part.scores AS new "
        "LEFT JOIN part.calls AS theirs ON theirs.id = new.call "
        "LEFT JOIN calls AS ours ON ours.experiment = :mine AND ours.side = theirs.side "
        "AND ours.question = theirs.question AND ours.position = theirs.position AND ours.repeat = theirs.repeat "
        f"WHERE new.experiment = :theirs AND new.{_IN_MINE}",
        names,
    )
    connection.execute("INSERT OR IGNORE INTO replies SELECT * FROM part.replies")
    if connection.execute("SELECT 1 FROM part.sqlite_master WHERE name = 'run_remarks'").fetchone():
        connection.execute(
            "INSERT OR IGNORE INTO run_remarks SELECT :mine, side, remark FROM part.run_remarks WHERE experiment = :theirs",
            names,
        )


def _same_row(table: str) -> str:
    keys = ("side", "metric", "position", "repeat") if table == "scores" else ("side", "position")
    return " AND ".join(f"new.{key} = {table}.{key}" for key in keys)
