"""Judge replies already paid for, kept in the store: an unchanged judgement is never bought twice."""

from __future__ import annotations

from ragtui.experiments.database import explained
from ragtui.experiments.store import Store, now
from ragtui.judges.cache import kept, reused
from ragtui.judges.judge import Verdict


class ReplyCache:
    """The judges' ``Cache`` over the store of a workspace, shared by all its experiments."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def get(self, key: str) -> Verdict | None:
        """The kept verdict, marked ``cached`` and free; one written by another version is asked for anew."""
        import msgspec

        found = self._store.query("SELECT verdict FROM replies WHERE key = ?", key)
        if not found:
            return None
        try:
            return reused(msgspec.json.decode(found[0]["verdict"], type=Verdict))
        except msgspec.MsgspecError:
            return None

    def put(self, key: str, verdict: Verdict) -> None:
        import msgspec

        if kept(verdict):
            row = (key, msgspec.json.encode(verdict), now())
            with explained(self._store.path):
                self._store.connection.execute("INSERT OR REPLACE INTO replies VALUES (?,?,?)", row)
