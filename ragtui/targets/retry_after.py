"""How long a server asks to wait: ``Retry-After`` as seconds or as a date, or ``retry-after-ms``."""

from __future__ import annotations

import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime


def seconds(headers: Mapping[str, str]) -> float | None:
    """Seconds from now; ``None`` where nothing is asked for, or nothing that can be read."""
    millis, value = headers.get("retry-after-ms"), headers.get("retry-after") or headers.get("Retry-After")
    for text, unit in ((millis, 1000.0), (value, 1.0)):
        try:
            if text is not None and 0 <= (found := float(text)) < float("inf"):
                return found / unit
        except ValueError:
            continue
    try:
        return None if value is None else max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return None
