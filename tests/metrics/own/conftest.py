from __future__ import annotations

from pathlib import Path

import pytest

from ragtui import trust
from ragtui.workspace import Workspace


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A workspace, and an empty place where what the user allows is remembered."""
    monkeypatch.setattr("platformdirs.user_state_path", lambda name: tmp_path / "home" / name)
    monkeypatch.setattr(trust, "_allowed_here", set())
    (tmp_path / "w" / "metrics").mkdir(parents=True)
    return Workspace.open(tmp_path / "w")
