"""The arrows between the floors, what each start may load, and the size and names of rooms."""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "ragtui"
MODULES = sorted(PACKAGE.rglob("*.py"))

HEAVY = ("polars", "numpy", "textual", "openai", "openpyxl", "xlsxwriter", "sacrebleu", "pydantic", "asyncio")
SCREEN = ("textual", "typer", "rich")
LONGEST = 420
VAGUE_NAMES = {"utils", "util", "helpers", "helper", "manager", "managers", "base", "common", "misc", "core"}


def lint_imports(root: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command as run; run()", "--no-cache"]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)


def loaded_by(*arguments: str) -> set[str]:
    """The top-level modules that a ``ragtui`` command line loads until it ends."""
    code = (
        "import json, sys\n"
        f"sys.argv = ['ragtui', *{list(arguments)!r}]\n"
        "from ragtui.__main__ import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print('\\n' + json.dumps(sorted(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return {name.partition(".")[0] for name in json.loads(done.stdout.splitlines()[-1])}


def test_imports_go_down_the_floors_only() -> None:
    done = lint_imports(ROOT)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("ragtui/datasets/dataset.py", "import ragtui.metrics.score"),
        ("ragtui/metrics/score.py", "import ragtui.experiments.plan"),
        ("ragtui/experiments/plan.py", "import textual"),
        ("ragtui/text.py", "import rich"),
    ],
)
def test_an_upward_import_is_noticed(tmp_path: Path, module: str, line: str) -> None:
    shutil.copytree(PACKAGE, tmp_path / "ragtui", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    path = tmp_path / module
    path.write_text(path.read_text("utf-8") + f"\n{line}\n", "utf-8")
    assert lint_imports(tmp_path).returncode == 1


@pytest.mark.parametrize(
    "module", [m for m in MODULES if m.relative_to(PACKAGE).parts[0] not in ("cli", "tui")], ids=str
)
def test_below_the_top_floor_no_file_names_the_screen(module: Path) -> None:
    names = re.compile(rf"^\s*(?:from|import)\s+(?:{'|'.join(SCREEN)})\b", re.MULTILINE)
    assert not names.search(module.read_text("utf-8"))


def test_help_loads_nothing_heavy() -> None:
    assert loaded_by("--help").isdisjoint(HEAVY)


def test_version_loads_nothing_heavy() -> None:
    assert loaded_by("--version").isdisjoint({*HEAVY, "rich"})


@pytest.mark.parametrize("command", ["check", "run", "show", "compare", "metrics", "rule", "demo"])
def test_help_of_each_command_loads_nothing_heavy(command: str) -> None:
    loaded = loaded_by(command, "--help")
    assert loaded.isdisjoint(HEAVY)


def test_commands_without_a_screen_do_not_load_one() -> None:
    assert "textual" not in loaded_by("check", "sample_data/cases.csv")
    assert "openai" not in loaded_by("check", "sample_data/cases.csv")


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_holds_one_idea(module: Path) -> None:
    """Longer than this is a sign that two ideas share a room."""
    assert len(module.read_text("utf-8").splitlines()) <= LONGEST


def test_names_say_what_is_inside() -> None:
    places = [path.relative_to(PACKAGE) for path in PACKAGE.rglob("*") if path.is_dir() or path.suffix == ".py"]
    assert [str(path) for path in places if path.stem in VAGUE_NAMES] == []


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_failure_is_swallowed(module: Path) -> None:
    broad = {"Exception", "BaseException"}
    for node in ast.walk(ast.parse(module.read_text("utf-8"))):
        if isinstance(node, ast.ExceptHandler) and all(isinstance(each, ast.Pass | ast.Continue) for each in node.body):
            assert isinstance(node.type, ast.Name | ast.Tuple | ast.Attribute), f"line {node.lineno}: bare except"
            assert not (isinstance(node.type, ast.Name) and node.type.id in broad), f"line {node.lineno}"
