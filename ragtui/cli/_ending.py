"""How a command line ends: its status, and for whatever keeps it from its work one clear line on standard error."""

from __future__ import annotations

import errno
import gc
import os
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import typer

from ragtui.cli import _streams
from ragtui.cli._stop import COULD_NOT_RUN, say

INTERRUPTED: Final = 130
READER_GONE: Final = 141  # as the shell says it of a program that wrote to a closed pipe
TRACEBACK: Final = "RAGTUI_TRACEBACK"

_LOOP: Final = "Symlink loop from "
_NOT_AS_TYPED: Final[type[Exception]] = typer.BadParameter.__mro__[2]  # Click's ClickException


def status_of(work: Callable[[], object]) -> int:
    """Does ``work`` and returns the status that the process ends with; nothing but ``SystemExit`` gets past it.

    A fault of ragtui itself is told in one line as well, with its place; it must not look like a gate that failed.
    """
    try:
        status = _done(work)
        _streams.flushed()
    except BrokenPipeError:
        status = READER_GONE
    except OSError as error:
        say(f"standard output cannot be written: {error.strerror or error}")
        status = COULD_NOT_RUN
    _streams.abandon()
    gc.freeze()  # all of it ends now: to look through a million records for garbage takes longer than the rest of the exit
    return status


def _done(work: Callable[[], object]) -> int:
    try:
        work()
    except typer.Exit as ended:
        return int(ended.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except _NOT_AS_TYPED as error:
        return _not_as_typed(error)
    except BrokenPipeError:
        raise
    except BaseException as error:
        if isinstance(error, SystemExit):
            raise
        return _fault(error)
    return 0


def _not_as_typed(error: Any) -> int:
    """A wrong option or argument: its fault and where the right ones are told, in one line."""
    said = str(error.format_message()).rstrip(".")
    context = getattr(error, "ctx", None)
    if "\n" in said or not said:
        error.show()  # the help of a command that has only commands of its own
    else:
        say(f"{said[:1].lower()}{said[1:]}" + (f" ({context.command_path} -h tells more)" if context else ""))
    return int(error.exit_code)


def _fault(error: BaseException) -> int:
    if os.environ.get(TRACEBACK):
        traceback.print_exception(error)
    place = traceback.extract_tb(error.__traceback__)[-1:]
    where = f" in {Path(place[0].filename).name}:{place[0].lineno}" if place else ""
    if type(error).__module__.startswith("ragtui."):
        say(str(error))  # ragtui's own errors are one line with the remedy
    elif isinstance(error, RuntimeError) and str(error).startswith(_LOOP):  # pathlib's, up to Python 3.12
        say(f"{str(error).removeprefix(_LOOP).strip(chr(39))}: too many levels of symbolic links")
    elif isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EIO, errno.EDQUOT) and not error.filename:
        say(f"the output cannot be written: {error.strerror}")
    elif isinstance(error, OSError) and error.filename:
        say(f"{error.filename}: {error.strerror or error}")
    else:
        what = f"{type(error).__name__}: {error}".rstrip(": ")
        say(f"an unexpected fault{where}: {what}; {TRACEBACK}=1 shows it whole")
    return COULD_NOT_RUN
