"""Opening what is large: first rows at once, findings as they come, a stop; files that change; what was passed over."""

from __future__ import annotations

import json
import shutil
import threading
from pathlib import Path

import pytest

from ragtui.datasets.discover import Once
from ragtui.datasets.watch import Stopped, Watch
from ragtui.tui.app import RagtuiApp
from ragtui.tui.opened import OpenDataset, read
from ragtui.tui.screens.opening_datasets import OpensDatasets
from ragtui.tui.workbench import Workbench
from ragtui.workspace import Workspace, bundled
from tests.tui.driving import press, running, screen_text, settled, shows, type_keys

ROWS = "query,ground_truth\n" + "".join(f"question {i},answer {i}\n" for i in range(40))


class Gate:
    """Holds the reader until it is let through, so that a test sees what the screen shows meanwhile."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.through = threading.Event()
        monkeypatch.setattr("ragtui.datasets.beginnings.LARGE", 1000)
        monkeypatch.setattr(Workbench, "read", lambda _, paths, watch, once: self._read(paths, watch, once))

    def _read(self, paths: list[str], watch: Watch, once: Once) -> list[OpenDataset]:
        while not self.through.wait(0.01):
            watch.step()
        return read(paths, watch, once)


def write_set(folder: Path, documents: int = 3000) -> Path:
    """A retrieval set whose last document has a number for an id."""
    folder.mkdir()
    lines = [json.dumps({"_id": f"d{n}", "text": f"text of document {n}"}) for n in range(documents)]
    (folder / "corpus.jsonl").write_text("\n".join([*lines, '{"_id": 7, "text": "seven"}\n']))
    (folder / "queries.jsonl").write_text('{"_id": "q1", "text": "which one?"}\n')
    (folder / "qrels.jsonl").write_text('{"query-id": "q1", "corpus-id": "d1", "score": 1}\n')
    return folder


async def test_the_first_rows_are_there_before_all_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gate, large = Gate(monkeypatch), write_set(tmp_path / "large")
    small = tmp_path / "small.csv"
    small.write_text(ROWS[:200])
    gate.through.set()
    async with running(tmp_path, str(small)) as (app, pilot):
        gate.through.clear()
        await app.main.pane.action_perform("open-path", str(large))
        shown = await shows(app, pilot, "which one?")
        assert "reading" in shown
        assert "queries · 1 row so far" in shown
        (one,) = [each for each in app.workbench.datasets if each.reading]
        assert app.main.pane.why_not("evaluate") == "it is still read"
        assert one.dataset is not None
        assert one.dataset.corpus is not None
        assert one.dataset.corpus.height < 3001
        gate.through.set()
        await settled(app, pilot)
        (one,) = [each for each in app.workbench.datasets if each.name == "large"]
        assert one.is_whole
        assert one.dataset is not None
        assert one.dataset.corpus is not None
        assert one.dataset.corpus.height == 3001
        assert one.counts["BEIR102", "error"] == 1


async def test_reading_is_stopped_and_the_first_rows_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gate, large = Gate(monkeypatch), write_set(tmp_path / "large")
    gate.through.set()
    (tmp_path / "small.csv").write_text(ROWS[:200])
    async with running(tmp_path, str(tmp_path / "small.csv")) as (app, pilot):
        assert app.main.pane.why_not("stop") == "nothing is being read"
        gate.through.clear()
        await app.main.pane.action_perform("open-path", str(large))
        await shows(app, pilot, "which one?")
        await pilot.press("X")
        await settled(app, pilot)
        assert "first rows only" in screen_text(app)
        assert app.main.pane.why_not("evaluate") == "only its first rows are read; r reads it"
        gate.through.set()
        await press(app, pilot, "r")
        assert [each.is_whole for each in app.workbench.datasets] == [True, True]
        assert "3,001" in screen_text(app)


async def test_a_file_that_changes_on_disk_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(ROWS)
    async with running(tmp_path, str(path)) as (app, pilot):
        pane = app.main.pane
        assert isinstance(pane, OpensDatasets)
        await pane._look_for_changes()
        assert not app._notifications
        path.write_text(ROWS + "one more,answer\n")
        await pane._look_for_changes()
        await settled(app, pilot)
        assert "changed on disk: rows; r reads it again" in str(list(app._notifications)[-1].message)
        assert "changed on disk" in screen_text(app)
        await press(app, pilot, "r")
        assert "changed on disk  " not in screen_text(app)
        assert "rows · 41 rows" in screen_text(app)


async def test_files_that_were_passed_over_are_named(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text(ROWS)
    (tmp_path / "table.parquet").write_bytes(b"PAR1")
    async with running(tmp_path, str(tmp_path)) as (app, _):
        assert "Passed over" in screen_text(app)
        assert "table.parquet" in screen_text(app)


@pytest.mark.parametrize("name", ["broken/deepset-qa.csv", "azure.jsonl", "broken/beir"])
def test_a_reader_that_is_stopped_stops(name: str) -> None:
    watch = Watch()
    watch.stop()
    with pytest.raises(Stopped):
        read([str(bundled("sample_data") / name)], watch)


def test_what_is_done_grows_to_all_there_is() -> None:
    watch = Watch()
    found = read([str(bundled("sample_data") / "broken")], watch)
    assert found
    assert watch.portion > 0.9
    assert len(watch.reports) >= len(found)


def test_findings_are_there_before_the_end(tmp_path: Path) -> None:
    """What is found so far can be seen while the rest is read."""
    folder = Path(shutil.copytree(bundled("sample_data") / "broken" / "beir", tmp_path / "beir"))
    seen: list[int] = []

    class Looking(Watch):
        def step(self, read: int = 0) -> None:
            super().step(read)
            seen.append(sum(len(report.findings) for report in self.reports))

    (found,) = read([str(folder)], Looking())
    assert 0 < seen[1] < len(found.findings)
    assert seen == sorted(seen)


async def test_what_was_named_is_opened_whichever_pane_is_in_front_by_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "small.csv").write_text(ROWS[:200])
    gone = threading.Event()
    monkeypatch.setattr(Workbench, "warm_up", lambda _: gone.wait(20))
    app = RagtuiApp(Workbench(Workspace.open(tmp_path), [str(tmp_path / "small.csv")]))
    async with app.run_test(size=(80, 24)) as pilot:
        await type_keys(app, "2")
        assert app.main.pane.id == "groups"
        gone.set()
        await settled(app, pilot)
        await press(app, pilot, "1")
        assert "small" in screen_text(app)
        assert len(app.workbench.datasets) == 1
    app.workbench.leave()


async def test_what_is_named_several_ways_is_listed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragtui.datasets.beginnings.LARGE", 100)
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "rows.csv").write_text(ROWS)
    (tmp_path / "a" / "more.csv").write_text(ROWS)
    (tmp_path / "link.csv").symlink_to("a/rows.csv")
    monkeypatch.chdir(tmp_path)
    async with running(tmp_path, "a/rows.csv", "./a/rows.csv", "a", "link.csv") as (app, pilot):
        assert [each.dataset.path for each in app.workbench.usable_datasets() if each.dataset] == [
            "a/rows.csv",
            "a/more.csv",
        ]
        await app.main.pane.action_perform("open-path", str(tmp_path / "link.csv"))
        await settled(app, pilot)
        assert len(app.workbench.datasets) == 2
        await press(app, pilot, "r")
        assert [each.is_whole for each in app.workbench.datasets] == [True, True]
