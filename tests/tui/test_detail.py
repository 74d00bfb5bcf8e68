"""One case whole: differing words, claims beside the sentence they are held against, the prompt, the baseline."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.segment import Segment

from ragtui.experiments.plan import Side
from ragtui.experiments.results import Cell, SideDetail
from ragtui.metrics.score import State
from ragtui.tui.app import RagtuiApp
from ragtui.tui.screens.case_views import prompt_and_reply
from ragtui.tui.widgets.wrapped_text import WrappedText
from tests.tui.driving import NARROW, WIDE, press, running, screen_text, settled
from tests.tui.making import BAD, write_experiment


@pytest.fixture
def experiment(tmp_path: Path) -> str:
    return write_experiment(tmp_path)


def segments(app: RagtuiApp, name: str) -> list[Segment]:
    text = app.screen.query_one(name, WrappedText)
    return [segment for y in range(text.size.height) for segment in text.render_line(y)]


@pytest.mark.parametrize("size", [WIDE, NARROW])
async def test_everything_of_a_case_is_there(tmp_path: Path, experiment: str, size: tuple[int, int]) -> None:
    async with running(tmp_path, experiment=experiment, size=size) as (app, pilot):
        await press(app, pilot, "enter")
        seen = screen_text(app)
        for _ in range(6):
            await press(app, pilot, "ctrl+d")
            seen += screen_text(app)
        for part in ("How do I reset my token? desk-001", BAD, "Press Reset in My security.", "2 ✗ (threshold 3)",
                     "cites a policy that is not in the context", "The pass is valid for 30 days.", "says 30 days, not 4 hours",
                     "needs a model judge", "context ignored", "answered in 200 ms"):  # fmt: skip
            assert part in seen, part
        await press(app, pilot, "tab", "G")
        assert "A temporary pass is valid" in screen_text(app)


async def test_words_that_differ_from_what_was_expected_are_marked(tmp_path: Path) -> None:
    experiment = write_experiment(tmp_path)
    async with running(tmp_path, experiment=experiment) as (app, pilot):
        await press(app, pilot, "G", "k", "enter")  # desk-011: a good answer
        marked = [each.text for each in segments(app, "#answer") if each.style is not None and each.style.underline]
        assert marked == ["Open", "and press Reset", "Press Reset in"]


async def test_stepping_through_claims_shows_the_sentence_each_is_held_against(tmp_path: Path, experiment: str) -> None:
    async with running(tmp_path, experiment=experiment) as (app, pilot):
        await press(app, pilot, "enter", "right_curly_bracket", "right_curly_bracket")
        here = [each.text for each in segments(app, "#evidence") if each.style is not None and each.style.bold
                and each.style.underline]  # fmt: skip
        assert here == ["A temporary pass is valid for 4 hours an"]
        claim = [each.text for each in segments(app, "#answer") if each.style is not None and each.style.bold
                 and each.style.underline and "valid" in each.text]  # fmt: skip
        assert claim == ["The pass is valid for 30 days."]


async def test_the_prompt_and_the_raw_reply_are_one_key_away(tmp_path: Path, experiment: str) -> None:
    async with running(tmp_path, experiment=experiment) as (app, pilot):
        await press(app, pilot, "G", "enter", "p")
        shown = screen_text(app)
        assert "groundedness: prompt  judge embedded · 2 attempts" in shown
        assert "Judge this." in shown
        assert '{"score": six}' in shown


async def test_the_baseline_stands_beside_the_candidate(tmp_path: Path, experiment: str) -> None:
    async with running(tmp_path, experiment=experiment) as (app, pilot):
        await press(app, pilot, "j", "enter", "c")
        shown = screen_text(app)
        assert "Answer of the candidate" in shown
        assert "Answer of the baseline  recorded:v1" in shown


async def test_labels_and_walking_work_here_too_and_the_table_follows(tmp_path: Path, experiment: str) -> None:
    async with running(tmp_path, experiment=experiment) as (app, pilot):
        await press(app, pilot, "enter", "m", "right_square_bracket")
        assert "desk-004" in screen_text(app).splitlines()[0]
        assert "1 of 4 failing rows labelled" in screen_text(app)
        await press(app, pilot, "full_stop")
        assert "desk-007" in screen_text(app).splitlines()[0]
        await press(app, pilot, "u")
        assert "desk-001" in screen_text(app).splitlines()[0]
        assert "0 of 4 failing rows labelled" in screen_text(app)
        await press(app, pilot, "escape")
        await settled(app, pilot)
        assert any("▌ desk-001" in line for line in screen_text(app).splitlines())


async def test_any_part_can_be_copied_whole(tmp_path: Path, experiment: str, monkeypatch: pytest.MonkeyPatch) -> None:
    copied: list[str] = []
    monkeypatch.setattr("ragtui.tui.outside.copy", lambda _, text, what="": copied.append(f"{what}: {text}"))
    async with running(tmp_path, experiment=experiment) as (app, pilot):
        await press(app, pilot, "y", "enter")
        await press(app, pilot, "enter", "y", *"reason", "enter")
        assert copied == [f"answer: {BAD}", "reason: groundedness: cites a policy that is not in the context"]


async def test_a_label_stands_on_the_side_it_was_given_to(tmp_path: Path, experiment: str) -> None:
    async with running(tmp_path, experiment=experiment) as (app, pilot):
        await press(app, pilot, "enter", "c", "m")
        answer, beside = (app.screen.query_one(name, WrappedText).passage for name in ("#answer", "#evidence"))
        assert any("model fault" in paragraph.text for paragraph in answer.paragraphs)
        assert not any("model fault" in paragraph.text for paragraph in beside.paragraphs)


def test_the_embedded_judge_has_no_prompt_to_show_and_says_so() -> None:
    cell = Cell("groundedness", Side.CANDIDATE, 1, State.SCORED, None, 2.0, False, 3.0, "", (), judge="embedded")
    side = SideDetail(Side.CANDIDATE, State.SCORED, "", "x", (), (), None, (cell,))
    said = " ".join(paragraph.text for paragraph in prompt_and_reply(side, "groundedness", "embedded").paragraphs)
    assert "embedded judge" in said
    assert "no prompt" in said
    assert "no judge was asked" not in said
