"""A real terminal for tests: a private tmux in which a program runs, keys are pressed, and the screen is read.

The screen is only ever waited for, never slept for. The pane's shell outlives the program, so that a test can see what
state it left the terminal in.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]
RAGTUI: Final = (sys.executable, "-m", "ragtui")

needs_tmux = [
    pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed"),
    pytest.mark.xdist_group("terminal"),
]

SMALL, LARGE = (80, 24), (160, 45)
_LEFT_OUT: Final = ("COLUMNS", "LINES", "NO_COLOR", "COLORTERM", "TMUX", "TMUX_PANE", "TERM", "TEXTUAL")
_POLL: Final = 0.05
_SECONDS: Final = 30.0  # what a loaded machine may take; a test that fails for want of time says what it saw


class Terminal:
    """Runs ``command`` at ``size`` (columns, rows) in ``cwd``; ``home`` is where the user's settings are looked for."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        cwd: Path,
        home: Path,
        size: tuple[int, int] = SMALL,
        term: str = "tmux-256color",
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._socket = f"ragtui-test-{os.getpid()}-{time.monotonic_ns()}"
        self._state = home / f".terminal-{time.monotonic_ns()}"
        self._state.mkdir(parents=True)
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", *_LEFT_OUT))}
        self._environment = {**inherited, "HOME": str(home), "PYTHONPATH": str(ROOT), "LANG": "C.UTF-8", "PS1": "$ "}
        words = ["env", f"TERM={term}", *(f"{k}={v}" for k, v in (environment or {}).items()), *command]
        script = (
            f"sh -c 'echo $$ > {self._state}/pid; exec \"$@\"' run {shlex.join(words)}; "
            f"echo $? > {self._state}/status.new; mv {self._state}/status.new {self._state}/status; exec sh -i"
        )
        width, height = map(str, size)
        self._tmux(
            "start-server", ";", "set-option", "-g", "status", "off", ";", "set-option", "-sg", "escape-time", "20", ";",
            "set-option", "-g", "default-shell", "/bin/sh", ";", "new-session", "-d", "-s", "t", "-x", width, "-y", height,
            "-c", str(cwd), shlex.join(["sh", "-c", script]),
        )  # fmt: skip

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._tmux("kill-server")

    def _tmux(self, *words: str) -> str:
        command = ["tmux", "-L", self._socket, "-f", "/dev/null", *words]
        return subprocess.run(command, env=self._environment, capture_output=True, text=True, check=False).stdout

    # The keyboard

    def press(self, *keys: str) -> None:
        """Presses keys by tmux's names: ``Enter``, ``C-r``, ``Tab``, ``j``."""
        for key in keys:
            self._tmux("send-keys", "-t", "t", key)

    def type(self, text: str) -> None:
        """Types a text, as fast as it goes."""
        self._tmux("send-keys", "-t", "t", "-l", "--", text)

    def resize(self, width: int, height: int) -> None:
        self._tmux("resize-window", "-t", "t", "-x", str(width), "-y", str(height))

    def signal(self, number: int) -> None:
        """Sends a signal to the program alone, as a supervisor or a lost connection does."""
        os.kill(int((self._state / "pid").read_text()), number)

    # The screen

    def screen(self) -> str:
        return self._tmux("capture-pane", "-p", "-t", "t")

    def words(self) -> str:
        """The screen's text on one line, without frames and scrollbars."""
        return " ".join(re.sub("[\u2500-\u259f]", " ", self.screen()).split())

    def styled(self) -> str:
        """The screen with the sequences that colour it."""
        return self._tmux("capture-pane", "-p", "-e", "-t", "t")

    def scrollback(self) -> str:
        """The screen and all that has scrolled out of it; wrapped lines are joined."""
        return self._tmux("capture-pane", "-p", "-J", "-S", "-", "-t", "t")

    def buffer(self) -> str:
        """What was copied into the terminal multiplexer last."""
        return self._tmux("show-buffer")

    def flags(self) -> dict[str, str]:
        """What modes the terminal is in: whether the other screen is shown, the mouse tracked, the cursor visible."""
        names = ("alternate_on", "mouse_any_flag", "cursor_flag", "keypad_flag")
        said = self._tmux("display-message", "-p", "-t", "t", " ".join(f"#{{{name}}}" for name in names))
        return dict(zip(names, said.split(), strict=True))

    def wait(self, pattern: str, seconds: float = _SECONDS) -> str:
        """Waits until the screen matches; returns it. Fails with what it shows instead."""
        return self._until(lambda shown: re.search(pattern, shown) is not None, f"{pattern!r} to appear", seconds)

    def wait_gone(self, pattern: str, seconds: float = _SECONDS) -> str:
        return self._until(lambda shown: re.search(pattern, shown) is None, f"{pattern!r} to go", seconds)

    def _until(self, test: object, what: str, seconds: float) -> str:
        assert callable(test)
        deadline = time.monotonic() + seconds
        while not test(shown := self.screen()):
            if time.monotonic() > deadline:
                pytest.fail(f"waited {seconds:.0f} s for {what}; the screen shows:\n{shown}")
            time.sleep(_POLL)
        return shown

    # The end

    def status(self, seconds: float = _SECONDS) -> int:
        """Waits until the program has ended; returns its exit status."""
        deadline = time.monotonic() + seconds
        while not (self._state / "status").exists():
            if time.monotonic() > deadline:
                pytest.fail(f"still runs after {seconds:.0f} s; the screen shows:\n{self.screen()}")
            time.sleep(_POLL)
        return int((self._state / "status").read_text())

    def shell_works(self) -> bool:
        """Whether the shell that is left echoes what is typed, runs it, and draws on the first screen."""
        self.type("echo shell-$((40+2))-works")
        self.press("Enter")
        shown = self.wait(r"(?m)^(?:\$ )?shell-42-works")
        return "echo shell-$((40+2))-works" in shown and self.flags() == {
            "alternate_on": "0", "mouse_any_flag": "0", "cursor_flag": "1", "keypad_flag": "0",
        }  # fmt: skip
