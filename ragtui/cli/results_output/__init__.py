"""Results as print: the overview, the worst rows, the list of experiments, the preflight. Plain text when piped."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from rich.console import Console

PIPED_WIDTH: Final = 180


def console(stderr: bool = False) -> Console:
    """A console that takes text as it is: no markup, no highlighting, no emoji codes; wide and plain when piped."""
    from rich.console import Console as RichConsole

    class Console(RichConsole):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # Rich would end the process with 1, which says that a gate failed

    stream = sys.stderr if stderr else sys.stdout
    piped = not stream.isatty()
    forced = bool(os.environ.get("FORCE_COLOR")) and "NO_COLOR" not in os.environ
    return Console(
        file=stream,
        markup=False,
        highlight=False,
        emoji=False,
        soft_wrap=False,
        width=PIPED_WIDTH if piped else None,
        force_terminal=True if piped and forced else None,
    )
