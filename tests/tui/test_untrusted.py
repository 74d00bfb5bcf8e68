"""Nothing that data says is a command: not to the app (markup), not to the terminal (escape sequences, bidi)."""

from __future__ import annotations

import json
import re
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragtui.text import block, cell
from ragtui.tui.app import RagtuiApp
from ragtui.tui.widgets.passage import Passage, Span
from ragtui.tui.widgets.virtual_table import VirtualTable
from tests.tui.driving import NARROW, press, running, screen_text, settled, type_text
from tests.tui.making import write_experiment

HOSTILE = "[/x][red]no[/][@click=app.quit]go[/] \x1b]52;c;cHduZWQ=\x07\x1b[2J\u202egnp.\u202c \x9b31m\x00\u200b{}"
FORBIDDEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200b\ud800-\udfff]")


def safe(app: RagtuiApp, seen: list[str]) -> None:
    """What is on the screen, and every message, is free of what a terminal would obey."""
    seen.append(screen_text(app))
    seen.extend(str(each.message) for each in app._notifications)
    for text in seen[-3:]:
        assert FORBIDDEN.search(text.replace("\n", "")) is None


def hostile_files(folder: Path) -> list[str]:
    row = {"query": HOSTILE, "context": HOSTILE, "response": HOSTILE, "ground_truth": HOSTILE, HOSTILE: HOSTILE}
    (folder / "rows.jsonl").write_text("".join(json.dumps({**row, "query": f"{i}{HOSTILE}"}) + "\n" for i in range(30)))
    (folder / "rows.csv").write_text(
        f'query,expected_answer,"{HOSTILE}"\n"{HOSTILE}","{HOSTILE}",{HOSTILE}\n' * 1, newline=""
    )
    beir = folder / "beir [red]\x1b[31m"
    beir.mkdir()
    (beir / "corpus.jsonl").write_text(json.dumps({"_id": HOSTILE, "title": HOSTILE, "text": HOSTILE}) + "\n")
    (beir / "queries.jsonl").write_text(json.dumps({"_id": HOSTILE, "text": HOSTILE}) + "\n")
    qrels = [
        {"query-id": HOSTILE, "corpus-id": HOSTILE, "score": 1},
        {"query_id": "x", "corpus-id": HOSTILE, "score": 2.5},
    ]
    (beir / "qrels.jsonl").write_text("".join(json.dumps(each) + "\n" for each in qrels))
    (folder / "ragtui.toml").write_text(
        f'[groups."a b"]\nmetrics = ["f1"]\n[groups.bad]\nmetrics = [{json.dumps(HOSTILE)}]\n'
        f"[keys]\n{json.dumps(HOSTILE)} = 3\n[judges.{json.dumps(HOSTILE)}]\nprovider = 'openai'\n"
    )
    return [str(folder / "rows.jsonl"), str(folder / "rows.csv"), str(beir)]


async def test_a_hostile_dataset_walks_through_every_screen(tmp_path: Path) -> None:
    experiment = write_experiment(tmp_path, text=HOSTILE)
    seen: list[str] = []
    async with running(tmp_path, *hostile_files(tmp_path), size=NARROW) as (app, pilot):
        safe(app, seen)
        for keys in ("j j j j j j", "tab tab j l l", "enter escape", "tab j", "tab j", "i escape", "question_mark escape",
                     "ctrl+p escape", "s escape", "2", "tab j", "3", "1 g", "x"):  # fmt: skip
            await press(app, pilot, *keys.split())
            safe(app, seen)
        await settled(app, pilot)
        for keys in ("j j enter escape", "j enter escape", "tab j", "escape"):
            await press(app, pilot, *keys.split())
            safe(app, seen)
        await app.open_results(experiment)
        await settled(app, pilot)
        safe(app, seen)
        for keys in ("j", "m", "u", "c", "c", "s escape", "y escape", "enter", "right_curly_bracket", "right_curly_bracket",
                     "tab j", "p", "escape", "c", "c", "y escape", "escape"):  # fmt: skip
            await press(app, pilot, *keys.split())
            safe(app, seen)
        await press(app, pilot, "slash")
        await type_text(app, pilot, "[/]")
        await press(app, pilot, "enter")
        safe(app, seen)
        await press(app, pilot, "t")
        await type_text(app, pilot, "[/x] note")
        await press(app, pilot, "enter")
        safe(app, seen)
        assert app.is_running
        farewell = app.workbench.farewell()
        assert FORBIDDEN.search(farewell.replace("\n", "")) is None
    everything = "\n".join(seen)
    assert "[/x][red]no[/][@click=app.quit]go[/]" in everything  # literally, character for character
    assert "␛]52;c;" in everything
    assert "·gnp.·" in everything


async def test_a_path_a_filter_and_a_search_are_shown_as_they_were_typed(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("query,expected_answer\na,b\n")
    async with running(tmp_path) as (app, pilot):
        table = app.main.query_one("#rows", VirtualTable)
        table.do_filter(HOSTILE)
        await settled(app, pilot)
        table.do_search(HOSTILE)
        await settled(app, pilot)
        app.main.pane.do_open_path(HOSTILE.replace("\x00", ""))  # type: ignore[attr-defined]
        await settled(app, pilot)
        safe(app, [])
        assert len(app._notifications) >= 2


@given(st.text(max_size=200))
@settings(max_examples=400, suppress_health_check=[HealthCheck.too_slow])
def test_no_text_gets_through_the_door(text: str) -> None:
    assert FORBIDDEN.search(cell(text)) is None
    assert FORBIDDEN.search(block(text).replace("\n", "")) is None
    passage = Passage()
    passage.heading(text, text)
    passage.line((text, "good"), (text, ""))
    passage.text(text, [Span(1, 5, "bad")])
    assert all(FORBIDDEN.search(paragraph.text) is None for paragraph in passage.paragraphs)
