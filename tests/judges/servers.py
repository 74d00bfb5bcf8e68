"""Loopback servers that speak OpenAI's protocol: the fake judge as a process, and one that replies as it is told."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
import urllib.request
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aiohttp import web

FAKE_JUDGE = Path(__file__).parent.parent / "fake_judge.py"


@dataclass
class FakeJudge:
    """The fake judge of ``tests/fake_judge.py`` in its own process."""

    url: str

    def stats(self) -> dict[str, Any]:
        with urllib.request.urlopen(self.url.removesuffix("/v1") + "/stats") as answer:
            return json.load(answer)


@contextmanager
def fake_judge(delay_ms: float = 0) -> Iterator[FakeJudge]:
    process = subprocess.Popen(
        [sys.executable, str(FAKE_JUDGE), "--port", "0", "--delay-ms", str(delay_ms)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        yield FakeJudge(process.stdout.readline().split()[2])
    finally:
        process.terminate()
        process.wait(10)


@dataclass(frozen=True)
class Canned:
    """One reply: an HTTP status with a body, or a chat message."""

    content: str | None = None
    finish: str = "stop"
    status: int = 200
    error: dict[str, Any] | None = None
    headers: dict[str, str] = field(default_factory=dict)
    refusal: str | None = None
    delay: float = 0.0
    drop: bool = False  # the connection is closed without a reply


@dataclass
class CannedServer:
    """Replies as ``answer(request body, number of this request from 1)`` says; keeps every body in ``seen``."""

    answer: Callable[[dict[str, Any], int], Canned]
    url: str = ""
    seen: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    busy: int = 0

    async def handle(self, request: web.Request) -> web.Response:
        self.busy += 1
        try:
            return await self._reply(request)
        finally:
            self.busy -= 1

    async def _reply(self, request: web.Request) -> web.Response:
        body = await request.json()
        self.seen.append(body)
        self.headers.append({name.lower(): value for name, value in request.headers.items()})
        reply = self.answer(body, len(self.seen))
        await asyncio.sleep(reply.delay)
        if reply.drop and request.transport is not None:
            request.transport.close()
        if reply.status != 200:
            return web.json_response({"error": reply.error or {}}, status=reply.status, headers=reply.headers)
        message = {"role": "assistant", "content": reply.content, "refusal": reply.refusal}
        choice = {"index": 0, "finish_reason": reply.finish, "message": message}
        usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
        return web.json_response({"id": "x", "object": "chat.completion", "choices": [choice], "usage": usage})


@asynccontextmanager
async def canned(answer: Callable[[dict[str, Any], int], Canned]) -> AsyncIterator[CannedServer]:
    server = CannedServer(answer)
    app = web.Application(client_max_size=1 << 26)
    app.router.add_post("/v1/chat/completions", server.handle)
    runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    server.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    try:
        yield server
    finally:
        await runner.cleanup()


def user_text(body: dict[str, Any]) -> str:
    return "\n".join(each["content"] for each in body["messages"] if each["role"] == "user")


def number_in(text: str, word: str) -> str:
    match = re.search(rf"{word} (\d+)", text)
    assert match is not None
    return match[1]


def score(value: object, reason: str = "See context.") -> Canned:
    return Canned(json.dumps({"reason": reason, "score": value}, ensure_ascii=False))
