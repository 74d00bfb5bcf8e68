"""Every cell of an experiment as one strict JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ragtui.experiments.database import StoreError
from ragtui.workspace import replacing

if TYPE_CHECKING:
    from ragtui.experiments.results import Cell
    from ragtui.experiments.stored_results import StoredResults

FIELDS: Final = (
    "experiment", "case_id", "side", "metric", "metric_version", "repeat", "state", "cause", "score", "passed",
    "threshold", "reason", "evidence", "judge", "attempts", "prompt_tokens", "completion_tokens", "cost", "latency_ms",
)  # fmt: skip


def write_scores(results: StoredResults, path: Path) -> int:
    """Writes every cell, case by case in the dataset's order, and returns how many; an older file is replaced whole.

    Raises:
        StoreError: the file cannot be written.
    """
    written = 0
    try:
        with replacing(path) as stream:
            for line in lines(results):
                stream.write(line.encode("ascii"))
                written += 1
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror or error}; no scores were written") from error
    return written


def lines(results: StoredResults) -> Iterator[str]:
    """The lines, each with its line feed."""
    versions = {each.spec: each.version for each in results.plan.metrics}
    for case_id, cell in results.all_cells():
        yield json.dumps(record(results.experiment, case_id, cell, versions[cell.metric]), allow_nan=False) + "\n"


def record(experiment: str, case_id: str, cell: Cell, version: str) -> dict[str, Any]:
    """One cell as it stands in the file; what it does not have is null."""
    values = (
        experiment,
        case_id,
        cell.side.value,
        cell.metric,
        version,
        cell.repeat,
        cell.state.value,
        cell.cause,
        cell.score,
        cell.passed,
        cell.threshold,
        cell.reason or None,
        [
            {"claim": e.claim, "verdict": e.verdict, "chunk": e.chunk, "start": e.start, "end": e.end}
            for e in cell.evidence
        ]
        or None,
        cell.judge,
        cell.attempts,
        cell.prompt_tokens,
        cell.completion_tokens,
        cell.cost,
        cell.latency_ms,
    )
    return dict(zip(FIELDS, values, strict=True))
