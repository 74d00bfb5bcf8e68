"""Marking the words that differ between two texts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ragtui.tui.differences import differing


def words(one: str, other: str) -> tuple[list[str], list[str]]:
    mine, theirs = differing(one, other)
    return [one[a:b] for a, b in mine], [other[a:b] for a, b in theirs]


def test_only_what_differs_is_marked_on_both_sides() -> None:
    assert words("valid for 14 days.", "It is valid for 21 days") == (["14"], ["It is", "21"])


def test_case_and_punctuation_do_not_count() -> None:
    assert words("Press Reset!", "press reset") == ([], [])


def test_numbers_with_points_are_one_word() -> None:
    assert words("costs 1,000.50 euros", "costs 1,000.00 euros") == (["1,000.50"], ["1,000.00"])


def test_where_nothing_is_alike_nothing_is_marked() -> None:
    assert words("one two", "three") == ([], [])
    assert words("", "three") == ([], [])


def test_texts_too_long_to_compare_at_once_are_left_alone() -> None:
    assert words("word " * 2000, "other " * 2000) == ([], [])


@given(st.text(max_size=80), st.text(max_size=80))
def test_runs_lie_inside_the_texts_in_order(one: str, other: str) -> None:
    for text, runs in zip((one, other), differing(one, other), strict=True):
        ends = [end for run in runs for end in run]
        assert ends == sorted(ends)
        assert all(0 <= end <= len(text) for end in ends)
