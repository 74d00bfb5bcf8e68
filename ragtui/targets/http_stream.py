"""An answer that comes in pieces: server-sent events or JSON lines, joined to one."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from ragtui.targets import templates
from ragtui.targets.calling import CallFailed
from ragtui.targets.output import BAD_OUTPUT, CONNECTION, EXCEPTION, TEXTS, shown

if TYPE_CHECKING:
    import aiohttp

_PIECES: Final = (("choices", 0, "delta", "content"), ("message", "content"), ("delta",), ("token",), ("chunk",))
_LARGEST: Final = 64 * 2**20


async def joined(stream: aiohttp.StreamReader, path: Sequence[str | int]) -> dict[str, Any]:
    """The pieces at ``path`` (or a usual place) of all events as ``response``, beside the last value of every other
    field, with ``first_token_ms``.

    Raises:
        CallFailed: the stream says that it failed, holds no piece, or breaks off.
    """
    started, first = time.monotonic(), None
    pieces: list[str] = []
    rest: dict[str, Any] = {}
    async for event in _events(stream):
        if isinstance(event, str):
            piece: Any = event
        else:
            if event.get("error"):
                error = event["error"]
                raise CallFailed(EXCEPTION, shown(error.get("message", error) if isinstance(error, dict) else error))
            piece = _piece(event, path)
            kept = {
                key: value for key, value in event.items() if key not in ("choices", "id", "object", "created", *TEXTS)
            }
            rest |= {key: value for key, value in kept.items() if value is not None}
        if isinstance(piece, str) and piece:
            first = first or time.monotonic()
            pieces.append(piece)
    if not pieces:
        raise CallFailed(BAD_OUTPUT, f"the stream held no piece of an answer{': ' + shown(rest) if rest else ''}")
    for names in _PIECES:
        rest.pop(str(names[0]), None)
    return {**rest, "response": "".join(pieces), "first_token_ms": ((first or started) - started) * 1000}


def _piece(event: dict[str, Any], path: Sequence[str | int]) -> Any:
    if path:
        return templates.at(event, path)
    found = (templates.at(event, each) for each in (*_PIECES, *((name,) for name in TEXTS)))
    return next((each for each in found if isinstance(each, str)), None)


async def _events(stream: aiohttp.StreamReader) -> Any:
    """Each event's value: an object where it is JSON, else its text. Comments, names and ``[DONE]`` are none."""
    import aiohttp

    data: list[str] = []
    seen = 0
    while True:
        try:
            raw = await stream.readuntil(b"\n")
        except ValueError as error:
            raise CallFailed(BAD_OUTPUT, "the stream has a line that is too long") from error
        except aiohttp.ClientPayloadError as error:
            raise CallFailed(CONNECTION, "the stream broke off", again=True) from error
        seen += len(raw)
        if seen > _LARGEST:
            raise CallFailed(BAD_OUTPUT, f"the stream is longer than {_LARGEST:,} bytes")
        line = raw.decode("utf-8", "replace").rstrip("\r\n")
        if line.startswith("data:"):
            data.append(line.removeprefix("data:").removeprefix(" "))
        elif data and not line:
            yield _value("\n".join(data))
            data = []
        elif line.startswith("{"):
            yield _value(line)
        if not raw:
            break
    if data:
        yield _value("\n".join(data))


def _value(text: str) -> Any:
    if text.strip() == "[DONE]":
        return {}
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, dict) else text if isinstance(value, int | float | list) else value or ""
