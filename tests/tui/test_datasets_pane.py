"""Datasets: what is open, what is wrong with it, and where exactly."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ragtui.tui.widgets.virtual_table import VirtualTable
from ragtui.workspace import bundled
from tests.tui.driving import NARROW, WIDE, lines_of, press, running, screen_text, settled, type_text

ROWS = "query,ground_truth\n" + "".join(f"question {i},answer {i}\n" for i in range(40))


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    return Path(shutil.copytree(bundled("sample_data") / "broken" / "beir", tmp_path / "broken"))


@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_the_list_says_format_rows_and_how_many_findings(broken: Path, size: tuple[int, int]) -> None:
    async with running(broken.parent, str(broken), size=size) as (app, _):
        (line,) = [line for line in lines_of(app) if "▌ broken" in line]
        assert " beir " in line
        assert " 10 " in line
        assert "17✗ 2!" in line


async def test_a_retrieval_set_shows_its_parts(broken: Path) -> None:
    async with running(broken.parent, str(broken)) as (app, pilot):
        assert [line for line in lines_of(app) if "├ queries" in line or "├ corpus" in line or "└ judgments" in line]
        await press(app, pilot, "j", "j")
        assert "broken · corpus · 15 rows" in screen_text(app)
        assert "Open Harbour VPN from the system tray" in screen_text(app)


async def test_findings_are_grouped_by_rule_and_a_finding_jumps_to_its_row_and_cell(broken: Path) -> None:
    async with running(broken.parent, str(broken)) as (app, pilot):
        assert any("BEIR202     6 unknown-document" in line for line in lines_of(app))
        rules = app.main.query_one("#rules", VirtualTable)
        app.main.set_focus(rules)
        await type_text(app, pilot, "/BEIR102")
        await press(app, pilot, "enter", "enter")
        lines = app.main.query_one("#lines", VirtualTable)
        assert app.focused is lines
        assert lines.count == 2
        await press(app, pilot, "j", "enter")
        rows = app.main.query_one("#rows", VirtualTable)
        assert app.focused is rows
        assert rows.value("line") == 5
        assert rows.current_column == "query_id"
        assert "broken · queries" in screen_text(app)


async def test_the_next_finding_is_one_key_away(broken: Path) -> None:
    async with running(broken.parent, str(broken), size=NARROW) as (app, pilot):
        await press(app, pilot, "right_square_bracket")
        lines = app.main.query_one("#lines", VirtualTable)
        assert lines.position == 0
        await press(app, pilot, "left_square_bracket")
        assert lines.position == lines.count - 1


async def test_a_finding_is_explained(broken: Path) -> None:
    async with running(broken.parent, str(broken)) as (app, pilot):
        app.main.set_focus(app.main.query_one("#lines", VirtualTable))
        await press(app, pilot, "i")
        assert "BEIR102  id-not-text" in screen_text(app)
        assert "Remedy" in screen_text(app)


async def test_columns_their_roles_and_what_the_data_is_ready_for(tmp_path: Path) -> None:
    path = Path(shutil.copy(bundled("sample_data") / "azure.jsonl", tmp_path))
    async with running(tmp_path, str(path), size=WIDE) as (app, _):
        lines = lines_of(app)
        assert any("query" in line and "input" in line and "all filled" in line for line in lines)
        assert any("ground_truth" in line and "expected" in line for line in lines)
        assert any("Ready for" in line for line in lines)
        assert any("✓ azure" in line for line in lines)
        assert any("another format for" in line and "beir" in line for line in lines)


async def test_a_row_is_shown_whole(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text('query,ground_truth\n"short","' + "long text " * 60 + 'the end"\n')
    async with running(tmp_path, str(path)) as (app, pilot):
        assert "the end" not in screen_text(app)
        await press(app, pilot, "enter", "enter")
        assert "the end" in screen_text(app)
        await press(app, pilot, "escape")
        assert app.screen is app.main


async def test_a_file_is_opened_by_its_name_and_closed_again(tmp_path: Path) -> None:
    path = tmp_path / "later.csv"
    path.write_text(ROWS)
    (tmp_path / "first.csv").write_text(ROWS)
    async with running(tmp_path, str(tmp_path / "first.csv")) as (app, pilot):
        await press(app, pilot, "colon")
        await type_text(app, pilot, f"open-path {path}")
        await press(app, pilot, "enter")
        assert [each.name for each in app.workbench.datasets] == ["first", "later"]
        assert "later · 40 rows" in screen_text(app)
        await press(app, pilot, "D")
        assert [each.name for each in app.workbench.datasets] == ["first"]
        assert path.exists()


async def test_what_cannot_be_opened_says_why(tmp_path: Path) -> None:
    async with running(tmp_path, str(tmp_path / "no[/]where.csv")) as (app, _):
        assert "cannot be read" in screen_text(app)
        assert "no such file or folder" in screen_text(app)


async def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(ROWS)
    async with running(tmp_path, str(path)) as (app, pilot):
        path.write_text(ROWS + "one more,answer\n")
        await press(app, pilot, "r")
        assert "rows · 41 rows" in screen_text(app)


async def test_the_rows_of_the_folder_are_found_without_being_named(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text(ROWS)
    async with running(tmp_path) as (app, _):
        assert [each.name for each in app.workbench.datasets] == ["rows"]


async def test_a_filter_works_on_the_rows_of_a_dataset(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text(ROWS)
    async with running(tmp_path) as (app, pilot):
        await press(app, pilot, "enter", "f")
        await type_text(app, pilot, "query like '%3%'")
        await press(app, pilot, "enter")
        await settled(app, pilot)
        assert "where query like '%3%'" in screen_text(app)
        assert "1 of 13 (40 in all)" in screen_text(app)
