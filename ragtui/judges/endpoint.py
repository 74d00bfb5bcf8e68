"""One chat endpoint: sends messages, retries what is worth it, remembers what the endpoint refuses, counts every request."""

from __future__ import annotations

import asyncio
import re
import socket
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from ragtui.judges.concurrency import Concurrency
from ragtui.judges.judge import JudgeStopped
from ragtui.judges.profile import Profile
from ragtui.judges.prompts import Messages, Schema
from ragtui.judges.reply import CONTENT_FILTER, REFUSED
from ragtui.judges.retry import CONNECTION, RATE_LIMIT, TIMEOUT, Patience, retry_after

if TYPE_CHECKING:
    from openai import APIStatusError, AsyncOpenAI

_STOP_STATUSES: Final = {401: "the key was refused", 403: "access was refused", 402: "the account has no credit"}
_QUOTA: Final = ("insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "access_terminated")
_MOST_TOKENS: Final = 10**15  # of one call: what is more was not counted
_CHARACTERS_PER_TOKEN: Final = 4
_HOPELESS_AFTER: Final = 12
_LIMITED_AFTER: Final = 3  # cells in a row, each of which was tried for more than a minute
_TRIES_OF_A_STRANGER: Final = 3


class CallFailed(Exception):
    """A call was given up. ``cause`` is the cell's; the message is one line."""

    def __init__(self, cause: str, message: str) -> None:
        super().__init__(message)
        self.cause = cause


@dataclass(frozen=True, slots=True)
class Reply:
    text: str | None
    finish: str | None
    refusal: str | None
    prompt_tokens: int | None
    completion_tokens: int | None


@dataclass(slots=True)
class Usage:
    """What a question has cost so far, over all its calls. Tokens are ``None`` until an endpoint reports some."""

    attempts: int = 0
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    seconds: float = 0.0

    def add(self, reply: Reply) -> None:
        if reply.prompt_tokens is not None:
            self.prompt_tokens = (self.prompt_tokens or 0) + reply.prompt_tokens
        if reply.completion_tokens is not None:
            self.completion_tokens = (self.completion_tokens or 0) + reply.completion_tokens


@dataclass
class Learned:
    """What the endpoint takes, found out by what it refuses. Kept for the run."""

    limit_name: str | None = "max_tokens"
    temperature: bool = True
    formats: list[str] = field(default_factory=lambda: ["json_schema", "json_object"])
    output_factor: int = 1

    @property
    def notes(self) -> tuple[str, ...]:
        """What was not applied, for the run's record."""
        found = []
        if not self.temperature:
            found.append("the endpoint refuses temperature: repeated judgements may differ")
        if self.limit_name is None:
            found.append("the endpoint refuses an output limit")
        if "json_schema" not in self.formats:
            found.append("no JSON schema: " + ("JSON mode" if self.formats else "plain text") + " is used")
        return tuple(found)


class Endpoint:
    """The model of one profile. One HTTP client, opened at the first call, shared by all questions of a run."""

    def __init__(self, profile: Profile, key: str, concurrency: Concurrency, patience: Patience | None = None) -> None:
        self.profile = profile
        self.concurrency = concurrency
        self.learned = Learned()
        self.calls = 0
        self._key = key
        self._patience = patience or Patience()
        self._client: AsyncOpenAI | None = None
        self._answered = False
        self._failures = 0
        self._limited = 0
        self._first: asyncio.Lock | None = None
        self._stopped: str | None = None

    async def send(self, messages: Messages, schema: Schema | None, usage: Usage, *, longer: int = 1) -> Reply:
        """The reply to ``messages``; ``longer`` multiplies the output limit. The first call of all goes alone.

        Raises:
            CallFailed: the cell is lost.
            JudgeStopped: every cell would be.
        """
        if not self._answered:
            self._first = self._first or asyncio.Lock()
            async with self._first:
                if not self._answered:
                    return await self._unless_stopped(messages, schema, usage, longer)
        return await self._unless_stopped(messages, schema, usage, longer)

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def _unless_stopped(self, messages: Messages, schema: Schema | None, usage: Usage, longer: int) -> Reply:
        """Once asking on is pointless, calls that still wait are not sent."""
        if self._stopped is not None:
            raise JudgeStopped(self._stopped)
        try:
            return await self._tried(messages, schema, usage, longer)
        except JudgeStopped as stopped:
            self._stopped = str(stopped)
            raise

    async def _tried(self, messages: Messages, schema: Schema | None, usage: Usage, longer: int) -> Reply:
        """Sends until there is a reply or patience ends. The place among the calls in flight is kept while waiting."""
        failed: dict[str, int] = {}
        estimate = sum(len(each["content"]) for each in messages) // _CHARACTERS_PER_TOKEN
        async with self.concurrency.slot():
            while True:
                await self.concurrency.afford(estimate)
                started = time.monotonic()
                sent = self._parameters(schema, longer)
                try:
                    reply = await self._once(messages, sent, usage)
                except _Failure as failure:
                    if failure.learn is not None and self._learn(failure.learn, sent):
                        continue
                    if failure.cause in (RATE_LIMIT, TIMEOUT):
                        self.concurrency.push_back(started)
                    failed[failure.cause] = failed.get(failure.cause, 0) + 1
                    if not self._worth_another(failure.cause, failed[failure.cause]):
                        raise self._given_up(failure) from None
                    await asyncio.sleep(self._patience.seconds(failed[failure.cause], failure.wait))
                    continue
                self._answered, self._failures, self._limited = True, 0, 0
                self.concurrency.succeeded()
                self.concurrency.spent(estimate, (reply.prompt_tokens or estimate) + (reply.completion_tokens or 0))
                usage.add(reply)
                return reply

    def _worth_another(self, cause: str, failed: int) -> bool:
        """An address that has never answered gets fewer tries: more likely it is wrong than down."""
        never = cause == CONNECTION and not self._answered and failed >= _TRIES_OF_A_STRANGER
        return not never and self._patience.allows(cause, failed)

    def _given_up(self, failure: _Failure) -> Exception:
        """A server that cannot be reached at all, or no longer, or lets nothing through any more, stops the run instead of
        failing cell by cell."""
        if failure.cause == RATE_LIMIT:
            self._limited += 1
            if self._limited >= _LIMITED_AFTER:
                return JudgeStopped(f"{self._where()}: nothing gets through any more, {failure.message}")
        if failure.cause in (CONNECTION, TIMEOUT):
            self._failures += 1
            if not self._answered or self._failures >= _HOPELESS_AFTER:
                return JudgeStopped(f"{self._where()}: {failure.message}")
        else:
            self._answered = True
        return CallFailed(failure.cause, failure.message)

    async def _once(self, messages: Messages, sent: dict[str, Any], usage: Usage) -> Reply:
        """One HTTP request, within the hard time limit.

        Raises:
            _Failure: it did not give a reply.
            JudgeStopped: asking on is pointless.
        """
        import openai

        client = self._open()
        request: Any = {"model": self.profile.model, "messages": messages, **sent}
        usage.attempts += 1
        self.calls += 1
        started = time.perf_counter()
        try:
            async with asyncio.timeout(self.profile.timeout):
                # The plain request: the typed method spends more on walking types than all the rest of a call.
                answer = await client.post("/chat/completions", body=request, cast_to=object)
            return self._reply(answer)
        except (TimeoutError, openai.APITimeoutError) as error:
            raise self._no_answer(error) from None
        except openai.APIStatusError as error:
            raise self._status(error, sent) from None
        except openai.APIConnectionError as error:
            raise self._no_answer(error) from None
        except (ValueError, RecursionError, openai.APIResponseValidationError):  # not JSON, too deep, or not even text
            raise _Failure(CONNECTION, "the answer is not JSON; does the address end in /v1?") from None
        finally:
            usage.seconds += time.perf_counter() - started

    def _no_answer(self, error: BaseException) -> _Failure:
        """The client calls a refused connection a time-out too: the innermost error tells."""
        root = _root(error)
        if type(error) is TimeoutError or isinstance(root, TimeoutError) or "Timeout" in type(root).__name__:
            return _Failure(TIMEOUT, f"no answer within {self.profile.timeout:g} s")
        return _Failure(CONNECTION, self._clean(_said(root)))

    def _open(self) -> AsyncOpenAI:
        if self._client is None:
            self._client = _client(self.profile, self._key)
        return self._client

    def _parameters(self, schema: Schema | None, longer: int) -> dict[str, Any]:
        sent: dict[str, Any] = {}
        learned = self.learned
        if learned.limit_name:
            sent[learned.limit_name] = self.profile.max_tokens * max(longer, learned.output_factor)
        if learned.temperature and self.profile.temperature is not None:
            sent["temperature"] = self.profile.temperature
        if schema is not None and learned.formats:
            kind = learned.formats[0]
            sent["response_format"] = {"type": kind, "json_schema": schema} if kind == "json_schema" else {"type": kind}
        return sent

    def _learn(self, refused: str, sent: Mapping[str, Any]) -> bool:
        """Takes a refused parameter out of what is sent from now on; whether sending again makes sense."""
        learned = self.learned
        if refused == "temperature":
            learned.temperature = False
        elif refused == "max_tokens":
            learned.limit_name = "max_completion_tokens" if learned.limit_name == "max_tokens" else learned.limit_name
        elif refused == "max_completion_tokens":
            learned.limit_name = None
        elif refused == "response_format":
            kind = sent["response_format"]["type"]
            learned.formats = [each for each in learned.formats if each != kind]
        return True

    def _reply(self, answer: object) -> Reply:
        fields = answer if isinstance(answer, dict) else {}
        choices = fields.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
        message = choice.get("message")
        if not isinstance(message, dict):
            error = fields.get("error")
            said = error.get("message") if isinstance(error, dict) else None
            raise _Failure(CONNECTION, self._clean(str(said or _NO_CHOICE)))
        return Reply(
            self._without_key(_content(message.get("content"))),
            choice.get("finish_reason"),
            self._without_key(_content(message.get("refusal"))),
            _count(fields, "prompt_tokens"),
            _count(fields, "completion_tokens"),
        )

    def _status(self, error: APIStatusError, sent: Mapping[str, Any]) -> Exception:
        """What an error status means."""
        body = error.body if isinstance(error.body, dict) else {}
        code = str(body.get("code") or body.get("type") or "")
        said = self._clean(str(body.get("message") or error.message))
        status = error.status_code
        if code in _QUOTA or str(body.get("type")) in _QUOTA:
            return JudgeStopped(f"{self._where()}: the quota is used up ({status}): {said}")
        if status in _STOP_STATUSES:
            return JudgeStopped(
                f"{self._where()}: {_STOP_STATUSES[status]} ({status}; key from {self.profile.key_name}): {said}"
            )
        if status == 404 or code in ("model_not_found", "DeploymentNotFound"):
            return JudgeStopped(
                f"{self._where()}: no model {self.profile.model!r} or no such address ({status}): {said}"
            )
        if _is_filter(code, body):
            return _Failure(
                CONTENT_FILTER, f"the provider's content filter refused the prompt{_categories(body)}: {said}"
            )
        if status == 429:
            return _Failure(RATE_LIMIT, f"rate limit (429): {said}", wait=retry_after(error.response.headers))
        if status in (408, 504):
            return _Failure(
                TIMEOUT, f"the server gave up waiting ({status}): {said}", wait=retry_after(error.response.headers)
            )
        if status >= 500 or status in (409, 425):
            return _Failure(CONNECTION, f"server error ({status}): {said}", wait=retry_after(error.response.headers))
        refused = _refused_parameter(body, said, sent) if status in (400, 422) else None
        return _Failure(REFUSED, f"the endpoint refused the request ({status}): {said}", learn=refused)

    def _where(self) -> str:
        name, host = self.profile.name, self.profile.host or ""
        return f"judge {name}" if host in name else f"judge {name} at {host}"

    def _clean(self, text: str) -> str:
        """One line, without the key."""
        text = self._without_key(text) or ""
        text = re.sub(r"\b(?:sk|key|pk)-[\w*-]{6,}", "•••", text)
        flat = " ".join(text.split())
        return flat if len(flat) <= 300 else flat[:299] + "…"

    def _without_key(self, text: str | None) -> str | None:
        """What an endpoint sends back is kept and shown: never with the key in it, should it echo that."""
        return text.replace(self._key, "•••") if text and len(self._key) > 4 else text


class _Failure(Exception):
    """A request without a reply: ``wait`` is what the endpoint asks for, ``learn`` the parameter it refuses."""

    def __init__(self, cause: str, message: str, *, wait: float | None = None, learn: str | None = None) -> None:
        super().__init__(message)
        self.cause, self.message, self.wait, self.learn = cause, message, wait, learn


def _client(profile: Profile, key: str) -> AsyncOpenAI:
    from openai import AsyncAzureOpenAI, AsyncOpenAI, DefaultAioHttpClient

    http = DefaultAioHttpClient(timeout=profile.timeout + 5)
    if profile.provider == "azure":
        assert profile.base_url is not None
        return AsyncAzureOpenAI(
            azure_endpoint=profile.base_url,
            api_version=profile.api_version,
            api_key=key,
            max_retries=0,
            http_client=http,
        )
    return AsyncOpenAI(base_url=profile.base_url, api_key=key, max_retries=0, http_client=http)


_NO_CHOICE: Final = "the answer holds no message; does the address end in /v1, and is it OpenAI-compatible?"


def _content(value: object) -> str | None:
    """Text, also where a server sends it in parts."""
    if isinstance(value, list):
        return "".join(str(part.get("text") or "") for part in value if isinstance(part, dict))
    return value if isinstance(value, str) else None


def _count(fields: Mapping[str, Any], name: str) -> int | None:
    usage = fields.get("usage")
    value = usage.get(name) if isinstance(usage, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST_TOKENS else None


def _is_filter(code: str, body: Mapping[str, Any]) -> bool:
    inner = body.get("innererror")
    return code == "content_filter" or (isinstance(inner, dict) and inner.get("code") == "ResponsibleAIPolicyViolation")


def _categories(body: Mapping[str, Any]) -> str:
    inner = body.get("innererror")
    found = inner.get("content_filter_result", inner) if isinstance(inner, dict) else {}
    names = (
        [name for name, each in found.items() if isinstance(each, dict) and each.get("filtered")]
        if isinstance(found, dict)
        else []
    )
    return f" ({', '.join(names)})" if names else ""


_PARAMETERS: Final = ("max_completion_tokens", "max_tokens", "temperature", "response_format")
_FORMAT_WORDS: Final = re.compile(
    r"response_format|json_schema|json[ _]object|json mode|structured output", re.IGNORECASE
)
_UNSUPPORTED: Final = re.compile(
    r"unsupported|not supported|does not support|unknown|unrecognized|unexpected|not allowed|not permitted|extra (?:fields|inputs)|"
    r"only the default|is not available|use .?max_completion_tokens|invalid parameter",
    re.IGNORECASE,
)
_TOO_LARGE: Final = re.compile(r"too large|too long|at most|maximum|exceeds?|less than or equal", re.IGNORECASE)


def _refused_parameter(body: Mapping[str, Any], said: str, sent: Mapping[str, Any]) -> str | None:
    """The parameter that the endpoint does not take, if that is what the error says."""
    code = str(body.get("code") or "")
    refuses = code in ("unsupported_parameter", "unsupported_value", "unknown_parameter") or bool(
        _UNSUPPORTED.search(said)
    )
    if not refuses or (_TOO_LARGE.search(said) and not code.startswith("unsupported")):
        return None
    named = body.get("param")
    if isinstance(named, str) and named.split(".")[0] in sent:
        return named.split(".")[0]
    found = next((each for each in _PARAMETERS if each in sent and re.search(rf"\b{each}\b", said)), None)
    return found or ("response_format" if "response_format" in sent and _FORMAT_WORDS.search(said) else None)


def _root(error: BaseException) -> BaseException:
    """The innermost cause."""
    while (inner := error.__cause__ or error.__context__) is not None:
        error = inner
    return error


def _said(error: BaseException) -> str:
    """A connection's error in words that say what to look at."""
    if isinstance(error, ConnectionRefusedError):
        return "connection refused; is the server running, and is the port right?"
    if isinstance(error, socket.gaierror):
        return "there is no such host"
    if isinstance(error, ssl.SSLError):
        return f"TLS: {error.reason or error}; is it http:// instead of https://, or a certificate that is not trusted?"
    if isinstance(error, ConnectionError) and not str(error):
        return "the connection was dropped"
    return str(error) or type(error).__name__
