"""A real terminal for tests: a program in a private tmux, keys pressed, the screen read as text."""

from __future__ import annotations

import os
import re
import subprocess
import time
import uuid
from pathlib import Path
from types import TracebackType

PATIENCE = 30.0


class Terminal:
    """Runs ``command`` in ``cwd`` at ``size`` (columns, lines) until the block is left."""

    def __init__(self, command: list[str], cwd: Path, size: tuple[int, int], environment: dict[str, str]) -> None:
        self._socket = f"ragtui-test-{uuid.uuid4().hex[:12]}"
        hidden = ("TMUX", "COLUMNS", "LINES", "NO_COLOR")
        inherited = {key: value for key, value in os.environ.items() if key not in hidden}
        self._environment = {**inherited, **environment}
        self._ended = cwd / f".{self._socket}"
        wrapped = ["sh", "-c", '"$@"; echo $? > "$0"', str(self._ended), *command]
        columns, lines = map(str, size)
        self._tmux(
            "-f", "/dev/null", "new-session", "-d", "-s", "t", "-x", columns, "-y", lines, "-c", str(cwd), *wrapped
        )
        self._tmux("set-option", "-t", "t", "remain-on-exit", "on")

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._tmux("kill-server")
        self._ended.unlink(missing_ok=True)

    def _tmux(self, *words: str) -> str:
        command = ["tmux", "-L", self._socket, *words]
        return subprocess.run(command, env=self._environment, capture_output=True, text=True, check=False).stdout

    def screen(self) -> str:
        return self._tmux("capture-pane", "-p", "-t", "t")

    def press(self, *keys: str) -> None:
        """Presses keys one after the other, by tmux's names: ``Enter``, ``Escape``, ``C-r``, ``j``."""
        for key in keys:
            self._tmux("send-keys", "-t", "t", key)
            time.sleep(0.5 if key == "Escape" else 0.05)  # a key soon after escape would be read as alt and that key

    def wait_for(self, pattern: str, seconds: float = PATIENCE) -> str:
        """The screen, once the pattern stands on it.

        Raises:
            AssertionError: it does not within ``seconds``; the message shows the screen.
        """
        end = time.monotonic() + seconds
        while not re.search(pattern, shown := self.screen(), re.MULTILINE):
            assert time.monotonic() < end, f"{pattern!r} never stood on the screen:\n{shown}"
            time.sleep(0.1)
        return shown

    def exit_status(self, seconds: float = PATIENCE) -> int:
        """The program's exit status, once it has ended."""
        end = time.monotonic() + seconds
        while not (self._ended.exists() and self._ended.read_text().strip()):
            assert time.monotonic() < end, f"the program goes on:\n{self.screen()}"
            time.sleep(0.1)
        return int(self._ended.read_text())
