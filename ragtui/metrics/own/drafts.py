"""What is being written in an editor: kept in ``.ragtui/drafts/`` until it is saved, so that a slip loses nothing."""

from __future__ import annotations

from pathlib import Path

from ragtui.workspace import Workspace, write_atomically


def draft(workspace: Workspace, name: str, ending: str, text: str) -> Path:
    """The file to edit: an earlier draft that could not be saved, else a new one with ``text``.

    Raises:
        OSError: it cannot be written.
    """
    path = _place(workspace, name, ending)
    if not path.exists():
        write_atomically(path, text.encode("utf-8", "surrogatepass"))
    return path


def forget(workspace: Workspace, name: str) -> None:
    """Drops the drafts of a metric that was saved."""
    for ending in (".py", ".toml"):
        _place(workspace, name, ending).unlink(missing_ok=True)


def _place(workspace: Workspace, name: str, ending: str) -> Path:
    return workspace.state / "drafts" / f"{name}{ending}"
