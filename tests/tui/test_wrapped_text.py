"""Long texts wrap fast, at spaces, in cells; marks stay on their characters through sanitising and wrapping."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.app import App, ComposeResult

from ragtui.text import block
from ragtui.tui.widgets.passage import LONGEST, Passage, Span
from ragtui.tui.widgets.prompt_line import PromptLine
from ragtui.tui.widgets.wrapped_text import WrappedText, wrapped

WORDS = "The pass is valid for four hours and can be used once. "


@given(st.text(st.characters(exclude_characters="\n"), max_size=120), st.integers(2, 40), st.integers(2, 40))
def test_every_piece_fits_and_only_spaces_are_lost(text: str, first: int, rest: int) -> None:
    safe = block(text).replace("\n", " ")
    pieces = [safe[start:end] for start, end in wrapped(safe, first, rest)]
    assert "".join(pieces).replace(" ", "") == safe.replace(" ", "")
    for number, piece in enumerate(pieces):
        assert cell_len(piece) <= (first if number == 0 else rest) or len(piece) == 1


def test_breaks_at_spaces_where_there_are_any() -> None:
    text = "hello brave new world"
    assert [text[a:b] for a, b in wrapped(text, 10, 8)] == ["hello", "brave", "new", "world"]
    assert [text[a:b] for a, b in wrapped(text, 11, 11)] == ["hello brave", "new world"]


def test_what_has_no_spaces_is_cut_where_it_must() -> None:
    assert list(wrapped("x" * 25, 10, 8)) == [(0, 10), (10, 18), (18, 25)]
    assert list(wrapped("日本語日本語", 5, 5)) == [(0, 2), (2, 4), (4, 6)]


@pytest.mark.parametrize("text", [WORDS * 3700, (WORDS * 3700).replace("o", "ö"), "日本語テキスト" * 29_000])
def test_two_hundred_thousand_characters_wrap_in_a_moment(text: str) -> None:
    start = time.process_time()
    passage = Passage()
    passage.text(text)
    count = sum(1 for paragraph in passage.paragraphs for _ in wrapped(paragraph.text, 80, 80))
    assert count >= len(passage.paragraphs[0].text) // 80
    assert time.process_time() - start < 0.4  # 0.05 s on an idle machine


def test_marks_stay_on_their_characters_when_the_text_is_made_safe() -> None:
    raw = "a\tb\x1b[31mred\r\nnext line"
    passage = Passage()
    passage.text(raw, [Span(raw.index("red"), raw.index("red") + 3, "good"), Span(raw.index("next"), len(raw), "bad")])
    marked = [(p.text[s.start : s.end], s.tone) for p in passage.paragraphs for s in p.spans]
    assert marked == [("red", "good"), ("next line", "bad")]


@given(st.text(max_size=60), st.data())
def test_marks_never_point_outside_the_text(raw: str, data: st.DataObject) -> None:
    ends = sorted(data.draw(st.lists(st.integers(-3, len(raw) + 3), min_size=2, max_size=2)))
    passage = Passage()
    passage.text(raw, [Span(ends[0], ends[1], "good")])
    for paragraph in passage.paragraphs:
        assert "\n" not in paragraph.text
        for span in paragraph.spans:
            assert 0 <= span.start < span.end <= len(paragraph.text)


def test_what_is_longer_than_is_shown_says_how_much_more_there_is() -> None:
    passage = Passage()
    passage.text("x" * (LONGEST + 1234))
    assert passage.paragraphs[-1].text == "… 1,234 more characters; o opens all of it"


class OneText(App[None]):
    def compose(self) -> ComposeResult:
        yield WrappedText()
        yield PromptLine()


async def test_goes_to_a_place_and_makes_it_stand_out() -> None:
    passage = Passage()
    passage.text("\n".join(f"line {number}" for number in range(300)))
    passage.text("here it is", [Span(0, 4, "", "the place")])
    passage.text("\n".join(f"line {number}" for number in range(300)))
    app = OneText()
    async with app.run_test(size=(40, 20)) as pilot:
        text = app.query_one(WrappedText)
        text.show(passage)
        await pilot.pause()
        text.go_to("the place")
        await pilot.pause()
        lines = [text.render_line(y) for y in range(text.size.height)]
        (here,) = [line for line in lines if "here it is" in line.text]
        marked = [segment.text for segment in here if segment.style is not None and segment.style.underline]
        assert marked == ["here"]


async def test_a_megabyte_never_holds_a_key_up() -> None:
    passage = Passage()
    for _ in range(6):
        passage.text((WORDS * 4).replace("o", "ö") * 900)
    app = OneText()
    async with app.run_test(size=(80, 24)) as pilot:
        text = app.query_one(WrappedText)
        start = time.process_time()
        text.show(passage)
        assert time.process_time() - start < 0.15  # the first screen; the rest is wrapped between keys
        for _ in range(400):
            if text.wrapped:
                break
            await pilot.pause(0.01)
        assert text.wrapped
        assert text.virtual_size.height > 10_000


async def test_search_steps_through_the_places_found() -> None:
    passage = Passage()
    passage.text("\n".join("needle" if number % 50 == 25 else f"line {number}" for number in range(200)))
    app = OneText()
    async with app.run_test(size=(40, 12)) as pilot:
        text = app.query_one(WrappedText)
        text.show(passage)
        text.focus()
        await pilot.press("slash", *"needle", "enter")
        tops = [int(text.scroll_offset.y)]
        for key in ("n", "n", "N"):
            await pilot.press(key)
            tops.append(int(text.scroll_offset.y))
        assert tops == [23, 73, 123, 73]
