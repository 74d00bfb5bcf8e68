"""Columns of a table, arranged: chosen, ordered, widened, kept for the workspace; and earlier filters, kept as well."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtui.tui.app import RagtuiApp
from ragtui.tui.kept import Kept
from ragtui.tui.widgets.arrangement import Place, arranged, places_of, read, woven, written
from ragtui.tui.widgets.table_column import TableColumn
from ragtui.tui.widgets.virtual_table import VirtualTable
from ragtui.workspace import Workspace
from tests.tui.driving import NARROW, lines_of, press, running, screen_text
from tests.tui.making import write_experiment

A, B, C = (TableColumn(key, key, grow=key == "c") for key in "abc")
D = TableColumn("d", "d", extra=True)


def keys(columns: list[TableColumn]) -> str:
    return "".join(column.key for column in columns)


def test_columns_stand_as_they_were_arranged_and_new_ones_where_they_naturally_do() -> None:
    kept = [Place("c", width=7), Place("a"), Place("gone"), Place("b", shown=False)]
    found = arranged([A, B, C, D], kept)
    assert keys(found) == "ca"
    assert (found[0].width, found[0].grow) == (7, False)
    assert keys(arranged([A, B, C, D], [])) == "abc"  # an extra one only where it was chosen
    assert keys(arranged([A, B, C, D], [Place("d"), Place("b")])) == "adbc"
    assert keys(arranged([A, B, C], [Place("a", False), Place("b", False), Place("c", False)])) == "abc"


def test_what_is_not_there_just_now_keeps_its_place() -> None:
    before = [Place("a"), Place("other metric", width=9), Place("b")]
    assert [place.key for place in woven([Place("b"), Place("a")], before)] == ["b", "a", "other metric"]


places = st.lists(
    st.builds(Place, st.sampled_from("abcdef"), st.booleans(), st.sampled_from([0, 3, 40])), unique_by=lambda p: p.key
)


@given(places, places)
def test_nothing_is_lost_or_doubled_and_json_keeps_it(first: list[Place], second: list[Place]) -> None:
    both = woven(first, second)
    assert [place for place in both if place in first] == first
    assert {place.key for place in both} == {place.key for place in (*first, *second)}
    assert len({place.key for place in both}) == len(both)
    assert read(json.loads(json.dumps(written(both)))) == both
    assert {place.key for place in places_of([A, B, C, D], both)} == set("abcd")


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"columns": 3, "filters": "x"}', '{"columns": {"t": [1, {"key": 2}]}}']
)
def test_a_file_that_cannot_be_used_is_written_anew(tmp_path: Path, text: str) -> None:
    workspace = Workspace(tmp_path)
    workspace.state.mkdir()
    (workspace.state / "app.json").write_text(text)
    kept = Kept(workspace)
    assert (kept.columns("t"), kept.filters()) == ([], [])
    kept.arrange("t", [Place("a", width=12)])
    kept.filtered("a < 3")
    assert (Kept(workspace).columns("t"), Kept(workspace).filters()) == ([Place("a", width=12)], ["a < 3"])


def test_a_filter_alone_writes_nothing_where_nothing_was_saved_yet(tmp_path: Path) -> None:
    kept = Kept(Workspace(tmp_path))
    kept.filtered("a < 3")
    assert kept.filters() == ["a < 3"]
    assert list(tmp_path.iterdir()) == []


def header(app: RagtuiApp, first: str) -> list[str]:
    """The titles of the table whose first column is called so."""
    return next(line.split() for line in lines_of(app) if line.split()[:1] == [first])


async def test_columns_and_filters_by_keys_are_there_again_at_the_next_start(tmp_path: Path) -> None:
    experiment = write_experiment(tmp_path, 4)
    async with running(tmp_path, size=NARROW, experiment=experiment) as (app, pilot):
        await press(app, pilot, "|", "j", "space", "j", "j", "J", "+", "+", "G", "space")
        assert "6 of 13 shown" in screen_text(app)
        assert "in a filter" in screen_text(app)
        await press(app, pilot, "escape")  # leaves it as it was
        assert header(app, "id")[:3] == ["id", "label", "grnd"]
        # label hidden, groundedness behind its difference and wider, the question hidden
        await press(app, pilot, "|", "j", "space", "j", "j", "J", "+", "G", "space")
        shown = lines_of(app)
        at = next(i for i, line in enumerate(shown) if "so it looks" in line)
        assert "label" not in shown[at + 1]  # seen before it is kept
        await press(app, pilot, "enter")
        assert header(app, "id") == ["id", "grnd", "relev", "f1", "latency", "cause"]

        await press(app, pilot, "f")
        assert "⇥ case_id" in screen_text(app)  # what there is, before anything is typed
        await press(app, pilot, *"gro", *["tab"] * 5)  # to the first, on to the others, and round
        assert "where groundedness " in screen_text(app)
        await press(app, pilot, *" < 3 and labl is null", "enter")
        assert "✗ at 22: no column labl; did you mean" in screen_text(app)
        await press(app, pilot, "backspace", *"el", "enter")  # the cursor stands there
        assert "where groundedness < 3 and label is null" in screen_text(app)
    async with running(tmp_path, size=NARROW, experiment=experiment) as (app, pilot):
        assert header(app, "id") == ["id", "grnd", "relev", "f1", "latency", "cause"]
        # differences are arranged for themselves; everything goes back by one key
        await press(app, pilot, "c", "|", "G", "space", "enter", "c", "|", "backspace", "enter")
        assert header(app, "id")[:3] == ["id", "label", "grnd"]
        await press(app, pilot, "f", "up")
        assert "where groundedness < 3 and label is null" in screen_text(app)


async def test_columns_of_a_dataset_and_a_cursor_beyond_the_last_one(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"query": "q", "response": "r", "context": "c", "ground_truth": "g"}\n' * 2)
    (tmp_path / "b.jsonl").write_text('{"query": "q", "response": "r", "context": "c"}\n')
    async with running(tmp_path, str(tmp_path / "a.jsonl"), str(tmp_path / "b.jsonl"), size=NARROW) as (app, pilot):
        table = app.main.query_one("#rows", VirtualTable)
        app.screen.set_focus(table)
        await press(app, pilot, *"lllllll", "|", "k", "space", "k", "space", "enter")
        assert [column.key for column in table.columns] == ["_line", "query", "ground_truth"]
        assert table.current_column == "ground_truth"
        app.screen.set_focus(app.main.query_one("#list", VirtualTable))
        await press(app, pilot, "j")  # another dataset has its own
        assert [column.key for column in table.columns] == ["_line", "query", "response", "context"]
    assert list(json.loads((tmp_path / ".ragtui" / "app.json").read_text())["columns"]) == ["rows a.jsonl cases"]
