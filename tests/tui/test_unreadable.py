"""What cannot be read says so, and why, at every size."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.driving import NARROW, WIDE, lines_of, press, running, screen_text


@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_a_file_that_cannot_be_read_has_a_cross_and_its_reason(tmp_path: Path, size: tuple[int, int]) -> None:
    (tmp_path / "good.csv").write_text("query,ground_truth\nwhere is it,there\n")
    bad = tmp_path / "faq_eval.csv"
    bad.write_text("nr,user_question,bot_answer\n1,where is it,there\n")
    async with running(tmp_path, str(tmp_path / "good.csv"), str(bad), size=size) as (app, pilot):
        await press(app, pilot, "j")
        (line,) = [line for line in lines_of(app) if "cannot be read" in line and "▌" in line]
        assert "✗" in line
        assert "✓" not in line
        shown = " ".join(" ".join(line.strip("│ ") for line in lines_of(app)).split())
        assert "not a dataset ragtui knows" in shown
        assert "user_question" in shown
        assert "name its format with = (table takes any)" in shown
        assert "where is it" not in shown  # the rows of the file above are not its rows
        assert "findings · none" not in screen_text(app)
        if size == NARROW:  # and the remedy works, also for reading it again
            await press(app, pilot, "=", *"table", "enter")
            await press(app, pilot, "r")
            assert "faq_eval · 1 row" in screen_text(app)
            assert "cannot be read" not in screen_text(app)
