"""``ragtui doctor``: versions, terminal, places, settings with the file each came from, and what is wrong with them."""

from __future__ import annotations

from typing import Annotated

import typer


def command(
    json_: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Show versions, terminal, places and settings, and what is wrong with them.

    No key or password is among them, so that it can be sent with a report. Status: 0 all well, 1 something is wrong, 2 could not run.
    """
    import json
    import os
    import sys
    from dataclasses import asdict

    from ragtui.cli._stop import could_not_run
    from ragtui.experiments.doctor import examine
    from ragtui.text import cell
    from ragtui.tui.actions import read_keymap
    from ragtui.workspace import Workspace, WorkspaceError

    try:
        size = os.get_terminal_size(sys.stdout.fileno()) if sys.stdout.isatty() else None
        workspace = Workspace.open(".")
        wrong_keys = [each.removeprefix("keys: ") for each in read_keymap(workspace.table("keys"))[1]]
        facts = examine(workspace, None if size is None else (size.columns, size.lines), wrong_keys)
    except (WorkspaceError, FileNotFoundError) as error:
        could_not_run(str(error))
    wrong = [each for each in facts if each.problem]
    if json_:
        typer.echo(
            json.dumps({"version": 1, "facts": [asdict(each) for each in facts], "problems": len(wrong)}, indent=1)
        )
        raise typer.Exit(1 if wrong else 0)
    topic = ""
    width = max(len(each.name) for each in facts if len(each.name) < 32)
    for each in facts:
        if each.topic != topic:
            topic = each.topic
            typer.echo(f"\n{topic}" if each is not facts[0] else topic)
        origin = f"  ({cell(each.origin)})" if each.origin else ""
        typer.echo(f"  {cell(each.name):{width}}  {cell(each.value)}{origin}".rstrip())
        if each.problem:
            typer.echo(f"  {'':{width}}  ! {cell(each.problem)}")
    told = f"{len(wrong)} {'thing is' if len(wrong) == 1 else 'things are'} wrong" if wrong else "all is well"
    typer.echo(f"\n{told}")
    if wrong:
        raise typer.Exit(1)
