"""A chat model that answers from the dataset's contexts: ``openai:MODEL`` or ``openai:MODEL@BASE_URL``.

What is measured is the model alone: it gets the question and the contexts that the dataset brings (none where it brings
none), and nothing is retrieved.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final
from urllib.parse import urlsplit

from ragtui.datasets.dataset import Dataset
from ragtui.metrics.score import State
from ragtui.targets.calling import Limits
from ragtui.targets.http import Http, headers_of
from ragtui.targets.options import LIMITS, Options
from ragtui.targets.target import Case, Response, TargetError
from ragtui.workspace import Workspace

KIND: Final = "openai"
LIVE: Final = True
OPTIONS: Final = LIMITS | {
    "system", "temperature", "max_tokens", "key_env", "price_in", "price_out", "headers", "stream", "contexts",
}  # fmt: skip
BASE_URL: Final = "https://api.openai.com/v1"
KEY: Final = "OPENAI_API_KEY"
SYSTEM: Final = (
    "Answer the question from the contexts below it, and from nothing else. If they do not hold the answer, say that you "
    "do not know."
)


def open_kind(rest: str, dataset: Dataset, workspace: Workspace, given: Mapping[str, Any] | None = None) -> Http:
    """Opens the model; nothing is sent before the first case.

    Raises:
        TargetError: there is no model or no key, or the URL is none.
    """
    options = Options(KIND, given or {}, OPTIONS)
    model, at, url = rest.partition("@")
    url = (url if at else BASE_URL).rstrip("/")
    parts = urlsplit(url)
    if not model or parts.scheme not in ("http", "https") or not parts.hostname:
        raise TargetError(
            f"openai:{rest}: name a model, as openai:gpt-5-mini or openai:llama3@http://localhost:11434/v1"
        )
    fixed = {"model": model, **_decoding(options)}
    system = options.text("system", SYSTEM)
    use_contexts = options.flag("contexts") if "contexts" in options else True
    price_in, price_out = (
        options.number(name, 0, 0) if name in options else None for name in ("price_in", "price_out")
    )
    return Http(
        spec=f"openai:{rest}",
        url=f"{url}/chat/completions",
        host=parts.netloc.rpartition("@")[2],
        method="POST",
        headers={**_key(options, url, parts.hostname), **headers_of(options, dataset)},
        body=None,
        stream=options.flag("stream"),
        limits=options.limits(Limits(concurrency=8, timeout=120.0, retries=4)),
        build=lambda case: {**fixed, "messages": messages(case, system, use_contexts)},
        finish=lambda case, found: _with_contexts(_priced(found, price_in, price_out), case, use_contexts),
    )


def _decoding(options: Options) -> dict[str, Any]:
    body: dict[str, Any] = {}
    if "temperature" in options:
        body["temperature"] = options.number("temperature", 0, 0, 2.0)
    if "max_tokens" in options:
        body["max_tokens"] = int(options.number("max_tokens", 0, 1, 1e7))
    return {**body, "stream": True, "stream_options": {"include_usage": True}} if options.flag("stream") else body


def messages(case: Case, system: str, use_contexts: bool) -> list[dict[str, str]]:
    """The messages for one case; what data says stands in the user's message, where it is data."""
    contexts = case.contexts if use_contexts else ()
    numbered = "\n\n".join(f"Context {place}:\n{text}" for place, text in enumerate(contexts, start=1))
    content = f"{case.query}\n\n{numbered}" if numbered else case.query
    first = [{"role": "system", "content": system}] if system else []
    return [*first, *(dict(each) for each in case.history), {"role": "user", "content": content}]


def _priced(response: Response, price_in: float | None, price_out: float | None) -> Response:
    """The response with its cost, where tokens and prices (USD per million) are known."""
    read, written = response.prompt_tokens, response.completion_tokens
    if response.cost is not None or price_in is None or price_out is None or read is None or written is None:
        return response
    return replace(response, cost=(read * price_in + written * price_out) / 1e6)


def _with_contexts(response: Response, case: Case, use_contexts: bool) -> Response:
    """The contexts it answered from stand beside the answer."""
    own = response.contexts is not None or not use_contexts or response.state is not State.SCORED
    return response if own else replace(response, contexts=case.contexts or None)


def _key(options: Options, url: str, host: str) -> dict[str, str]:
    """The key as a header; a server on this machine needs none.

    Raises:
        TargetError: the variable is not set.
    """
    name = options.text("key_env", KEY)
    key = os.environ.get(name, "").strip()
    if key:
        return {"Authorization": f"Bearer {key}"}
    if host in ("localhost", "127.0.0.1", "::1") and "key_env" not in options:
        return {}
    raise TargetError(f"openai: set the environment variable {name} to your key for {url}")
