"""The Metric Groups pane with metrics of one's own, proposals, tries, thresholds and files of groups."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from ragtui import trust
from ragtui.tui.app import RagtuiApp
from ragtui.tui.screens.groups import GroupsPane
from tests.tui.driving import press, running, screen_text, type_text

GOOD = "def evaluate(session):\n    return session['test_case']['expected']['answer'] in session['response']\n"
ROWS = [
    {"id": "t-1", "query": "Which?", "response": "yes it is", "ground_truth": "yes", "context": ["c"]},
    {"id": "t-2", "query": "Why?", "response": "no", "ground_truth": "yes", "context": ["c"]},
]


def told(app: RagtuiApp) -> str:
    return " | ".join(str(each.message) for each in app._notifications)


def groups(folder: Path) -> dict[str, dict[str, object]]:
    return tomllib.loads((folder / "ragtui.toml").read_text())["groups"]  # type: ignore[no-any-return]


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """What the user writes in the editor each time it opens; the last stays."""
    texts: list[str] = []

    def edit(_: object, path: Path, line: int = 0) -> None:
        path.write_text(texts.pop(0) if len(texts) > 1 else texts[0])

    monkeypatch.setattr("ragtui.tui.outside.edit", edit)
    monkeypatch.setattr("platformdirs.user_state_path", lambda name: tmp_path / "home" / name)
    monkeypatch.setattr(trust, "_allowed_here", set())
    return texts


async def test_own_metrics_are_made_edited_allowed_and_tried(tmp_path: Path, written: list[str]) -> None:
    folder = tmp_path / "w"
    folder.mkdir()
    (folder / "cases.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    async with running(folder, str(folder / "cases.jsonl")) as (app, pilot):
        written += ["def evaluate(", GOOD]
        await press(app, pilot, "2", "m")
        await type_text(app, pilot, "mine")
        await press(app, pilot, "enter", "down", "enter")
        await type_text(app, pilot, "own")
        await press(app, pilot, "enter")
        assert "not valid Python" in told(app)
        assert not (folder / "ragtui.toml").exists()
        await press(app, pilot, "m")
        await type_text(app, pilot, "mine")
        await press(app, pilot, "enter", "down", "enter")
        await type_text(app, pilot, "own")
        await press(app, pilot, "enter")
        assert groups(folder) == {"own": {"metrics": ["mine"]}}
        assert "metrics/mine.py" in screen_text(app)

        await press(app, pilot, "tab", "t")
        assert "t-2" in screen_text(app)
        await press(app, pilot, "down", "enter")
        shown = screen_text(app)
        assert "mine on t-2" in shown
        assert "${data.ground_truth}" in shown
        await press(app, pilot, "escape")

        written[:] = [GOOD + "# changed\n"]
        await press(app, pilot, "e")
        assert "a new version of mine is saved" in told(app)
        assert len(list((folder / ".ragtui" / "metrics").iterdir())) == 2

        (folder / "metrics" / "mine.py").write_text("x = 1\n" + GOOD)  # by someone else
        await press(app, pilot, "1", "2")
        assert "you have not allowed this code to run" in screen_text(app)
        await press(app, pilot, "tab", "A")
        assert "x = 1" in screen_text(app)
        await press(app, pilot, "escape", "down", "enter")
        assert "may run" in told(app)
        assert "you have not allowed" not in screen_text(app)


async def test_groups_are_proposed_exported_and_imported_and_have_thresholds(tmp_path: Path) -> None:
    (tmp_path / "cases.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    async with running(tmp_path, str(tmp_path / "cases.jsonl")) as (app, pilot):
        await press(app, pilot, "2", "p", "enter")
        shown = screen_text(app)
        assert "metrics for cases" in shown
        assert "● groundedness" in shown
        await press(app, pilot, "enter")
        made = groups(tmp_path)["cases"]["metrics"]
        assert made[:2] == ["groundedness", "relevance"]  # type: ignore[index]
        assert "f1" in made  # type: ignore[operator]

        await press(app, pilot, "tab", "T")
        await type_text(app, pilot, "9")
        await press(app, pilot, "enter")
        assert "outside its scale" in told(app)
        await press(app, pilot, "T")
        await type_text(app, pilot, "4")
        await press(app, pilot, "enter")
        assert groups(tmp_path)["cases"]["thresholds"] == {"groundedness": 4.0}
        assert "≥ 4" in screen_text(app)

        app.query_one(GroupsPane).do_export(str(tmp_path / "g.toml"))
        assert tomllib.loads((tmp_path / "g.toml").read_text())["groups"] == groups(tmp_path)
        await press(app, pilot, "T", "backspace", "enter")
        assert "thresholds" not in groups(tmp_path)["cases"]
        (tmp_path / "g.toml").write_text('[groups.other]\nmetrics = ["f1", "nDCG@7"]\n')
        app.query_one(GroupsPane).do_import(str(tmp_path / "g.toml"))
        assert groups(tmp_path)["other"] == {"metrics": ["f1", "nDCG@7"]}

        await press(app, pilot, "shift+tab", "g", "tab", "g", "e")
        assert "comes with ragtui" in told(app)
        await press(app, pilot, "t", "enter", "enter")
        assert "groundedness on t-1" in screen_text(app)


async def test_an_own_metric_is_deleted_where_no_group_has_it(tmp_path: Path) -> None:
    (tmp_path / "metrics").mkdir()
    for name in ("mine", "spare"):
        (tmp_path / "metrics" / f"{name}.py").write_text(GOOD)
    (tmp_path / "ragtui.toml").write_text('[groups.own]\nmetrics = ["mine", "f1"]\n')
    async with running(tmp_path) as (app, pilot):
        await press(app, pilot, "2", "X")
        assert "in use by own" in screen_text(app)
        assert "in no group" in screen_text(app)
        await press(app, pilot, "enter")
        assert "mine is in use by own; take it out there first" in told(app)
        await press(app, pilot, "X")
        await type_text(app, pilot, "spare")
        await press(app, pilot, "enter", "enter")
        assert (tmp_path / "metrics" / "spare.py").exists(), "kept unless it is said"
        app.query_one(GroupsPane).do_delete_metric("spare")
        await press(app, pilot, "down", "enter")
        assert "deleted metrics/spare.py; its versions stay in .ragtui/metrics/" in told(app)
        assert not (tmp_path / "metrics" / "spare.py").exists()
        assert (tmp_path / "metrics" / "mine.py").exists()
