"""The frame around the panes: starting, the bars, palette, help, commands, themes, going back, leaving."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from textual.events import Key

from ragtui.tui.app import RagtuiApp
from ragtui.tui.workbench import Workbench
from ragtui.workspace import Workspace, bundled
from tests.tui.driving import NARROW, WIDE, lines_of, press, running, screen_text, settled, shows, type_text
from tests.tui.making import write_experiment

SAMPLE = str(bundled("sample_data") / "cases.csv")


async def test_an_empty_folder_says_in_four_lines_what_to_do(tmp_path: Path) -> None:
    for size in (NARROW, WIDE):
        async with running(tmp_path, size=size) as (app, _):
            lines = [line.strip("│╭╮╰╯ ") for line in lines_of(app)]
            start = lines.index("Nothing is open here yet.")
            said = lines[start : start + 4]
            assert said[1].startswith("press d for the demo")
            assert said[2].startswith("press a to open a file")
            assert said[3].startswith("press ? for the keys")
            assert not any(lines[start + 4 :][:6])


async def test_the_demo_says_that_it_is_being_set_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = threading.Event()

    def refused(*_: object) -> str:
        shown.wait(10)
        raise OSError("no space left")

    monkeypatch.setattr(Workbench, "open_demo", refused)
    async with running(tmp_path) as (app, pilot):
        await pilot.press("d")
        await shows(app, pilot, "The demo is being set up")
        shown.set()
        await shows(app, pilot, "Nothing is open here yet.")


async def test_looking_around_writes_nothing(tmp_path: Path) -> None:
    async with running(tmp_path, experiment="nosuch") as (app, pilot):
        await press(app, pilot, "2", "3", "4", "1")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("key", "title"), [("1", "Datasets"), ("2", "Metric Groups"), ("3", "Experiments"), ("4", "Results")]
)
async def test_each_pane_has_one_key(tmp_path: Path, key: str, title: str) -> None:
    async with running(tmp_path) as (app, pilot):
        await press(app, pilot, key)
        assert f"› {title}" in lines_of(app)[1]


async def test_the_breadcrumb_line_counts_what_there_is(tmp_path: Path) -> None:
    write_experiment(tmp_path)
    (tmp_path / "ragtui.toml").write_text('[groups.answers]\nmetrics = ["groundedness", "f1"]\n')
    async with running(tmp_path, SAMPLE) as (app, pilot):
        line = await shows(app, pilot, "1 dataset · 1 group · 2 metrics · 1 experiment")
        assert line.splitlines()[1].strip().startswith(tmp_path.name)


async def test_escape_goes_back_one_step_at_a_time(tmp_path: Path) -> None:
    experiment = write_experiment(tmp_path)
    async with running(tmp_path, experiment=experiment) as (app, pilot):
        await press(app, pilot, "enter")
        assert app.screen is not app.main
        await press(app, pilot, "escape")
        assert app.screen is app.main
        assert "› Results ›" in lines_of(app)[1]
        await press(app, pilot, "escape")
        assert "› Datasets" in lines_of(app)[1]


async def test_a_part_can_have_the_whole_screen(tmp_path: Path) -> None:
    async with running(tmp_path, SAMPLE, size=NARROW) as (app, pilot):
        assert "findings" in screen_text(app)
        await press(app, pilot, "z")
        assert "─ findings" not in screen_text(app)
        await press(app, pilot, "escape")
        assert "─ findings" in screen_text(app)


async def test_help_lists_the_keys_that_work_here_and_runs_what_is_chosen(tmp_path: Path) -> None:
    async with running(tmp_path, SAMPLE) as (app, pilot):
        await press(app, pilot, "question_mark")
        shown = screen_text(app)
        assert "First row" in shown
        assert "Next failing case" not in shown
        await type_text(app, pilot, "go to metric")
        await press(app, pilot, "enter")
        assert "› Metric Groups" in lines_of(app)[1]


async def test_the_palette_says_why_something_cannot_be_done_now(tmp_path: Path) -> None:
    async with running(tmp_path) as (app, pilot):
        await press(app, pilot, "3", "ctrl+p")
        await type_text(app, pilot, "new experiment")
        assert "open a dataset first" in screen_text(app)


async def test_a_command_is_run_by_its_name_with_its_argument(tmp_path: Path) -> None:
    async with running(tmp_path) as (app, pilot):
        await press(app, pilot, "colon")
        await type_text(app, pilot, "theme ragtui-light")
        await press(app, pilot, "enter")
        assert app.theme == "ragtui-light"


async def test_an_unknown_command_is_said(tmp_path: Path) -> None:
    async with running(tmp_path) as (app, pilot):
        await press(app, pilot, "colon")
        await type_text(app, pilot, "[red]fly[/]")
        await press(app, pilot, "enter")
        assert [each.message for each in app._notifications] == ["no action [red]fly[/]; ? lists them"]


async def test_keys_typed_before_a_field_is_there_belong_to_it(tmp_path: Path) -> None:
    (tmp_path / "many.csv").write_text("query,expected_answer\n" + "".join(f"question {i},answer\n" for i in range(90)))
    async with running(tmp_path, str(tmp_path / "many.csv")) as (app, pilot):
        await press(app, pilot, "enter")
        for character in "/question 42\r":  # all at once, as from a slow link or a paste
            app.post_message(Key({"/": "slash", " ": "space", "\r": "enter"}.get(character, character), character))
        await settled(app, pilot)
        assert app.main.query_one("#rows").row == 42  # type: ignore[attr-defined]


async def test_the_users_own_keys_work_and_are_shown(tmp_path: Path) -> None:
    (tmp_path / "ragtui.toml").write_text('[keys]\n"app.groups" = "W"\n')
    async with running(tmp_path, size=WIDE) as (app, pilot):
        await press(app, pilot, "2")
        assert "› Datasets" in lines_of(app)[1]
        await press(app, pilot, "W")
        assert "› Metric Groups" in lines_of(app)[1]
        await press(app, pilot, "question_mark")
        await type_text(app, pilot, "go to metric")
        assert any("Go to Metric Groups" in line and line.rstrip(" │").endswith("W") for line in lines_of(app))


async def test_bad_themes_and_keys_are_told_once_and_the_app_starts(tmp_path: Path) -> None:
    (tmp_path / "ragtui.toml").write_text('[app]\ntheme = "nosuch"\n[keys]\n"app.fly" = "F"\n')
    async with running(tmp_path) as (app, _):
        (told,) = [each.message for each in app._notifications]
        assert "there is no theme 'nosuch'" in told
        assert 'no action "app.fly"' in told
        assert app.theme == "ragtui-dark"


@pytest.mark.parametrize("size", [(60, 16), (80, 24), (99, 31), (100, 32), (200, 60)])
async def test_every_size_works(tmp_path: Path, size: tuple[int, int]) -> None:
    experiment = write_experiment(tmp_path)
    async with running(tmp_path, SAMPLE, size=size, experiment=experiment) as (app, pilot):
        for key in ("1", "2", "3", "4", "enter"):
            await press(app, pilot, key)
            assert all(len(line) <= size[0] for line in lines_of(app))
        await pilot.resize_terminal(80, 24)
        await pilot.resize_terminal(*size)
        await settled(app, pilot)


async def test_without_colour_the_terminals_own_are_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with running(tmp_path, SAMPLE) as (app, _):
        assert app.theme == "ansi-dark"
        table = app.main.query_one("#list")
        assert table.render_line(1).text.startswith("▌")  # type: ignore[attr-defined]


def start(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    code = "from ragtui.tui.app import run_app; run_app([])"
    clean = {key: value for key, value in os.environ.items() if key not in ("TERM", "NO_COLOR")}
    root = Path(__file__).parents[2]
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env={**clean, "PYTHONPATH": str(root), **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_a_terminal_that_cannot_draw_is_told_what_to_use(tmp_path: Path) -> None:
    done = start(tmp_path, TERM="dumb")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == (
        "ragtui: this terminal cannot draw a screen; use `ragtui check PATH` or `ragtui show EXPERIMENT`\n"
    )


async def test_the_figures_and_the_id_stay_when_the_app_ends(tmp_path: Path) -> None:
    experiment = write_experiment(tmp_path)
    async with running(tmp_path, experiment=experiment) as (app, _):
        lines = app.workbench.farewell().splitlines()
    assert lines[0] == "support.jsonl · candidate recorded against baseline recorded:v1 · judge embedded"
    assert lines[1].startswith("  groundedness  3.91 (11/12; 1 error)")
    assert lines[-1] == f"experiment {experiment}: ragtui show {experiment}"


async def test_a_hang_up_ends_the_app_in_order(tmp_path: Path) -> None:
    app = RagtuiApp(Workbench(Workspace.open(tmp_path)))
    async with app.run_test() as pilot:
        await settled(app, pilot)
        os.kill(os.getpid(), signal.SIGHUP)
        await pilot.pause(0.2)
        assert app.return_code == 128 + signal.SIGHUP
