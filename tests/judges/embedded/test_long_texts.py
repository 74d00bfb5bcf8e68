"""In long texts only the sentences that can decide are looked at closely, and the verdict is that of looking at all."""

from __future__ import annotations

import random

import pytest

from ragtui.judges.embedded import matching
from ragtui.judges.embedded.languages import ENGLISH
from ragtui.judges.embedded.passage import read_passage
from ragtui.judges.embedded.questions import verify
from ragtui.judges.embedded.support import judge_claim
from ragtui.judges.gold import gold_claims

GOLD = gold_claims("tuning")


@pytest.mark.parametrize("seed", range(3))
def test_the_verdict_is_that_of_looking_at_every_sentence(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = random.Random(seed)
    picked = drawn.sample(GOLD, 40)
    context = tuple(chunk for each in picked for chunk in each.context)
    claims = [each.claim for each in picked[:20]]
    words = [word for each in picked for word in each.claim.split()]
    claims += [" ".join(drawn.sample(words, 9)).capitalize() + "." for _ in range(20)]
    passage = read_passage(context, ENGLISH)
    assert len(passage.places) > matching._FEW
    found = [judge_claim(each, passage, ENGLISH) for each in claims]
    monkeypatch.setattr(matching, "_FEW", 10**9)
    assert found == [judge_claim(each, passage, ENGLISH) for each in claims]
    assert {each.verdict for each in found} == {"entailed", "contradicted", "neutral"}


def test_few_windows_of_a_long_text_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[tuple[int, ...]] = []
    whole = matching._cover

    def counted(spread: matching.Spread, window: tuple[int, ...]) -> matching.Cover:
        looked.append(window)
        return whole(spread, window)

    monkeypatch.setattr(matching, "_cover", counted)
    context = tuple(f"The room {n} on floor {n % 30} is open from {n % 12} to {n % 7 + 12}." for n in range(400))
    claims = [f"The room {n} is on floor {n % 30}." for n in range(0, 400, 20)] * 2
    found = verify(claims, " ".join(claims), context, ENGLISH)
    assert [each.chunk for each in found] == list(range(0, 400, 20)) * 2
    assert len(looked) < 20 * 100, "of 800 windows for each of 20 claims"
