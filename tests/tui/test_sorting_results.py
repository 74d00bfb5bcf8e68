"""Sorting the rows by a metric is looking at that metric."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from ragtui.tui.widgets.virtual_table import VirtualTable
from tests.tui.driving import NARROW, WIDE, press, running, screen_text, type_text
from tests.tui.making import write_experiment


@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_overview_title_and_explanation_follow_the_metric_that_is_sorted_by(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    experiment = write_experiment(tmp_path)
    async with running(tmp_path, experiment=experiment, size=size) as (app, pilot):
        await press(app, pilot, "s")
        await type_text(app, pilot, "worst relevance")
        await press(app, pilot, "enter")
        shown = screen_text(app)
        assert "worst first: relevance" in shown
        assert "4 failing" not in shown  # that is groundedness
        overview = app.main.query_one("#overview", VirtualTable)
        assert overview.value("metric") == "relevance"
        await press(app, pilot, "s")
        await type_text(app, pilot, "worst groundedness")
        await press(app, pilot, "enter")
        assert "worst first: groundedness · 4 failing" in screen_text(app)
        assert "cites a policy" in screen_text(app)


async def test_rows_with_errors_without_a_label_or_at_random_come_first_when_asked_for(tmp_path: Path) -> None:
    experiment = write_experiment(tmp_path)
    async with running(tmp_path, experiment=experiment) as (app, pilot):
        table = app.main.query_one("#cases", VirtualTable)

        async def sorted_by(words: str) -> list[str]:
            await press(app, pilot, "s")
            await type_text(app, pilot, words)
            await press(app, pilot, "enter")
            rows = table.shown_rows()
            assert rows is not None
            return list(rows["case_id"])

        await press(app, pilot, "m")
        labelled = str(table.value("case_id"))
        assert (await sorted_by("unlabelled"))[-1] == labelled
        first = (await sorted_by("errors first"))[0]
        states = table.shown_rows().select(pl.nth(0), "groundedness state", "f1 state")  # type: ignore[union-attr]
        assert any(str(state).endswith("_error") for state in states.row(0)), first
        by_chance = await sorted_by("random order")
        await sorted_by("worst relevance")
        assert await sorted_by("random order") == by_chance != sorted(by_chance)
