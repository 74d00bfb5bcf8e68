"""Sentences keep their places in the text, and lists, headings and wrapped lines are what they look like."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtui.judges.sentences import sentences

WRAPPED = "The gate of the old town opens every day of the week, also in\nwinter, at nine."


def texts(text: str) -> list[str]:
    return [each.text for each in sentences(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "Dr. Smith paid $4.2 billion. He left at 5 p.m. on Monday.",
            ["Dr. Smith paid $4.2 billion.", "He left at 5 p.m. on Monday."],
        ),
        (
            "Do this:\n1. Open the portal.\n2. Choose Reset.\n- Done",
            ["Do this:", "Open the portal.", "Choose Reset.", "Done"],
        ),
        ("# Opening hours\nThe gate opens at nine.", ["Opening hours", "The gate opens at nine."]),
        (
            WRAPPED,
            [WRAPPED],
        ),
        ("九点开门。请走北门。", ["九点开门。", "请走北门。"]),
        ("No full stop at the end", ["No full stop at the end"]),
        ("One.\n\n\nTwo.", ["One.", "Two."]),
        ("", []),
        (" \n … ---\n", []),
    ],
)
def test_split(text: str, found: list[str]) -> None:
    assert texts(text) == found


@given(st.text(max_size=200))
def test_places_are_code_points_of_the_text(text: str) -> None:
    end = 0
    for each in sentences(text):
        assert text[each.start : each.end] == each.text
        assert end <= each.start < each.end
        end = each.end


@given(st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=60))
def test_no_letter_is_lost(text: str) -> None:
    assert "".join("".join(texts(text)).split()) == "".join(text.split())
