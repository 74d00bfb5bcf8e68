"""Which strategy a judge can be trusted with: both are tried on gold claims, and what came of it is kept for ``auto``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ragtui.judges.prompts import VERSION
from ragtui.workspace import Workspace, write_atomically

if TYPE_CHECKING:
    from ragtui.judges.gold_check import GoldReport
    from ragtui.judges.profile import Profile

FILE_NAME: Final = "judge_checks.json"
TRUSTED: Final = 0.8  # right on so many claims: as often as the embedded judge, which costs nothing
_BETTER: Final = 0.05  # claims cost several calls: they must be better by more than chance would often make them


@dataclass(frozen=True, slots=True)
class Tried:
    """``right`` of ``asked`` claims; those without a verdict count as wrong."""

    right: int
    asked: int
    seconds: float
    calls: int

    @property
    def share(self) -> float:
        return self.right / self.asked if self.asked else 0.0


@dataclass(frozen=True, slots=True)
class StrategyCheck:
    """What each strategy came to, when."""

    tried: Mapping[str, Tried]
    at: str

    @property
    def strategy(self) -> str:
        """The one to ask by: ``rubric`` where it is as good, since it takes one call."""
        rubric, claims = self.tried.get("rubric"), self.tried.get("claims")
        if rubric is None or claims is None:
            return next(iter(self.tried))
        return "claims" if claims.share > rubric.share + _BETTER else "rubric"

    @property
    def trusted(self) -> bool:
        return self.tried[self.strategy].share >= TRUSTED

    def said(self) -> str:
        """ "claims: right on 28 of 30 (rubric 19 of 30)"."""
        best = self.tried[self.strategy]
        others = [f"{name} {each.right} of {each.asked}" for name, each in self.tried.items() if name != self.strategy]
        also = f" ({', '.join(others)})" if others else ""
        model = self.strategy in ("rubric", "claims")
        doubt = (
            "; not to be trusted: the embedded judge is right as often, for nothing"
            if model and not self.trusted
            else ""
        )
        return f"{self.strategy}: right on {best.right} of {best.asked}{also}{doubt}"


def check_of(reports: Mapping[str, GoldReport]) -> StrategyCheck:
    """The check that these reports, by strategy, make."""
    tried = {
        name: Tried(round((each.right or 0.0) * each.judged), each.asked, each.seconds, each.calls)
        for name, each in reports.items()
    }
    return StrategyCheck(tried, f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}")


def keep(workspace: Workspace, profile: Profile, check: StrategyCheck) -> None:
    """Remembers a check in the workspace's state: what it says holds for this model at this address and these prompts.

    Raises:
        OSError: it cannot be written.
    """
    known = _read(workspace.state / FILE_NAME)
    tried = {name: [each.right, each.asked, each.seconds, each.calls] for name, each in check.tried.items()}
    known[_place(profile)] = {"at": check.at, "tried": tried}
    write_atomically(workspace.state / FILE_NAME, json.dumps(known, indent=1) + "\n")


def known_check(workspace: Workspace, profile: Profile) -> StrategyCheck | None:
    """The last check of this model, ``None`` without one."""
    found = _read(workspace.state / FILE_NAME).get(_place(profile))
    try:
        tried = {str(name): Tried(*map(_number, row)) for name, row in found["tried"].items()}  # type: ignore[index]
        return StrategyCheck(tried, str(found["at"])) if tried else None  # type: ignore[index]
    except (TypeError, KeyError, AttributeError, ValueError):
        return None  # none, or written by another version: as if there were none


def _number(value: object) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError
    return value


def _place(profile: Profile) -> str:
    return f"{profile.provider}:{profile.model}@{profile.base_url or ''}?{profile.api_version or ''}#{VERSION}"


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
