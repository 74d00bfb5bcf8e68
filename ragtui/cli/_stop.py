"""How a command ends that could not run: one clear line on standard error, status 2."""

from __future__ import annotations

from contextlib import suppress
from typing import NoReturn

import typer

COULD_NOT_RUN = 2


def could_not_run(message: str) -> NoReturn:
    say(message)
    raise typer.Exit(COULD_NOT_RUN)


def say(message: str) -> None:
    """One line on standard error, as far as that can be written at all."""
    from ragtui.text import cell

    with suppress(OSError):
        typer.echo(f"ragtui: {cell(message)}", err=True)
