"""A copy of this process that answers requests: there at once, where a fresh interpreter would first load everything anew."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable
from typing import IO, NoReturn


def can_copy() -> bool:
    """Whether this process may be copied: a copy has no threads, so whatever another thread holds stays held in it."""
    return sys.platform == "linux" and threading.active_count() == 1 and "polars" not in sys.modules


class ProcessCopy:
    """Has of ``subprocess.Popen`` what its user needs. ``answer`` is what the copy does with the requests written to
    ``stdin``; its replies come from ``stdout``. ``others`` are streams of this process that the copy must not hold open.

    Raises:
        OSError: no process, or no pipe, can be had.
    """

    def __init__(self, answer: Callable[[IO[bytes], IO[bytes]], None], others: Iterable[IO[bytes]] = ()) -> None:
        requests, self_writes = os.pipe()
        self_reads, replies = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            for each in (self_writes, self_reads, *(stream.fileno() for stream in others)):
                os.close(each)
            _be_the_copy(answer, requests, replies)
        os.close(requests)
        os.close(replies)
        self.stdin: IO[bytes] | None = os.fdopen(self_writes, "wb")
        self.stdout: IO[bytes] | None = os.fdopen(self_reads, "rb")

    def kill(self) -> None:
        try:
            os.kill(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            return

    def wait(self) -> int:
        try:
            return os.waitpid(self.pid, 0)[1]
        except ChildProcessError:
            return 0


def _be_the_copy(answer: Callable[[IO[bytes], IO[bytes]], None], requests: int, replies: int) -> NoReturn:
    """Never returns into what the original was about to do, whatever happens."""
    try:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        nowhere = os.open(os.devnull, os.O_RDWR)
        for standard in (0, 1, 2):
            os.dup2(nowhere, standard)
        with os.fdopen(requests, "rb") as asked, os.fdopen(replies, "wb") as told:
            answer(asked, told)
    finally:
        os._exit(0)
