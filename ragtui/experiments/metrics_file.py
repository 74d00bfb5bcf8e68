"""Metrics, thresholds and gates given as a TOML file.

min_pass_rate = 0.8                 # a gate on every metric
faithfulness = 0.7                  # a threshold alone
[hallucination]                     # or a table: min, max, threshold, better = "lower"
threshold = 0.3
better = "lower"
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from ragtui.metrics.metric import Metric
from ragtui.metrics.registry import metric
from ragtui.metrics.spec import MetricError

GATE: Final = "min_pass_rate"
_KEYS: Final = ("min", "max", "threshold", "better")
_TABLE: Final = re.compile(r"\s*\[\s*\"?([^\]\"]+?)\"?\s*\]")
_ENTRY: Final = re.compile(r"\s*\"?([^\"=\s]+)\"?\s*=")


class MetricsFileError(ValueError):
    """The file cannot be used; the message is one line naming file and place."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What the file says of one metric; ``None`` where it says nothing."""

    threshold: float | None = None
    low: float | None = None
    high: float | None = None
    higher_is_better: bool | None = None


@dataclass(frozen=True)
class MetricsFile:
    """A metrics file as read. ``faults`` are thresholds outside their scale, one line each with file and line; such a
    metric has no threshold here."""

    path: Path
    settings: Mapping[str, Setting] = field(default_factory=dict)
    min_pass_rate: float | None = None
    faults: tuple[str, ...] = ()

    @property
    def thresholds(self) -> dict[str, float]:
        return {name: each.threshold for name, each in self.settings.items() if each.threshold is not None}


def read_metrics_file(path: Path) -> MetricsFile:
    """Reads a metrics file.

    Raises:
        MetricsFileError: it is not there, not TOML, or says something that is no number where one is needed.
    """
    try:
        text = path.read_text("utf-8-sig")
        raw = tomllib.loads(text)
    except OSError as error:
        raise MetricsFileError(f"{path}: {error.strerror or error}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise MetricsFileError(f"{path}: not valid TOML: {error}") from error
    lines = _lines(text)
    settings: dict[str, Setting] = {}
    faults: list[str] = []
    for name, value in raw.items():
        if name == GATE:
            continue
        setting = _setting(path, lines, name, value)
        fault = _off_scale(name, setting)
        if fault is not None:
            faults.append(f"{path}:{lines.get((name, 'threshold'), lines.get(('', name), 0))}: {fault}")
            setting = Setting(None, setting.low, setting.high, setting.higher_is_better)
        settings[name] = setting
    gate = _number(path, lines, "", GATE, raw[GATE]) if GATE in raw else None
    if gate is not None and not 0 <= gate <= 1:
        raise MetricsFileError(f"{path}:{lines['', GATE]}: {GATE} is {gate:g}; it is a share from 0 to 1")
    return MetricsFile(path, settings, gate, tuple(faults))


def _lines(text: str) -> dict[tuple[str, str], int]:
    """The line of each key, by its table and name."""
    found: dict[tuple[str, str], int] = {}
    table = ""
    for number, line in enumerate(text.split("\n"), start=1):
        if header := _TABLE.match(line):
            table = header[1]
            found["", table] = number
        elif entry := _ENTRY.match(line):
            found.setdefault((table, entry[1]), number)
    return found


def _setting(path: Path, lines: Mapping[tuple[str, str], int], name: str, value: Any) -> Setting:
    if not isinstance(value, dict):
        return Setting(_number(path, lines, "", name, value))
    unknown = next((key for key in value if key not in _KEYS), None)
    if unknown is not None:
        place = lines.get((name, unknown), 0)
        raise MetricsFileError(f"{path}:{place}: {unknown!r} is not known here; a metric has {', '.join(_KEYS)}")
    better = value.get("better")
    if better not in (None, "higher", "lower"):
        raise MetricsFileError(f'{path}:{lines.get((name, "better"), 0)}: better is "higher" or "lower"')
    threshold, low, high = (
        _number(path, lines, name, key, value[key]) if key in value else None for key in ("threshold", "min", "max")
    )
    return Setting(threshold, low, high, None if better is None else better == "higher")


def _number(path: Path, lines: Mapping[tuple[str, str], int], table: str, key: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise MetricsFileError(f"{path}:{lines.get((table, key), 0)}: {key} is {value!r}; it must be a number")
    return float(value)


def _off_scale(name: str, setting: Setting) -> str | None:
    """Why a threshold cannot be meant, by the file's own scale or the metric's."""
    known = known_metric(name)
    low = setting.low if setting.low is not None else known.scale[0] if known else None
    high = setting.high if setting.high is not None else known.scale[1] if known else None
    value = setting.threshold
    if value is None or ((low is None or value >= low) and (high is None or value <= high)):
        return None
    ends = f"{'' if low is None else f'{low:g}'}-{'' if high is None else f'{high:g}'}"
    return f"threshold {value:g} is outside {ends} for {name}"


def known_metric(name: str) -> Metric | None:
    """The shipped metric of that name, if there is one."""
    try:
        return metric(name)
    except MetricError:
        return None
