"""Correctness, completeness and alignment from judged facts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtui.metrics.facts import outcome
from ragtui.metrics.registry import metric
from ragtui.metrics.score import Evidence, State

from .oracle_files import pinecone

NAMES = ("correctness", "completeness", "alignment")


def facts(*verdicts: str) -> tuple[Evidence, ...]:
    return tuple(Evidence(f"fact {number}", verdict) for number, verdict in enumerate(verdicts, 1))


@pytest.mark.parametrize("name", NAMES)
def test_the_published_example(name: str) -> None:
    example = pinecone()
    found = outcome(name, facts(*example["evaluated_facts"]))
    assert found.score == pytest.approx(example["expected"][name], abs=1e-12)
    assert found.score == pytest.approx(example["published"][name], abs=example["import_tolerance"])


@pytest.mark.parametrize("name", NAMES)
def test_edges(name: str) -> None:
    for row in pinecone()["more"]:
        found = outcome(name, facts(*row["facts"]))
        assert found.score == row[name], row
        assert (found.state is State.NOT_APPLICABLE) == (row[name] is None)
        assert found.reason


def test_reasons_name_what_is_wrong_first() -> None:
    found = outcome("alignment", facts("entailed", "neutral", "contradicted"))
    assert found.reason == "3 facts: 1 entailed, 1 contradicted, 1 neutral; wrong: fact 3"
    assert outcome("alignment", facts("entailed", "neutral")).reason.endswith("missing: fact 2")
    assert len(found.evidence) == 3


def test_a_judges_verdict_becomes_each_of_the_three() -> None:
    evidence = facts("entailed", "contradicted")
    assert [metric(name).from_verdict(None, "", evidence).score for name in NAMES] == [0.5, 0.5, 0.5]
    assert {metric(name).question for name in NAMES} == {"facts"}


def test_an_unknown_verdict_is_refused() -> None:
    with pytest.raises(ValueError, match="'maybe' is no verdict on a fact"):
        outcome("correctness", facts("maybe"))
    with pytest.raises(ValueError, match="'f1' is not a facts metric"):
        outcome("f1", facts("entailed"))


@given(st.lists(st.sampled_from(["entailed", "contradicted", "neutral"]), min_size=1))
def test_alignment_lies_between_the_other_two(verdicts: list[str]) -> None:
    right, whole, both = (outcome(name, facts(*verdicts)).score for name in NAMES)
    assert whole is not None
    assert both is not None
    assert 0 <= both <= 1
    if right is None:
        assert both == 0
    else:
        assert min(right, whole) - 1e-12 <= both <= max(right, whole) + 1e-12
