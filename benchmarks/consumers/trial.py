"""One dataset tried on one platform: what lies there, and what whoever made it meant."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Trial:
    """``intended`` is the content a sound loader has in the end, ``None`` for what ragtui itself reads. ``stricter`` is the
    reason why ragtui refuses what this version of the platform happens to load."""

    name: str
    platform: str
    path: Path
    intended: Any = None
    stricter: str | None = None
