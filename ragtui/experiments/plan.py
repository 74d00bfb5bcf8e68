"""What an experiment will do, pinned before anything is called."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum


class Side(StrEnum):
    BASELINE = "baseline"
    CANDIDATE = "candidate"


@dataclass(frozen=True)
class PlannedMetric:
    """A metric as it is pinned: its spec, the version of its definition, and the threshold that applies."""

    spec: str
    version: str
    threshold: float | None
    inputs: Mapping[str, str] = field(default_factory=dict)  # input → reference, as resolved


@dataclass(frozen=True)
class Plan:
    """Dataset × Metric Group × candidate (× baseline) × judge × repeats. Equal plans are the same experiment and resume it.

    ``candidate`` and ``baseline`` are target specs; without ``baseline`` the candidate stands alone.
    """

    dataset: str
    dataset_format: str
    fingerprint: str
    metrics: tuple[PlannedMetric, ...]
    candidate: str = "recorded"
    baseline: str | None = None
    judge: str = "embedded"
    strategy: str = "auto"
    group: str | None = None
    repeats: int = 1
    seed: int = 0
    limit: int | None = None
    split: str | None = None
    average: str = "default"
    mapping: Mapping[str, str] = field(default_factory=dict)
    round: int = 1  # raised by --new, so that the same plan can be run afresh

    @property
    def sides(self) -> tuple[tuple[Side, str], ...]:
        """Each side with its target, the candidate first."""
        return ((Side.CANDIDATE, self.candidate), *(() if self.baseline is None else ((Side.BASELINE, self.baseline),)))

    @property
    def id(self) -> str:
        """The experiment's id: short, stable for equal plans."""
        text = json.dumps(asdict(self), sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:10]
