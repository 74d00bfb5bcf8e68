"""The options of a target in ``ragtui.toml``, read strictly: a misspelt one is never silently left out."""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping
from typing import Any, Final

from ragtui.targets.calling import Limits
from ragtui.targets.target import TargetError

LIMITS: Final = frozenset({"concurrency", "timeout", "retries"})
MOST_AT_ONCE: Final = 1024


class Options:
    """A target's table in ``ragtui.toml`` without its ``target``; ``known`` are the names that its kind takes.

    Raises:
        TargetError: there is one it does not take.
    """

    def __init__(self, kind: str, given: Mapping[str, Any], known: frozenset[str]) -> None:
        self.kind, self._given = kind, dict(given)
        for name in self._given:
            if name not in known:
                near = difflib.get_close_matches(name, known, n=1)
                hint = f"; did you mean {near[0]}?" if near else f"; it takes {', '.join(sorted(known)) or 'none'}"
                raise TargetError(f"ragtui.toml: a {kind} target takes no option {name!r}{hint}")

    def __contains__(self, name: str) -> bool:
        return name in self._given

    def text(self, name: str, default: str = "") -> str:
        return str(self._typed(name, str, "a text", default))

    def flag(self, name: str) -> bool:
        return bool(self._typed(name, bool, "true or false", False))

    def table(self, name: str) -> dict[str, Any]:
        found = self._typed(name, dict, 'a table, as { name = "value" }', {})
        return dict(found)

    def any(self, name: str) -> Any:
        return self._given.get(name)

    def number(self, name: str, default: float, low: float, high: float = math.inf) -> float:
        value = self._given.get(name, default)
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
            raise TargetError(
                f"ragtui.toml: {name} of a {self.kind} target must be a number from {low:g} on, not {value!r}"
            )
        return float(value)

    def limits(self, default: Limits) -> Limits:
        """How many at once, how long, how often again."""
        return Limits(
            concurrency=int(self.number("concurrency", default.concurrency, 1, MOST_AT_ONCE)),
            timeout=self.number("timeout", default.timeout, 0.01),
            retries=int(self.number("retries", default.retries, 0, 100)),
            wait=default.wait,
        )

    def _typed(self, name: str, kind: type, what: str, default: Any) -> Any:
        value = self._given.get(name, default)
        if not isinstance(value, kind):
            raise TargetError(f"ragtui.toml: {name} of a {self.kind} target must be {what}, not {value!r}")
        return value
