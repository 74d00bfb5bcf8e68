"""Where a target's file lies, and which of several near names was meant."""

from __future__ import annotations

import difflib
from pathlib import Path

from ragtui.datasets.dataset import Dataset
from ragtui.targets.target import TargetError
from ragtui.workspace import Workspace


def find_file(name: str, dataset: Dataset, workspace: Workspace, what: str) -> Path:
    """The file a user named: as typed, in the workspace, or beside the dataset.

    Raises:
        TargetError: it is not there; the message names the nearest that is.
    """
    beside = dataset.location if dataset.location.is_dir() else dataset.location.parent
    for folder in (Path(), workspace.root, beside):
        if (folder / name).is_file():
            return folder / name
    there = sorted({path.name for folder in (workspace.root, beside) for path in folder.glob("*") if path.is_file()})
    near = difflib.get_close_matches(Path(name).name, there, n=1)
    raise TargetError(f"{what} {name!r} is not there" + (f"; did you mean {near[0]}?" if near else ""))
