"""``ragtui init``: makes a folder a workspace."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

_CONFIG = """\
# Settings of this workspace. Everything here can also be done in the app; `ragtui doctor` shows what is in force.

[groups.answers]
metrics = ["groundedness", "relevance", "f1"]
# thresholds = { f1 = 0.4 }

# A model as judge, used with --judge model. The key is read from the environment and never stored.
# [judges.model]
# model = "gpt-5-mini"
# base_url = "https://api.openai.com/v1"
# key_env = "OPENAI_API_KEY"
# requests_per_minute = 500
# price_in = 0.25   # USD per million tokens
# price_out = 2.0

# A system that answers, used with --candidate desk.
# [targets.desk]
# target = "http:https://desk.example/ask"

# [app]
# theme = "ragtui-light"
# mouse = true
"""
_IGNORED = "# Experiments, replies and labels of ragtui: made again by running, and kept out of version control.\n*\n"


def command(
    folder: Annotated[Path, typer.Argument(help="The folder; it is made if it is not there.")] = Path(),
) -> None:
    """Make a folder a workspace: a ragtui.toml to begin with, and state that version control leaves alone.

    Nothing that is there is changed; any folder works without it.
    """
    from ragtui.cli._stop import could_not_run
    from ragtui.text import cell
    from ragtui.workspace import CONFIG_NAME, STATE_NAME, write_atomically

    if folder.exists() and not folder.is_dir():
        could_not_run(f"{folder}: is a file; name a folder")
    made = []
    try:
        for name, content in ((CONFIG_NAME, _CONFIG), (f"{STATE_NAME}/.gitignore", _IGNORED)):
            if not (folder / name).exists():
                write_atomically(folder / name, content)
                made.append(name)
    except OSError as error:
        could_not_run(f"{error.filename or folder}: {error.strerror or error}")
    typer.echo(
        f"made {', '.join(made)} in {cell(str(folder))}" if made else f"{cell(str(folder))} is a workspace already"
    )
