"""What the Judges screen does: profiles read and written, one probed, one tried on gold claims in a thread."""

from __future__ import annotations

import asyncio
import os
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from ragtui.judges.profile import JudgeError, Profile, open_judge, profile, profiles
from ragtui.judges.strategy_check import StrategyCheck, check_of, keep, known_check

if TYPE_CHECKING:
    from ragtui.judges.gold_check import GoldReport
    from ragtui.judges.probe import Probe
    from ragtui.workspace import Workspace

CLAIMS: Final = 30
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")


@dataclass
class Trial:
    """A check while it goes on: filled by its thread, read by the screen."""

    judge: str
    stage: str = ""
    done: int = 0
    total: int = 0
    stopped: bool = False
    check: StrategyCheck | None = None
    reports: dict[str, GoldReport] = field(default_factory=dict)
    problem: str = ""


def judges(workspace: Workspace) -> list[tuple[str, Profile | JudgeError]]:
    """The embedded judge and those of ``ragtui.toml``, by name; an unusable one as its error."""
    names = ["embedded", *workspace.table("judges")]
    return list(zip(names, profiles(workspace), strict=True))


def key_state(found: Profile) -> str:
    """Whether the key is there, never what it is."""
    name = found.key_name
    if not found.model or (found.local and found.key_env is None and not os.environ.get(name)):
        return "none needed"
    return f"{name} is {'set' if os.environ.get(name) else 'not set'}"


def check_words(workspace: Workspace, found: Profile) -> str:
    """The last check in a few words, for the list."""
    if not found.model:
        return "c tries it"
    check = known_check(workspace, found)
    if check is None:
        return "not checked"
    best = check.tried[check.strategy]
    return f"{best.share:.0%} by {check.strategy}" + ("" if check.trusted else ", not to be trusted")


def add(workspace: Workspace, typed: str) -> tuple[Workspace, str]:
    """Writes ``NAME SPEC [KEY_VARIABLE]`` to ``ragtui.toml``; returns the workspace and the new name.

    Raises:
        JudgeError: it is not like that, or the spec cannot be used.
        OSError: the file cannot be written.
    """
    parts = typed.split()
    if len(parts) not in (2, 3) or not _NAME.fullmatch(parts[0]):
        raise JudgeError(
            "type a name and a judge: lab openai:MODEL@http://HOST:PORT/v1, then the key's variable if any"
        )
    name, spec = parts[:2]
    if name in workspace.table("judges") or name == "embedded":
        raise JudgeError(f"there is a judge {name!r} already; take it out first (D), or choose another name")
    found = profile(spec, workspace)
    if found.provider == "embedded" or spec in workspace.table("judges"):
        raise JudgeError("name a model: openai:MODEL@URL or azure:DEPLOYMENT@URL?api-version=VERSION")
    table: dict[str, Any] = {"provider": found.provider, "model": found.model, "base_url": found.base_url}
    if found.api_version:
        table["api_version"] = found.api_version
    if len(parts) == 3:
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", parts[2]) or parts[2].lower().startswith(("sk-", "sk_")):
            raise JudgeError("the third word is the name of an environment variable that holds the key, never the key")
        table["key_env"] = parts[2]
    return workspace.save("judges", name, value=table), name


def remove(workspace: Workspace, name: str) -> Workspace:
    """Takes a judge out of ``ragtui.toml``; experiments that it judged keep their scores."""
    return workspace.save("judges", name, value=None)


def choose_strategy(workspace: Workspace, name: str, strategy: str) -> Workspace:
    """Writes how a judge is asked; ``auto`` leaves it to its check."""
    table = {key: value for key, value in workspace.table("judges", name).items() if key != "strategy"}
    return workspace.save("judges", name, value=table if strategy == "auto" else {**table, "strategy": strategy})


def pick(workspace: Workspace, name: str) -> Workspace:
    """Writes which judge new experiments begin with."""
    return workspace.save("app", value={**workspace.table("app"), "judge": name})


def picked(workspace: Workspace) -> str:
    return str(workspace.table("app").get("judge", "embedded"))


def probe_now(found: Profile) -> Probe | str:
    """One tiny question; what is wrong before anything could be sent, as text. Call it in a thread."""
    from ragtui.judges.probe import probe

    try:
        return asyncio.run(probe(found, found.key()))
    except JudgeError as error:
        return str(error)


def try_on_gold(workspace: Workspace, found: Profile, trial: Trial) -> None:
    """Tries a judge on gold claims, a model by both strategies, and keeps what came of it. Call it in a thread."""
    from ragtui.judges.gold import gold_claims
    from ragtui.judges.gold_check import CheckStopped, check_judge, some_claims
    from ragtui.judges.judge import JudgeStopped

    claims = some_claims(CLAIMS) if found.model else gold_claims()  # what costs nothing is tried on all
    strategies = ("rubric", "claims") if found.model else ("heuristic",)
    trial.total = len(claims) * len(strategies)

    async def one(strategy: str) -> GoldReport:
        judge = open_judge(replace(found, strategy=strategy) if found.model else found)
        try:
            return await check_judge(judge, claims, lambda *_: _count(trial), stop=lambda: trial.stopped)
        finally:
            await judge.close()

    try:
        for strategy in strategies:
            trial.stage = strategy
            trial.reports[strategy] = asyncio.run(one(strategy))
        trial.check = check_of(trial.reports)
        if found.model:
            keep(workspace, found, trial.check)
    except CheckStopped:
        trial.problem = "stopped"
    except (JudgeError, JudgeStopped) as error:
        trial.problem = str(error)
    except OSError as error:
        trial.problem = f"the check is not remembered: {error.strerror or error}"


def _count(trial: Trial) -> None:
    trial.done += 1


def address(found: Profile) -> str:
    """Where text goes."""
    return urlsplit(found.base_url or "").netloc or "nowhere"
