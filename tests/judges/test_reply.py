"""A reply is read if it holds exactly one usable object, and its score is never guessed."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtui.judges.reply import ReplyError, read_choice, read_score


def score(text: str | None, finish: str | None = "stop") -> tuple[float | None, bool]:
    found = read_score(text, finish, 1, 5)
    return found.value, found.repaired


def cause(text: str | None, finish: str | None = "stop") -> str:
    with pytest.raises(ReplyError) as error:
        read_score(text, finish, 1, 5)
    assert "\n" not in str(error.value)
    return error.value.cause


@pytest.mark.parametrize(
    "text",
    [
        '{"reason": "ok", "score": 4}',
        '  {"score": 4.0}\n',
        '{"score": "4", "reason": "text is fine"}',
        '```json\n{"score": 4}\n```',
        'Sure!\n{"score": 4, "reason": "a {brace} and \\"quotes\\""} Hope that helps.',
        '<think>Perhaps {"score": 1}? No.</think>\n{"score": 4}',
        'perhaps a 3\n</think>{"score": 4}',
        '{"note": "no score here"} {"reason": "x", "score": 4}',
        '[{"score": 4, "reason": "in a list"}]',
    ],
)
def test_read_as_it_stands(text: str) -> None:
    assert score(text) == (4, False)


@pytest.mark.parametrize(
    "text",
    [
        '{"score": 4, "reason": "x",}',
        "{'score': 4, 'reason': 'it\\'s fine', 'extra': None}",
        '{"Score": 4}',
        '{"score": 4, "reason": "two\nlines"}',
        '{"score": "4分"}',
        '{"score": "4/5"}',
        '{"score": "4 out of 5"}',
        '{"score": "４"}',
        '{"score": "٤"}',
        "{“score”: 4}",
        '{"result": {"score": 4, "reason": "wrapped"}}',
    ],
)
def test_small_slips_are_repaired_and_marked(text: str) -> None:
    assert score(text) == (4, True)


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        "4",
        "[4]",
        "I cannot grade this, sorry. Perhaps 4.",
        "{}",
        '{"score": true}',
        '{"score": NaN}',
        '{"score": "four"}',
        '{"score": "很好", "reason": "第3段"}',
        '{"score": [4]}',
        '{"score": {"value": 4}, "reason": "x"}',
        '{"score": 1, "score": 5}',
        '{"score": 4}{"score": 4}',
        '{"score": 4',
        "{score: 4}",
        '{"score": 1} and {score: 5}',
        '<think>{"score": 4}',
        "{" * 5000,
        '{"score": "' + "9" * 5000 + 'x"}',
    ],
)
def test_what_holds_no_single_verdict_is_unparsable(text: str | None) -> None:
    assert cause(text) == "unparsable"


@pytest.mark.parametrize("value", [0, 6, -1, 90, 98989, 0.8, 4.5, "4,5", "45", 1e300, "-4"])
def test_out_of_range_is_never_clamped(value: object) -> None:
    assert cause(json.dumps({"score": value})) == "out_of_range"


def test_a_scale_of_0_to_1_is_hinted_at() -> None:
    with pytest.raises(ReplyError, match="scale of 0 to 1"):
        read_score('{"score": 0.8}', "stop", 1, 5)


@pytest.mark.parametrize(
    "text", ['{"reason": "The ans', '{"score": 4', "", "no object yet", '<think>long {"score": 5}']
)
def test_a_reply_cut_off_before_its_end_is_truncated(text: str) -> None:
    assert cause(text, "length") == "truncated"


@pytest.mark.parametrize("text", ['{"score": 4}', '{"score": 4}\nIn addit', '```json\n{"score": 4, "reason": ""}\n``'])
def test_a_whole_object_counts_even_if_the_rest_is_cut_off(text: str) -> None:
    assert score(text, "length") == (4, False)


def test_a_second_verdict_that_was_cut_off_leaves_doubt() -> None:
    assert cause('{"score": 4} {"score": 2, "rea', "length") == "truncated"


def test_the_content_filter_is_told_apart_from_an_empty_reply() -> None:
    assert cause("", "content_filter") == "content_filter"


@pytest.mark.parametrize("text", ['{"score": null, "reason": "nothing to judge"}', '{"score": 3, "status": "skipped"}'])
def test_null_and_skipped_mean_that_there_is_nothing_to_score(text: str) -> None:
    assert score(text) == (None, False)


def test_the_keys_that_were_found_are_named() -> None:
    with pytest.raises(ReplyError, match="分数"):
        read_score('{"分数": 4, "理由": "好"}', "stop", 1, 5)


@given(st.integers(1, 5), st.text(max_size=200))
def test_any_reason_comes_back_whole(value: int, reason: str) -> None:
    found = read_score(json.dumps({"reason": reason, "score": value}), "stop", 1, 5)
    assert (found.value, found.reason, found.repaired) == (value, reason, False)


@given(st.integers(1, 5), st.text(max_size=80), st.integers(0, 60))
def test_a_prefix_of_a_reply_is_never_scored(value: int, reason: str, cut: int) -> None:
    whole = json.dumps({"reason": reason, "score": value})
    for finish in ("length", "stop"):
        with pytest.raises(ReplyError):
            read_score(whole[: min(cut, len(whole) - 1)], finish, 1, 5)


@given(st.text(max_size=300))
def test_no_text_at_all_breaks_the_reader(text: str) -> None:
    try:
        found = read_score(text, "stop", 1, 5)
    except ReplyError:
        return
    assert found.value is None or 1 <= found.value <= 5


@pytest.mark.parametrize(
    ("text", "said"), [('{"answer": "Yes."}', "yes"), ('{"answer": "no"}', "no"), ('{"answer": false}', "no")]
)
def test_yes_and_no(text: str, said: str) -> None:
    assert read_choice(text, "stop", "answer", {"yes": "yes", "no": "no"})[0] == said


def test_neither_yes_nor_no_is_unparsable() -> None:
    with pytest.raises(ReplyError, match="perhaps"):
        read_choice('{"answer": "perhaps"}', "stop", "answer", {"yes": "yes", "no": "no"})
