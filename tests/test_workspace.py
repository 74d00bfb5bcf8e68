"""Where things lie: a folder becomes a workspace only when something is saved, and what the user wrote there is kept."""

import os
import stat
from pathlib import Path

import pytest

from ragtui.workspace import Workspace, WorkspaceError, bundled, write_atomically


def test_opening_any_folder_writes_nothing(tmp_path: Path) -> None:
    workspace = Workspace.open(tmp_path)
    assert workspace.root == tmp_path
    assert workspace.table("groups") == {}
    assert list(tmp_path.iterdir()) == []


def test_the_nearest_workspace_upwards_is_found(tmp_path: Path) -> None:
    (tmp_path / "ragtui.toml").write_text("[groups.a]\nmetrics = ['f1']\n")
    inner = tmp_path / "data" / "deep"
    inner.mkdir(parents=True)
    (inner / "x.csv").write_text("q\n")
    assert Workspace.open(inner / "x.csv").root == tmp_path


def test_saving_keeps_the_comments_of_the_user(tmp_path: Path) -> None:
    (tmp_path / "ragtui.toml").write_text("# mine\n[groups.a]\nmetrics = ['f1'] # why\n")
    workspace = Workspace.open(tmp_path).save("groups", "b", value={"metrics": ["nDCG@10"]})
    text = workspace.config_path.read_text()
    assert "# mine" in text
    assert "# why" in text
    assert workspace.table("groups", "b") == {"metrics": ["nDCG@10"]}
    assert "b" not in workspace.save("groups", "b", value=None).table("groups")


def test_a_broken_config_is_one_line_that_names_the_file(tmp_path: Path) -> None:
    (tmp_path / "ragtui.toml").write_text("[groups\n")
    with pytest.raises(WorkspaceError, match=r"ragtui\.toml: not valid TOML: .*line 1"):
        Workspace.open(tmp_path)


def test_an_interrupted_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text("old")
    with pytest.raises(UnicodeEncodeError):
        write_atomically(path, "\ud800")
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["x"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    write_atomically(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


def test_what_is_no_file_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_atomically(pipe, "said")
    assert os.read(reader, 100) == b"said"
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    os.close(reader)


@pytest.mark.parametrize("name", [".", "..", "folder"])
def test_a_folder_is_not_written_over(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(IsADirectoryError):
        write_atomically(tmp_path / "folder" / name if name != "folder" else tmp_path / name, "x")
    assert list((tmp_path / "folder").iterdir()) == []


@pytest.mark.parametrize("name", ["themes", "sample_data"])
def test_the_bundled_folders_are_found(name: str) -> None:
    assert bundled(name).is_dir()


def test_a_missing_bundled_folder_says_what_to_do() -> None:
    with pytest.raises(FileNotFoundError, match="install ragtui again"):
        bundled("nothing")


def test_what_a_table_cannot_stand_in_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "ragtui.toml").write_text("datasets = 3\n")
    with pytest.raises(OSError, match="datasets must be a table"):
        Workspace.open(tmp_path).save("datasets", "a.csv", value={"roles": {"a": "input"}})
    assert (tmp_path / "ragtui.toml").read_text() == "datasets = 3\n"


def test_links_in_a_circle_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "loop.md").symlink_to("loop.md")
    with pytest.raises(OSError, match="symbolic links"):
        write_atomically(tmp_path / "loop.md", "text")
