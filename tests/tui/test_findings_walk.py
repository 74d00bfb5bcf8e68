"""Findings are walked in the order of their lines, from the first; equal names are told apart; closing can be undone."""

from __future__ import annotations

import shutil
from itertools import pairwise
from pathlib import Path

from ragtui.tui.widgets.virtual_table import VirtualTable
from ragtui.workspace import bundled
from tests.tui.driving import NARROW, press, running, screen_text


async def test_the_first_key_goes_to_the_first_finding_and_i_explains_it(tmp_path: Path) -> None:
    broken = Path(shutil.copytree(bundled("sample_data") / "broken" / "beir", tmp_path / "broken"))
    async with running(tmp_path, str(broken), size=NARROW) as (app, pilot):
        lines = app.main.query_one("#lines", VirtualTable)
        assert lines.frame is not None
        places = list(zip(lines.frame["file"].to_list(), lines.frame["line"].to_list(), strict=True))
        assert all(line <= after for (file, line), (other, after) in pairwise(places) if file == other)
        assert len(dict.fromkeys(file for file, _ in places)) == sum(
            at == 0 or places[at - 1][0] != file for at, (file, _) in enumerate(places)
        )
        await press(app, pilot, "right_square_bracket")
        assert lines.position == 0
        await press(app, pilot, "i")
        assert f"rule {lines.value('code')}" in screen_text(app)
        await press(app, pilot, "escape", "right_square_bracket")
        assert lines.position == 1


async def test_equal_names_say_their_folder_and_a_closed_dataset_comes_back(tmp_path: Path) -> None:
    for folder in ("old", "new"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "faq.csv").write_text("query,ground_truth\nwhere is it,there\n")
    paths = [str(tmp_path / folder / "faq.csv") for folder in ("old", "new")]
    async with running(tmp_path, *paths) as (app, pilot):
        names = app.main.query_one("#list", VirtualTable).frame["name"].to_list()  # type: ignore[index]
        assert [name.rsplit("/", 1)[-1] for name in names] == ["old", "new"]
        await press(app, pilot, "D")
        assert [each.path for each in app.workbench.datasets] == paths[1:]
        assert "closed faq; u opens it again" in str(list(app._notifications)[-1].message)
        await press(app, pilot, "u")
        assert [each.path for each in app.workbench.datasets] == paths
