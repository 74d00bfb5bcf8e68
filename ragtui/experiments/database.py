"""The one SQLite file of a workspace: its tables, how it is opened, and what its failures mean in one line."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

SCHEMA_VERSION: Final = 1
FILE_NAME: Final = "ragtui.sqlite"
_NETWORK: Final = {"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "lustre", "beegfs", "gpfs", "glusterfs"}
_BUSY_SECONDS: Final = 5.0

_TABLES: Final = """
CREATE TABLE experiments(
  number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, plan TEXT NOT NULL, source TEXT NOT NULL, status TEXT NOT NULL,
  message TEXT NOT NULL DEFAULT '', cases INTEGER NOT NULL, cells INTEGER NOT NULL, created TEXT NOT NULL,
  updated TEXT NOT NULL, deleted TEXT, summary TEXT);
CREATE TABLE cases(
  experiment INTEGER NOT NULL, position INTEGER NOT NULL, case_id TEXT NOT NULL, name TEXT NOT NULL,
  inputs TEXT NOT NULL, expected TEXT NOT NULL, judgments TEXT, PRIMARY KEY(experiment, position));
CREATE UNIQUE INDEX cases_by_id ON cases(experiment, case_id);
CREATE TABLE responses(
  experiment INTEGER NOT NULL, side TEXT NOT NULL, position INTEGER NOT NULL, state TEXT NOT NULL, cause TEXT,
  message TEXT NOT NULL, text TEXT, contexts TEXT, ranking BLOB, latency_ms REAL, prompt_tokens INTEGER,
  completion_tokens INTEGER, cost REAL, extra TEXT, PRIMARY KEY(experiment, side, position));
CREATE TABLE calls(
  id INTEGER PRIMARY KEY, experiment INTEGER NOT NULL, side TEXT NOT NULL, position INTEGER NOT NULL,
  question TEXT NOT NULL, repeat INTEGER NOT NULL, judge TEXT, attempts INTEGER NOT NULL, prompt_tokens INTEGER,
  completion_tokens INTEGER, cost REAL, latency_ms REAL, cached INTEGER NOT NULL, repaired INTEGER NOT NULL,
  prompt BLOB, reply BLOB);
CREATE UNIQUE INDEX calls_by_cell ON calls(experiment, side, question, position, repeat);
CREATE TABLE scores(
  experiment INTEGER NOT NULL, side TEXT NOT NULL, metric TEXT NOT NULL, position INTEGER NOT NULL,
  repeat INTEGER NOT NULL, state TEXT NOT NULL, cause TEXT, score REAL, reason TEXT NOT NULL, evidence TEXT,
  call INTEGER);
CREATE UNIQUE INDEX scores_by_cell ON scores(experiment, side, metric, position, repeat);
CREATE TABLE score_frames(
  experiment INTEGER NOT NULL, side TEXT NOT NULL, metric TEXT NOT NULL, frame BLOB NOT NULL,
  PRIMARY KEY(experiment, side, metric));
CREATE TABLE replies(key TEXT PRIMARY KEY, verdict BLOB NOT NULL, at TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE labels(
  dataset TEXT NOT NULL, case_id TEXT NOT NULL, side TEXT NOT NULL, metric TEXT NOT NULL, author TEXT NOT NULL,
  value TEXT NOT NULL, note TEXT NOT NULL, experiment TEXT NOT NULL, at TEXT NOT NULL,
  PRIMARY KEY(dataset, case_id, side, metric, author));
CREATE TABLE label_log(
  number INTEGER PRIMARY KEY, dataset TEXT NOT NULL, case_id TEXT NOT NULL, side TEXT NOT NULL, metric TEXT NOT NULL,
  author TEXT NOT NULL, before TEXT, after TEXT, at TEXT NOT NULL);
"""


_ADDED: Final = """
CREATE TABLE IF NOT EXISTS case_fields(
  experiment INTEGER NOT NULL, position INTEGER NOT NULL, fields TEXT NOT NULL, PRIMARY KEY(experiment, position));
CREATE TABLE IF NOT EXISTS run_remarks(
  experiment INTEGER NOT NULL, side TEXT NOT NULL, remark TEXT NOT NULL, PRIMARY KEY(experiment, side, remark));
CREATE TABLE IF NOT EXISTS remarks(experiment TEXT PRIMARY KEY, tags TEXT NOT NULL, note TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS earlier_labels(
  dataset TEXT NOT NULL, case_id TEXT NOT NULL, side TEXT NOT NULL, metric TEXT NOT NULL, author TEXT NOT NULL,
  value TEXT NOT NULL, note TEXT NOT NULL, experiment TEXT NOT NULL, at TEXT NOT NULL,
  PRIMARY KEY(dataset, case_id, side, metric, author, experiment));
CREATE TABLE IF NOT EXISTS shards(
  experiment TEXT NOT NULL, number INTEGER NOT NULL, of INTEGER NOT NULL, created TEXT NOT NULL,
  PRIMARY KEY(experiment, number, of));
CREATE TABLE IF NOT EXISTS blind_labels(
  dataset TEXT NOT NULL, case_id TEXT NOT NULL, side TEXT NOT NULL, metric TEXT NOT NULL, author TEXT NOT NULL,
  value TEXT NOT NULL, experiment TEXT NOT NULL, at TEXT NOT NULL,
  PRIMARY KEY(dataset, case_id, side, metric, author));
"""
"""Tables that stores of earlier versions lack; without them there is nothing of their kind."""


class StoreError(Exception):
    """The store cannot be used; the message is one line that names the file and the remedy."""


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turns SQLite's and the file system's failures into ``StoreError``."""
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(_explain(path, error)) from error
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror or error}; nothing was lost") from error


def _explain(path: Path, error: sqlite3.Error) -> str:
    code = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
    match code:
        case sqlite3.SQLITE_FULL:
            return f"{path}: the disk is full; free some space and run the same command again; what is stored is kept"
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM:
            return f"{path}: cannot be written; make its folder writable, or work in a copy of the workspace"
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return f"{path}: another process has been writing for more than {_BUSY_SECONDS:g} s; try again"
        case sqlite3.SQLITE_NOTADB | sqlite3.SQLITE_CORRUPT:
            return f"{path}: is damaged ({error}); move it away, or restore it from a backup"
        case sqlite3.SQLITE_IOERR:
            return f"{path}: could not be read or written ({error}); check the disk, then run the same command again"
    return f"{path}: {error}"


def connect(path: Path, write: bool) -> sqlite3.Connection:
    """Opens the store in autocommit mode; with ``write`` its folder and tables are made where they are missing.

    Raises:
        StoreError: read-only, damaged, made by a newer ragtui.
    """
    with explained(path):
        if write:
            path.parent.mkdir(parents=True, exist_ok=True)
            connection = _open(path, "rwc")
            _prepare_for_writing(connection, path)
        else:
            connection = _open_for_reading(path)
        version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > SCHEMA_VERSION:
        connection.close()
        raise StoreError(f"{path}: was written by a newer ragtui (store version {version}); upgrade ragtui")
    return connection


def _open(path: Path, mode: str) -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?{'immutable=1' if mode == 'immutable' else f'mode={mode}'}"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=_BUSY_SECONDS, check_same_thread=False)
    connection.row_factory = sqlite3.Row
    return connection


def _open_for_reading(path: Path) -> sqlite3.Connection:
    if not path.exists():
        return _nothing_yet()
    for mode in ("ro", "immutable"):  # a read-only folder cannot hold the -shm file that reading a WAL store needs
        connection = _open(path, mode)
        try:
            tables = connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
        except sqlite3.OperationalError:
            connection.close()
            if mode == "immutable":
                raise
        else:
            break
    if tables is None:  # the disk was full when it was made
        connection.close()
        return _nothing_yet()
    for statement in _lacking(connection):
        connection.execute(statement.replace("CREATE TABLE", "CREATE TEMP TABLE"))
    return connection


def _lacking(connection: sqlite3.Connection) -> list[str]:
    """The statements of the added tables that a store does not have."""
    there = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    wanted = {each.split("EXISTS ")[1].split("(")[0]: each for each in _ADDED.split(";") if each.strip()}
    return [statement for name, statement in wanted.items() if name not in there]


def _nothing_yet() -> sqlite3.Connection:
    """An empty store that is nowhere on disk."""
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    connection.row_factory = sqlite3.Row
    connection.executescript(_TABLES + _ADDED)
    return connection


def _prepare_for_writing(connection: sqlite3.Connection, path: Path) -> None:
    """A commit survives a kill of the process at any moment; only a power cut may take the last ones."""
    network = on_network(path.parent)
    connection.execute(f"PRAGMA journal_mode={'TRUNCATE' if network else 'WAL'}")
    connection.execute(f"PRAGMA synchronous={'FULL' if network else 'NORMAL'}")
    if connection.execute("PRAGMA user_version").fetchone()[0] == 0:
        with transaction(connection):
            if connection.execute("PRAGMA user_version").fetchone()[0] == 0:
                for statement in _TABLES.split(";"):
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version={SCHEMA_VERSION}")
    if _lacking(connection):
        with transaction(connection):
            for statement in _lacking(connection):
                connection.execute(statement)


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All or nothing, and committed when the block ends."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def on_network(folder: Path, mounts: Path = Path("/proc/self/mounts")) -> bool:
    """Whether ``folder`` lies on a network file system, where SQLite's write-ahead log must not be used."""
    try:
        lines = mounts.read_text("utf-8", "replace").splitlines()
    except OSError:
        return False
    where, kind = "", ""
    for line in lines:
        point, fs = [*line.split(" "), "", "", ""][1:3]
        point = point.replace("\\040", " ")
        if len(point) > len(where) and folder.absolute().is_relative_to(point):
            where, kind = point, fs
    return kind in _NETWORK or kind.startswith("fuse.")
