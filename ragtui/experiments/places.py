"""Where ragtui reads from and writes to, on this machine and for this workspace."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ragtui.experiments import database
from ragtui.workspace import Workspace, bundled


@dataclass(frozen=True, slots=True)
class Place:
    """A file or folder by what it is for; it may not exist yet."""

    name: str
    path: Path
    holds: str


def places(workspace: Workspace) -> list[Place]:
    """Every place, the workspace's first, then the user's, then what is shipped."""
    from platformdirs import user_config_path, user_state_path

    root, state = workspace.root, workspace.state
    return [
        Place("workspace", root, "the folder everything is relative to"),
        Place("config", workspace.config_path, "Metric Groups, judges, targets, keys, the app's settings"),
        Place("metrics", root / "metrics", "metrics of your own"),
        Place("setups", root / "setups", "setup scripts"),
        Place("state", state, "all that runs leave behind; delete it and no experiment is left"),
        Place("store", state / database.FILE_NAME, "experiments, scores, replies, labels"),
        Place("experiments", state / "experiments", "finished experiments as Parquet files"),
        Place("shards", state / "shards", "the stores of shards, until they are merged"),
        Place("themes", user_config_path("ragtui") / "themes", "themes of your own"),
        Place("user-state", user_state_path("ragtui"), "which code you allow to run; what was copied last"),
        Place("sample-data", bundled("sample_data"), "the sample that comes with ragtui"),
        Place("shipped-themes", bundled("themes"), "the themes that come with ragtui"),
    ]
