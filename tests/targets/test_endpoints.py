"""HTTP endpoints and chat models: what is sent, what is read, what is tried again, and what never leaves."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from ragtui.targets.target import Case, Response, TargetError

from .live import asked, opened, some_cases, states

Reply = Callable[[web.Request, Any], web.StreamResponse | Any]


def served(
    folder: Path, spec: str, reply: Reply, wanted: list[Case], toml: str = ""
) -> tuple[dict[str, Response], list[Any]]:
    """The responses of ``spec`` (``URL`` in it is the server's) by case id, and every request: method, path, headers, body."""
    seen: list[Any] = []

    async def handle(request: web.Request) -> web.StreamResponse:
        text = await request.text()
        body = json.loads(text) if text.startswith("{") else text
        seen.append((request.method, request.path_qs, dict(request.headers), body))
        found = reply(request, body)
        found = await found if asyncio.iscoroutine(found) else found
        return found if isinstance(found, web.StreamResponse) else web.json_response(found)

    async def all_of_them() -> list[Response]:
        app = web.Application()
        app.router.add_route("*", "/{tail:.*}", handle)
        runner = web.AppRunner(app)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        url = f"http://127.0.0.1:{site._server.sockets[0].getsockname()[1]}"  # type: ignore[union-attr]
        (folder / "ragtui.toml").write_text(toml.replace("URL", url))
        target = opened(spec.replace("URL", url), some_cases(folder), folder)
        try:
            return [each async for each in target.respond(wanted)]
        finally:
            await target.close()
            await runner.cleanup()

    return {each.case_id: each for each in asyncio.run(all_of_them())}, seen


def case(name: str = "a", **inputs: str) -> Case:
    return Case(name, inputs or {"query": f"ask {name}"}, {"team": "hr"}, contexts=("one", "two"))


def test_the_short_form_posts_the_case_and_reads_usual_names(tmp_path: Path) -> None:
    found, seen = served(
        tmp_path, "http:URL/ask", lambda request, body: {"answer": body["query"] + "!", "documents": [{"id": "d1", "text": "t"}]},
        [case()],
    )  # fmt: skip
    assert seen[0][:2] == ("POST", "/ask")
    assert seen[0][3] == {"id": "a", "query": "ask a", "inputs": {"query": "ask a"}, "filters": {"team": "hr"}}
    answer = found["a"]
    assert (answer.text, answer.contexts, answer.ranking) == ("ask a!", ("t",), (("d1", 1.0),))
    assert answer.latency_ms is not None


def test_the_full_form_fills_url_headers_and_body_and_reads_by_paths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DESK_KEY", "k-123")
    toml = """
        [targets.desk]
        target = "http:URL/${data.lang}/ask?q={{item.query}}"
        method = "PUT"
        headers = { Authorization = "Bearer ${env.DESK_KEY}", X-Case = "${case_id}" }
        body = { q = "${data.query}", all = ["${filters}", "team ${filters.team}", 3], lang = "${data.lang}" }
        response = "result.parts[0].text"
        contexts = "result.hits[*].body"
    """
    reply = {"result": {"parts": [{"text": "yes"}], "hits": [{"body": "c1"}, {"body": "c2"}]}, "session": 4}
    one = case("a", query='a "b"&${filters}\n{{item.lang}}', lang="e n/")
    found, seen = served(tmp_path, "desk", lambda request, body: reply, [one], toml)
    method, path, headers, body = seen[0]
    assert (method, headers["Authorization"], headers["X-Case"]) == ("PUT", "Bearer k-123", "a")
    assert path == "/e%20n%2F/ask?q=a%20%22b%22%26%24%7Bfilters%7D%0A%7B%7Bitem.lang%7D%7D"
    assert body == {"q": one.inputs["query"], "all": [{"team": "hr"}, "team hr", 3], "lang": "e n/"}, (
        "data is only data"
    )
    assert (found["a"].text, found["a"].contexts, found["a"].extra["session"]) == ("yes", ("c1", "c2"), 4)


def test_each_failure_has_its_cause_and_what_may_pass_is_tried_again(tmp_path: Path) -> None:
    tries: dict[str, int] = {}

    async def slow() -> dict[str, str]:
        await asyncio.sleep(1.2)
        return {}

    def reply(request: web.Request, body: Any) -> Any:
        name = body["id"]
        tries[name] = tries.get(name, 0) + 1
        if name == "busy" and tries[name] == 1:
            return web.json_response({"error": {"message": "slow down"}}, status=429, headers={"Retry-After": "0"})
        answers: dict[str, Any] = {
            "down": lambda: web.json_response({"detail": "overloaded"}, status=503, headers={"retry-after-ms": "1"}),
            "wrong": lambda: web.json_response({"error": {"message": "no such index"}}, status=404),
            "slow": slow,
            "empty": lambda: {"other": 1},
            "number": lambda: web.json_response(3),
            "text": lambda: web.Response(text="plain"),
            "page": lambda: web.Response(text="\n<!DOCTYPE html><title>Please sign in</title>"),
            "failed": lambda: {"error": "index broken"},
            "moved": lambda: web.Response(status=307, headers={"Location": "http://elsewhere.example/"}),
        }
        return answers.get(name, lambda: {"response": "ok"})()

    names = ["busy", "down", "wrong", "slow", "empty", "number", "text", "page", "failed", "moved"]
    toml = '[targets.t]\ntarget = "http:URL"\ntimeout = 0.5\nretries = 1\n'
    found, _ = served(tmp_path, "t", reply, [case(name) for name in names], toml)
    assert {name: states(found)[name] for name in names} == {
        "busy": "scored", "down": "connection", "wrong": "exception", "slow": "timeout", "empty": "bad_output",
        "number": "bad_output", "text": "scored", "page": "bad_output", "failed": "exception", "moved": "exception",
    }  # fmt: skip
    assert found["wrong"].message == "HTTP 404: no such index"
    assert found["down"].message == "HTTP 503: overloaded (tried 2 times)"
    assert (tries["busy"], tries["down"], tries["wrong"]) == (2, 2, 1)
    assert found["text"].text == "plain"
    assert found["moved"].message == "HTTP 307: leads to http://elsewhere.example/; name that address"


def test_nobody_there_is_a_connection_error(tmp_path: Path) -> None:
    (tmp_path / "ragtui.toml").write_text('[targets.t]\ntarget = "http://127.0.0.1:1/x"\nretries = 0\n')
    target = opened("t", some_cases(tmp_path), tmp_path)

    async def one() -> Response:
        found = [each async for each in target.respond([case()])]
        await target.close()
        return found[0]

    answer = asyncio.run(one())
    assert answer.cause == "connection"
    assert "127.0.0.1" in answer.message


@pytest.mark.parametrize("form", ["sse", "lines", "path"])
def test_a_stream_is_joined_to_one_answer(tmp_path: Path, form: str) -> None:
    lines = {
        "sse": ': hi\n\ndata: {"choices": [{"delta": {"content": "He"}}]}\n\ndata: {"choices": [{"delta": {"content": "llo"}}]}'
        '\n\ndata: {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2}}\n\ndata: [DONE]\n\n',
        "lines": '{"token": "He"}\n{"token": "llo"}\n{"contexts": ["c"], "usage": {"prompt_tokens": 3, "completion_tokens": 2}}\n',
        "path": 'event: x\ndata: {"a": {"b": "He"}}\n\ndata: {"a": {"b": "llo"}, "usage": {"input_tokens": 3, "output_tokens": 2}}\n\n',
    }  # fmt: skip
    toml = '[targets.t]\ntarget = "http:URL"\nstream = true\n' + ('response = "a.b"\n' if form == "path" else "")
    found, _ = served(tmp_path, "t", lambda request, body: web.Response(text=lines[form]), [case()], toml)
    answer = found["a"]
    assert (answer.text, answer.prompt_tokens, answer.completion_tokens) == ("Hello", 3, 2)
    assert answer.contexts == (("c",) if form == "lines" else None)
    assert isinstance(answer.extra["first_token_ms"], float)


def test_a_stream_that_says_it_failed_or_holds_nothing(tmp_path: Path) -> None:
    toml = '[targets.t]\ntarget = "http:URL"\nstream = true\n'

    def reply(request: web.Request, body: Any) -> web.Response:
        texts = {"a": 'data: {"error": {"message": "quota"}}\n\n', "b": "data: [DONE]\n\n"}
        return web.Response(text=texts[body["id"]])

    found, _ = served(tmp_path, "t", reply, [case("a"), case("b")], toml)
    assert states(found) == {"a": "exception", "b": "bad_output"}
    assert found["a"].message == "quota"


def test_a_chat_model_gets_question_contexts_and_history_and_its_cost_is_counted(tmp_path: Path) -> None:
    toml = '[targets.m]\ntarget = "openai:small@URL/v1"\nprice_in = 1.0\nprice_out = 2.0\ntemperature = 0\nsystem = "Be brief."\n'
    reply = {
        "choices": [{"message": {"role": "assistant", "content": "42"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1_000_000, "completion_tokens": 500_000},
    }
    one = Case("a", {"query": "why?"}, contexts=("one", "two"), history=({"role": "user", "content": "before"},))
    found, seen = served(tmp_path, "m", lambda request, body: reply, [one], toml)
    assert seen[0][1] == "/v1/chat/completions"
    assert seen[0][3] == {
        "model": "small",
        "temperature": 0.0,
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "before"},
            {"role": "user", "content": "why?\n\nContext 1:\none\n\nContext 2:\ntwo"},
        ],
    }
    answer = found["a"]
    assert (answer.text, answer.contexts, answer.cost) == ("42", ("one", "two"), 2.0)


@pytest.mark.parametrize(
    ("toml", "spec", "says"),
    [
        ("", "http:nowhere", "not a URL"),
        ("", "http:https://h/${data.ground_truth}", "ground_truth is an expected value, which a target never sees"),
        ('t = { target = "http://h", body = { x = "{{item.ground_truth}}" } }', "t", "a target never sees"),
        ('t = { target = "http://h", body = { x = "${env.PATH}" } }', "t", "can stand in headers only"),
        ('t = { target = "http://h", body = { x = "${data.quary}" } }', "t", "is nothing a target is given"),
        (
            't = { target = "http://h", headers = { A = "${env.NOT_SET_1}" } }',
            "t",
            "set the environment variable NOT_SET_1",
        ),
        ('t = { target = "http://h", method = "FETCH" }', "t", "there are POST, GET"),
        ('t = { target = "https://h", headres = {} }', "t", "did you mean headers?"),
        ("", "openai:", "name a model"),
        ("", "openai:m@https://api.example/v1", "set the environment variable OPENAI_API_KEY"),
    ],
)
def test_what_cannot_be_used_is_one_line(
    tmp_path: Path, toml: str, spec: str, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    (tmp_path / "ragtui.toml").write_text(f"[targets]\n{toml}\n")
    with pytest.raises(TargetError) as refused:
        opened(spec, some_cases(tmp_path), tmp_path)
    assert says in str(refused.value)


def test_a_reply_that_is_no_http_is_asked_for_once_more_and_no_oftener(tmp_path: Path) -> None:
    import socket
    import threading

    asked_: list[bytes] = []
    listening = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            with connection:
                asked_.append(connection.recv(65_536))
                connection.sendall(b"I am no HTTP at all\r\n\r\n")

    threading.Thread(target=serve, daemon=True).start()
    try:
        found = asked(tmp_path, f"http:http://127.0.0.1:{listening.getsockname()[1]}/", ["a", "b"])
    finally:
        listening.close()
    assert states(found) == {"a": "bad_output", "b": "bad_output"}
    assert "(tried 2 times)" in found["a"].message
    assert len(asked_) == 4
