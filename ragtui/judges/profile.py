"""Judge specs and profiles: from ``openai:MODEL@URL`` or a name in ``ragtui.toml`` to a judge that can be asked."""

from __future__ import annotations

import difflib
import ipaddress
import math
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit, urlunsplit

from ragtui.judges.judge import Judge
from ragtui.workspace import Workspace

STRATEGIES: Final = ("auto", "rubric", "claims")
OPENAI_URL: Final = "https://api.openai.com/v1"
_KEY_ENV: Final = {"openai": "OPENAI_API_KEY", "azure": "AZURE_OPENAI_API_KEY"}
_STRONG_HOSTS: Final = (
    "api.openai.com",
    ".openai.azure.com",
    ".services.ai.azure.com",
    "api.anthropic.com",
    "generativelanguage.googleapis.com",
)
_SECRETS: Final = frozenset(["key", "api_key", "apikey", "token", "secret", "password"])


class JudgeError(Exception):
    """A judge cannot be used as asked for; the message is one line with the remedy."""


@dataclass(frozen=True, slots=True)
class Profile:
    """How one judge is reached and run. It never holds a key, only the name of the environment variable that does.

    ``timeout`` is the hard limit of one call in seconds; prices are USD per million tokens, ``None`` where unknown.
    """

    name: str
    provider: str
    model: str = ""
    base_url: str | None = None
    api_version: str | None = None
    key_env: str | None = None
    strategy: str = "auto"
    concurrency: int = 16
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    timeout: float = 60.0
    temperature: float | None = 0.0
    max_tokens: int = 800
    price_in: float | None = None
    price_out: float | None = None
    checked: str = ""  # the strategy that the check of this model found best

    @property
    def host(self) -> str | None:
        """Host and port that text is sent to; ``None`` where nothing leaves the process."""
        return urlsplit(self.base_url).netloc if self.base_url else None

    @property
    def local(self) -> bool:
        return self.base_url is not None and _is_local(urlsplit(self.base_url).hostname or "")

    @property
    def chosen_strategy(self) -> str:
        """``auto`` is what the judge's check found best; unchecked, ``rubric`` for the large hosted models and ``claims``
        for local and unknown ones."""
        if self.strategy != "auto" or self.checked:
            return self.checked if self.strategy == "auto" else self.strategy
        host = urlsplit(self.base_url or "").hostname or ""
        return (
            "rubric"
            if any(host == each or (each[0] == "." and host.endswith(each)) for each in _STRONG_HOSTS)
            else "claims"
        )

    @property
    def key_name(self) -> str:
        """The environment variable that holds the key."""
        return self.key_env or _KEY_ENV.get(self.provider, "")

    def key(self) -> str:
        """The key from the environment. Local servers need none.

        Raises:
            JudgeError: the variable is not set.
        """
        name = self.key_name
        value = os.environ.get(name, "").strip()
        if value:
            return value
        if self.local and self.key_env is None:
            return "none"
        raise JudgeError(f"judge {self.name}: set the environment variable {name} to your key")


EMBEDDED: Final = Profile("embedded", "embedded")


def judge(spec: str, workspace: Workspace, *, strategy: str = "auto") -> Judge:
    """The judge that ``spec`` names, ready to be asked; nothing is sent before the first question.

    Raises:
        JudgeError: the spec or the profile cannot be used, or the key is missing.
    """
    return open_judge(profile(spec, workspace, strategy=strategy))


def open_judge(chosen: Profile) -> Judge:
    """The judge of a profile.

    Raises:
        JudgeError: the key is missing.
    """
    if chosen.provider == "embedded":
        from ragtui.judges.embedded.judge import EmbeddedJudge

        return EmbeddedJudge()
    from ragtui.judges.openai import OpenAIJudge

    return OpenAIJudge(chosen, chosen.key())


def profile(spec: str, workspace: Workspace, *, strategy: str = "auto") -> Profile:
    """The profile that ``spec`` names: a provider spec, or a name under ``[judges]`` in ``ragtui.toml``.

    Raises:
        JudgeError: as for ``judge``, the key aside.
    """
    text = spec.strip()
    if strategy not in STRATEGIES:
        raise JudgeError(f"there is no strategy {strategy!r}; choose among {', '.join(STRATEGIES)}")
    known = workspace.table("judges")
    if text in known:
        found = _from_table(text, known[text])
    elif text == "embedded":
        found = EMBEDDED
    elif text.startswith("openai:"):
        found = _openai(text)
    elif text.startswith("azure:"):
        found = _azure(text)
    else:
        near = difflib.get_close_matches(text, ["embedded", *known], n=1)
        hint = (
            f"; did you mean {near[0]}?"
            if near
            else "; use embedded, openai:MODEL[@URL], azure:DEPLOYMENT@ENDPOINT or a name from ragtui.toml"
        )
        raise JudgeError(f"there is no judge {text!r}{hint}")
    return _with_check(found, workspace) if strategy == "auto" else replace(found, strategy=strategy)


def _with_check(found: Profile, workspace: Workspace) -> Profile:
    from ragtui.judges.strategy_check import known_check

    check = known_check(workspace, found) if found.model else None
    return found if check is None else replace(found, checked=check.strategy)


def profiles(workspace: Workspace) -> list[Profile | JudgeError]:
    """The embedded judge and every profile of the workspace, in its order; an unusable one as its error."""
    found: list[Profile | JudgeError] = [EMBEDDED]
    for name, table in workspace.table("judges").items():
        try:
            found.append(_with_check(_from_table(name, table), workspace))
        except JudgeError as error:
            found.append(error)
    return found


def _openai(spec: str) -> Profile:
    model, at, url = _split_url(spec.removeprefix("openai:"))
    if not model:
        raise JudgeError(f"{spec!r} names no model; write openai:MODEL or openai:MODEL@BASE_URL")
    base_url = _checked_url(url, spec) if at else OPENAI_URL
    return _tuned(Profile(spec, "openai", model, base_url))


def _azure(spec: str) -> Profile:
    deployment, at, url = _split_url(spec.removeprefix("azure:"))
    if not deployment or not at:
        raise JudgeError(f"{spec!r}: write azure:DEPLOYMENT@https://NAME.openai.azure.com?api-version=VERSION")
    parts = urlsplit(url)
    version = dict(parse_qsl(parts.query)).get("api-version")
    if not version:
        raise JudgeError(f"{spec!r} lacks ?api-version=VERSION at its end")
    endpoint = _checked_url(urlunsplit(parts._replace(query="", fragment="")), spec)
    return Profile(spec, "azure", deployment, endpoint, version)


def _split_url(rest: str) -> tuple[str, str, str]:
    match = re.search(r"@(?=https?://)", rest)
    if match is not None:
        return rest[: match.start()].strip(), "@", rest[match.end() :].strip()
    if re.search(r"@(?:localhost|[\w.-]+:\d+|[\w-]+\.[\w.-]+/)", rest):
        raise JudgeError(f"{rest!r}: write the address with http:// or https://")
    return rest.strip(), "", ""


def _checked_url(url: str, where: str) -> str:
    try:
        parts = urlsplit(url)
        valid = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
        valid = valid and url.isprintable() and " " not in url
    except ValueError:
        valid = False
    if not valid:
        raise JudgeError(f"{_without_secrets(where)}: not an address; write http://HOST:PORT/v1 or https://HOST/v1")
    if parts.username or parts.password or parts.query:
        raise JudgeError(
            f"{_without_secrets(where)}: no user, password or query in an address; keys come from an environment variable"
        )
    return url.rstrip("/")


def _without_secrets(text: str) -> str:
    return re.sub(r"//[^/@\s]*@|\?.*$", "//", text)


def _is_local(host: str) -> bool:
    if (
        host == "localhost"
        or host.endswith((".local", ".localhost", ".internal", ".lan"))
        or ("." not in host and ":" not in host)
    ):
        return True
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return False


def _tuned(found: Profile, given: Mapping[str, object] | None = None) -> Profile:
    """A model on this machine answers slowly and few at a time: other defaults, where nothing else was asked for."""
    given = given or {}
    if not found.local:
        return found
    return replace(
        found,
        concurrency=found.concurrency if "concurrency" in given else 4,
        timeout=found.timeout if "timeout" in given else 300.0,
    )


def _from_table(name: str, table: object) -> Profile:
    where = f"ragtui.toml [judges.{name}]"
    if not isinstance(table, dict):
        raise JudgeError(f"{where}: must be a table with model and base_url")
    for key in table:
        if key.lower() in _SECRETS:
            raise JudgeError(f"{where}: {key} must not be stored; name an environment variable with key_env")
        if key not in _TYPES:
            near = difflib.get_close_matches(key, _TYPES, n=1)
            raise JudgeError(f"{where}: unknown setting {key!r}" + (f"; did you mean {near[0]}?" if near else ""))
        if not _fits(table[key], _TYPES[key]):
            raise JudgeError(f"{where}: {key} must be {_SAID[_TYPES[key]]}, not {table[key]!r}")
    return _built(name, where, table)


def _built(name: str, where: str, table: Mapping[str, Any]) -> Profile:
    provider = table.get("provider", "openai")
    if provider == "embedded":
        return replace(EMBEDDED, name=name)
    if provider not in _KEY_ENV:
        raise JudgeError(f"{where}: provider must be embedded, openai or azure, not {provider!r}")
    if not table.get("model"):
        raise JudgeError(f"{where}: model is missing")
    if provider == "azure" and not (table.get("base_url") and table.get("api_version")):
        raise JudgeError(f"{where}: azure needs base_url (the endpoint) and api_version")
    if table.get("strategy", "auto") not in STRATEGIES:
        raise JudgeError(f"{where}: strategy must be one of {', '.join(STRATEGIES)}")
    for key in ("concurrency", "timeout", "max_tokens", "requests_per_minute", "tokens_per_minute"):
        if key in table and table[key] <= 0:
            raise JudgeError(f"{where}: {key} must be above 0")
    for key in ("temperature", "price_in", "price_out"):
        if key in table and table[key] < 0:
            raise JudgeError(f"{where}: {key} must not be below 0")
    url = _checked_url(table.get("base_url", OPENAI_URL), f"{where}: base_url")
    values = {key: value for key, value in table.items() if key not in ("provider", "base_url")}
    return _tuned(Profile(name, provider, base_url=url, **values), table)


_TYPES: Final[Mapping[str, str]] = {
    "provider": "text", "model": "text", "base_url": "text", "api_version": "text", "key_env": "text", "strategy": "text",
    "concurrency": "whole", "requests_per_minute": "whole", "tokens_per_minute": "whole", "max_tokens": "whole",
    "timeout": "number", "temperature": "number", "price_in": "number", "price_out": "number",
}  # fmt: skip
_SAID: Final = {"text": "text in quotes", "whole": "a whole number", "number": "a number"}


def _fits(value: object, kind: str) -> bool:
    if kind == "text":
        return isinstance(value, str)
    if isinstance(value, bool) or not isinstance(value, int if kind == "whole" else int | float):
        return False
    return math.isfinite(value)
