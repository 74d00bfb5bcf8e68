"""What a failed request means: tried again, given up for one cell, or the run stops with one clear line."""

from __future__ import annotations

import email.utils
import time
from typing import Any

import pytest

from ragtui.judges.concurrency import Concurrency
from ragtui.judges.judge import JudgeStopped, Verdict
from ragtui.judges.retry import Patience, retry_after
from ragtui.metrics.score import State
from tests.judges.asking import model_judge, question, verdicts
from tests.judges.servers import Canned, canned, fake_judge, number_in, score, user_text

KEY = "sk-planted-7f0c9a2e41"


def failing(times: int, fault: Canned) -> Any:
    return lambda body, n: fault if n <= times else score(4)


async def ask_one(server_url: str, **settings: Any) -> Verdict:
    return (await verdicts(model_judge(server_url, **settings), {1: question()}))[1]


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
async def test_passing_faults_are_tried_again(status: int) -> None:
    async with canned(failing(2, Canned(status=status, error={"message": "later"}))) as server:
        verdict = await ask_one(server.url)
    assert (verdict.state, verdict.score, verdict.attempts) == (State.SCORED, 4, 3)


@pytest.mark.parametrize(
    ("status", "cause", "attempts"),
    [(429, "rate_limit", 10), (400, "refused", 1), (422, "refused", 1), (413, "refused", 1)],
)
async def test_what_does_not_pass_costs_the_cell_and_not_the_run(status: int, cause: str, attempts: int) -> None:
    def answer(body: dict[str, Any], _: int) -> Canned:
        return Canned(status=status, error={"message": "no"}) if number_in(user_text(body), "gate") == "2" else score(3)

    async with canned(answer) as server:
        found = await verdicts(model_judge(server.url), {n: question(n) for n in (1, 2, 3)}, in_flight=1)
    assert [found[n].score for n in (1, 3)] == [3, 3]
    assert (found[2].state, found[2].cause, found[2].attempts) == (State.JUDGE_ERROR, cause, attempts)


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (
            Canned(status=401, error={"message": f"Incorrect API key provided: {KEY}", "code": "invalid_api_key"}),
            "key was refused",
        ),
        (Canned(status=403, error={"message": "no access"}), "access was refused"),
        (
            Canned(status=404, error={"message": "The model does not exist", "code": "model_not_found"}),
            "no model 'fake'",
        ),
        (Canned(status=400, error={"message": "no such model", "code": "model_not_found"}), "no model 'fake'"),
        (
            Canned(status=429, error={"message": "You exceeded your quota", "type": "insufficient_quota"}),
            "quota is used up",
        ),
    ],
)
async def test_what_would_fail_for_every_cell_stops_the_run(reply: Canned, said: str) -> None:
    async with canned(lambda body, n: reply) as server:
        with pytest.raises(JudgeStopped, match=said) as stopped:
            await verdicts(model_judge(server.url, key=KEY), {n: question(n) for n in range(20)})
    assert len(server.seen) == 1, "the first call goes alone"
    assert "\n" not in str(stopped.value)
    assert KEY not in str(stopped.value)


async def test_a_server_that_is_not_there_stops_the_run() -> None:
    with pytest.raises(JudgeStopped, match="the judge"):
        await verdicts(model_judge("http://127.0.0.1:9/v1"), {n: question(n) for n in range(5)})


async def test_a_server_that_goes_away_midway_stops_the_run_and_keeps_what_landed() -> None:
    landed: dict[int, Verdict] = {}
    from ragtui.judges.engine import ask_all

    with fake_judge() as server:
        judge = model_judge(server.url)
        await ask_all(judge, [(1, question(1))], on_verdict=landed.__setitem__)
    with pytest.raises(JudgeStopped):
        await ask_all(judge, [(n, question(n)) for n in range(2, 60)], on_verdict=landed.__setitem__)
    await judge.close()
    assert landed[1].state is State.SCORED
    assert len(landed) < 59


async def test_a_limit_that_lets_nothing_through_any_more_stops_the_run() -> None:
    from ragtui.judges.engine import ask_all

    landed: dict[int, Verdict] = {}
    limited = Canned(status=429, error={"message": "slow down"})
    async with canned(lambda body, n: limited if n > 1 else score(4)) as server:
        judge = model_judge(server.url)
        asked = [(n, question(n)) for n in range(1, 9)]
        with pytest.raises(JudgeStopped, match=r"nothing gets through any more, rate limit \(429\): slow down"):
            await ask_all(judge, asked, on_verdict=landed.__setitem__, concurrency=Concurrency(1))
        await judge.close()
        assert len(server.seen) == 1 + 3 * 10, "three cells in a row, ten tries each, and no more"
    assert [landed[n].state for n in (1, 2, 3)] == [State.SCORED, State.JUDGE_ERROR, State.JUDGE_ERROR]


async def test_a_connection_that_is_dropped_is_no_time_out() -> None:
    with fake_judge() as server, pytest.raises(JudgeStopped) as stopped:
        await verdicts(model_judge(server.url, model="fake-drop"), {1: question()})
    assert "Server disconnected" in str(stopped.value)
    assert "no answer within" not in str(stopped.value)


async def test_the_time_limit_of_a_call_is_hard() -> None:
    async with canned(lambda body, n: score(4) if n != 2 else Canned(delay=30)) as server:
        started = time.monotonic()
        found = await verdicts(model_judge(server.url, timeout=0.3), {n: question(n) for n in (1, 2)}, in_flight=1)
    assert time.monotonic() - started < 5
    assert (found[2].state, found[2].score, found[2].attempts) == (State.SCORED, 4, 2)


async def test_a_call_that_never_ends_is_a_time_out_and_says_so() -> None:
    async with canned(lambda body, n: score(4) if n == 1 else Canned(delay=30)) as server:
        found = await verdicts(model_judge(server.url, timeout=0.1), {n: question(n) for n in (1, 2)}, in_flight=1)
    assert (found[2].state, found[2].cause, found[2].attempts) == (State.JUDGE_ERROR, "timeout", 3)
    assert found[2].reason == "no answer within 0.1 s"


async def test_retry_after_is_obeyed_as_seconds() -> None:
    times: list[float] = []

    def answer(body: dict[str, Any], n: int) -> Canned:
        times.append(time.monotonic())
        return Canned(status=429, error={"message": "slow"}, headers={"Retry-After": "0.4"}) if n == 1 else score(5)

    async with canned(answer) as server:
        judge = model_judge(server.url)
        judge._endpoint._patience = Patience(first_wait=0.001, longest_wait=0.002)
        await verdicts(judge, {1: question()})
    assert 0.4 <= times[1] - times[0] < 2


def test_both_forms_of_retry_after_are_read() -> None:
    assert retry_after({"retry-after": "7"}) == 7
    assert retry_after({"retry-after": "1.5"}) == 1.5
    assert retry_after({"retry-after-ms": "250"}) == 0.25
    soon = retry_after({"retry-after": email.utils.formatdate(time.time() + 5, usegmt=True)})
    assert soon is not None
    assert 3 < soon <= 5
    assert retry_after({"retry-after": email.utils.formatdate(time.time() - 60, usegmt=True)}) == 0
    for odd in ("", "soon", "nan", "-1", "inf"):
        assert retry_after({"retry-after": odd}) is None
    assert retry_after({}) is None


@pytest.mark.parametrize(
    ("error", "left"),
    [
        (
            {"message": "response_format type json_schema is not supported", "param": "response_format"},
            {"type": "json_object"},
        ),
        ({"message": "'response_format.json_schema' is unsupported by this model"}, {"type": "json_object"}),
    ],
)
async def test_answer_formats_are_tried_from_schema_to_plain(error: dict[str, str], left: dict[str, str]) -> None:
    async with canned(failing(1, Canned(status=400, error=error))) as server:
        await ask_one(server.url)
    assert server.seen[0]["response_format"]["type"] == "json_schema"
    assert server.seen[1]["response_format"] == left


async def test_a_server_without_any_format_gets_none() -> None:
    refusal = Canned(status=400, error={"message": "Unrecognized request argument: response_format"})
    async with canned(lambda body, n: refusal if "response_format" in body else score(2)) as server:
        judge = model_judge(server.url)
        found = await verdicts(judge, {n: question(n) for n in (1, 2)}, in_flight=1)
    assert [found[n].attempts for n in (1, 2)] == [3, 1]
    assert any("plain text" in note for note in judge.notes)


async def test_a_refused_value_is_not_a_refused_parameter() -> None:
    fault = Canned(status=400, error={"message": "max_tokens is too large: 99999. This model supports at most 4096"})
    async with canned(lambda body, n: fault) as server:
        verdict = await ask_one(server.url)
    assert (verdict.cause, verdict.attempts) == ("refused", 1)


async def test_a_cut_off_reply_is_asked_for_once_more_with_more_room() -> None:
    async with canned(
        lambda body, n: Canned('{"reason": "The', "length") if body["max_tokens"] < 1000 else score(4)
    ) as server:
        found = await verdicts(model_judge(server.url, max_tokens=400), {n: question(n) for n in (1, 2)}, in_flight=1)
    assert [body["max_tokens"] for body in server.seen] == [400, 1600, 1600]
    assert [found[n].attempts for n in (1, 2)] == [2, 1]


async def test_an_unusable_reply_is_asked_for_once_more_with_its_fault_named() -> None:
    async with canned(failing(1, Canned("I would say four."))) as server:
        verdict = await ask_one(server.url)
    assert (verdict.score, verdict.attempts) == (4, 2)
    roles = [each["role"] for each in server.seen[1]["messages"]]
    assert roles == ["system", "user", "assistant", "user"]
    assert "no JSON object" in server.seen[1]["messages"][-1]["content"]
    assert "I would say four." in (verdict.reply or "")


@pytest.mark.parametrize("reply", [Canned(None, refusal="I can't help with that."), Canned("", "content_filter")])
async def test_refusals_are_not_asked_again(reply: Canned) -> None:
    async with canned(lambda body, n: reply) as server:
        verdict = await ask_one(server.url)
    assert verdict.state is State.JUDGE_ERROR
    assert verdict.cause == ("refused" if reply.refusal else "content_filter")
    assert verdict.attempts == 1


@pytest.mark.parametrize(
    "body",
    [
        b"<html>hello</html>",
        b'{"error": {"message": "upstream"}}',
        b'{"choices": []}',
        b"[1]",
        b"\xff{",
        b"[" * 100_000,
    ],
)
async def test_an_address_that_does_not_speak_the_protocol_stops_the_run(body: bytes) -> None:
    from aiohttp import web

    async def handle(_: web.Request) -> web.Response:
        return web.Response(body=body, content_type="text/html" if body.startswith(b"<") else "application/json")

    app = web.Application()
    app.router.add_post("/{any:.*}", handle)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        with pytest.raises(JudgeStopped):
            await ask_one(f"http://127.0.0.1:{runner.addresses[0][1]}/v1")
    finally:
        await runner.cleanup()


async def test_tokens_are_counted_over_all_attempts_and_priced() -> None:
    async with canned(failing(1, Canned("nothing"))) as server:
        verdict = await ask_one(server.url, price_in=2.0, price_out=10.0)
    assert (verdict.prompt_tokens, verdict.completion_tokens) == (200, 20)
    assert verdict.cost == pytest.approx(200 * 2e-6 + 20 * 10e-6)
    assert verdict.latency_ms is not None


async def test_an_unknown_price_is_unknown() -> None:
    async with canned(lambda body, n: score(4)) as server:
        verdict = await ask_one(server.url, price_in=2.0)
    assert verdict.cost is None


async def test_the_key_is_sent_and_never_kept() -> None:
    async with canned(lambda body, n: score(4)) as server:
        judge = model_judge(server.url, key=KEY)
        found = await verdicts(judge, {1: question()})
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    assert KEY not in repr(found) + repr(judge.profile) + repr(vars(judge)) + str(judge.cache_key(question()))


async def test_an_azure_deployment_is_called_where_azure_has_it() -> None:
    from aiohttp import web

    from ragtui.judges.openai import OpenAIJudge
    from ragtui.judges.profile import profile
    from tests.judges.asking import HASTY, NOWHERE

    seen: list[web.Request] = []

    async def handle(request: web.Request) -> web.Response:
        seen.append(request)
        message = {"role": "assistant", "content": '{"reason": "ok", "score": 5}'}
        return web.json_response({"choices": [{"finish_reason": "stop", "message": message}], "usage": {}})

    app = web.Application()
    app.router.add_post("/{any:.*}", handle)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        spec = f"azure:my-gpt@http://127.0.0.1:{runner.addresses[0][1]}?api-version=2024-10-21"
        judge = OpenAIJudge(profile(spec, NOWHERE, strategy="rubric"), KEY, patience=HASTY)
        found = await verdicts(judge, {1: question()})
    finally:
        await runner.cleanup()
    assert found[1].score == 5
    assert found[1].prompt_tokens is None, "tokens that the endpoint does not report are unknown"
    assert seen[0].path == "/openai/deployments/my-gpt/chat/completions"
    assert seen[0].query["api-version"] == "2024-10-21"
    assert seen[0].headers["api-key"] == KEY
