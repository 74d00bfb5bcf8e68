"""What a table shows: SQL filters, sorting, searching, as row numbers over a frame that is never copied."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtui.tui.widgets.frame_view import FrameView, matching_view, sorted_view, step_from
from ragtui.tui.widgets.row_filter import FilterError, complete_column, filtered_view

FRAME = pl.DataFrame(
    {
        "score": [1.0, None, 3.0, 2.0],
        "the text": ["q", "e\u0301t", "[red]", "É"],
        "score Δ": [1, 2, 3, 4],
        "chunks": [["a"], ["b", "c"], [], None],
    }
)


@pytest.mark.parametrize(
    ("condition", "rows"),
    [
        ('score < 3 and "the text" is not null', [0, 3]),
        ("score is null", [1]),
        ("\"the text\" like '%t'", [1]),
        ('"score Δ" between 2 and 3', [1, 2]),
        ("score in (1, 2)", [0, 3]),
        ("chunks is null", [3]),
        ("1 = 1", [0, 1, 2, 3]),
        ("1 = 2", []),
    ],
)
def test_rows_where_an_sql_condition_holds(condition: str, rows: list[int]) -> None:
    assert filtered_view(FRAME, condition).to_list() == rows


@pytest.mark.parametrize(
    ("condition", "says"),
    [
        ("scor < 3", "at 1: no column scor; did you mean score?"),
        ("nothing = 1", "at 1: no column nothing; there are score,"),
        ("score", "at 1: this is a number, not a condition"),
        ("score <", "at 8: a column or a value is missing"),
        ("(score < 3", "at 11: a closing ) is missing"),
        ("score < 3 or or score = 1", "at 17: "),
        ("score > 'x'", "at 9: a number cannot be compared with a text"),
        ('score < 3 and "the text" > 2', 'at 15: "the text" is text: compare it with a text in single quotes'),
        ('"the text" = "warum"', "at 14: no column warum; a text goes in single quotes: 'warum'"),
        ("foo(name) = 1", "at 1: there is no function foo"),
        ("\"the text\" ~ '['", "unclosed character class"),
        ("'", "at 1: unterminated string"),
        ("score = 1; drop table x", "invalid expression"),
        ("select 1", "at 8: and, or, or the end expected, not 1"),
        ("", "at 1: there is no condition"),
    ],
)
def test_a_condition_that_cannot_be_used_is_told_in_one_line(condition: str, says: str) -> None:
    with pytest.raises(FilterError, match=r"^[^\n]*$") as caught:
        filtered_view(FRAME, condition)
    assert says in str(caught.value)


@given(st.text(max_size=40))
def test_no_condition_breaks_the_app(condition: str) -> None:
    said = ""
    try:
        rows = set(filtered_view(FRAME, condition))
    except FilterError as error:
        rows, said = set(), str(error)
    assert rows <= {0, 1, 2, 3}
    assert "\n" not in said


def test_search_looks_into_texts_numbers_and_lists() -> None:
    assert matching_view(FRAME, "c", ["chunks"]).to_list() == [1]
    assert matching_view(FRAME, "[red", ["the text"]).to_list() == [2]
    assert matching_view(FRAME, "2.0", ["score"]).to_list() == [3]


def test_search_takes_composed_and_decomposed_letters_as_equal() -> None:
    assert matching_view(FRAME, "é", ["the text"]).to_list() == [1, 3]
    assert matching_view(FRAME, "É", ["the text"]).to_list() == [3]


def test_case_counts_only_if_a_capital_is_typed() -> None:
    frame = pl.DataFrame({"t": ["VPN", "vpn", "Vpn"]})
    assert matching_view(frame, "vpn", ["t"]).to_list() == [0, 1, 2]
    assert matching_view(frame, "VPN", ["t"]).to_list() == [0]


@given(st.lists(st.one_of(st.none(), st.floats(allow_nan=False)), max_size=30), st.booleans())
def test_sorting_keeps_equal_rows_in_order_and_puts_nulls_last(values: list[float | None], descending: bool) -> None:
    frame = pl.DataFrame({"v": values}, schema={"v": pl.Float64})
    order = sorted_view(frame, "v", descending).to_list()
    known = [i for i, v in enumerate(values) if v is not None]
    expected = sorted(known, key=lambda i: -values[i] if descending else values[i])  # type: ignore[operator]
    assert order == expected + [i for i, v in enumerate(values) if v is None]


@given(st.lists(st.integers(0, 5), min_size=1, max_size=30), st.integers(0, 5))
def test_filter_and_sorting_together_show_each_kept_row_once_in_order(values: list[int], limit: int) -> None:
    frame = pl.DataFrame({"v": values})
    view = FrameView(frame)
    view.order(sorted_view(frame, "v", True))
    view.keep(filtered_view(frame, f"v >= {limit}"))
    assert view.shown()["v"].to_list() == sorted((v for v in values if v >= limit), reverse=True)
    for position in range(view.count):
        row = view.row_at(position)
        assert view.position_of(row) == position
    hidden = [row for row, v in enumerate(values) if v < limit]
    assert all(view.position_of(row) is None for row in hidden)


def test_search_follows_the_filter() -> None:
    frame = pl.DataFrame({"t": ["a", "b", "a", "a"]})
    view = FrameView(frame)
    view.match(matching_view(frame, "a", ["t"]))
    assert view.found is not None
    assert view.found.to_list() == [0, 2, 3]
    view.keep(pl.Series([1, 2], dtype=pl.UInt32))
    assert view.found.to_list() == [1]


def test_stepping_goes_round_the_ends() -> None:
    found = pl.Series([2, 5], dtype=pl.UInt32)
    assert [step_from(at, found, 1) for at in (0, 2, 5)] == [2, 5, 2]
    assert [step_from(at, found, -1) for at in (0, 2, 5)] == [5, 5, 2]
    assert step_from(0, found.clear(), 1) is None


def test_other_values_in_the_same_rows_keep_filter_and_order() -> None:
    view = FrameView(FRAME)
    view.order(sorted_view(FRAME, "score", True))
    view.keep(filtered_view(FRAME, "score is not null"))
    again = view.over(FRAME.with_columns(score=pl.lit(0.0)), None)
    assert again.rows is not None
    assert again.rows.to_list() == [2, 3, 0]


def test_column_names_complete_and_are_quoted_where_sql_needs_it() -> None:
    assert complete_column("sc", FRAME.columns) == ["score", '"score Δ"']
    assert complete_column("score < 3 and the", FRAME.columns) == ['score < 3 and "the text"']
    assert complete_column("score < ", FRAME.columns) == []
    assert complete_column("score = 1 or tex", FRAME.columns) == ['score = 1 or "the text"']
    assert complete_column('"the text" = \'sc', FRAME.columns) == []
    assert complete_column("not ", FRAME.columns)[0] == "not score"


def test_long_texts_are_cut_before_they_become_python_objects() -> None:
    frame = pl.DataFrame({"t": ["x" * 1_000_000], "l": [["y" * 1_000_000, "z"]]})
    (text,), (listed,) = FrameView(frame).page(0, ["t", "l"])
    assert len(text) == 400
    assert listed.startswith("[2] yyy")
    assert len(listed) < 500
