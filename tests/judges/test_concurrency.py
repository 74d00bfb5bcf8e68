"""The limit on calls in flight gives way to an endpoint that pushes back, and comes back."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from ragtui.judges.concurrency import Concurrency
from tests.judges.asking import model_judge, question, verdicts
from tests.judges.servers import Canned, CannedServer, canned, score


def test_one_push_back_among_many_good_replies_changes_nothing() -> None:
    limit = Concurrency(16)
    for _ in range(20):
        limit.succeeded()
    limit.push_back(time.monotonic())
    assert limit.limit == 16
    assert limit.pushed_back == 1


def test_many_push_backs_halve_the_limit_once_for_the_calls_in_flight() -> None:
    limit = Concurrency(16)
    started = time.monotonic()
    for _ in range(10):
        limit.push_back(started)
    assert limit.limit == 8
    later = time.monotonic()
    for _ in range(10):
        limit.push_back(later)
    assert limit.limit == 4


def test_the_limit_grows_back_to_what_was_asked_for_and_no_further() -> None:
    limit = Concurrency(8)
    for _ in range(5):
        limit.push_back(time.monotonic())
    shrunk = limit.limit
    for _ in range(8):
        limit.succeeded()
    assert limit.limit == shrunk + 1
    for _ in range(200):
        limit.succeeded()
    assert limit.limit == 8


def test_turning_sets_what_is_asked_for_within_bounds() -> None:
    limit = Concurrency(2)
    assert limit.turn(+3) == 5
    assert limit.turn(-100) == 1
    assert limit.turn(+100_000) == 1024


async def test_turning_up_lets_waiting_calls_in() -> None:
    limit = Concurrency(1)
    entered: list[int] = []
    leave = asyncio.Event()

    async def call(number: int) -> None:
        async with limit.slot():
            entered.append(number)
            await leave.wait()

    tasks = [asyncio.create_task(call(number)) for number in range(5)]
    await asyncio.sleep(0.01)
    assert entered == [0]
    await asyncio.to_thread(limit.turn, 2)
    await asyncio.sleep(0.05)
    assert entered == [0, 1, 2]
    leave.set()
    await asyncio.gather(*tasks)
    assert sorted(entered) == [0, 1, 2, 3, 4]
    assert limit.in_flight == 0


async def test_a_cancelled_wait_gives_its_place_to_the_next() -> None:
    limit = Concurrency(1)
    hold = asyncio.Event()

    async def call() -> None:
        async with limit.slot():
            await hold.wait()

    first, second, third = (asyncio.create_task(call()) for _ in range(3))
    await asyncio.sleep(0.01)
    second.cancel()
    hold.set()
    await asyncio.gather(first, third)
    assert limit.in_flight == 0


async def test_the_request_rate_spaces_calls() -> None:
    limit = Concurrency(50, requests_per_minute=1200)  # 20 a second, 20 at once
    started = time.monotonic()

    async def call() -> None:
        async with limit.slot():
            return

    await asyncio.gather(*(call() for _ in range(30)))
    assert 0.4 < time.monotonic() - started < 1.5


async def test_the_token_rate_spaces_calls() -> None:
    limit = Concurrency(50, tokens_per_minute=60_000)  # 1,000 a second
    started = time.monotonic()
    for _ in range(4):
        await limit.afford(500)
    assert 0.4 < time.monotonic() - started < 1.5


async def test_an_overloaded_endpoint_is_asked_less() -> None:
    """An endpoint that takes three at a time and pushes the rest back."""
    limit = Concurrency(24)
    server: CannedServer

    def answer(body: dict[str, Any], _: int) -> Canned:
        if server.busy > 3:
            return Canned(status=429, error={"message": "slow down"})
        return Canned(score(4).content, delay=0.02)

    async with canned(answer) as server:
        found = await verdicts(model_judge(server.url), {n: question(n) for n in range(150)}, concurrency=limit)
    assert all(verdict.score == 4 for verdict in found.values())
    assert limit.pushed_back > 0
    assert limit.limit < 12
