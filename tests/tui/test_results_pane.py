"""Results: the figures, the rows worst first, why; labels with undo that are there the next time."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from ragtui.experiments import labels
from ragtui.experiments.store import Store
from ragtui.tui.screens.results import ResultsPane
from ragtui.tui.widgets.virtual_table import VirtualTable
from ragtui.workspace import Workspace
from tests.tui.driving import NARROW, WIDE, lines_of, press, running, screen_text, settled, shows, type_text
from tests.tui.making import write_experiment


@pytest.fixture
def experiment(tmp_path: Path) -> str:
    return write_experiment(tmp_path)


def given(folder: Path) -> dict[str, str]:
    with Store.open(Workspace(folder)) as store:
        return {f"{each.case_id} {each.metric}".strip(): each.value or each.note
                for each in labels.labels(store, "support.jsonl")}  # fmt: skip


async def test_the_overview_says_over_how_many_how_sure_and_how_many_pass(tmp_path: Path, experiment: str) -> None:
    async with running(tmp_path, experiment=experiment) as (app, _):
        (line,) = [line for line in lines_of(app) if "groundedness  " in line and "12; 1 error" in line]
        assert "3.91  11/12; 1 error" in line
        assert "3.50" in line
        assert "64 %" in line
        assert "█" in line


@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_the_worst_row_comes_first_and_its_reason_stands_beside_it(
    tmp_path: Path, experiment: str, size: tuple[int, int]
) -> None:
    async with running(tmp_path, experiment=experiment, size=size) as (app, _):
        shown = screen_text(app)
        assert "worst first: groundedness · 4 failing · 0 labelled" in shown
        assert any(line.lstrip("│").startswith("▌ desk-001") and "2✗" in line for line in shown.splitlines())
        assert "cites a policy" in shown
        assert app.focused is app.main.query_one("#cases")


async def test_a_row_that_could_not_be_scored_says_so_and_is_no_number(tmp_path: Path, experiment: str) -> None:
    async with running(tmp_path, experiment=experiment) as (app, pilot):
        await press(app, pilot, "G")
        (line,) = [line for line in lines_of(app) if "▌ desk-012" in line]
        assert "j.err" in line
        assert "judge error: unparsable" in screen_text(app)


async def test_another_metric_sorts_the_rows_by_it(tmp_path: Path, experiment: str) -> None:
    async with running(tmp_path, experiment=experiment) as (app, pilot):
        app.main.set_focus(app.main.query_one("#overview", VirtualTable))
        await press(app, pilot, "j", "j", "j")
        assert "worst first: latency" in screen_text(app)
        assert "▌ desk-012" in screen_text(app)  # the slowest: for latency less is better
        assert "› latency" in lines_of(app)[1]


async def test_labels_are_one_key_each_and_undone_all_the_way_back(tmp_path: Path, experiment: str) -> None:
    async with running(tmp_path, experiment=experiment) as (app, pilot):
        await press(app, pilot, "m", "j", "r", "j", "b", "j", "i", "a")
        assert given(tmp_path) == {
            "desk-001": "model fault", "desk-004": "retrieval fault", "desk-007": "bad label", "desk-010": "ignore",
            "desk-010 groundedness": "agree",
        }  # fmt: skip
        assert "4 failing · 4 labelled" in screen_text(app)
        assert any("desk-001" in line and "✎ model" in line for line in lines_of(app))
        for left in (4, 3, 2, 1, 0):
            await press(app, pilot, "u")
            assert len(given(tmp_path)) == left
        await press(app, pilot, "u")
        assert str(list(app._notifications)[-1].message) == "there is nothing to undo"
        assert "✎" not in screen_text(app)


async def test_a_label_is_there_the_next_time(tmp_path: Path, experiment: str) -> None:
    async with running(tmp_path, experiment=experiment) as (app, pilot):
        await press(app, pilot, "m", "t")
        await type_text(app, pilot, "see the policy")
        await press(app, pilot, "enter")
    async with running(tmp_path, experiment=experiment) as (app, pilot):
        assert any("desk-001" in line and "✎ model" in line for line in lines_of(app))
        assert "✎ see the policy" in screen_text(app)


async def test_the_judge_can_be_wrong_only_where_it_judged(tmp_path: Path, experiment: str) -> None:
    async with running(tmp_path, experiment=experiment) as (app, pilot):
        await press(app, pilot, "w")
        assert given(tmp_path) == {"desk-001 groundedness": "judge wrong"}
        app.main.set_focus(app.main.query_one("#overview", VirtualTable))
        await press(app, pilot, "j", "j", "w")
        assert len(given(tmp_path)) == 1
        assert "f1 was not judged" in str(list(app._notifications)[-1].message)


async def test_walking_by_meaning(tmp_path: Path, experiment: str) -> None:
    async with running(tmp_path, experiment=experiment) as (app, pilot):
        pane = app.main.query_one(ResultsPane)
        seen = []
        for key in ("right_square_bracket", "right_parenthesis", "left_square_bracket", "right_square_bracket",
                    "right_square_bracket", "right_square_bracket"):  # fmt: skip
            await press(app, pilot, key)
            seen.append(pane.case_id())
        assert seen == ["desk-004", "desk-007", "desk-004", "desk-007", "desk-010", "desk-001"]
        await press(app, pilot, "m", "full_stop", "m", "full_stop")
        assert pane.case_id() == "desk-007"


async def test_differences_to_the_baseline_show_the_largest_regression_first(tmp_path: Path, experiment: str) -> None:
    async with running(tmp_path, experiment=experiment) as (app, pilot):
        await press(app, pilot, "c")
        shown = screen_text(app)
        assert "largest regression: groundedness" in shown
        assert any("▌ desk-004" in line and "-3 ▼" in line for line in shown.splitlines())
        await press(app, pilot, "G")
        await press(app, pilot, "c")
        assert "worst first: groundedness" in screen_text(app)


async def test_without_a_baseline_comparing_says_why_not(tmp_path: Path) -> None:
    experiment = write_experiment(tmp_path, baseline=False)
    async with running(tmp_path, experiment=experiment) as (app, pilot):
        await press(app, pilot, "c")
        assert "there is no baseline" in str(list(app._notifications)[-1].message)


async def test_strict_means_count_errors_as_the_worst(tmp_path: Path, experiment: str) -> None:
    async with running(tmp_path, experiment=experiment) as (app, pilot):
        await press(app, pilot, "S")
        (line,) = [line for line in lines_of(app) if "groundedness  " in line and "12; 1 error" in line]
        assert "3.67  11/12" in line  # (7 x 5 + 4 x 2 + 1) / 12


async def test_a_filter_narrows_the_queue_by_sql(tmp_path: Path, experiment: str) -> None:
    async with running(tmp_path, experiment=experiment) as (app, pilot):
        await press(app, pilot, "f")
        await type_text(app, pilot, "groundedness < 3 and cause = 'context ignored'")
        await press(app, pilot, "enter")
        await settled(app, pilot)
        assert "1 of 4 (12 in all)" in screen_text(app)
        await press(app, pilot, "escape")
        assert "1 of 12" in screen_text(app)


async def test_what_is_shown_is_exported_and_no_cell_runs_in_a_spreadsheet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    experiment = write_experiment(tmp_path, text="\n=1+1")
    out = tmp_path / "rows.csv"
    async with running(tmp_path, experiment=experiment) as (app, pilot):
        app.main.query_one("#cases", VirtualTable).do_filter("groundedness < 3")
        await settled(app, pilot)
        app.main.query_one(ResultsPane).do_export(str(out))
        await settled(app, pilot)
        assert f"wrote 4 rows to {out};" in str(list(app._notifications)[-1].message)
        monkeypatch.chdir(tmp_path)
        for started, told in (
            (tmp_path / "elsewhere", f"wrote all.md in {tmp_path} (the"),
            (tmp_path, "wrote all.md (the"),
        ):
            app.workbench.started = started
            app.main.query_one(ResultsPane).do_export("all.md")
            await settled(app, pilot)
            assert told in str(list(app._notifications)[-1].message)
    figures = (tmp_path / "all.md").read_text()
    assert "| groundedness (1 to 5, passes from 3) |" in figures
    (latency,) = [line for line in figures.splitlines() if line.startswith("| latency (")]
    assert latency.split(" | ")[3] == "–"
    with out.open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["case_id"] for row in rows] == ["desk-001", "desk-004", "desk-007", "desk-010"]
    assert not [cell for row in rows for cell in row.values() if cell.startswith(("=", "+", "@"))]


async def test_an_export_that_cannot_be_written_is_told(tmp_path: Path, experiment: str) -> None:
    async with running(tmp_path, experiment=experiment) as (app, pilot):
        app.main.query_one(ResultsPane).do_export(str(tmp_path / "no" / "where.csv"))
        await settled(app, pilot)
        assert "there is no folder" in str(list(app._notifications)[-1].message)


async def test_an_unknown_experiment_is_told(tmp_path: Path, experiment: str) -> None:
    async with running(tmp_path, experiment="nosuch") as (app, _):
        assert "there is no experiment 'nosuch'" in str(list(app._notifications)[-1].message)


async def test_answers_that_were_too_many_are_told_when_results_open_and_with_the_experiment(tmp_path: Path) -> None:
    experiment = write_experiment(tmp_path, remark="2 answers had an id that no case has")
    async with running(tmp_path, experiment=experiment) as (app, pilot):
        await shows(app, pilot, "candidate: 2 answers had an id that no case has")
        await press(app, pilot, "3")
        await shows(app, pilot, "Means of the candidate")
        assert "candidate: 2 answers had an id" in screen_text(app)
