"""The standard streams as they are found: closed, of a small alphabet, or with nobody at the other end."""

from __future__ import annotations

import os
import sys
from typing import TextIO


def make_safe() -> None:
    """From here on text can be written to both streams, whatever it holds and however they were left by the caller.

    A stream that was closed leads nowhere; a character that its encoding lacks is shown as ``?``.
    """
    sys.stdout = _safe(sys.stdout)
    sys.stderr = _safe(sys.stderr)


def flushed() -> None:
    """Writes what waits in standard output, so that its failure is noticed while it can still be told.

    Raises:
        OSError: it cannot be written.
    """
    sys.stdout.flush()


def abandon() -> None:
    """Gives both streams up, so that Python does not complain at its end of what it cannot write."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _safe(stream: TextIO | None) -> TextIO:
    if stream is None:
        return open(os.devnull, "w", encoding="utf-8")  # for as long as the process lives
    encoding = (stream.encoding or "utf-8").lower().replace("-", "").replace("_", "")
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="backslashreplace" if encoding == "utf8" else "replace")
    return stream
