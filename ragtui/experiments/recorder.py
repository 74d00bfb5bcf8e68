"""Writes one experiment while it runs: what is handed over here is on disk when the call returns."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ragtui.experiments import writer_lock
from ragtui.experiments.database import explained, transaction
from ragtui.experiments.frames import packed, spread_out, squeezed
from ragtui.experiments.plan import Plan, Side
from ragtui.experiments.progress import Status
from ragtui.experiments.store import Store, now
from ragtui.metrics.score import Evidence, Outcome, State
from ragtui.targets.target import Response

if TYPE_CHECKING:
    import polars as pl

    from ragtui.judges.judge import Verdict

_RESULTS = ("responses", "calls", "scores", "score_frames")
_SCORE = "INSERT OR REPLACE INTO scores VALUES (?,?,?,?,?,?,?,?,?,?,?)"
_RESPONSE = "INSERT OR REPLACE INTO responses VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)"
_CALL = (
    "INSERT OR REPLACE INTO calls(experiment, side, position, question, repeat, judge, attempts, prompt_tokens, "
    "completion_tokens, cost, latency_ms, cached, repaired, prompt, reply) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"
)


@contextmanager
def recording(
    store: Store, plan: Plan, source: str, cases: pl.DataFrame | Callable[[], pl.DataFrame], fresh: bool = False
) -> Iterator[Recorder]:
    """Holds the workspace and starts, or resumes, the experiment of ``plan``; with ``fresh`` its content is dropped.

    ``cases`` has one row a case in order: ``case_id``, ``name``, ``inputs`` and ``expected`` (JSON objects of text),
    ``judgments`` (a JSON object with ``documents``, each ``doc_id`` and ``grade``; or null), and may have ``fields`` (a JSON
    object of what else is known of the case, by which results are sliced). A function is called for
    them only where the experiment is new.

    Raises:
        StoreError: another run holds the workspace, or it cannot be written.
    """
    with explained(store.path), writer_lock.held(store.workspace.state, plan.id):
        recorder = Recorder(store, plan, _claim(store, plan, source, cases, fresh))
        yield recorder


def _claim(store: Store, plan: Plan, source: str, cases: pl.DataFrame | Callable[[], pl.DataFrame], fresh: bool) -> int:
    """The experiment's number; a new one, or one that was deleted, starts empty."""
    connection = store.connection
    with transaction(connection):
        row = connection.execute("SELECT number, deleted FROM experiments WHERE id = ?", (plan.id,)).fetchone()
        if row is not None and (fresh or row["deleted"]):
            _drop(connection, row["number"])
            for path in store.file(plan.id).parent.glob(f"{plan.id}.*"):
                path.unlink()
            row = None
        if row is not None:
            return int(row["number"])
        cases = cases() if callable(cases) else cases
        cells = cases.height * len(plan.sides) * plan.cells_of_a_case
        number = connection.execute(
            "INSERT INTO experiments(id, plan, source, status, cases, cells, created, updated) "
            "VALUES (?,?,?,?,?,?,?,?)",
            (plan.id, plan.to_json(), source, Status.PLANNED, cases.height, cells, now(), now()),
        ).lastrowid
        if "fields" in cases.columns:
            connection.executemany(
                "INSERT OR REPLACE INTO case_fields VALUES (?,?,?)",
                ((number, position, fields) for position, fields in enumerate(cases["fields"]) if fields != "{}"),
            )
        wanted = cases.select("case_id", "name", "inputs", "expected", "judgments")
        connection.executemany(
            "INSERT INTO cases VALUES (?,?,?,?,?,?,?)",
            ((number, position, *row) for position, row in enumerate(wanted.iter_rows())),
        )
    return int(number or 0)


def _drop(connection: sqlite3.Connection, number: int) -> None:
    for table in ("cases", "case_fields", "run_remarks", *_RESULTS):
        connection.execute(f"DELETE FROM {table} WHERE experiment = ?", (number,))
    connection.execute("DELETE FROM experiments WHERE number = ?", (number,))


class Recorder:
    """The writing end of one experiment. Each method is one transaction."""

    def __init__(self, store: Store, plan: Plan, number: int) -> None:
        self.store = store
        self.plan = plan
        self.number = number

    # -- what is there -------------------------------------------------------------------------------------------

    def responses(self, side: Side, start: int, end: int) -> dict[int, Response]:
        """The stored responses of one side, by position from ``start`` up to ``end``."""
        sql = "SELECT * FROM responses WHERE experiment = ? AND side = ? AND position >= ? AND position < ?"
        return {row["position"]: response_of(row) for row in self.store.query(sql, self.number, side, start, end)}

    def answered(self, side: Side, retry_errors: bool = False) -> set[int]:
        """Positions whose response is stored; failed ones are left out with ``retry_errors``."""
        sql = "SELECT position FROM responses WHERE experiment = ? AND side = ?"
        if retry_errors:
            sql += " AND state NOT LIKE '%_error'"
        return {row[0] for row in self.store.query(sql, self.number, side)}

    def done(self, start: int, end: int, retry_errors: bool = False) -> set[tuple[str, str, int, int]]:
        """``(side, metric, position, repeat)`` of the cells from ``start`` up to ``end`` that need nothing more."""
        sql = (
            "SELECT side, metric, position, repeat FROM scores WHERE experiment = ? AND side = ? AND metric = ? "
            "AND position >= ? AND position < ?"  # in the index's order: else every score is looked at for a few
        )
        if retry_errors:
            sql += " AND state NOT LIKE '%_error'"
        cells = ((side, metric.spec) for side, _ in self.plan.sides for metric in self.plan.metrics)
        rows = (row for cell in cells for row in self.store.query(sql, self.number, *cell, start, end))
        return {tuple(row) for row in rows}

    def counts(self, retry_errors: bool = False) -> Counter[State]:
        """How many cells are in each state; those that are asked again with ``retry_errors`` are left out."""
        sql = "SELECT state, count(*) FROM scores WHERE experiment = ? GROUP BY state"
        found = Counter({State(state): n for state, n in self.store.query(sql, self.number)})
        return Counter({state: n for state, n in found.items() if not (retry_errors and state.is_error)})

    def has_frame(self, side: Side, metric: str) -> bool:
        sql = "SELECT 1 FROM score_frames WHERE experiment = ? AND side = ? AND metric = ?"
        return bool(self.store.query(sql, self.number, side, metric))

    def status_before(self) -> Status:
        return Status(self.store.query("SELECT status FROM experiments WHERE number = ?", self.number)[0]["status"])

    def unanswered(self, side: Side) -> int:
        """How many cases a side has no recorded response for."""
        sql = "SELECT count(*) FROM responses WHERE experiment = ? AND side = ? AND state = 'pending'"
        return int(self.store.query(sql, self.number, side)[0][0])

    # -- what comes in -------------------------------------------------------------------------------------------

    def respond(self, side: Side, responses: Iterable[tuple[int, Response]]) -> None:
        """Stores responses by the position of their case."""
        self._write(_RESPONSE, (_response_row(self.number, side, at, each) for at, each in responses))

    def judge(
        self,
        side: Side,
        position: int,
        question: str,
        repeat: int,
        judge: str,
        verdict: Verdict,
        outcomes: Sequence[tuple[str, Outcome]],
        reply: tuple[str, bytes] | None = None,
    ) -> None:
        """Stores a judge's verdict with the outcome of every metric that was derived from it, and the ``reply`` that
        spares asking again."""
        connection = self.store.connection
        call = (
            self.number,
            side,
            position,
            question,
            repeat,
            judge,
            verdict.attempts,
            verdict.prompt_tokens,
            verdict.completion_tokens,
            verdict.cost,
            verdict.latency_ms,
            verdict.cached,
            verdict.repaired,
            squeezed(verdict.prompt),
            squeezed(verdict.reply),
        )
        with explained(self.store.path), transaction(connection):
            number = connection.execute(_CALL, call).lastrowid
            scores = (
                _score_row(self.number, side, metric, position, repeat, each, number) for metric, each in outcomes
            )
            connection.executemany(_SCORE, scores)
            if reply is not None:
                connection.execute("INSERT OR REPLACE INTO replies VALUES (?,?,?)", (*reply, now()))

    def score(self, side: Side, metric: str, outcomes: Iterable[tuple[int, int, Outcome]]) -> None:
        """Stores outcomes of one metric as ``(position, repeat, outcome)``."""
        self._write(_SCORE, (_score_row(self.number, side, metric, at, n, each, None) for at, n, each in outcomes))

    def score_frame(self, side: Side, metric: str, frame: pl.DataFrame) -> None:
        """Stores a metric that was computed for all queries at once: ``position``, ``state``, ``cause``, ``score``,
        ``reason``, ``judged``, ``in_run``."""
        wanted = frame.select("position", "state", "cause", "score", "reason", "judged", "in_run")
        row = (self.number, side, metric, packed(wanted))
        self._write("INSERT OR REPLACE INTO score_frames VALUES (?,?,?,?)", [row])

    def ranking_frame(self, side: Side, frame: pl.DataFrame) -> None:
        """Stores a side's rankings of all queries: ``position``, ``rank``, ``doc_id``, ``score``."""
        path = self.store.file(self.plan.id, f".{side}.ranking.parquet")
        with explained(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            partial = path.with_suffix(".partial")
            frame.select("position", "rank", "doc_id", "score").sort("position", "rank").write_parquet(partial)
            partial.replace(path)

    def remark(self, side: Side, remarks: Iterable[str]) -> None:
        """Stores what has to be said of a side's answers beside their figures."""
        rows = ((self.number, side, _writable(each)) for each in remarks)
        self._write("INSERT OR IGNORE INTO run_remarks VALUES (?,?,?)", rows)

    # -- how it goes ---------------------------------------------------------------------------------------------

    def status(self, status: Status, message: str = "") -> None:
        with explained(self.store.path):
            self.store.connection.execute(
                "UPDATE experiments SET status = ?, message = ?, updated = ?, summary = NULL WHERE number = ?",
                (status, message, now(), self.number),
            )

    def end(self, status: Status, message: str = "", cells: int | None = None) -> None:
        """Closes the experiment for now: its status, and what the list shows at a glance."""
        glance = json.dumps(self.store.glance(self.number, self.plan))
        with explained(self.store.path):
            self.store.connection.execute(
                "UPDATE experiments SET status = ?, message = ?, updated = ?, summary = ?, cells = coalesce(?, cells) "
                "WHERE number = ?",
                (status, message, now(), glance, cells, self.number),
            )

    def withdraw(self) -> None:
        """Takes an experiment that holds nothing but its plan out of the store."""
        with explained(self.store.path), transaction(self.store.connection):
            held = " UNION ALL ".join(f"SELECT 1 FROM {table} WHERE experiment = :number" for table in _RESULTS)
            if self.store.connection.execute(f"{held} LIMIT 1", {"number": self.number}).fetchone() is None:
                _drop(self.store.connection, self.number)

    def _write(self, sql: str, rows: Iterable[tuple[Any, ...]]) -> None:
        with explained(self.store.path), transaction(self.store.connection):
            self.store.connection.executemany(sql, rows)


def _score_row(
    number: int, side: Side, metric: str, position: int, repeat: int, outcome: Outcome, call: int | None
) -> tuple[Any, ...]:
    evidence = evidence_json(outcome.evidence) if outcome.evidence else None
    return (
        number,
        side,
        metric,
        position,
        repeat,
        outcome.state,
        outcome.cause,
        outcome.score,
        _writable(outcome.reason),
        evidence,
        call,
    )


def evidence_json(evidence: Sequence[Evidence]) -> str:
    """Evidence as the JSON list that score files hold."""
    fields = ({key: value for key, value in asdict(each).items() if key != "note" or value} for each in evidence)
    return json.dumps(list(fields))


def evidence_of(text: str | None) -> tuple[Evidence, ...]:
    return tuple(Evidence(**each) for each in json.loads(text)) if text else ()


def _writable(text: str | None) -> str | None:
    """Lone surrogates cannot be stored as UTF-8; they become replacement characters."""
    return None if text is None else text.encode("utf-8", "replace").decode("utf-8")


def _response_row(number: int, side: Side, position: int, response: Response) -> tuple[Any, ...]:
    contexts = None if response.contexts is None else json.dumps(response.contexts)
    ranking = None if response.ranking is None else squeezed(json.dumps(response.ranking))
    extra = json.dumps(dict(response.extra), default=str) if response.extra else None
    return (
        number,
        side,
        position,
        response.state,
        response.cause,
        _writable(response.message),
        _writable(response.text),
        contexts,
        ranking,
        response.latency_ms,
        response.prompt_tokens,
        response.completion_tokens,
        response.cost,
        extra,
    )


def response_of(row: Any, case_id: str = "") -> Response:
    """A stored response."""
    ranking = spread_out(row["ranking"])
    return Response(
        case_id,
        State(row["state"]),
        row["cause"],
        row["message"],
        row["text"],
        None if row["contexts"] is None else tuple(json.loads(row["contexts"])),
        None if ranking is None else tuple((doc, score) for doc, score in json.loads(ranking)),
        row["latency_ms"],
        row["prompt_tokens"],
        row["completion_tokens"],
        row["cost"],
        json.loads(row["extra"]) if row["extra"] else {},
    )
