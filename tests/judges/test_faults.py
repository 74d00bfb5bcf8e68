"""An endpoint that fails in every way at random: each cell still ends in the right state, and nothing is judged twice."""

from __future__ import annotations

from collections import Counter

from ragtui.judges.judge import Question
from ragtui.metrics.score import State
from tests.judges.asking import model_judge, question, round_of
from tests.judges.fated import METRICS, OUTCOMES, Fates, case, fate_of, score_of
from tests.judges.servers import canned, fake_judge

CAUSES = {"unparsable", "truncated", "out_of_range", "refused", "content_filter", "timeout", "rate_limit", "connection"}


async def test_a_server_whose_faults_depend_on_when_it_is_asked() -> None:
    asked = {(number, name): question(number, name) for number in range(60) for name in METRICS}
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
    assert states[State.SCORED] > 0.85 * len(asked)
    for verdict in found.values():
        assert (verdict.score is None) == (verdict.state is not State.SCORED)
        if verdict.score is not None:
            assert f"level {verdict.score:.0f} fits" in (verdict.reply or ""), "a score that no reply gave"
        else:
            assert verdict.reason


async def test_every_cell_ends_as_its_replies_must_and_is_judged_once() -> None:
    fates = Fates()
    cells = [(number, name) for number in range(100) for name in METRICS]
    asked = {cell: Question(cell[1], case(cell[0])) for cell in cells}
    assert {fate_of(*cell) for cell in cells} == set(OUTCOMES), "every kind of fault is among them"
    async with canned(fates.answer) as server:
        judge = model_judge(server.url, timeout=1.0)
        found, _ = await round_of(judge, asked, in_flight=16)
    for cell, verdict in found.items():
        fate = fate_of(*cell)
        assert (verdict.state, verdict.cause) == OUTCOMES[fate], (cell, fate, verdict)
        assert verdict.score == (score_of(*cell) if verdict.state is State.SCORED else None), (cell, fate)
        assert verdict.attempts == fates.requests[cell], (cell, fate)
        assert fates.usable[cell] <= 1, f"{cell}, {fate}: judged twice"
    assert {"temperature", "max_tokens"}.isdisjoint(server.seen[-1])
    assert sum("max_tokens" in body for body in server.seen) <= 16, "a refused parameter is remembered"


async def test_equal_questions_in_flight_are_asked_once() -> None:
    with fake_judge(delay_ms=50) as server:
        found, round_ = await round_of(model_judge(server.url), {key: question(7) for key in range(20)}, in_flight=20)
        calls = server.stats()["calls"]
    assert calls == 1
    assert round_.reused == 19
    assert len({verdict.score for verdict in found.values()}) == 1
    assert sum(verdict.attempts for verdict in found.values()) == 1
