"""A private tmux with the app in it: keys go in, the screen comes out as text."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType

import pytest

ROOT = Path(__file__).parents[2]
_LONGEST_WAIT = 40.0


class Terminal:
    """Runs ``ragtui`` in a folder. ``status`` is its exit status once it has ended."""

    def __init__(
        self, folder: Path, *arguments: str, size: tuple[int, int], term: str = "tmux-256color", **more: str
    ) -> None:
        if shutil.which("tmux") is None:
            pytest.skip("tmux is not on this machine")
        self.folder, self.size = folder, size
        self._socket = folder / f".tmux-{time.monotonic_ns()}"  # a server that is ending must not be met again
        self._ended = folder / ".ended"
        self._ended.unlink(missing_ok=True)
        settings = {"TERM": term, "PYTHONPATH": str(ROOT), "HOME": str(folder), "COLORTERM": "truecolor", **more}
        inner = [
            "env",
            *(f"{key}={value}" for key, value in settings.items()),
            sys.executable,
            "-m",
            "ragtui",
            *arguments,
        ]
        self._command = f"{shlex.join(inner)}; echo $? > {shlex.quote(str(self._ended))}; sleep 60"

    def __enter__(self) -> Terminal:
        width, height = self.size
        self.tmux(
            "new-session", "-d", "-s", "e2e", "-c", str(self.folder), "-x", str(width), "-y", str(height), self._command
        )
        self.tmux("set-option", "-g", "status", "off")
        self.tmux("resize-window", "-t", "e2e", "-x", str(width), "-y", str(height))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.tmux("kill-server")

    def tmux(self, *words: str) -> str:
        clean = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "LINES", "NO_COLOR", "TMUX")}
        command = ["tmux", "-S", str(self._socket), "-f", "/dev/null", *words]
        return subprocess.run(command, env=clean, capture_output=True, text=True, check=False).stdout

    def press(self, *keys: str) -> None:
        for key in keys:
            self.tmux("send-keys", "-t", "e2e", key)
            time.sleep(0.05)

    def type(self, text: str) -> None:
        self.tmux("send-keys", "-t", "e2e", "-l", "--", text)

    @property
    def screen(self) -> str:
        return self.tmux("capture-pane", "-p", "-t", "e2e")

    def wait(self, pattern: str) -> str:
        """Waits until the screen matches, and returns it."""
        until = time.monotonic() + _LONGEST_WAIT
        while not re.search(pattern, shown := self.screen):
            if time.monotonic() > until:
                raise AssertionError(f"never seen: {pattern}; the screen was:\n{shown}")
            time.sleep(0.1)
        return shown

    def escape(self) -> None:
        """Escape, and the time tmux and the app wait to be sure that it is no sequence."""
        self.press("Escape")
        time.sleep(0.8)

    def ended(self) -> int:
        until = time.monotonic() + _LONGEST_WAIT
        while not self._ended.exists() or not self._ended.read_text().strip():
            if time.monotonic() > until:
                raise AssertionError(f"still running:\n{self.screen}")
            time.sleep(0.1)
        return int(self._ended.read_text())
