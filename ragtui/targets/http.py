"""An HTTP endpoint that answers: ``http:URL``, or a table in ``ragtui.toml`` that says how it is asked and what it gives.

Without a table it gets a POST with ``{"id", "query", "inputs", "filters"}`` and gives ``{"response", "contexts", …}``, a
chat completion, or plain text.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from ragtui.datasets.dataset import Dataset
from ragtui.targets import http_stream, templates
from ragtui.targets.calling import CallFailed, Limits, answers
from ragtui.targets.options import LIMITS, Options
from ragtui.targets.output import BAD_OUTPUT, CONNECTION, EXCEPTION, TIMEOUT, response_from, shown
from ragtui.targets.target import Case, Response, TargetError
from ragtui.workspace import Workspace

if TYPE_CHECKING:
    import aiohttp
    from yarl import URL

KIND: Final = "http"
LIVE: Final = True
ALIASES: Final = ("https",)
OPTIONS: Final = LIMITS | {"method", "headers", "body", "response", "contexts", "stream"}
METHODS: Final = ("POST", "GET", "PUT", "PATCH")
LARGEST: Final = 64 * 2**20  # bytes of a reply
_SHORT: Final = 0.1  # seconds until what cannot be read at all is asked for once more
_PAGE: Final = re.compile(r"\s*<(?:!doctype\s+html|html)\b", re.IGNORECASE)
_AGAIN: Final = frozenset({408, 425, 429, 500, 502, 503, 504})


def open_kind(rest: str, dataset: Dataset, workspace: Workspace, given: Mapping[str, Any] | None = None) -> Http:
    """Opens the endpoint; nothing is sent before the first case.

    Raises:
        TargetError: the URL is none, a template names what a target may not see, a variable of a header is not set.
    """
    options = Options(KIND, given or {}, OPTIONS)
    url = f"http:{rest}" if rest.startswith("//") else rest
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise TargetError(f"http:{rest}: not a URL; write http:https://host/path")
    method = options.text("method", "POST").upper()
    if method not in METHODS:
        raise TargetError(f"ragtui.toml: method {method!r} of an http target; there are {', '.join(METHODS)}")
    body = _body(options)
    templates.check([url, body], dataset, f"http:{url}")
    return Http(
        spec=f"http:{url}",
        url=url,
        host=parts.netloc.rpartition("@")[2],
        method=method,
        headers=headers_of(options, dataset),
        body=body,
        build=None if body is not None or method == "GET" else lambda case: {"id": case.case_id, **case.question()},
        response=_path(options, "response"),
        contexts=_path(options, "contexts"),
        stream=options.flag("stream"),
        limits=options.limits(Limits()),
        gives=frozenset({"response"} | ({"context"} if "contexts" in options else set())),
    )


def headers_of(options: Options, dataset: Dataset) -> dict[str, str]:
    """The headers, with what they take from the environment.

    Raises:
        TargetError: a variable is not set, a header is no text or names what a target may not see.
    """
    found = {}
    for name, value in options.table("headers").items():
        if not isinstance(value, str):
            raise TargetError(f"ragtui.toml: the header {name} must be a text")
        value = templates.from_environment(value, f"the header {name}")
        templates.check(value, dataset, f"the header {name}")
        found[name] = value
    return found


def _body(options: Options) -> Any:
    """The template of the body: a table, a list, or a text that is JSON or sent as it is; ``None`` where none is said."""
    given = options.any("body")
    if given is None:
        return None
    if isinstance(given, str):
        try:
            return json.loads(given)
        except ValueError:
            return given
    return given


def _path(options: Options, name: str) -> tuple[str | int, ...]:
    path = options.text(name)
    return templates.steps_of(path, name) if path else ()


@dataclass(eq=False)
class Http:
    """Asks an endpoint. ``body`` is a template; ``response`` and ``contexts`` lead to them in the reply, found by usual
    names where they are empty. A ``stream`` is read to its end."""

    spec: str
    url: str
    host: str | None
    method: str
    headers: Mapping[str, str]
    body: Any
    response: tuple[str | int, ...] = ()
    contexts: tuple[str | int, ...] = ()
    stream: bool = False
    limits: Limits = field(default_factory=Limits)
    gives: frozenset[str] = frozenset({"response"})
    replays: bool = False
    build: Callable[[Case], Any] | None = None  # a body that is no template
    finish: Callable[[Case, Response], Response] = lambda case, response: response
    _session: aiohttp.ClientSession | None = field(default=None, repr=False)

    def respond(self, cases: Sequence[Case]) -> AsyncIterator[Response]:
        """Each case's answer as it comes."""
        return answers(cases, self._ask, self.limits)

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def _ask(self, case: Case) -> Response:
        import aiohttp

        if self._session is None:
            connector = aiohttp.TCPConnector(limit=self.limits.concurrency)
            timeout = aiohttp.ClientTimeout(total=self.limits.timeout)
            jar = aiohttp.DummyCookieJar()  # one case's cookies are none of the next one's
            self._session = aiohttp.ClientSession(connector=connector, timeout=timeout, cookie_jar=jar)
        try:
            return self.finish(case, await self._exchange(self._session, case))
        except TimeoutError as error:
            raise CallFailed(TIMEOUT, f"no answer within {self.limits.timeout:g} s", again=True) from error
        except aiohttp.ClientResponseError as error:  # what came is no HTTP
            raise CallFailed(BAD_OUTPUT, shown(error.message), again=True, wait=_SHORT, once=True) from error
        except (aiohttp.ClientError, UnicodeError, ValueError) as error:
            reason = str(error) or type(error).__name__
            may_pass = isinstance(error, aiohttp.ClientError) and not isinstance(error, ValueError)
            raise CallFailed(CONNECTION, shown(reason), again=may_pass) from error

    async def _exchange(self, session: aiohttp.ClientSession, case: Case) -> Response:
        # A redirect may lead to a host that was not agreed to, so it is told, not followed.
        async with session.request(self.method, self._url(case), allow_redirects=False, **self._content(case)) as reply:
            if 300 <= reply.status < 400:
                told = f"HTTP {reply.status}: leads to {shown(reply.headers.get('Location', 'nowhere'))}; name that address"
                raise CallFailed(EXCEPTION, told)
            if reply.status >= 400:
                raise _refused(reply.status, reply.headers, await _text(reply))
            if self.stream:
                return self._read(case, await http_stream.joined(reply.content, self.response))
            text = await _text(reply)
            if _is_page(text):
                told = f"an HTML page, not an answer (is this the address, and are you signed in?): {shown(text)}"
                raise CallFailed(BAD_OUTPUT, told)
            return self._read(case, _value(text))

    def _url(self, case: Case) -> URL:
        from urllib.parse import quote

        from yarl import URL

        filled = templates.PLACE.sub(
            lambda match: quote(templates.as_text(templates.value_of(match[1] or match[2], case)), safe=""), self.url
        )
        return URL(filled, encoded=filled.isascii() and " " not in filled)  # else what was quoted would be quoted anew

    def _content(self, case: Case) -> dict[str, Any]:
        headers = {name: _one_line(templates.filled_text(value, case)) for name, value in self.headers.items()}
        if self.body is None and self.build is None:
            return {"headers": headers}
        body = templates.filled(self.body, case) if self.build is None else self.build(case)
        if isinstance(body, str):
            return {"headers": {"Content-Type": "text/plain; charset=utf-8", **headers}, "data": body.encode()}
        data = json.dumps(body).encode()
        return {"headers": {"Content-Type": "application/json", **headers}, "data": data}

    def _read(self, case: Case, value: Any) -> Response:
        """The reply as a response, its parts where the table says they are."""
        if self.response and not self.stream:
            found = templates.at(value, self.response)
            if found is None:
                raise CallFailed(BAD_OUTPUT, f"the reply has no {_shown_path(self.response)}: {shown(value)}")
            value = {**(value if isinstance(value, dict) else {}), "response": templates.as_text(found)}
        if self.contexts:
            value = {
                **(value if isinstance(value, dict) else {"response": value}),
                "contexts": templates.at(value, self.contexts),
            }
        return response_from(case.case_id, value)


def _is_page(text: str) -> bool:
    """Whether a server sent a page for people, whatever it calls it: a sign-in, a proxy's error, a wrong address."""
    return _PAGE.match(text) is not None


def _shown_path(steps: Sequence[str | int]) -> str:
    return "".join(f"[{each}]" if isinstance(each, int) or each == "*" else f".{each}" for each in steps).lstrip(".")


def _one_line(text: str) -> str:
    """A header's value can hold no line end, whatever a case holds."""
    return " ".join(text.split())


def _refused(status: int, headers: Mapping[str, str], text: str) -> CallFailed:
    """A status that is none of success; what may pass is tried again, after the time the server asks for."""
    from ragtui.targets.retry_after import seconds

    value = _value(text)
    said = value.get("error", value.get("detail", value.get("message", value))) if isinstance(value, dict) else value
    said = said.get("message", said) if isinstance(said, dict) else said
    again = status in _AGAIN
    cause = TIMEOUT if status in (408, 504) else CONNECTION if again else EXCEPTION
    return CallFailed(
        cause, f"HTTP {status}: {shown(said)}".rstrip(": "), again=again, wait=seconds(headers) if again else None
    )


async def _text(reply: aiohttp.ClientResponse) -> str:
    raw = b""
    async for chunk in reply.content.iter_chunked(65_536):
        raw += chunk
        if len(raw) > LARGEST:
            raise CallFailed(BAD_OUTPUT, f"the reply is longer than {LARGEST:,} bytes")
    return raw.decode(reply.get_encoding() if reply.charset else "utf-8", "replace")


def _value(text: str) -> Any:
    """A reply as JSON, else as the text it is."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
