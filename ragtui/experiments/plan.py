"""What an experiment will do, pinned before anything is called."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any, Final

_LATER: Final = ("setup", "per", "replay", "responses_of")
"""Fields that plans of earlier versions do not have: at their default they do not count for the id."""


class Side(StrEnum):
    BASELINE = "baseline"
    CANDIDATE = "candidate"


@dataclass(frozen=True)
class PlannedMetric:
    """A metric as it is pinned: its spec, the version of its definition, and the threshold that applies.

    What reading the results takes (kind, scale, direction, unit) is pinned too, so that a finished experiment reads the
    same when the metric has changed or is gone.
    """

    spec: str
    version: str = "1"
    threshold: float | None = None
    inputs: Mapping[str, str] = field(default_factory=dict)  # input → reference, as resolved
    kind: str = "code"
    scale: tuple[float | None, float | None] = (0.0, 1.0)
    higher_is_better: bool = True
    unit: str = ""
    question: str | None = None

    def passes(self, score: float) -> bool | None:
        """Whether an unrounded score passes; ``None`` without a threshold."""
        if self.threshold is None:
            return None
        return score >= self.threshold if self.higher_is_better else score <= self.threshold

    @property
    def worst(self) -> float | None:
        """The worst score of the scale; ``None`` where that end is open."""
        return self.scale[0] if self.higher_is_better else self.scale[1]


@dataclass(frozen=True)
class Plan:
    """Dataset × Metric Group × candidate (× baseline) × judge × repeats. Equal plans are one experiment and resume it.

    ``candidate`` and ``baseline`` are target specs; without ``baseline`` the candidate stands alone.
    """

    dataset: str
    dataset_format: str
    fingerprint: str
    metrics: tuple[PlannedMetric, ...]
    candidate: str = "recorded"
    baseline: str | None = None
    judge: str = "embedded"
    judge_model: str = ""  # what the judge's name stood for
    judge_version: str = ""  # of the embedded judge: another version may give other scores
    strategy: str = "auto"
    group: str | None = None
    repeats: int = 1
    seed: int = 0
    limit: int | None = None
    split: str | None = None
    average: str = "default"
    mapping: Mapping[str, str] = field(default_factory=dict)
    contents: Mapping[str, str] = field(default_factory=dict)  # fingerprint of the file a target replays, by its spec
    setup: str | None = None  # the setup script of every case that names none itself
    per: str = "conversation"  # a case a conversation, or a ``turn``
    replay: str = "turn"  # a live target is asked the last turn, or the whole ``conversation``
    responses_of: str | None = None  # the experiment whose stored responses are scored: no target is called
    round: int = 1  # raised by --new, so that the same plan can be run afresh

    @property
    def sides(self) -> tuple[tuple[Side, str], ...]:
        """Each side with its target, the candidate first."""
        return ((Side.CANDIDATE, self.candidate), *(() if self.baseline is None else ((Side.BASELINE, self.baseline),)))

    @property
    def id(self) -> str:
        """The experiment's id: short, stable for equal plans."""
        return hashlib.sha256(self.to_json().encode("utf-8", "surrogatepass")).hexdigest()[:10]

    @property
    def judged_by(self) -> str:
        """The judge as it counts when scores are compared: what its name stood for, how it asked, its version."""
        version = f", version {self.judge_version}" if self.judge_version else ""
        return f"{self.judge_model or self.judge} ({self.strategy}{version})"

    def metric(self, spec: str) -> PlannedMetric:
        """The planned metric of that spec.

        Raises:
            KeyError: the plan has no such metric.
        """
        for each in self.metrics:
            if each.spec == spec:
                return each
        raise KeyError(spec)

    def repeats_of(self, metric: PlannedMetric) -> int:
        """How often a case is scored by ``metric``: only a judge can say something else the second time."""
        return self.repeats if metric.question is not None else 1

    @property
    def cells_of_a_case(self) -> int:
        """Cells of one case on one side."""
        return sum(self.repeats_of(each) for each in self.metrics)

    def to_json(self) -> str:
        """The plan as JSON text, the same for equal plans; without what does not count for this one."""
        raw = asdict(self)
        if not self.judge_version:
            del raw["judge_version"]
        for name in _LATER:
            if raw[name] == Plan.__dataclass_fields__[name].default:
                del raw[name]
        return json.dumps(raw, sort_keys=True, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Plan:
        """Reads what ``to_json`` wrote; fields a later version added are left out."""
        raw: dict[str, Any] = json.loads(text)
        metrics = tuple(_metric(each) for each in raw.pop("metrics"))
        return cls(metrics=metrics, **{name: value for name, value in raw.items() if name in cls.__dataclass_fields__})


def _metric(raw: dict[str, Any]) -> PlannedMetric:
    known = {name: value for name, value in raw.items() if name in PlannedMetric.__dataclass_fields__}
    return PlannedMetric(**{**known, "scale": tuple(known.get("scale", (0.0, 1.0)))})
