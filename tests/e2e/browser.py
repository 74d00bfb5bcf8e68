"""A headless Chromium, driven over its DevTools protocol: what a person at the page would do and see."""

from __future__ import annotations

import asyncio
import base64
import itertools
import os
import re
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import aiohttp
import pytest

NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "chrome")
SECONDS: Final = 60
CHROMIUM: Final = os.environ.get("CHROMIUM") or next((name for name in NAMES if shutil.which(name)), "")

needs_chromium = pytest.mark.skipif(not CHROMIUM, reason="Chromium is not on this machine")


class Page:
    """One tab. ``events`` holds all that the browser told of it, in order."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._numbers = itertools.count(1)
        self.events: list[dict[str, Any]] = []

    async def call(self, method: str, **params: Any) -> dict[str, Any]:
        number = next(self._numbers)
        await self._socket.send_json({"id": number, "method": method, "params": params})
        while True:
            message = await self._socket.receive_json(timeout=SECONDS)
            if message.get("id") == number:
                assert "error" not in message, f"{method}: {message}"
                return dict(message["result"])
            self.events.append(message)

    async def open(self, path: Path) -> None:
        for domain in ("Page", "Network", "Runtime", "Log"):
            await self.call(f"{domain}.enable")
        await self.call("Page.navigate", url=path.as_uri())
        while not any(each["method"] == "Page.loadEventFired" for each in self.events):
            self.events.append(await self._socket.receive_json(timeout=SECONDS))

    async def js(self, expression: str) -> Any:
        """The value of an expression in the page."""
        found = await self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    async def click(self, selector: str) -> None:
        await self.js(f"document.querySelector({selector!r}).scrollIntoView({{block: 'center'}})")
        where = await self.js(
            f"(r => [r.x + r.width / 2, r.y + r.height / 2])(document.querySelector({selector!r}).getBoundingClientRect())"
        )
        for kind in ("mousePressed", "mouseReleased"):
            await self.call("Input.dispatchMouseEvent", type=kind, x=where[0], y=where[1], button="left", clickCount=1)

    async def type(self, selector: str, text: str) -> None:
        """Replaces what a field holds, as typing does."""
        await self.js(f"document.querySelector({selector!r}).select()")
        await self.call("Input.insertText", text=text)

    async def screenshot(self) -> bytes:
        return base64.b64decode((await self.call("Page.captureScreenshot", format="png"))["data"])

    async def printed(self) -> bytes:
        return base64.b64decode((await self.call("Page.printToPDF", printBackground=True))["data"])

    @property
    def asked_for(self) -> list[str]:
        """Every address that the page asked for."""
        return [e["params"]["request"]["url"] for e in self.events if e["method"] == "Network.requestWillBeSent"]

    @property
    def complaints(self) -> list[str]:
        """Faults of the page's script."""
        return [str(each["params"]) for each in self.events if each["method"] == "Runtime.exceptionThrown"]


@asynccontextmanager
async def chromium(width: int = 1200, height: int = 900) -> AsyncIterator[Page]:
    with tempfile.TemporaryDirectory(prefix="ragtui-browser-", ignore_cleanup_errors=True) as profile:
        process = await asyncio.create_subprocess_exec(
            CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
            "--remote-debugging-port=0", f"--user-data-dir={profile}", f"--window-size={width},{height}", "about:blank",
            stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        try:
            port = await asyncio.wait_for(_port(process), SECONDS)
            async with aiohttp.ClientSession() as session:
                async with session.get(f"http://127.0.0.1:{port}/json/list") as answer:
                    tabs = await answer.json()
                url = next(each["webSocketDebuggerUrl"] for each in tabs if each["type"] == "page")
                async with session.ws_connect(url, max_msg_size=1 << 28) as socket:
                    yield Page(socket)
        finally:
            if process.returncode is None:
                process.kill()
            await process.wait()


async def _port(process: asyncio.subprocess.Process) -> int:
    assert process.stderr is not None
    async for line in process.stderr:
        if found := re.search(rb"DevTools listening on ws://127\.0\.0\.1:(\d+)/", line):
            return int(found[1])
    raise AssertionError("Chromium did not start")
