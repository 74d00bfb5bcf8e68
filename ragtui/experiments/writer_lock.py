"""One run writes at a time; whoever comes second is told who holds the workspace."""

from __future__ import annotations

import json
import os
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Final

from ragtui.experiments.database import StoreError

_NAME: Final = "writer.lock"
_PATIENCE: Final = 0.5  # seconds; whoever looks who holds the lock has it for an instant


@dataclass(frozen=True, slots=True)
class Holder:
    """Who runs an experiment in this workspace."""

    pid: int
    host: str
    experiment: str
    since: str


@contextmanager
def held(state: Path, experiment: str) -> Iterator[None]:
    """Holds the workspace for one run; the lock goes with the process, however it ends.

    Raises:
        StoreError: another run holds it; the message says which, where and since when.
    """
    with (state / _NAME).open("a+", encoding="utf-8") as stream:
        deadline = time.monotonic() + _PATIENCE
        while not _lock(stream):
            if time.monotonic() > deadline:
                raise StoreError(_held_by(_read(stream)))
            time.sleep(0.02)
        me = Holder(os.getpid(), socket.gethostname(), experiment, f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}")
        stream.truncate(0)
        stream.write(json.dumps(asdict(me)))
        stream.flush()
        try:
            yield
        finally:
            stream.truncate(0)
            _unlock(stream)


def holder(state: Path) -> Holder | None:
    """Who is running an experiment here right now, or ``None``."""
    try:
        with (state / _NAME).open("r", encoding="utf-8") as stream:
            if _lock(stream, shared=True):
                _unlock(stream)
                return None
            return _read(stream) or Holder(0, "", "", "")
    except OSError:
        return None


def _held_by(who: Holder | None) -> str:
    if who is None or not who.pid:
        return "another ragtui is running an experiment in this workspace; wait for it, or stop it"
    return (
        f"ragtui is already running experiment {who.experiment} in this workspace "
        f"(process {who.pid} on {who.host}, since {who.since}); wait for it, or stop it"
    )


def _read(stream: IO[str]) -> Holder | None:
    stream.seek(0)
    try:
        return Holder(**json.loads(stream.read()))
    except (ValueError, TypeError):
        return None


if sys.platform == "win32":
    import msvcrt

    def _lock(stream: IO[str], shared: bool = False) -> bool:
        try:
            stream.seek(1 << 20)
            msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _unlock(stream: IO[str]) -> None:
        stream.seek(1 << 20)
        msvcrt.locking(stream.fileno(), msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _lock(stream: IO[str], shared: bool = False) -> bool:
        try:
            fcntl.flock(stream, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _unlock(stream: IO[str]) -> None:
        fcntl.flock(stream, fcntl.LOCK_UN)
