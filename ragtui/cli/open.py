"""``ragtui [PATH]...``: the app."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from typing import Annotated

import typer


def command(
    paths: Annotated[
        list[str] | None,
        typer.Argument(help="Datasets, result files or folders; else the workspace around this folder."),
    ] = None,
    mouse: Annotated[bool, typer.Option("--mouse", help="Let the app use the mouse.")] = False,
    demo: Annotated[bool, typer.Option("--demo", hidden=True)] = False,
) -> None:
    """Open the app on datasets, result files or folders."""
    from ragtui.cli import command_names
    from ragtui.cli._stop import could_not_run

    given = list(paths or [])
    for path in given:
        if not any(Path(part).exists() for part in (path, *_before_sheets(path))):
            near = get_close_matches(path, command_names(), 1)
            hint = (
                f", nor a command; did you mean {near[0]!r}?" if near else ", nor a command (ragtui --help lists them)"
            )
            could_not_run(f"{path}: no such file or folder{hint}")
    from ragtui.tui.app import run_app

    run_app(given, demo=demo, mouse=mouse)


def _before_sheets(path: str) -> list[str]:
    """What may be the workbook in ``book.xlsx#Sheet``; either name may hold the sign."""
    return [path[:place] for place, letter in enumerate(path) if letter == "#" and Path(path[:place]).is_file()]
