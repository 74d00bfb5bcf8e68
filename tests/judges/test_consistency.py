"""Verdicts that contradict themselves are flagged, and only those."""

from __future__ import annotations

import pytest

from ragtui.judges.consistency import FLAG, contradiction, recomputed
from ragtui.metrics.score import Evidence, State
from tests.judges.asking import model_judge, question, verdicts
from tests.judges.servers import canned, score


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (5, "The second sentence contradicts the context."),
        (5, "The fee of 30 euros is not mentioned in the context."),
        (5, "The answer does not address the question."),
        (1, "Every sentence is fully supported by the context."),
        (1, "All statements are supported."),
    ],
)
def test_a_reason_against_its_score(given: float, reason: str) -> None:
    assert contradiction(given, reason, ()).startswith(FLAG)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (5, "Nothing in the answer contradicts the context."),
        (5, "There are no unsupported statements and no fabricated numbers."),
        (5, "It is fully supported; an unsupported aside is not part of the answer."),
        (5, "The answer doesn't contradict any chunk."),
        (4, "One detail is not mentioned in the context."),
        (1, "It is not fully supported: the fee is made up."),
        (1, "The answer contradicts the context."),
        (2, "Fully supported."),
        (5, ""),
    ],
)
def test_a_reason_that_fits(given: float, reason: str) -> None:
    assert contradiction(given, reason, ()) == ""


def test_a_score_is_held_against_its_own_claims() -> None:
    claims = [Evidence("a", "entailed"), Evidence("b", "neutral"), Evidence("c", "contradicted")]
    assert recomputed(claims) == pytest.approx(1 + 4 / 3)
    assert "its claims come to 2.3, it scores 5" in contradiction(5, "fine", claims)
    assert contradiction(2, "The reason is not looked into: not supported.", claims) == ""


async def test_a_flagged_verdict_keeps_its_score_and_says_so_in_its_reason() -> None:
    async with canned(lambda body, n: score(5, "The second sentence contradicts the context.")) as server:
        found = (await verdicts(model_judge(server.url), {1: question()}))[1]
    assert (found.state, found.score) == (State.SCORED, 5)
    assert f"[{FLAG}: the reason says “contradicts”" in found.reason
    assert FLAG not in (found.reply or ""), "the raw reply is kept as it was"
