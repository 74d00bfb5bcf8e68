"""How a command ends that could not run: one clear line on standard error, status 2."""

from __future__ import annotations

from typing import NoReturn

import typer

COULD_NOT_RUN = 2


def could_not_run(message: str) -> NoReturn:
    from ragtui.text import cell

    typer.echo(f"ragtui: {cell(message)}", err=True)
    raise typer.Exit(COULD_NOT_RUN)
