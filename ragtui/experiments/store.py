"""Where experiments live: one SQLite file a workspace, in which every score is committed as it lands."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Collection, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragtui.experiments import database, writer_lock
from ragtui.experiments.database import StoreError, explained
from ragtui.experiments.plan import Plan, Side
from ragtui.experiments.progress import Status
from ragtui.workspace import Workspace

if TYPE_CHECKING:
    from ragtui.experiments.recorder import Recorder
    from ragtui.experiments.stored_results import StoredResults

__all__ = ["Entry", "Store", "StoreError"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the list of experiments. ``done`` of ``cells`` have a state; ``means`` are the candidate's, by
    metric; ``source`` is where the dataset lies, from the workspace if inside (``planning.reopen`` opens it again).
    ``stale`` are the metrics that have a newer version than the one this experiment was run with; ``remarks`` is what
    has to be said of its answers beside the figures, a line each.
    """

    id: str
    plan: Plan
    status: Status
    message: str
    source: str
    cases: int
    cells: int
    done: int
    errors: int
    means: Mapping[str, float | None]
    created: str
    updated: str
    stale: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    cost: float | None = None  # USD that its judge and targets said they cost; ``None`` where nobody did

    @property
    def resumable(self) -> bool:
        return self.status not in (Status.FINISHED, Status.RUNNING)


def now() -> str:
    return f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S.%fZ}"


def marks(values: Collection[object]) -> str:
    """A question mark for each value of a list in SQL."""
    return ",".join("?" * len(values))


class Store:
    """The experiments of a workspace. Any thread may use it; each gets a connection of its own."""

    def __init__(self, workspace: Workspace, write: bool) -> None:
        self.workspace = workspace
        self.path = workspace.state / database.FILE_NAME
        self.write = write
        self._local = threading.local()
        self._connections: list[sqlite3.Connection] = []
        self._deleted: list[str] = []

    @classmethod
    def open(cls, workspace: Workspace, write: bool = False) -> Store:
        """Opens a workspace's store; without ``write`` nothing is made on disk, and an absent store is an empty one.

        Raises:
            StoreError: damaged, from a newer ragtui, or not writable though ``write`` was asked.
        """
        store = cls(workspace, write)
        _ = store.connection
        return store

    @property
    def connection(self) -> sqlite3.Connection:
        """This thread's connection."""
        found: sqlite3.Connection | None = getattr(self._local, "connection", None)
        absent = getattr(self._local, "absent", False)
        if found is None or (absent and self.path.exists()):
            self._local.absent = not self.path.exists() and not self.write
            found = self._local.connection = database.connect(self.path, self.write)
            self._connections.append(found)
        return found

    def close(self) -> None:
        """Closes every thread's connection."""
        for each in self._connections:
            each.close()
        self._connections.clear()
        self._local = threading.local()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def query(self, sql: str, *values: Any) -> list[sqlite3.Row]:
        """Rows of a reading statement, failures explained."""
        with explained(self.path):
            return self.connection.execute(sql, values).fetchall()

    # -- experiments ---------------------------------------------------------------------------------------------

    def list(self) -> list[Entry]:
        """Every experiment that was not deleted, the last touched first."""
        found = self.query("SELECT * FROM experiments WHERE deleted IS NULL ORDER BY updated DESC, number DESC")
        running = writer_lock.holder(self.workspace.state)
        return [self._entry(row, running) for row in found]

    def entry(self, name: str) -> Entry:
        """One experiment by its id, the beginning of its id, or ``last``.

        Raises:
            StoreError: none or several fit.
        """
        return self._entry(self._row(name), writer_lock.holder(self.workspace.state))

    def results(self, name: str) -> StoredResults:
        """Opens an experiment for reading.

        Raises:
            StoreError: none or several fit.
        """
        from ragtui.experiments.stored_results import StoredResults

        return StoredResults(self, self._row(name)["number"], self.entry(name))

    def begin(self, plan: Plan, source: str, cases: Any, fresh: bool = False) -> AbstractContextManager[Recorder]:
        """Starts or resumes a plan's experiment and holds the workspace for it; see ``recorder.recording``."""
        from ragtui.experiments.recorder import recording

        return recording(self, plan, source, cases, fresh)

    def delete(self, name: str) -> str:
        """Takes an experiment out of the list and returns its id; ``undelete`` brings it back.

        Raises:
            StoreError: none or several fit, or it is running.
        """
        entry = self.entry(name)
        if entry.status is Status.RUNNING:
            raise StoreError(f"experiment {entry.id} is running; cancel it first")
        with explained(self.path):
            self.connection.execute("UPDATE experiments SET deleted = ? WHERE id = ?", (now(), entry.id))
        return entry.id

    def undelete(self) -> str | None:
        """Brings the last deleted experiment back and returns its id; ``None`` if there is none."""
        last = self.query("SELECT id FROM experiments WHERE deleted IS NOT NULL ORDER BY deleted DESC LIMIT 1")
        if not last:
            return None
        with explained(self.path):
            self.connection.execute("UPDATE experiments SET deleted = NULL WHERE id = ?", (last[0]["id"],))
        return str(last[0]["id"])

    def next_round(self, plan: Plan) -> int:
        """The first round of this plan that was never run: what ``--new`` takes."""
        from dataclasses import replace

        known = {row["id"] for row in self.query("SELECT id FROM experiments")}
        number = plan.round
        while replace(plan, round=number).id in known:
            number += 1
        return number

    def last_round(self, plan: Plan) -> int:
        """The last round of this plan that was begun and not deleted, which running the plan again goes on with; that of
        the plan itself where it was never run."""
        from dataclasses import replace

        there = {row["id"] for row in self.query("SELECT id FROM experiments WHERE deleted IS NULL")}
        begun = range(plan.round, self.next_round(plan))
        return max((number for number in begun if replace(plan, round=number).id in there), default=plan.round)

    def file(self, experiment: str, suffix: str = ".parquet") -> Path:
        """Where a finished experiment's frame lies."""
        return self.workspace.state / "experiments" / f"{experiment}{suffix}"

    # -- inside --------------------------------------------------------------------------------------------------

    def _row(self, name: str) -> sqlite3.Row:
        if name == "last":
            found = self.query("SELECT * FROM experiments WHERE deleted IS NULL ORDER BY updated DESC LIMIT 1")
        else:
            found = self.query(
                "SELECT * FROM experiments WHERE deleted IS NULL AND substr(id, 1, ?) = ?", len(name), name
            )
        if len(found) == 1:
            return found[0]
        if found:
            raise StoreError(f"{name!r} fits {len(found)} experiments: {', '.join(row['id'] for row in found[:5])}")
        some = self.query("SELECT 1 FROM experiments WHERE deleted IS NULL LIMIT 1")
        hint = "`ragtui show` lists them" if some else "none was run in this workspace yet"
        raise StoreError(f"there is no experiment {name!r} in {self.workspace.root}; {hint}")

    def _entry(self, row: sqlite3.Row, running: writer_lock.Holder | None) -> Entry:
        from ragtui.experiments.pinned_metrics import stale

        plan = Plan.from_json(row["plan"])
        status = Status(row["status"])
        if status is Status.RUNNING and (running is None or running.experiment != row["id"]):
            status = Status.INTERRUPTED
        known = json.loads(row["summary"]) if row["summary"] and status is not Status.RUNNING else None
        glance = known or self.glance(row["number"], plan)
        return Entry(
            row["id"],
            plan,
            status,
            row["message"],
            row["source"],
            row["cases"],
            row["cells"],
            glance["done"],
            glance["errors"],
            glance["means"],
            row["created"],
            row["updated"],
            stale(plan, self.workspace),
            tuple(glance.get("remarks", ())),
            glance.get("cost"),
        )

    def _remarks(self, number: int) -> tuple[str, ...]:
        sql = "SELECT side, remark FROM run_remarks WHERE experiment = ? ORDER BY side DESC, rowid"
        said = [f"{row['side']}: {row['remark']}" for row in self.query(sql, number)]
        return (*said, *(self._missing(number, side) for side in Side if self._unanswered(number, side)))

    def _unanswered(self, number: int, side: Side) -> int:
        sql = "SELECT count(*) FROM responses WHERE experiment = ? AND side = ? AND state = 'pending'"
        return int(self.query(sql, number, side)[0][0])

    def _missing(self, number: int, side: Side) -> str:
        """Which cases had no recorded response."""
        from ragtui.experiments.wording import NAMED, missing

        sql = (
            "SELECT case_id FROM responses JOIN cases USING (experiment, position) "
            "WHERE experiment = ? AND side = ? AND state = 'pending' ORDER BY position LIMIT ?"
        )
        first = [row["case_id"] for row in self.query(sql, number, side, NAMED)]
        of = self.query("SELECT cases FROM experiments WHERE number = ?", number)[0]["cases"]
        return missing(side, first, self._unanswered(number, side), of)

    def _cost(self, number: int, plan: Plan) -> float | None:
        """What was paid for this experiment: replies that were kept, and answers that another one asked for, cost nothing."""
        paid = ["SELECT sum(cost) FROM calls WHERE experiment = ? AND NOT cached"]
        paid += ["SELECT sum(cost) FROM responses WHERE experiment = ?"] if plan.responses_of is None else []
        found = [self.query(sql, number)[0][0] for sql in paid]
        known = [each for each in found if each is not None]
        return sum(known) if known else None

    def glance(self, number: int, plan: Plan) -> dict[str, Any]:
        """Cells done, errors and the candidate's means so far, counted by SQLite."""
        counts = self.query(
            "SELECT side, metric, count(*) AS done, sum(state LIKE '%_error') AS errors, avg(score) AS mean "
            "FROM scores WHERE experiment = ? GROUP BY side, metric",
            number,
        )
        means = {row["metric"]: row["mean"] for row in counts if row["side"] == "candidate"}
        done, errors = sum(row["done"] for row in counts), sum(row["errors"] for row in counts)
        for row in self.query("SELECT side, metric, frame FROM score_frames WHERE experiment = ?", number):
            from ragtui.experiments.frames import averaged, unpacked

            frame = unpacked(row["frame"])
            done += frame.height
            errors += int(frame["state"].str.ends_with("_error").sum())
            if row["side"] == "candidate":
                means[row["metric"]] = averaged(frame, row["metric"], plan.average)["score"].mean()
        return {
            "done": done,
            "errors": errors,
            "cost": self._cost(number, plan),
            "remarks": self._remarks(number),
            "means": {each.spec: means.get(each.spec) for each in plan.metrics},
        }
