"""Every screen over data that attacks the terminal: no crash, nothing raw on the screen, nothing that can be clicked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from ragtui.datasets.check import open_dataset
from ragtui.experiments.planning import make_plan
from ragtui.experiments.progress import Progress
from ragtui.experiments.run import run
from ragtui.experiments.store import Store
from ragtui.tui.app import RagtuiApp
from ragtui.tui.widgets.virtual_table import VirtualTable
from ragtui.tui.workbench import Workbench
from ragtui.workspace import Workspace
from tests.hostile import NAME, TEXT, came_through, write_all, write_names_that_are_no_text, write_workspace
from tests.tui.driving import type_keys
from tests.tui.making import write_experiment

sizes = pytest.mark.parametrize("size", [(80, 24), (160, 45)], ids=["80x24", "160x45"])


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A poisoned workspace with poisoned datasets and three experiments: of answers, of rankings, and one whose judge
    attacks as well."""
    folder = tmp_path / f"work [*] {NAME}"
    data = write_all(folder / "data")
    write_names_that_are_no_text(folder)
    workspace = Workspace(folder)
    for path, metrics, candidate, baseline in (
        (data["azure"], "groundedness,f1,relevance,correctness", "recorded", f"recorded:{data['answers'].name}"),
        (data["beir"], "nDCG@10,Recall@3", f"run:{data['run'].name}", "bm25"),
    ):
        dataset, _ = open_dataset(str(path))
        plan = make_plan(dataset, workspace, metrics=metrics, candidate=candidate, baseline=baseline)
        with Store.open(workspace, write=True) as store:
            run(plan, dataset, workspace, store, Progress())
    write_experiment(folder, 6, text=TEXT)
    write_workspace(folder)
    monkeypatch.chdir(folder)
    return folder


class Walk:
    """Presses keys and looks at the screen after each."""

    def __init__(self, app: RagtuiApp, pilot: Pilot[None]) -> None:
        self.app, self.pilot = app, pilot
        self.seen = ""

    def look(self) -> str:
        """The screen's text; fails if anything of it is raw or does something when it is clicked."""
        strips = self.app.screen._compositor.render_strips()
        text = "\n".join("".join(segment.text for segment in strip) for strip in strips)
        assert came_through(text) == []
        metas = [segment.style.meta for strip in strips for segment in strip if segment.style and segment.style._meta]
        assert [meta for meta in metas if "@click" in meta] == []
        links = [segment.style.link for strip in strips for segment in strip if segment.style]
        assert not any(links)
        self.seen = text
        return text

    async def press(self, *keys: str) -> str:
        for key in keys:
            await type_keys(self.app, key)
            self.look()
        return self.seen

    async def until(self, words: str, seconds: float = 20) -> str:
        """Waits for words on the screen, looking at each state on the way."""
        for _ in range(int(seconds / 0.05)):
            if words in self.look():
                return self.seen
            await asyncio.sleep(0.05)
        pytest.fail(f"waited for {words!r}; the screen shows:\n{self.seen}")

    async def type(self, text: str) -> None:
        """Pastes, as people do with text of unknown origin."""
        from textual import events

        self.app.post_message(events.Paste(text))
        await self.pilot.pause()
        self.look()


@asynccontextmanager
async def walking(paths: Sequence[str], size: tuple[int, int]) -> AsyncIterator[Walk]:
    app = RagtuiApp(Workbench(Workspace.open("."), list(paths)))
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        yield Walk(app, pilot)


async def through_overlays(walk: Walk) -> None:
    """What can be opened over any screen."""
    await walk.press("question_mark", "down", "pagedown", "escape")
    await walk.press("ctrl+p", "pagedown", "escape")
    await walk.press("colon")
    await walk.type(TEXT)
    await walk.press("enter")
    await walk.press("z", "z")


async def through_a_table(walk: Walk) -> None:
    """Search, filter, sort, pan and marks, with poison typed."""
    await walk.press("slash")
    await walk.type(TEXT)
    await walk.press("enter", "n", "N")
    await walk.press("slash")
    await walk.type("click")
    await walk.press("enter", "n", "escape")
    await walk.press("f")
    await walk.type(f"'{TEXT}' < 3")
    await walk.press("enter")
    await walk.press("f", "escape")
    await walk.press("s", "down", "down", "enter", "s", "escape")
    await walk.press("l", "l", "l", "h", "space", "G", "g", "ctrl+d", "ctrl+u", "escape")


@sizes
async def test_datasets(place: Path, size: tuple[int, int]) -> None:
    async with walking(["data"], size) as walk:
        await walk.until("9 datasets")
        tables = [table for table in walk.app.screen.query(VirtualTable) if table.display]
        first = walk.app.screen.query_one("#list", VirtualTable)
        for number in range(first.count):
            await walk.press("enter", "enter", "pagedown", "escape")  # its rows, and the first of them whole
            for table in tables if number % 4 == 0 else []:
                walk.app.set_focus(table)
                await walk.press("l", "j", "i", "escape")
            await walk.press("right_square_bracket")
            walk.app.set_focus(first)
            await walk.press("j")
        await through_a_table(walk)
        await through_overlays(walk)
        await walk.press("a")
        await walk.type(f"{TEXT}/")
        await walk.press("enter", "r", "D")


async def test_paths_that_are_no_text(place: Path) -> None:
    async with walking(["."], (80, 24)) as walk:
        await walk.until("11 datasets")
        for _ in range(11):
            await walk.press("j", "x")
            await walk.until("before it runs")
            await walk.press("escape")
            await walk.until("findings")


async def test_groups_judges_keys_and_themes(place: Path) -> None:
    async with walking(["data"], (80, 24)) as walk:
        await walk.until("9 datasets")
        await walk.press("2")
        await through_overlays(walk)
        await walk.press("a")
        await walk.type(NAME)
        await walk.press("enter")
        await walk.type("f1")
        await walk.press("enter", "escape")
        await walk.press("2", "a")
        await walk.type("sound")
        await walk.press("enter")
        await walk.until("metrics for sound")
        await walk.type("f1")
        await walk.press("enter")
        await walk.until("sound · 1 metric")
        for key in ("c", "R"):
            await walk.press(key)
            await walk.type(TEXT)
            await walk.press("enter")
        await walk.press("D", "escape", "tab", "J", "K", "D")


async def test_a_new_experiment(place: Path) -> None:
    async with walking(["data"], (160, 45)) as walk:
        await walk.until("9 datasets")
        table = walk.app.screen.query_one("#list", VirtualTable)
        frame = table.frame
        assert frame is not None
        names = frame["name"].to_list()
        for row in range(len(names)):
            table.go_to(row)
            await walk.press("x")
            await walk.until("before it runs")
            if row == 0:
                for _ in range(8):
                    await walk.press("l", "l", "enter", "escape", "j")
                await walk.press("k", "k", "k", "k")
            await walk.press("enter")
            await walk.type(TEXT)
            await walk.press("enter", "tab", "ctrl+d")
            while walk.app.screen is not walk.app.main:
                await walk.press("escape")
            await walk.until("findings")
        table.go_to(next(i for i, name in enumerate(names) if "azure" in name))
        await walk.press("x")
        await walk.until("ready")
        await walk.press("ctrl+r")
        await walk.until("Means of the candidate", 60)
        await walk.press("enter")
        await walk.until("worst first")


@pytest.mark.parametrize(("position", "size"), [(0, (80, 24)), (1, (160, 45)), (2, (80, 24))])
async def test_results_and_detail(place: Path, size: tuple[int, int], position: int) -> None:
    async with walking(["data"], size) as walk:
        await walk.until("9 datasets")
        await walk.press("3")
        await walk.until("finished")
        await through_a_table(walk)
        await walk.press("tab", "G", "g", "shift+tab", "g", *["j"] * position, "enter")
        await walk.until("worst first")
        await asyncio.sleep(0.1)
        await through_overlays(walk)
        await through_a_table(walk)
        await walk.press("S", "c", "c", "]", "[", "full_stop")
        for key in ("r", "m", "a", "w"):
            await walk.press(key)
        await walk.press("t")
        await walk.type(TEXT)
        await walk.press("enter")
        await walk.press("u", "u", "y", "enter")
        await walk.press("x")
        await walk.type(f"/{NAME}/rows.csv")
        await walk.press("enter")
        await walk.press("enter")
        for _ in range(2):
            await walk.press("G", "ctrl+u", "g", "right_curly_bracket", "left_curly_bracket", "c", "tab", "G", "c")
            await walk.press("p", "G", "slash")
            await walk.type("red")
            await walk.press("enter", "escape")
            await walk.press("i", "t", "escape", "u", "y", "escape", "z", "z", "right_square_bracket")
            await walk.press("question_mark", "escape", "ctrl+p", "escape")
        await walk.press("escape", "tab", "j", "j", "tab")
        farewell = walk.app.workbench.farewell()
        assert "ragtui show" in farewell
        assert came_through(farewell) == []
