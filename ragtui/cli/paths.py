"""``ragtui paths``: where things lie."""

from __future__ import annotations

from typing import Annotated

import typer


def command(
    name: Annotated[
        str | None, typer.Argument(help="Print this one alone, for scripts: config, state, store, …")
    ] = None,
) -> None:
    """Show where ragtui reads from and writes to."""
    from ragtui.cli._stop import could_not_run
    from ragtui.experiments.places import places
    from ragtui.text import cell
    from ragtui.workspace import Workspace, WorkspaceError

    try:
        found = places(Workspace.open("."))
    except (WorkspaceError, FileNotFoundError) as error:
        could_not_run(str(error))
    if name is not None:
        wanted = [each for each in found if each.name == name]
        if not wanted:
            could_not_run(f"there is no place {name!r}; there are {', '.join(each.name for each in found)}")
        typer.echo(cell(str(wanted[0].path)))
        return
    width = max(len(each.name) for each in found)
    for each in found:
        there = "" if each.path.exists() else " (not there yet)"
        typer.echo(f"{each.name:{width}}  {cell(str(each.path))}{there}: {each.holds}")
