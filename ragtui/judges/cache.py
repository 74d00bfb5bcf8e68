"""Replies already paid for: a verdict by the hash of everything that was sent. Errors are never kept."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Final, Protocol

from ragtui.judges.judge import Verdict
from ragtui.metrics.score import State

FILE_NAME: Final = "replies.sqlite"
_KEPT: Final = (State.SCORED, State.NOT_APPLICABLE)


class CacheError(Exception):
    """The reply cache cannot be read or written; the message is one line naming the file."""


class Cache(Protocol):
    """Where verdicts are kept between runs."""

    def get(self, key: str) -> Verdict | None:
        """The kept verdict, marked ``cached`` and without cost, since it is not paid for again."""
        ...

    def put(self, key: str, verdict: Verdict) -> None:
        """Keeps a verdict that is ``scored`` or ``not_applicable``; any other is not kept."""
        ...


def kept(verdict: Verdict) -> bool:
    return verdict.state in _KEPT


def reused(verdict: Verdict) -> Verdict:
    """A verdict as it counts when it is not asked for again."""
    return replace(verdict, cached=True, attempts=0, prompt_tokens=0, completion_tokens=0, cost=0.0, latency_ms=None)


class SqliteCache:
    """A cache in one SQLite file, each verdict committed as it is put. Several processes may use it."""

    def __init__(self, path: Path) -> None:
        """Opens or makes the file.

        Raises:
            CacheError: it cannot be used.
        """
        self._path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(path, timeout=10.0, isolation_level=None, check_same_thread=False)
            self._database.execute("PRAGMA journal_mode = WAL")
            self._database.execute("PRAGMA synchronous = NORMAL")
            self._database.execute(
                "CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, verdict BLOB NOT NULL, "
                "at TEXT NOT NULL DEFAULT (datetime('now'))) WITHOUT ROWID"
            )
        except (sqlite3.Error, OSError) as error:
            raise self._error(error) from error

    def get(self, key: str) -> Verdict | None:
        import msgspec

        try:
            row = self._database.execute("SELECT verdict FROM replies WHERE key = ?", (key,)).fetchone()
        except sqlite3.Error as error:
            raise self._error(error) from error
        if row is None:
            return None
        try:
            return reused(msgspec.json.decode(row[0], type=Verdict))
        except msgspec.MsgspecError:
            return None  # written by another version: asked for anew

    def put(self, key: str, verdict: Verdict) -> None:
        import msgspec

        if not kept(verdict):
            return
        try:
            self._database.execute(
                "INSERT OR REPLACE INTO replies (key, verdict) VALUES (?, ?)", (key, msgspec.json.encode(verdict))
            )
        except sqlite3.Error as error:
            raise self._error(error) from error

    def close(self) -> None:
        self._database.close()

    def _error(self, error: Exception) -> CacheError:
        return CacheError(f"{self._path}: the cache of judge replies cannot be used: {error}")
