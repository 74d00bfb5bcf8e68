"""Small plans, cases and stores for the tests of this floor."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from ragtui.experiments.plan import Plan, PlannedMetric
from ragtui.experiments.store import Store
from ragtui.workspace import Workspace

GROUNDEDNESS = PlannedMetric("groundedness", threshold=3.0, scale=(1.0, 5.0), kind="judged", question="groundedness")
F1 = PlannedMetric("f1", threshold=0.5, kind="overlap")
LATENCY = PlannedMetric("latency", scale=(0.0, None), higher_is_better=False, kind="operational")


def plan(*metrics: PlannedMetric, baseline: str | None = None, **more: object) -> Plan:
    return Plan("desk", "table", "0" * 8, metrics or (GROUNDEDNESS, F1), baseline=baseline, **more)  # type: ignore[arg-type]


def cases(ids: Sequence[str], judgments: dict[str, dict[str, int]] | None = None) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "case_id": list(ids),
            "name": [f"question {each}" for each in ids],
            "inputs": [json.dumps({"query": f"question {each}"}) for each in ids],
            "expected": [json.dumps({"ground_truth": f"answer {each}"}) for each in ids],
            "judgments": [json.dumps(judgments[each]) if judgments and each in judgments else None for each in ids],
        },
        schema_overrides={"judgments": pl.String},
    )


def store(folder: Path, write: bool = True) -> Store:
    return Store.open(Workspace(folder), write)
