"""Other terminals than the best one: few colours, none, small ones, ones that change their size, ones that cannot draw."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.e2e.terminal import RAGTUI, ROOT, Terminal, needs_tmux

pytestmark = needs_tmux

_COLOURS = re.compile(r"\x1b\[(?:[\d;]*;)?(?:3[0-7]|4[0-7]|9[0-7]|10[0-7]|[34]8[;:])")
_MANY_COLOURS = re.compile(r"[34]8[;:][25]")


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    shutil.copytree(ROOT / "sample_data", folder, ignore=shutil.ignore_patterns(".ragtui"))
    return folder


def walk(app: Terminal) -> str:
    """Datasets, a finding, its rule, the keys, the palette, another pane; returns what the first screen looked like."""
    app.wait("9 datasets")
    app.wait(r"\d✗")
    first = app.styled()
    app.press("/")
    app.type("answers")
    app.press("Enter")
    app.wait("found: answers")
    app.press("?")
    app.wait("keys that work here")
    app.press("Escape")
    app.wait_gone("keys that work here")
    app.press("C-p")
    app.wait("every action here")
    app.type("metric groups")
    app.press("Enter")
    app.wait("support-quality · 8 metrics")
    return first


TERMS = {
    "true colour": ("xterm-256color", {"COLORTERM": "truecolor"}),
    "256 colours": ("screen-256color", {}),
    "16 colours": ("xterm", {}),
    "screen": ("screen", {}),
    "linux": ("linux", {}),
    "no colour": ("tmux-256color", {"NO_COLOR": "1", "COLORTERM": "truecolor"}),
}


@pytest.mark.parametrize("name", TERMS)
def test_a_walk_works_on_every_terminal(desk: Path, name: str) -> None:
    term, environment = TERMS[name]
    with Terminal(
        [*RAGTUI, "broken", "support-desk"], cwd=desk, home=desk.parent / "home", term=term, environment=environment
    ) as app:
        first = walk(app)
        app.press("q")
        assert app.status() == 0
        assert app.shell_works()
    if name == "no colour":
        assert _COLOURS.findall(first) == []
        assert "\x1b[" in first  # what matters is bold, underlined or reversed instead
    else:
        assert _COLOURS.search(first)
        assert bool(_MANY_COLOURS.search(first)) == (name in ("true colour", "256 colours"))


def test_the_screen_follows_its_size(desk: Path) -> None:
    with Terminal([*RAGTUI, "support-desk"], cwd=desk, home=desk.parent / "home", size=(160, 40)) as app:
        app.wait("3 datasets")
        app.wait("Columns and roles")  # beside the list where there is room
        app.resize(60, 24)
        app.wait_gone("Columns and roles")
        narrow = app.wait("answers_v1")
        assert max(map(len, narrow.splitlines())) <= 60
        app.press("j")
        app.wait("2 of 3")
        app.resize(200, 50)
        app.wait("Columns and roles")
        wide = app.wait(r"(?m)^.{181,}")
        assert len(wide.splitlines()) == 50
        app.press("k")
        app.wait("1 of 3")
        app.press("q")
        assert app.status() == 0


def test_stale_size_variables_do_not_freeze_the_screen(desk: Path) -> None:
    stale = {"COLUMNS": "80", "LINES": "24"}
    with Terminal(
        [*RAGTUI, "support-desk"], cwd=desk, home=desk.parent / "home", size=(120, 30), environment=stale
    ) as app:
        app.wait("3 datasets")
        assert max(map(len, app.screen().splitlines())) > 110


@pytest.mark.parametrize("term", ["dumb", ""])
def test_a_terminal_that_cannot_draw_is_told_what_to_use(desk: Path, term: str) -> None:
    with Terminal([*RAGTUI, "support-desk"], cwd=desk, home=desk.parent / "home", term=term) as app:
        assert app.status() == 2
        said = app.scrollback()
        assert "cannot draw a screen" in said
        assert "ragtui check PATH" in said
        assert "ragtui show EXPERIMENT" in said
