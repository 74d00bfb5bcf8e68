"""Datasets mended, matched, mapped and given roles on the keyboard, at 80 columns."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from textual.pilot import Pilot

from ragtui.datasets.mapping import metric_inputs
from ragtui.datasets.references import parse_reference
from ragtui.datasets.settings import saved_mapping, saved_roles
from ragtui.tui.app import RagtuiApp
from ragtui.tui.offers import proposed_targets, target_choices
from ragtui.tui.screens.fixing import FixingScreen
from ragtui.tui.screens.mapping import MappingScreen
from ragtui.tui.screens.matching import MatchingScreen
from ragtui.workspace import Workspace
from tests.tui.driving import NARROW, press, running, screen_text, settled, shows, type_text
from tests.tui.making import write_experiment

ROWS = "question,text,context,file_name,answer_start,answer_end,filters\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "files").mkdir()
    for name in ("map.txt", "rates.md"):
        (tmp_path / "files" / name).touch()
    rows = [("map.txt", 4, 6), ("Rates.md", 3, 4)]
    (tmp_path / "q.csv").write_text(
        ROWS + "".join(f'q{n},a,"x, a",{name},{s},{e},\n' for n, (name, s, e) in enumerate(rows))
    )
    return tmp_path


async def test_fixes_are_looked_at_applied_and_undone(folder: Path) -> None:
    before = (folder / "q.csv").read_bytes()
    async with running(folder, "q.csv", size=NARROW) as (app, pilot):
        await press(app, pilot, "F")
        assert isinstance(app.screen, FixingScreen)
        shown = screen_text(app)
        assert "DS301 1" in shown
        assert '-q0,a,"x, a",map.txt,4,6,' in shown
        assert '+q0,a,"x, a",map.txt,3,4,' in shown
        await press(app, pilot, "i")
        await settled(app, pilot)
        assert (folder / "q.csv").read_bytes() == before.replace(b"4,6", b"3,4")
        assert (folder / "q.csv.orig").read_bytes() == before
        await press(app, pilot, "u")
        assert (folder / "q.csv").read_bytes() == before
        assert not (folder / "q.csv.orig").exists()
        await press(app, pilot, "F", "w")
        assert (folder / "q.fixed.csv").read_bytes() == before.replace(b"4,6", b"3,4")
        assert [each.path for each in app.workbench.datasets] == ["q.csv", "q.fixed.csv"]
        await press(app, pilot, "u")
        assert not (folder / "q.fixed.csv").exists()
        assert [each.path for each in app.workbench.datasets] == ["q.csv"]


async def test_labels_are_matched_and_written_back(folder: Path) -> None:
    async with running(folder, "q.csv", size=NARROW) as (app, pilot):
        await press(app, pilot, "M")
        await shows(app, pilot, "not started 2")
        assert isinstance(app.screen, MatchingScreen)
        await type_text(app, pilot, "files")
        await press(app, pilot, "enter")
        shown = screen_text(app)
        assert "candidates found 1" in shown
        assert "100.0  rates.md  differs in case" in shown
        await press(app, pilot, "x")
        assert "no match (rejected)" in screen_text(app)
        await press(app, pilot, "G", "c", "g", "enter", "enter")
        assert "matched 2" in screen_text(app)
        await press(app, pilot, "w")
        assert b"rates.md" in (folder / "q.fixed.csv").read_bytes()
        (folder / "files" / "rates.md").rename(folder / "files" / "rates2.md")
        await press(app, pilot, "M")
        await shows(app, pilot, "the files changed")
        assert isinstance(app.screen, MatchingScreen)
        assert [each.label for each in app.screen.matching.labels if each.reset] == ["Rates.md"]


async def test_a_role_is_changed_in_place_and_kept(folder: Path) -> None:
    (folder / "c.csv").write_text("query,office,expected_answer\na,b,c\n")
    async with running(folder, "c.csv", size=NARROW) as (app, pilot):
        await press(app, pilot, "R")
        await type_text(app, pilot, "office")
        await press(app, pilot, "enter")
        await type_text(app, pilot, "ignored")
        await press(app, pilot, "enter")
        dataset = app.workbench.datasets[0].dataset
        assert dataset is not None
        assert {each.name: each.role.value for each in dataset.columns}["office"] == "ignored"
    assert {name: role.value for name, role in saved_roles(Workspace.open(folder), dataset).items()} == {
        "office": "ignored"
    }
    async with running(folder, "c.csv", size=NARROW) as (app, pilot):
        dataset = app.workbench.datasets[0].dataset
        assert dataset is not None
        assert dataset.columns[1].role.value == "ignored"


async def test_a_mapping_shows_the_rows_and_names_what_does_not_resolve(folder: Path) -> None:
    (folder / "ragtui.toml").write_text('[groups.g]\nmetrics = ["f1", "exact_match"]\n')
    (folder / "c.jsonl").write_text('{"query": "Which?", "reply": "the blue one", "truth": "blue"}\n')
    async with running(folder, "c.jsonl", size=NARROW) as (app, pilot):
        await press(app, pilot, "m")
        assert isinstance(app.screen, MappingScreen)
        shown = screen_text(app)
        assert "✗ f1.response" in shown
        await press(app, pilot, "j", "j", "enter")
        await type_text(app, pilot, "${data.replly}")
        await press(app, pilot, "enter")
        assert "nearest: reply" in " ".join(screen_text(app).split())
        await press(app, pilot, "enter")
        await type_text(app, pilot, "reply")
        await press(app, pilot, "enter")
        assert "the blue one" in screen_text(app)
        await press(app, pilot, "S")
    dataset = app.workbench.datasets[0].dataset
    assert dataset is not None
    assert saved_mapping(Workspace.open(folder), dataset) == {"response": "${data.reply}"}


async def test_marked_rows_of_results_become_a_dataset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    experiment = write_experiment(tmp_path)
    async with running(tmp_path, experiment=experiment, size=NARROW) as (app, pilot):
        await press(app, pilot, "space", "space", "d", "enter")
        assert len((tmp_path / "selected.jsonl").read_text().splitlines()) == 2
        await press(app, pilot, "g", "enter", "d", "enter")
        await shows(app, pilot, "2 there already")


SUPPORT = """\
{"question": "How do I reset my VPN token?", "retrieved": {"text": "open the portal"}, "answer": "Open.", "query": "q1", "response": "r1"}
{"question": "How long is it valid?", "retrieved": "no object", "answer": "A day.", "query": "q2", "response": "r2"}
"""


async def mapped(app: RagtuiApp, pilot: Pilot[None], down: int, reference: str) -> str:
    """Types a reference into the field that many lines below the first, and goes back up; returns the screen's words."""
    await press(app, pilot, *"j" * down, "enter", *reference, "enter", *"k" * down)
    return " ".join(re.sub("[─│▌▁-█]", " ", screen_text(app)).split())


async def test_three_evaluators_of_which_two_are_mapped_and_one_goes_by_name(folder: Path) -> None:
    (folder / "ragtui.toml").write_text('[groups.g]\nmetrics = ["groundedness", "relevance", "coherence"]\n')
    (folder / "support.jsonl").write_text(SUPPORT)
    async with running(folder, "support.jsonl", size=NARROW) as (app, pilot):
        await press(app, pilot, "m", "l")  # for groundedness
        # Mistakes are told before anything is asked, with evaluator, input and what is nearest.
        assert "✗ groundedness.context ${data.retreived} column retreived does not exist; nearest: retrieved" in (
            await mapped(app, pilot, 3, "${data.retreived}")
        )
        shown = await mapped(app, pilot, 1, "${dta.question}")
        assert "✗ groundedness.query" in shown
        assert "${data.question}" in shown
        assert "did you mean" in shown
        assert "✗ groundedness.response ${data.answer.text} no row of answer has text" in (
            await mapped(app, pilot, 2, "${data.answer.text}")
        )
        assert "${data.retrieved.text} 1 of 2 rows" in await mapped(app, pilot, 3, "${data.retrieved.text}")

        for down, column in ((1, "question"), (3, "retrieved"), (2, "answer")):
            await mapped(app, pilot, down, f"${{data.{column}}}")
        await press(app, pilot, "l")  # relevance
        await mapped(app, pilot, 1, "{{item.question}}")  # Foundry's way of writing the same
        shown = await mapped(app, pilot, 2, "answer")
        assert "everything resolves" in shown
        assert "How do I reset my VPN token?" in shown
        await press(app, pilot, "l")  # coherence: the columns of its inputs' own names
        words = " ".join(screen_text(app).split())
        assert "✓ query ${data.query}" in words
        assert "✓ response ${data.response}" in words
        await press(app, pilot, "S")
        dataset = app.workbench.datasets[0].dataset
    assert dataset is not None
    kept = saved_mapping(Workspace.open(folder), dataset)
    assert {name: str(parse_reference(reference)) for name, reference in kept.items()} == {
        "groundedness.query": "${data.question}",
        "groundedness.context": "${data.retrieved}",
        "groundedness.response": "${data.answer}",
        "relevance.query": "${data.question}",
        "relevance.response": "${data.answer}",
    }
    resolved = {
        metric: metric_inputs(dataset, kept, metric, inputs).used
        for metric, inputs in {
            "groundedness": ("query", "context", "response"),
            "coherence": ("query", "response"),
        }.items()
    }
    assert {name: each.column for name, each in resolved["groundedness"].items()} == {
        "query": "question", "context": "retrieved", "response": "answer",
    }  # fmt: skip
    assert {name: each.column for name, each in resolved["coherence"].items()} == {
        "query": "query",
        "response": "response",
    }


async def test_a_table_of_ones_own_columns_is_read_and_checked_again_by_what_is_said_of_it(folder: Path) -> None:
    (folder / "own.csv").write_text("nr,frage,ans\n1,How?,So.\n2,Why?,Because.\n")
    async with running(folder, "own.csv", size=NARROW) as (app, pilot):
        assert "name its format with = (table takes any)" in screen_text(app)
        await press(app, pilot, "=", *"table", "enter")
        await shows(app, pilot, "ragtui.toml keeps it")
        assert [each.code for each in app.workbench.datasets[0].findings] == ["TBL101"]
        await press(app, pilot, "R", *"frage", "enter", *"input", "enter")
        await shows(app, pilot, "frage is input now")
        assert not app.workbench.datasets[0].findings
        await press(app, pilot, "u")
        assert [each.code for each in app.workbench.datasets[0].findings] == ["TBL101"]
        await press(app, pilot, "R", *"frage", "enter", *"input", "enter")
    async with running(folder, "own.csv", size=NARROW) as (app, pilot):
        known = app.workbench.datasets[0].dataset
        assert known is not None
        assert (known.format, known.fields) == ("table", {"query": "frage"})
        offered = [choice.key for choice in target_choices(app.workbench.datasets[0])]
        assert offered == ["recorded", "recorded:ans"]  # nr holds no text
        assert proposed_targets(app.workbench.datasets[0]) == ("recorded", "")  # an ignored column is for who asks
        await press(app, pilot, "=", *"by its content", "enter")
        assert app.workbench.datasets[0].dataset is None
    assert "format" not in Workspace.open(folder).table("datasets", "own.csv")
