"""An endpoint that fails in every way at random: each cell still ends in the right state, and nothing is judged twice."""

from __future__ import annotations

from collections import Counter

from ragtui.metrics.score import State
from tests.judges.asking import model_judge, question, round_of
from tests.judges.servers import fake_judge

METRICS = ("groundedness", "relevance", "coherence", "fluency")
CAUSES = {"unparsable", "truncated", "out_of_range", "refused", "content_filter", "timeout", "rate_limit", "connection"}


async def test_a_thousand_calls_with_every_fault() -> None:
    asked = {(number, name): question(number, name) for number in range(250) for name in METRICS}
    asked = {
        key: question(key[0], key[1], response=f"At nine, says rule {key[0]}.") for key in asked
    }  # every case differs in what each metric sees
    with fake_judge() as server:
        judge = model_judge(server.url, "fake-mixed", timeout=1.0)
        found, round_ = await round_of(judge, asked, in_flight=16)
        calls = server.stats()["calls"]
    assert found.keys() == asked.keys()
    assert round_.verdicts == len(asked)
    assert calls == sum(verdict.attempts for verdict in found.values())
    states = Counter(verdict.state for verdict in found.values())
    causes = Counter(verdict.cause for verdict in found.values() if verdict.state is State.JUDGE_ERROR)
    assert set(states) == {State.SCORED, State.JUDGE_ERROR, State.NOT_APPLICABLE}
    assert causes.keys() <= CAUSES
    assert {"content_filter", "refused"} <= causes.keys()
    assert states[State.SCORED] > 850
    for verdict in found.values():
        assert (verdict.score is None) == (verdict.state is not State.SCORED)
        if verdict.score is not None:
            assert f"level {verdict.score:.0f} fits" in (verdict.reply or ""), "a score that no reply gave"
        else:
            assert verdict.reason


async def test_equal_questions_in_flight_are_asked_once() -> None:
    with fake_judge(delay_ms=50) as server:
        found, round_ = await round_of(model_judge(server.url), {key: question(7) for key in range(20)}, in_flight=20)
        calls = server.stats()["calls"]
    assert calls == 1
    assert round_.reused == 19
    assert len({verdict.score for verdict in found.values()}) == 1
    assert sum(verdict.attempts for verdict in found.values()) == 1
