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

from ragtui.cli import command_names

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
        ("ragtui/experiments/plan.py", "import ragtui.tui.app"),
        ("ragtui/experiments/plan.py", "import textual"),
        ("ragtui/text.py", "import rich"),
    ],
)
def test_an_upward_import_is_noticed(tmp_path: Path, module: str, line: str) -> None:
    shutil.copytree(PACKAGE, tmp_path / "ragtui", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    path = tmp_path / module
    path.write_text(path.read_text("utf-8") + f"\n{line}\n", "utf-8")
    done = lint_imports(tmp_path)
    assert done.returncode == 1
    assert "BROKEN" in done.stdout
    assert module.removesuffix(".py").replace("/", ".") in done.stdout


def test_below_the_top_floor_no_file_names_the_screen() -> None:
    imports = re.compile(rf"^\s*(?:from|import)\s+(?:{'|'.join(SCREEN)})\b", re.MULTILINE)
    below = [module for module in MODULES if module.relative_to(PACKAGE).parts[0] not in ("cli", "tui")]
    assert [named(module) for module in below if imports.search(module.read_text("utf-8"))] == []


def test_help_and_version_load_nothing_heavy() -> None:
    assert loaded_by("--help").isdisjoint(HEAVY)
    assert loaded_by("--version").isdisjoint({*HEAVY, "rich"})


@pytest.mark.parametrize("command", command_names())
def test_help_of_each_command_loads_nothing_heavy(command: str) -> None:
    assert loaded_by(command, "--help").isdisjoint(HEAVY)


def test_a_check_loads_neither_the_screen_nor_a_judge() -> None:
    assert loaded_by("check", "sample_data/cases.csv").isdisjoint({"textual", "openai"})


def test_a_module_holds_one_idea() -> None:
    lengths = {named(module): len(module.read_text("utf-8").splitlines()) for module in MODULES}
    assert {name: lines for name, lines in lengths.items() if lines > LONGEST} == {}


def test_names_say_what_is_inside() -> None:
    places = [path for path in PACKAGE.rglob("*") if path.is_dir() or path.suffix == ".py"]
    assert [named(path) for path in places if path.stem in VAGUE_NAMES] == []


def test_no_failure_is_swallowed() -> None:
    handlers = [
        (f"{named(module)}:{node.lineno}", node)
        for module in MODULES
        for node in ast.walk(ast.parse(module.read_text("utf-8")))
        if isinstance(node, ast.ExceptHandler)
    ]
    silent = [
        place
        for place, node in handlers
        if is_broad(node) and all(isinstance(e, ast.Pass | ast.Continue) for e in node.body)
    ]
    assert silent == []


def is_broad(handler: ast.ExceptHandler) -> bool:
    return handler.type is None or (
        isinstance(handler.type, ast.Name) and handler.type.id in ("Exception", "BaseException")
    )


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))
