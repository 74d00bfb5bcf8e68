"""What the README says is so."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from ragtui.cli import app, command_names
from ragtui.datasets.formats import formats
from ragtui.metrics.registry import resolve
from ragtui.tui.actions import ACTIONS

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
CODE = re.findall(r"^    (.+)$", README, re.MULTILINE)
COMMANDS = [line.partition("  #")[0].strip() for line in CODE if line.startswith(("ragtui ", "- run: ragtui "))]

TRY = "python3 -m venv .venv && .venv/bin/pip install -q . && .venv/bin/ragtui demo"
TEST = "python3 -m venv .venv && .venv/bin/pip install -q -e '.[test]' && .venv/bin/pytest -q"


def section(title: str) -> str:
    return README.split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]


def in_code_font(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


@cache
def help_of(command: str) -> str:
    line = [sys.executable, "-m", "ragtui", *command.split(), "--help"]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, command
    return done.stdout


def test_it_opens_with_what_it_is_a_picture_and_the_two_commands() -> None:
    opening = README.split("\n## ", 1)[0]
    assert opening.index("terminal application") < opening.index("](docs/results.svg)") < opening.index(TRY)
    assert [line for line in CODE if line.startswith("python3 -m venv")] == [TRY, TEST]


def test_everything_it_links_to_is_there() -> None:
    links = re.findall(r"\]\(([^)#]+)\)", README)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


@pytest.mark.parametrize("line", COMMANDS)
def test_every_command_line_has_only_commands_and_options_that_exist(line: str) -> None:
    words = shlex.split(line.removeprefix("- run: "))[1:]
    if words[0] not in command_names():
        assert words == ["data/"], "the app on a folder"
        return
    options = [word for word in words[1:] if word.startswith("--")]
    nested = len(words) > 1 and re.search(rf"^  {re.escape(words[1])}  ", help_of(words[0]), re.MULTILINE)
    known = help_of(f"{words[0]} {words[1]}" if nested else words[0])
    assert [option for option in options if option not in known] == []


@pytest.mark.parametrize(("title", "command"), [("Check", "check"), ("Run", "run"), ("The app", "open")])
def test_every_option_spoken_of_exists(title: str, command: str) -> None:
    options = {word for code in in_code_font(section(title)) for word in re.findall(r"(--[a-z-]+)", code)}
    assert options
    assert {option for option in options if option not in help_of(command)} == set()


def test_every_command_spoken_of_exists() -> None:
    named = {code.split()[1] for code in in_code_font(README) if code.startswith("ragtui ") and "PATH" not in code}
    assert len(named) >= 8
    assert named <= set(command_names())


def test_the_findings_shown_are_those_that_are_printed() -> None:
    block = re.search(r"    \$ ragtui (check .+)\n((?:    .+\n)+)", README)
    assert block is not None
    command = [sys.executable, "-m", "ragtui", *shlex.split(block[1])]
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout.splitlines()
    shown = [line.strip() for line in block[2].splitlines()]
    cut = shown.index("…")
    assert shown[:cut] == printed[:cut]
    assert shown[cut + 1 :] == printed[-2:]


def test_every_format_named_exists() -> None:
    first_cells = re.findall(r"^\| (`.+?) \|", section("Formats"), re.MULTILINE)
    named = [code for cell in first_cells for code in in_code_font(cell)]
    assert len(named) >= 7
    assert set(named) <= set(formats())


def test_every_metric_named_exists() -> None:
    cells = re.findall(r"^\| [^|]+ \| (`.+?) \|", section("Metrics"), re.MULTILINE)
    named = [code for cell in cells for code in in_code_font(cell)]
    assert len(named) >= 30
    for name in named:
        assert resolve(name)


def test_the_group_shown_can_be_used(tmp_path: Path) -> None:
    from ragtui.metrics.groups import load_group
    from ragtui.workspace import Workspace

    toml = re.search(r"((?:    .+\n)*    \[groups\.answers\]\n(?:    .+\n)+)", README)
    assert toml is not None
    (tmp_path / "ragtui.toml").write_text(re.sub(r"^    ", "", toml[1], flags=re.MULTILINE))
    assert len(load_group(Workspace.open(tmp_path), "answers").metrics) == 3


def test_every_key_means_something() -> None:
    bound = {key for action in ACTIONS for key in action.keys.split(",")}
    words = {"enter": "enter", "esc": "escape"}
    cells = re.findall(r"^\| (`.+?) \|", section("The app"), re.MULTILINE)
    keys = [words.get(code, code).replace("\\|", "|") for cell in cells for code in in_code_font(cell)]
    assert len(keys) > 25
    assert [key for key in keys if key not in bound] == []


def test_every_place_to_add_to_exists() -> None:
    places = re.findall(r"^\| \w[\w ]+ \| `([^`]+)`", section("Adding to it"), re.MULTILINE)
    assert len(places) == 8
    assert [place for place in places if not (ROOT / place).is_dir()] == []


@pytest.mark.parametrize("line", [code for code in CODE if code.startswith("ragtui run cases.jsonl ")])
def test_the_runs_of_the_tour_run_on_the_sample(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    desk = ROOT / "sample_data" / "support-desk"
    for copy, original in {"cases": "support", "v1": "answers_v1", "v2": "answers_v2"}.items():
        shutil.copy(desk / f"{original}.jsonl", tmp_path / f"{copy}.jsonl")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    asks = "openai:" in line  # of such a run only the plan: nothing leaves this machine
    with pytest.raises(SystemExit) as ended:
        app([*line.split("  #")[0].split()[1:], "--limit", "9", *(["--plan"] if asks else [])])
    said = capsys.readouterr().out
    assert ended.value.code in (0, 1) if "--fail-if-worse" in line else ended.value.code == 0
    assert "groundedness" in said
    assert "f1" in said
    assert asks or "(9/9)" in said
