"""A probe says in one line what is wrong with a judge, or what its endpoint takes."""

from __future__ import annotations

import pytest

from ragtui.judges.probe import probe
from ragtui.judges.profile import Profile
from tests.judges.servers import Canned, canned, fake_judge

YES = Canned('{"answer": "yes"}')


def at(url: str, model: str = "fake") -> Profile:
    return Profile("p", "openai", model, url)


async def test_a_working_endpoint() -> None:
    async with canned(lambda body, n: YES) as server:
        found = await probe(at(server.url), "k")
    assert (found.works, found.note, found.answer_format, found.refused) == (True, "", "json_schema", ())
    assert found.latency_ms is not None


async def test_what_the_endpoint_refuses_is_listed() -> None:
    def answer(body: dict[str, object], n: int) -> Canned:
        for name in ("temperature", "max_tokens", "response_format"):
            if name in body:
                return Canned(status=400, error={"code": "unsupported_parameter", "param": name, "message": "no"})
        return YES

    async with canned(answer) as server:
        found = await probe(at(server.url), "k")
    assert found.works
    assert found.answer_format == "plain"
    assert set(found.refused) == {"temperature", "max_tokens", "json_schema", "json_object"}


@pytest.mark.parametrize(
    ("model", "said"),
    [("fake-http401", "key was refused"), ("fake-http404", "no model"), ("fake-http429quota", "quota is")],
)
async def test_what_is_wrong_is_one_line(model: str, said: str) -> None:
    with fake_judge() as server:
        found = await probe(at(server.url, model), "k")
    assert not found.works
    assert said in found.fault
    assert "\n" not in found.fault


async def test_nobody_there() -> None:
    found = await probe(at("http://127.0.0.1:9/v1"), "k")
    assert "connection refused" in found.fault


async def test_an_odd_answer_is_a_note() -> None:
    async with canned(lambda body, n: Canned("Yes!")) as server:
        found = await probe(at(server.url), "k")
    assert found.works
    assert "not answer as asked" in found.note
