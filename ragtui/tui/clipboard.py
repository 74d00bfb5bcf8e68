"""Copying out of a terminal, honestly: each way is tried in turn, and the answer says which one it was.

tmux loses OSC 52 in its default set-up, terminals cut long sequences, some know none: so tmux is asked first, OSC 52 is
used up to a size that arrives everywhere, and a file is the way that always works.
"""

from __future__ import annotations

import base64
import os
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

OSC52_LIMIT: Final = 74_000  # bytes of base64; longer sequences are cut by common terminals
_TMUX_SECONDS: Final = 2.0


@dataclass(frozen=True, slots=True)
class Copied:
    """Where the text went, ``tmux``, ``terminal`` (sent; none confirms it) or ``file``, and a line that says so."""

    way: str
    message: str


def copy(text: str, file: Path, write: Callable[[str], None], environment: Mapping[str, str] | None = None) -> Copied:
    """Copies ``text`` whole. ``write`` sends a control sequence to the terminal; ``file`` is the last resort.

    Raises:
        OSError: no other way worked and ``file`` cannot be written.
    """
    environment = os.environ if environment is None else environment
    data = text.encode("utf-8", "replace")
    size = _size(text)
    if environment.get("TMUX") and _to_tmux(data):
        return Copied("tmux", f"copied {size} to the tmux buffer (and the clipboard, where tmux may)")
    encoded = base64.b64encode(data).decode("ascii")
    if len(encoded) <= OSC52_LIMIT and not environment.get("TMUX"):
        write(f"\x1b]52;c;{encoded}\x07")
        return Copied("terminal", f"sent {size} to the terminal's clipboard (OSC 52; not every terminal takes it)")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)
    why = "tmux did not take it" if environment.get("TMUX") else "too long for a terminal's clipboard"
    return Copied("file", f"{why}: {size} written to {file}")


def _to_tmux(data: bytes) -> bool:
    for options in (["-w"], []):  # tmux before 3.2 knows no -w
        command = ["tmux", "load-buffer", *options, "-"]
        try:
            done = subprocess.run(command, input=data, capture_output=True, timeout=_TMUX_SECONDS, check=False)
        except (OSError, subprocess.TimeoutExpired):
            return False
        if done.returncode == 0:
            return True
    return False


def _size(text: str) -> str:
    return "1 character" if len(text) == 1 else f"{len(text):,} characters"
