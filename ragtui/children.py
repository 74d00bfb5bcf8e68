"""The programs and functions that run in processes of their own just now, so that whoever must end at once takes them
along: each leads a group of processes, which nothing else would end."""

from __future__ import annotations

import contextlib
import os
import signal
from typing import Final

_RUNNING: Final[set[int]] = set()


def started(pid: int) -> None:
    """Remembers a process that leads a group of its own."""
    _RUNNING.add(pid)


def ended(pid: int) -> None:
    """Forgets a process, before its number can be another's."""
    _RUNNING.discard(pid)


def end_all() -> None:
    """Ends every process that is remembered, and what they have started."""
    for pid in list(_RUNNING):
        with contextlib.suppress(OSError):
            os.killpg(pid, signal.SIGKILL) if hasattr(os, "killpg") else os.kill(pid, signal.SIGTERM)
        _RUNNING.discard(pid)
