"""Sorting the rows by a metric is looking at that metric."""

from __future__ import annotations

from pathlib import Path

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
