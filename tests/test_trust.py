"""Code of a workspace runs only after the user has said yes to exactly this content, and no workspace can say it itself."""

from pathlib import Path

import pytest

from ragtui import trust
from ragtui.workspace import Workspace


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's own state folder, empty."""
    monkeypatch.setattr("platformdirs.user_state_path", lambda name: tmp_path / "home" / name)
    _forget(monkeypatch)
    return tmp_path / "home"


def _forget(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a new process: only what was written is known."""
    monkeypatch.setattr(trust, "_allowed_here", set())


def _workspace(root: Path, code: str = "def evaluate(session): return 1\n") -> tuple[Workspace, Path]:
    path = root / "metrics" / "length.py"
    path.parent.mkdir(parents=True)
    path.write_text(code)
    return Workspace.open(root), path


def test_nothing_is_trusted_until_the_user_says_so_and_then_for_good(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace, path = _workspace(tmp_path / "w")
    command = "command:python bot.py"
    assert trust.untrusted(workspace, [path, command, command]) == (path, command)
    trust.trust(workspace, path, command)
    _forget(monkeypatch)
    assert trust.is_trusted(workspace, path)
    assert trust.is_trusted(workspace, command)
    assert trust.untrusted(workspace, [path, command]) == ()
    assert not trust.is_trusted(workspace, command + " --other")


def test_changed_content_must_be_allowed_anew_and_the_old_one_is_still_known(tmp_path: Path, home: Path) -> None:
    workspace, path = _workspace(tmp_path / "w")
    trust.trust(workspace, path)
    before = path.read_text()
    path.write_text(before + "import os\n")
    assert not trust.is_trusted(workspace, path)
    path.write_text(before)
    assert trust.is_trusted(workspace, path)


def test_equal_content_elsewhere_is_other_code(tmp_path: Path, home: Path) -> None:
    mine, path = _workspace(tmp_path / "mine")
    theirs, copy = _workspace(tmp_path / "theirs")
    trust.trust(mine, path, "command:./bot")
    assert not trust.is_trusted(theirs, copy)
    assert not trust.is_trusted(theirs, "command:./bot")


def test_a_text_is_never_taken_for_a_file_of_that_content(tmp_path: Path, home: Path) -> None:
    workspace, path = _workspace(tmp_path / "w", "command:./bot")
    trust.trust(workspace, "command:./bot")
    assert not trust.is_trusted(workspace, path)


def test_nothing_is_written_in_the_workspace_and_the_list_can_be_read(tmp_path: Path, home: Path) -> None:
    workspace, path = _workspace(tmp_path / "w")
    trust.trust(workspace, path, "command:./bot\n0000 forged")
    assert sorted(each.name for each in workspace.root.iterdir()) == ["metrics"]
    lines = (home / "ragtui" / "trusted").read_text().splitlines()
    assert len(lines) == 2
    assert "metrics/length.py" in lines[0]


def test_a_missing_file_is_not_trusted(tmp_path: Path, home: Path) -> None:
    workspace = Workspace.open(tmp_path)
    trust.trust(workspace, tmp_path / "gone.py")
    assert not trust.is_trusted(workspace, tmp_path / "gone.py")


def test_it_holds_for_this_process_where_nothing_can_be_written(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace, path = _workspace(tmp_path / "w")
    home.write_text("a file where the folder should be")
    trust.trust(workspace, path)
    assert trust.is_trusted(workspace, path)
    _forget(monkeypatch)
    assert not trust.is_trusted(workspace, path)
