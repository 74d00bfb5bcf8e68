"""Judge replies already paid for, kept in the store: an unchanged judgement is never bought twice."""

from __future__ import annotations

from ragtui.experiments.store import Store
from ragtui.judges.cache import kept, reused
from ragtui.judges.judge import Verdict


class ReplyCache:
    """The judges' ``Cache`` over the store of a workspace, shared by all its experiments.

    A reply is written in the transaction that stores its scores: ``put`` holds it until ``release`` hands it over.
    """

    def __init__(self, store: Store, reads: bool = True) -> None:
        self._store = store
        self._reads = reads  # a fresh run reuses nothing, and keeps what it buys
        self._held: dict[int, tuple[str, Verdict]] = {}

    def get(self, key: str) -> Verdict | None:
        """The kept verdict, marked ``cached`` and free; one written by another version is asked for anew."""
        import msgspec

        found = self._store.query("SELECT verdict FROM replies WHERE key = ?", key) if self._reads else []
        if not found:
            return None
        try:
            return reused(msgspec.json.decode(found[0]["verdict"], type=Verdict))
        except msgspec.MsgspecError:
            return None

    def put(self, key: str, verdict: Verdict) -> None:
        if kept(verdict):
            self._held[id(verdict)] = (key, verdict)

    def release(self, verdict: Verdict) -> tuple[str, bytes] | None:
        """The row to write for a verdict that was just put; ``None`` for any other."""
        import msgspec

        held = self._held.pop(id(verdict), None)
        return None if held is None else (held[0], msgspec.json.encode(verdict))
