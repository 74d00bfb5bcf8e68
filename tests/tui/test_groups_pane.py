"""Metric Groups: made, added to, ordered, copied, renamed, deleted; kept in ragtui.toml."""

from __future__ import annotations

import tomllib
from pathlib import Path

from tests.tui.driving import NARROW, press, running, screen_text, shows, type_text
from tests.tui.making import write_experiment

GROUP = '# my own words\n[groups.answers]\nmetrics = ["groundedness", "relevance", "f1"]\nthresholds = { f1 = 0.4 }\n'


def saved(folder: Path) -> dict[str, dict[str, object]]:
    return tomllib.loads((folder / "ragtui.toml").read_text())["groups"]  # type: ignore[no-any-return]


async def test_a_group_is_made_of_metrics_found_by_typing(tmp_path: Path) -> None:
    async with running(tmp_path) as (app, pilot):
        await press(app, pilot, "2", "a")
        await type_text(app, pilot, "answers")
        await press(app, pilot, "enter")
        await type_text(app, pilot, "groundedness ")
        await press(app, pilot, "tab", *["backspace"] * 13)
        await type_text(app, pilot, "f1")
        await press(app, pilot, "tab", "enter")
        assert saved(tmp_path) == {"answers": {"metrics": ["groundedness", "f1"]}}
        assert "answers · 2 metrics" in screen_text(app)
        assert "1 group · 2 metrics" in screen_text(app)


async def test_metrics_are_explained_and_ordered(tmp_path: Path) -> None:
    (tmp_path / "ragtui.toml").write_text(GROUP)
    async with running(tmp_path) as (app, pilot):
        await press(app, pilot, "2", "enter")
        assert "is every statement of the response supported" in screen_text(app)
        assert "≥ 0.4" in screen_text(app)
        await press(app, pilot, "J")
        assert saved(tmp_path)["answers"]["metrics"] == ["relevance", "groundedness", "f1"]
        assert saved(tmp_path)["answers"]["thresholds"] == {"f1": 0.4}
        await press(app, pilot, "J", "K", "K")
        assert saved(tmp_path)["answers"]["metrics"] == ["groundedness", "relevance", "f1"]
        assert (tmp_path / "ragtui.toml").read_text().startswith("# my own words\n")


async def test_a_metric_is_taken_out_and_the_last_one_stays(tmp_path: Path) -> None:
    (tmp_path / "ragtui.toml").write_text('[groups.one]\nmetrics = ["groundedness", "f1"]\n')
    async with running(tmp_path) as (app, pilot):
        await press(app, pilot, "2", "enter", "D")
        assert saved(tmp_path) == {"one": {"metrics": ["f1"]}}
        await press(app, pilot, "D")
        assert saved(tmp_path) == {"one": {"metrics": ["f1"]}}
        assert "at least one metric" in str(list(app._notifications)[-1].message)


async def test_a_group_is_copied_renamed_and_deleted(tmp_path: Path) -> None:
    (tmp_path / "ragtui.toml").write_text(GROUP)
    async with running(tmp_path) as (app, pilot):
        await press(app, pilot, "2", "c", "enter")
        assert list(saved(tmp_path)) == ["answers", "answers-2"]
        assert saved(tmp_path)["answers-2"]["thresholds"] == {"f1": 0.4}
        await press(app, pilot, "R", *["backspace"] * 9)
        await type_text(app, pilot, "other")
        await press(app, pilot, "enter")
        assert list(saved(tmp_path)) == ["answers", "other"]
        await press(app, pilot, "D", "down", "enter")
        assert list(saved(tmp_path)) == ["answers"]


async def test_a_group_that_experiments_use_is_not_deleted(tmp_path: Path) -> None:
    write_experiment(tmp_path)
    (tmp_path / "ragtui.toml").write_text(GROUP)
    async with running(tmp_path) as (app, pilot):
        await press(app, pilot, "2", "D")
        assert "experiments use it" in str(list(app._notifications)[-1].message)
        assert list(saved(tmp_path)) == ["answers"]


async def test_a_name_that_cannot_be_used_is_told(tmp_path: Path) -> None:
    (tmp_path / "ragtui.toml").write_text(GROUP)
    async with running(tmp_path) as (app, pilot):
        await press(app, pilot, "2", "R", *["backspace"] * 7)
        await type_text(app, pilot, "@@")
        await press(app, pilot, "enter")
        assert "cannot be a group's name" in str(list(app._notifications)[-1].message)
        assert list(saved(tmp_path)) == ["answers"]


async def test_one_group_that_cannot_be_used_does_not_hide_the_others(tmp_path: Path) -> None:
    (tmp_path / "ragtui.toml").write_text(GROUP + '[groups.bad]\nmetrics = ["nosuch"]\n')
    async with running(tmp_path) as (app, pilot):
        await press(app, pilot, "2")
        assert "answers · 3 metrics" in screen_text(app)
        assert any("there is no metric 'nosuch'" in str(each.message) for each in app._notifications)


async def test_a_mistyped_metric_brings_the_picker_back_with_what_was_typed(tmp_path: Path) -> None:
    async with running(tmp_path, size=NARROW) as (app, pilot):
        await press(app, pilot, "2", "a", *"mine", "enter", *"groundednes5", "enter")
        shown = await shows(app, pilot, "there is no metric")
        assert "metrics for mine" in shown
        assert "groundednes5" in shown
        assert "ragtui metrics" not in shown
        await press(app, pilot, *["backspace"] * 12, "space", "space", *"f1", "space", *"x", "escape")
        await press(app, pilot, "a", *"mine", "enter", "space", "space", "enter")
        (group,) = app.workbench.groups()
        assert (group.name, len(group.metrics)) == ("mine", 2)
        await press(app, pilot, "a", *"mine", "enter")
        assert "there is a group mine already" in screen_text(app)
