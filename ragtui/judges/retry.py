"""What a failed call means: try again, and when; give the cell up; or stop the run."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Final

RATE_LIMIT: Final = "rate_limit"
TIMEOUT: Final = "timeout"
CONNECTION: Final = "connection"
AUTH: Final = "auth"

_FIRST_WAIT: Final = 0.5
_LONGEST_WAIT: Final = 30.0
_LONGEST_ASKED_WAIT: Final = 120.0
_TIMES: Final[Mapping[str, int]] = {RATE_LIMIT: 10, CONNECTION: 6, TIMEOUT: 3}


@dataclass(frozen=True, slots=True)
class Patience:
    """How often a call is tried again by cause, and how long is waited first. Tests shorten it."""

    times: Mapping[str, int] = field(default_factory=lambda: _TIMES)
    first_wait: float = _FIRST_WAIT
    longest_wait: float = _LONGEST_WAIT
    longest_asked_wait: float = _LONGEST_ASKED_WAIT

    def allows(self, cause: str, failed: int) -> bool:
        """Whether a call that failed ``failed`` times for ``cause`` is tried once more."""
        return failed < self.times.get(cause, 0)

    def seconds(self, failed: int, asked: float | None) -> float:
        """The wait before the next try: what the endpoint asks for, else a random share of a doubling time."""
        jitter = random.uniform(0.5, 1.0)
        if asked is not None:
            return min(asked, self.longest_asked_wait) + 0.1 * jitter * min(asked, 1.0)
        return jitter * min(self.longest_wait, self.first_wait * 2.0 ** min(failed - 1, 16))


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that ``Retry-After`` (a number or an HTTP date) or ``retry-after-ms`` asks for; ``None`` without either."""
    millis = headers.get("retry-after-ms")
    if millis is not None and (found := _seconds(millis)) is not None:
        return found / 1000
    value = headers.get("retry-after")
    if value is None:
        return None
    seconds = _seconds(value)
    if seconds is not None:
        return seconds
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return None


def _seconds(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value < float("inf") else None
