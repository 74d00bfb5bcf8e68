"""What leaves the app: the clipboard, the user's editor, the pager. Each says what it really did."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from textual.widget import Widget

from ragtui.text import block
from ragtui.tui import clipboard
from ragtui.tui.performing import tell


def copy(widget: Widget, text: str, what: str = "") -> None:
    """Copies a text whole, unchanged, and says which way it went."""
    driver = widget.app._driver  # the only way to send a terminal a sequence of one's own
    try:
        done = clipboard.copy(text, copied_file(), driver.write if driver is not None else lambda _: None)
    except OSError as error:
        tell(widget, f"could not copy: {error}", "error")
        return
    tell(widget, done.message, title=f"copy: {what}" if what else "copy")


def copied_file() -> Path:
    """Where a copy lands that no clipboard takes."""
    from platformdirs import user_state_path

    return user_state_path("ragtui") / "last-copy.txt"


def edit(widget: Widget, path: Path, line: int = 0) -> None:
    """Opens a file in ``$VISUAL`` or ``$EDITOR`` and comes back when it is closed."""
    words = shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi")
    if line and Path(words[0]).name in ("vi", "vim", "nvim", "nano", "emacs", "kak", "micro", "view"):
        words.append(f"+{line}")
    _run(widget, [*words, str(path)])


def edit_text(widget: Widget, text: str, name: str) -> None:
    """Opens a text in the editor, as a file of its own; what is changed there goes nowhere."""
    with tempfile.TemporaryDirectory(prefix="ragtui-") as folder:
        path = Path(folder) / name
        path.write_text(text, "utf-8", errors="replace")
        edit(widget, path)


def page(widget: Widget, text: str) -> None:
    """Shows a text in ``$PAGER``, made safe for the terminal."""
    words = shlex.split(os.environ.get("PAGER") or ("less" if shutil.which("less") else "more"))
    _run(widget, words, block(text))


def _run(widget: Widget, words: list[str], text: str | None = None) -> None:
    if shutil.which(words[0]) is None:
        tell(widget, f"{words[0]} is not on this machine; set $EDITOR or $PAGER", "error")
        return
    with widget.app.suspend():
        data = None if text is None else text.encode("utf-8", "replace")
        done = subprocess.run(words, input=data, check=False)
        sys.stdout.flush()
    widget.app.refresh()
    if done.returncode:
        tell(widget, f"{words[0]} ended with status {done.returncode}", "warning")
