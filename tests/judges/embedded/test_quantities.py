"""Amounts mean the same however they are written, and differ where they differ."""

from __future__ import annotations

import pytest

from ragtui.judges.embedded.quantities import Quantity, quantities
from ragtui.judges.embedded.tokens import tokens


def one(text: str) -> Quantity:
    found = quantities(tokens(text))
    assert len(found) == 1, found
    return found[0]


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("14 days", "two weeks"),
        ("for a day and a half", "36 hours"),
        ("half an hour", "30 minutes"),
        ("an hour and a half", "an hour and a half"),
        ("3,000 mg", "3 g"),
        ("$4.2 billion", "4.2 billion dollars"),
        ("1,200", "1200"),
        ("25 cents", "$0.25"),
        ("60%", "60 percent"),
        ("a quarter of the price", "25 per cent"),
        ("twenty-two hours", "22 hours"),
        ("two hundred and fifty", "250"),
        ("a decade of work", "a decade of work"),
        ("ten years", "a period of 10 years"),
        ("15 May", "May 15"),
        ("2 p.m.", "14:00"),
        ("noon", "12:00"),
        ("250 °C", "250 degrees"),
        ("210 MW", "0.21 GW"),
        ("once a week", "weekly"),
        ("every two hours", "every 2 hours"),
        ("twice a day", "two times per day"),
        ("eighteen", "18 years old"),
        ("12 months", "one year"),
        ("3 dozen", "36"),
        ("4,5 kg", "4500 g"),
        ("120 square metres", "120 m²"),
    ],
)
def test_the_same(left: str, right: str) -> None:
    if quantities(tokens(left)):
        assert one(left).equals(one(right))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("30 days", "60 days"),
        ("3,000 mg", "400 mg"),
        ("1966", "1986"),
        ("on Monday", "on Friday"),
        ("15 May", "31 May"),
        ("two moons", "three moons"),
        ("2.4 bar", "2.2 bar"),
        ("8 a.m.", "8 p.m."),
        ("every day", "once a week"),
        ("$8", "15 dollars"),
    ],
)
def test_rivals(left: str, right: str) -> None:
    assert one(left).rivals(one(right))
    assert not one(left).equals(one(right))


@pytest.mark.parametrize(("left", "right"), [("30 days", "30 kg"), ("100 cases", "200 books"), ("1966", "50 mg")])
def test_what_measures_something_else_is_neither_equal_nor_a_rival(left: str, right: str) -> None:
    assert not one(left).equals(one(right))
    assert not one(left).rivals(one(right))


@pytest.mark.parametrize(
    "text",
    ["one of them", "the next one", "May I go?", "a day a week goes by", "the first time"],
)
def test_words_that_only_look_like_numbers(text: str) -> None:
    assert not [each for each in quantities(tokens(text)) if each.kind in ("time", "month", "ordinal")]


def test_places_are_token_indexes() -> None:
    line = tokens("It costs $4.2 billion in all")
    (found,) = quantities(line)
    assert "".join(token.text for token in line[found.first : found.last]) == "$4.2billion"
