"""A run in shards in the app: one whose shards are still arriving, and whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.experiments.command_line import Shell
from tests.tui.driving import press, running, screen_text, shows


@pytest.fixture
def desk(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Path:
    """A dataset, run in two shards of which the second lies in ``later``."""
    (tmp_path / "desk").mkdir()
    shell = Shell(tmp_path / "desk", capsys, monkeypatch)
    rows = [{"id": f"c{n}", "query": f"q{n}", "ground_truth": "On two.", "v1": "On two."} for n in range(8)]
    shell.write("desk.jsonl", rows)
    line = ("run", "desk.jsonl", "--candidate", "recorded:v1", "--metrics", "f1", "-q", "--shard")
    assert [shell(*line, shard).status for shard in ("1/2", "2/2")] == [0, 0]
    (second,) = (shell.folder / ".ragtui" / "shards").glob("*/2-of-2")
    second.rename(tmp_path / "later")
    return shell.folder


async def test_shards_are_taken_in_as_they_arrive(desk: Path) -> None:
    async with running(desk) as (app, pilot):
        await press(app, pilot, "3")
        shown = await shows(app, pilot, "1 of 2 shards of")
        assert "(desk) are here; not merged (M merges)" in shown
        await press(app, pilot, "M")
        shown = await shows(app, pilot, "shard 2 of 2 is missing")
        assert "paused" in shown
        assert "not merged" not in shown.splitlines()[2]
        await press(app, pilot, "enter")
        shown = await shows(app, pilot, "paused: shard 2 of 2 is missing")
        assert "pending" in shown
        await press(app, pilot, "3")
        (first,) = (desk / ".ragtui" / "shards").glob("*/1-of-2")
        (desk.parent / "later").rename(first.with_name("2-of-2"))
        await press(app, pilot, "M")
        await shows(app, pilot, "finished")
        await press(app, pilot, "enter")
        assert "8/8" in await shows(app, pilot, "f1")
        assert "pending" not in screen_text(app)
