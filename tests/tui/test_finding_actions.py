"""The list of keys: the screen's own first, found by other words, too; what is not found is said."""

from __future__ import annotations

from pathlib import Path

from tests.tui.driving import NARROW, lines_of, press, running, screen_text, type_text
from tests.tui.making import write_experiment

GROUP = '[groups.one]\nmetrics = ["groundedness", "f1"]\nthresholds = { f1 = 0.4 }\n# my own words\n'


async def test_the_screens_own_keys_come_first_and_remove_finds_delete(tmp_path: Path) -> None:
    (tmp_path / "ragtui.toml").write_text(GROUP)
    async with running(tmp_path, size=NARROW) as (app, pilot):
        await press(app, pilot, "2", "question_mark")
        shown = screen_text(app)
        assert "Make a Metric Group" in shown
        assert "in a table" not in shown or shown.index("Make a Metric Group") < shown.index("in a table")
        await type_text(app, pilot, "remove")
        assert any("Delete this group" in line and line.rstrip(" │").endswith("D") for line in lines_of(app))
        await type_text(app, pilot, " zzz")
        assert "nothing matches" in screen_text(app)
        await press(app, pilot, "enter")
        assert "nothing matches" in screen_text(app)  # there is nothing to take


async def test_a_metric_taken_out_is_said_and_put_back_with_all_that_stood_there(tmp_path: Path) -> None:
    (tmp_path / "ragtui.toml").write_text(GROUP)
    async with running(tmp_path, size=NARROW) as (app, pilot):
        await press(app, pilot, "2", "enter", "j", "D")
        assert "took f1 out of one; u puts it back" in str(list(app._notifications)[-1].message)
        assert (tmp_path / "ragtui.toml").read_text() != GROUP
        await press(app, pilot, "u")
        assert (tmp_path / "ragtui.toml").read_text() == GROUP
        assert "one · 2 metrics" in screen_text(app)
        await press(app, pilot, "D")
        (tmp_path / "ragtui.toml").write_text("# by hand\n")
        await press(app, pilot, "u")
        assert (tmp_path / "ragtui.toml").read_text() == "# by hand\n"
        assert "nothing was undone" in str(list(app._notifications)[-1].message)


async def test_typing_takes_the_place_of_a_proposed_name(tmp_path: Path) -> None:
    experiment = write_experiment(tmp_path)
    async with running(tmp_path, experiment=experiment, size=NARROW) as (app, pilot):
        await press(app, pilot, "x")
        assert ".csv" in lines_of(app)[-2]
        target = tmp_path / "rep.csv"
        await type_text(app, pilot, str(target))
        await press(app, pilot, "enter")
        assert len(target.read_text("utf-8-sig").splitlines()) == 13
