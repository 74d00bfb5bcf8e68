"""Many questions at once: bounded, stoppable, cached, each verdict handed on once."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from ragtui.judges.cache import SqliteCache
from ragtui.judges.concurrency import Concurrency
from ragtui.judges.embedded.judge import EmbeddedJudge
from ragtui.judges.engine import ask_all
from ragtui.judges.judge import Question, Verdict
from ragtui.metrics.score import State
from tests.judges.asking import model_judge, question, round_of, verdicts
from tests.judges.servers import Canned, canned, fake_judge, score


async def test_no_more_calls_are_in_flight_than_asked_for() -> None:
    with fake_judge(delay_ms=30) as server:
        await verdicts(model_judge(server.url), {n: question(n) for n in range(60)}, in_flight=7)
        assert server.stats()["peak_in_flight"] == 7


async def test_one_connection_serves_many_calls() -> None:
    with fake_judge(delay_ms=5) as server:
        await verdicts(model_judge(server.url), {n: question(n) for n in range(80)}, in_flight=4)
        assert server.stats()["conns"] <= 6


async def test_questions_are_drawn_only_as_fast_as_they_are_asked() -> None:
    drawn = 0
    landed: dict[int, Verdict] = {}
    ahead = 0

    async def stream() -> AsyncIterator[tuple[int, Question]]:
        nonlocal drawn
        for number in range(40):
            drawn += 1
            yield number, question(number)

    def keep(key: int, verdict: Verdict) -> None:
        nonlocal ahead
        landed[key] = verdict
        ahead = max(ahead, drawn - len(landed))

    async with canned(lambda body, n: score(3)) as server:
        judge = model_judge(server.url)
        await ask_all(judge, stream(), on_verdict=keep, concurrency=Concurrency(4))
        await judge.close()
    assert len(landed) == 40
    assert ahead <= 5


async def test_stopping_waits_for_nothing() -> None:
    flag = False
    landed: dict[int, Verdict] = {}

    def keep(key: int, verdict: Verdict) -> None:
        nonlocal flag
        landed[key] = verdict
        flag = len(landed) == 3

    async with canned(lambda body, n: score(4) if n <= 3 else Canned(delay=60)) as server:
        judge = model_judge(server.url)
        started = time.monotonic()
        asked = await ask_all(
            judge, [(n, question(n)) for n in range(40)], on_verdict=keep, concurrency=Concurrency(8), stop=lambda: flag
        )
        assert time.monotonic() - started < 3
        await judge.close()
    assert asked.stopped
    assert len(landed) == 3


async def test_a_slow_source_can_be_stopped_too() -> None:
    async def stream() -> AsyncIterator[tuple[int, Question]]:
        yield 1, question(1)
        await asyncio.sleep(60)
        yield 2, question(2)

    landed: dict[int, Verdict] = {}
    async with canned(lambda body, n: score(4)) as server:
        judge = model_judge(server.url)
        asked = await ask_all(judge, stream(), on_verdict=landed.__setitem__, stop=lambda: 1 in landed)
        await judge.close()
    assert asked.stopped


async def test_a_reply_is_bought_once_and_kept_across_runs(tmp_path: Path) -> None:
    asked = {n: question(n) for n in range(12)}
    cache = SqliteCache(tmp_path / "deep" / "replies.sqlite")
    with fake_judge() as server:
        first, _ = await round_of(model_judge(server.url), asked, cache=cache)
        cache.close()
        cache = SqliteCache(tmp_path / "deep" / "replies.sqlite")
        second, again = await round_of(model_judge(server.url), asked, cache=cache)
        assert server.stats()["calls"] == 12
    assert again.reused == 12
    assert {n: verdict.score for n, verdict in first.items()} == {n: verdict.score for n, verdict in second.items()}
    assert all(verdict.cached and verdict.attempts == 0 and verdict.cost == 0 for verdict in second.values())
    assert second[3].prompt == first[3].prompt
    assert second[3].reply == first[3].reply


async def test_errors_are_never_kept(tmp_path: Path) -> None:
    cache = SqliteCache(tmp_path / "replies.sqlite")
    async with canned(lambda body, n: Canned("nonsense") if n <= 2 else score(5)) as server:
        bad, _ = await round_of(model_judge(server.url), {1: question()}, cache=cache)
        good, _ = await round_of(model_judge(server.url), {1: question()}, cache=cache)
    assert bad[1].state is State.JUDGE_ERROR
    assert good[1].score == 5


@pytest.mark.parametrize(
    "other",
    [
        {"response": "At ten."},
        {"context": ("The gate opens at ten.",)},
        {"name": "relevance"},
    ],
)
def test_the_cache_key_follows_every_byte_that_is_sent(other: dict[str, Any]) -> None:
    judge = model_judge("http://127.0.0.1:1/v1")
    assert judge.cache_key(question()) == judge.cache_key(question())
    assert judge.cache_key(question()) != judge.cache_key(question(**other))


def test_the_cache_key_follows_model_endpoint_decoding_version_and_repeat() -> None:
    base = question()
    keys = {
        model_judge("http://127.0.0.1:1/v1").cache_key(base),
        model_judge("http://127.0.0.1:2/v1").cache_key(base),
        model_judge("http://127.0.0.1:1/v1", "other").cache_key(base),
        model_judge("http://127.0.0.1:1/v1", temperature=0.7).cache_key(base),
        model_judge("http://127.0.0.1:1/v1", max_tokens=50).cache_key(base),
        model_judge("http://127.0.0.1:1/v1", strategy="claims").cache_key(base),
        model_judge("http://127.0.0.1:1/v1").cache_key(Question(base.name, base.inputs, version="2")),
        model_judge("http://127.0.0.1:1/v1").cache_key(Question(base.name, base.inputs, repeat=2)),
    }
    assert len(keys) == 8


async def test_what_a_judge_refuses_is_not_applicable_with_the_reason() -> None:
    found = await verdicts(EmbeddedJudge(), {1: question(1, "fluency"), 2: question(2)})
    assert found[1].state is State.NOT_APPLICABLE
    assert "needs a model judge" in found[1].reason
    assert found[2].state is State.SCORED


async def test_the_embedded_judge_can_be_stopped() -> None:
    landed: dict[int, Verdict] = {}

    def endless() -> Any:
        number = 0
        while True:
            number += 1
            yield number, question(number)

    asked = await ask_all(EmbeddedJudge(), endless(), on_verdict=landed.__setitem__, stop=lambda: len(landed) > 500)
    assert asked.stopped


async def test_a_failing_receiver_ends_the_round() -> None:
    def full(key: int, verdict: Verdict) -> None:
        raise OSError("disk full")

    async with canned(lambda body, n: score(4)) as server:
        judge = model_judge(server.url)
        with pytest.raises(OSError, match="disk full"):
            await ask_all(judge, [(n, question(n)) for n in range(30)], on_verdict=full)
        await judge.close()
