"""What is in the wheel, and that the demo runs from the wheel alone, in any folder."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

pytestmark = [
    pytest.mark.skipif(importlib.util.find_spec("hatchling") is None, reason="hatchling is not installed"),
    pytest.mark.xdist_group("packaging"),
]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (built,) = out.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def unpacked(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("installed")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(place)
    return place


def run_from_wheel(
    unpacked: Path, *arguments: str, cwd: str | Path = "/", home: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs the unpacked package, not the checkout, with the dependencies of this environment."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("XDG_")}
    environment |= {"PYTHONPATH": str(unpacked), "PYTHONSAFEPATH": "1"}
    if home is not None:
        environment["HOME"] = str(home)
    command = [sys.executable, "-m", "ragtui", *arguments]
    return subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
    )


def test_the_wheel_carries_every_sample_and_theme_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    listed = subprocess.run(
        ["git", "ls-files", "-z", "sample_data", "themes"], cwd=ROOT, capture_output=True, check=True
    )
    wanted = {f"ragtui/{name}" for name in listed.stdout.decode().split("\0") if name}
    assert len(wanted) > 30
    assert wanted <= names
    extra = {name for name in names - wanted if not name.startswith("ragtui/")}
    assert extra == set()
    assert not [name for name in names if ".ragtui/" in name or "__pycache__" in name]


def test_the_package_is_found_in_the_wheel_not_in_the_checkout(unpacked: Path) -> None:
    code = "from ragtui.workspace import bundled; print(bundled('sample_data')); print(bundled('themes'))"
    environment = {**os.environ, "PYTHONPATH": str(unpacked), "PYTHONSAFEPATH": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd="/", env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == [str(unpacked / "ragtui" / "sample_data"), str(unpacked / "ragtui" / "themes")]


def test_the_demo_runs_from_the_wheel_and_leaves_no_trace_where_it_is_called(unpacked: Path, tmp_path: Path) -> None:
    home, here = tmp_path / "home", tmp_path / "here"
    home.mkdir()
    here.mkdir()
    before = {path: path.stat().st_mtime_ns for path in unpacked.rglob("*") if "__pycache__" not in path.parts}
    done = run_from_wheel(unpacked, "demo", cwd=here, home=home)
    assert done.returncode == 0, done.stderr
    assert "groundedness" in done.stdout
    assert list(here.iterdir()) == []
    after = {path: path.stat().st_mtime_ns for path in unpacked.rglob("*") if "__pycache__" not in path.parts}
    assert set(after) == set(before)
