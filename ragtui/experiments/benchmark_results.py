"""What benchmarks leave behind: MTEB's result of a task, EvalScope's report. They hold no rows but a score per task, split
and subset; each of those is a case here, so that two models are compared task by task."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ragtui.datasets.case_ids import CASE_ID, NAME

if TYPE_CHECKING:
    import polars as pl

LARGEST: Final = 20_000_000  # bytes; a result of a benchmark is far smaller
_MOST_FILES: Final = 5_000
_NO_SCORE: Final = ("hf_subset", "languages")

Row = tuple[str, dict[str, float]]


def benchmark_frame(path: Path) -> pl.DataFrame | None:
    """One row a task, split and subset: ``_case_id``, ``_line``, ``_name``, and a text column per metric; ``None`` where
    the file, or no file of the folder, is such a result."""
    import polars as pl

    found: dict[str, dict[str, float]] = {}
    for file in [path] if path.is_file() else sorted(path.rglob("*.json"))[:_MOST_FILES]:
        for case_id, scores in _rows(file):
            found.setdefault(case_id, {}).update(scores)
    if not found:
        return None
    names = list(dict.fromkeys(name for scores in found.values() for name in scores))
    columns = {name: [_text(scores.get(name)) for scores in found.values()] for name in names}
    return pl.DataFrame(
        {CASE_ID: list(found), "_line": [0] * len(found), NAME: list(found), **columns},
        schema_overrides=dict.fromkeys(names, pl.String),
    )


def _text(score: float | None) -> str | None:
    """As the file would say it: a score that is none stays a word, for the reader to count as failed."""
    return None if score is None else "NaN" if math.isnan(score) else repr(score)


def _rows(file: Path) -> Iterator[Row]:
    try:
        value = json.loads(file.read_bytes()) if file.stat().st_size <= LARGEST else None
    except (OSError, ValueError, RecursionError):
        return
    if not isinstance(value, dict):
        return
    if isinstance(value.get("task_name"), str) and isinstance(value.get("scores"), dict):
        yield from _of_mteb(value["task_name"], value["scores"])
    elif isinstance(value.get("dataset_name"), str) and isinstance(value.get("metrics"), list):
        yield from _of_evalscope(value["dataset_name"], value["metrics"])


def _of_mteb(task: str, splits: dict[str, Any]) -> Iterator[Row]:
    for split, subsets in splits.items():
        for subset in subsets if isinstance(subsets, list) else []:
            if isinstance(subset, dict):
                name = subset.get("hf_subset", "default")
                scores = {key: float(each) for key, each in subset.items() if key not in _NO_SCORE and _is_score(each)}
                yield f"{task}/{split}/{name}", scores


def _of_evalscope(dataset: str, metrics: list[Any]) -> Iterator[Row]:
    for metric in metrics:
        if not isinstance(metric, dict) or not isinstance(metric.get("name"), str):
            continue
        for category in metric.get("categories") or []:
            place = category.get("name", "default")
            place = "/".join(map(str, place)) if isinstance(place, list) else str(place)
            for subset in category.get("subsets") or []:
                if _is_score(subset.get("score")):
                    yield f"{dataset}/{place}/{subset.get('name', 'default')}", {metric["name"]: float(subset["score"])}


def _is_score(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
