"""Claims against a context: supported, contradicted with the fault named, or not mentioned."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtui.judges.embedded.languages import ENGLISH
from ragtui.judges.embedded.passage import read_passage
from ragtui.judges.embedded.support import Finding, judge_claim


def judged(claim: str, *chunks: str) -> Finding:
    return judge_claim(claim, read_passage(chunks, ENGLISH), ENGLISH)


@pytest.mark.parametrize(
    ("context", "claim"),
    [
        ("Tokens are valid for 14 days.", "Tokens remain valid for two weeks."),
        ("Smoking is forbidden on the balcony.", "You are not allowed to smoke on the balcony."),
        ("Withdrawals are free of charge.", "There is no charge for withdrawals."),
        ("The box was sold in 1902.", "In 1902 the box was sold."),
        ("The lift is out of order and cannot be used.", "The lift cannot be used."),
        ("The colour of the car is grey.", "The car's color is grey."),
        ("Revenue rose by 8 percent.", "Revenue increased by 8%."),
        ("Cats sleep most of the day.", "Cats sleep for most of the day."),
    ],
)
def test_supported(context: str, claim: str) -> None:
    found = judged(claim, context)
    assert (found.verdict, found.fault) == ("entailed", "")


@pytest.mark.parametrize(
    ("context", "claim", "fault"),
    [
        (
            "Adults may take at most 400 mg a day.",
            "Adults may take 3,000 mg a day.",
            "says 3,000 mg where the context has 400 mg",
        ),
        (
            "Dogs are not allowed in the park.",
            "Dogs are allowed in the park.",
            'says "allowed" where the context says "not allowed"',
        ),
        ("Dogs are allowed in the park.", "Dogs are not allowed in the park.", 'says "not allowed" where'),
        (
            "The lift stops at floor 2.",
            "The lift does not stop at floor 2.",
            'denies "stop" where the context does not',
        ),
        ("The rate fell sharply.", "The rate rose sharply.", 'says "rose" where the context says "fell"'),
        ("Norway beat Sweden in Oslo.", "Sweden beat Norway in Oslo.", "have changed places"),
        ("Gold is heavier than iron.", "Iron is heavier than gold.", "have changed places"),
        ("Only administrators can invite members.", "Editors can invite members.", 'only "administrators"'),
        (
            "The treaty was signed in Vienna.",
            "The treaty was signed in Berlin.",
            'says "Berlin" where the context has "Vienna"',
        ),
        (
            "The front tyres need 2.4 bar, the rear tyres 2.2 bar.",
            "The front tyres need 2.2 bar.",
            "says 2.2 bar where the context has 2.4 bar",
        ),
        ("The shop opens at 9 a.m.", "The shop opens at 9 p.m.", "says 9 p.m."),
    ],
)
def test_contradicted(context: str, claim: str, fault: str) -> None:
    found = judged(claim, context)
    assert found.verdict == "contradicted"
    assert fault in found.fault


@pytest.mark.parametrize(
    ("context", "claim"),
    [
        ("The gate opens at nine.", "The museum has a café on the second floor."),
        ("The gate opens at nine.", "The gate was painted by Anna Berg."),
        ("The token is valid for 90 days.", "Tokens are printed on blue paper in Norway."),
    ],
)
def test_not_mentioned(context: str, claim: str) -> None:
    found = judged(claim, context)
    assert found.verdict == "neutral"
    assert found.fault


def test_the_place_is_the_sentence_that_decides() -> None:
    chunks = ("Printers are on floor 2. Ask at the desk.", "The token lasts 90 days. It is free.")
    passage = read_passage(chunks, ENGLISH)
    found = judge_claim("The token lasts 90 days.", passage, ENGLISH)
    assert found.place is not None
    place = passage.places[found.place]
    assert place.chunk == 1
    assert chunks[1][place.sentence.start : place.sentence.end] == "The token lasts 90 days."


def test_a_claim_supported_by_two_neighbouring_sentences() -> None:
    assert (
        judged("Marie Curie was born in Warsaw.", "Marie Curie was a physicist. She was born in Warsaw.").verdict
        == "entailed"
    )


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=120), st.lists(st.text(max_size=160), max_size=3))
def test_no_text_breaks_it_and_the_same_text_gets_the_same_finding(claim: str, chunks: list[str]) -> None:
    assert judged(claim, *chunks) == judged(claim, *chunks)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.sampled_from(["The token costs 4 euros.", "Dogs may enter.", "It opens at nine.", "No fee is due."]),
        min_size=1,
        max_size=4,
        unique=True,
    )
)
def test_what_the_context_says_word_for_word_is_supported(said: list[str]) -> None:
    for sentence in said:
        assert judged(sentence, " ".join(said)).verdict == "entailed"
