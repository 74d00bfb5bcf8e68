"""Faulty inputs from public reports about file names, mappings and schemas, walked through at 80 columns with keys alone."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ragtui.datasets.check import open_dataset
from ragtui.tui.screens.fixing import FixingScreen
from ragtui.tui.screens.mapping import MappingScreen
from ragtui.tui.screens.matching import MatchingScreen
from tests.tui.driving import NARROW, lines_of, press, running, screen_text, shows, type_text

CASES = Path(__file__).parents[1] / "cases"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for each in CASES.iterdir():
        if each.name[:2] in ("55", "65", "67", "69", "21", "25"):
            shutil.copytree(each, tmp_path / each.name[:2])
    monkeypatch.chdir(tmp_path)
    return tmp_path


async def test_file_names_in_other_forms_are_matched_one_by_one(folder: Path) -> None:
    async with running(folder, "55/labels.csv", size=NARROW) as (app, pilot):
        await press(app, pilot, "M")
        await shows(app, pilot, "folder or listing of the files")
        await type_text(app, pilot, "55/workspace")
        await press(app, pilot, "enter")
        assert isinstance(app.screen, MatchingScreen)
        counts = {state.value: count for state, count in app.screen.matching.counts().items()}
        assert counts["matched"] == 2
        for _ in range(counts["candidates found"]):
            await press(app, pilot, "g", "enter", "enter")
        assert "candidates found" not in lines_of(app)[2]
        await press(app, pilot, "w")
        dataset, _ = open_dataset("55/labels.fixed.csv")
        assert dataset.cases is not None
        names = {path.name for path in Path("55/workspace").iterdir()}
        assert sum(name in names for name in dataset.cases["file_name"].explode().to_list()) >= 7


async def test_a_mapping_that_leads_nowhere_is_named_with_the_nearest_column(folder: Path) -> None:
    async with running(folder, "69/data.jsonl", size=NARROW) as (app, pilot):
        await press(app, pilot, "m")
        assert isinstance(app.screen, MappingScreen)
        await press(app, pilot, "j", "j", "j", "j", "enter")
        await type_text(app, pilot, "${data.answer_keyy}")
        await press(app, pilot, "enter")
        shown = " ".join(line.strip("│ ") for line in lines_of(app))
        assert "column answer_keyy does not exist" in " ".join(shown.split())


async def test_old_and_misspelt_columns_are_mended(folder: Path) -> None:
    async with running(folder, "67/typo.jsonl", "21/heads.csv", "25/dataset.csv", size=NARROW) as (app, pilot):
        for number, each in enumerate(app.workbench.datasets):
            await press(app, pilot, "g", *["j"] * number, "F")
            await shows(app, pilot, "would change")
            assert isinstance(app.screen, FixingScreen)
            if "nothing ·" in screen_text(app):
                await press(app, pilot, "U")
            fixed = sum(finding.fix != () for finding in each.findings)
            assert ("+" in screen_text(app)) is bool(fixed), each.path
            await press(app, pilot, "escape")


async def test_an_sdk_config_is_taken_in_and_its_faults_are_named_by_their_lines(folder: Path) -> None:
    async with running(folder, "65/data.jsonl", size=NARROW) as (app, pilot):
        await press(app, pilot, "=", *"table", "enter")
        await press(app, pilot, "m", "o", *"65/eval_config.json", "enter")
        shown = " ".join(" ".join(line[line.find("│") + 1 : line.rfind("│")] for line in lines_of(app)).split())
        assert "✗ 7 MAP101 groundedness.ground_truth: ${data.answer_key} is in 0 of 3 rows" in shown
        assert "nearest: answerkey" in shown
        assert "✗ 8 MAP102 groundedness.notes" in shown
        assert (
            "✗ 9 MAP103 groundedness.extra: unknown prefix 'dat' in ${dat.notes}; did you mean ${data.notes}?" in shown
        )
        await press(app, pilot, "escape")
        assert isinstance(app.screen, MappingScreen)
        assert app.screen.mapping["groundedness.query"] == "${data.test8_notes}"
        assert "✗ groundedness.ground_truth" in screen_text(app)  # though it asks for none
        await press(app, pilot, "o", *"65/nothing.json", "enter")
        assert "65/nothing.json: cannot be read" in str(list(app._notifications)[-1].message)
        await press(app, pilot, "o", *"69/mapping.toml", "enter", "escape")
        assert app.screen.mapping["response"] == "answer_text"
