"""An experiment's results as Azure AI evaluation and Ragas leave theirs, for what reads those files.

Scores keep ragtui's names (its groundedness is not Ragas' faithfulness). Where nothing was scored stands null, so that the
file is strict JSON; Azure's own has the word NaN there.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from ragtui.experiments.database import StoreError
from ragtui.experiments.plan import Plan, PlannedMetric, Side
from ragtui.experiments.reports.spreadsheet import sheets
from ragtui.experiments.results import MetricSummary, Results
from ragtui.metrics.score import State
from ragtui.workspace import replacing

AZURE: Final = ".azure.json"
RAGAS: Final = ".ragas.jsonl"
_AZURE_KEYS: Final = {"f1": "f1_score", "rouge1": "rouge", "rouge2": "rouge", "rougeL": "rouge"}
_STATUS: Final = {State.SCORED: "completed", State.NOT_APPLICABLE: "skipped", State.SKIPPED: "skipped"}
_RAGAS_NAMES: Final = {
    "query": "user_input", "contexts": "retrieved_contexts", "response": "response", "expected ground_truth": "reference",
}  # fmt: skip


def shape_of(path: Path) -> str | None:
    """Which of the shapes a file's name asks for."""
    return next((ending for ending in SHAPES if path.name.lower().endswith(ending)), None)


def write_shape(results: Results, path: Path) -> str:
    """Writes the candidate's results in the shape that the file's name asks for; returns what to say.

    Raises:
        StoreError: the file cannot be written.
    """
    lines = SHAPES[shape_of(path) or AZURE](results)
    try:
        with replacing(path) as stream:
            for line in lines:
                stream.write(line.encode("ascii"))
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror or error}; nothing was written") from error
    return f"wrote {path}"


def _strict(value: Any) -> str:
    return json.dumps(value, allow_nan=False)


def _azure(results: Results) -> Iterator[str]:
    yield '{"rows": ['
    for at, row in enumerate(_rows(results)):
        yield (", " if at else "") + _strict(_azure_row(row, results.plan))
    yield f'], "metrics": {_strict(_azure_metrics(results))}, "studio_url": null}}\n'


def _rows(results: Results) -> Iterator[dict[str, Any]]:
    for frame in sheets(results, Side.CANDIDATE):
        yield from frame.iter_rows(named=True)


def _azure_row(row: dict[str, Any], plan: Plan) -> dict[str, Any]:
    inputs = {"id": row["case_id"]}
    for name, value in row.items():
        if name == "contexts":
            inputs["context"] = None if value is None else "\n\n".join(json.loads(value))
        elif name not in ("case_id", "cause", "label", "note") and not _of_a_metric(name, plan):
            inputs[name.removeprefix("expected ")] = value
    out: dict[str, Any] = {f"inputs.{name}": value for name, value in inputs.items()}
    for metric in plan.metrics:
        out |= _azure_outputs(row, metric)
    return out


def _azure_outputs(row: dict[str, Any], metric: PlannedMetric) -> dict[str, Any]:
    score, passed = row[metric.spec], row.get(f"{metric.spec} passed")
    key = _AZURE_KEYS.get(metric.spec, metric.spec)
    told = {
        "": score, "_score": score, "_passed": passed,
        "_result": "unknown" if passed is None else "pass" if passed else "fail",
        "_reason": row.get(f"{metric.spec} reason"),
        "_status": _STATUS.get(State(row[f"{metric.spec} state"]), "error"),
        "_threshold": metric.threshold, "_properties": None,
    }  # fmt: skip
    return {f"outputs.{metric.spec}.{key}{suffix}": value for suffix, value in told.items()}


def _azure_metrics(results: Results) -> dict[str, float]:
    out: dict[str, float] = {}
    mine = [each for each in results.summaries() if each.side is Side.CANDIDATE]
    for each in mine:
        key = f"{each.metric}.{_AZURE_KEYS.get(each.metric, each.metric)}"
        if each.mean is not None:
            out |= {key: each.mean, f"{key}_score": each.mean}
        if each.pass_rate is not None:
            out[f"{key}_passed"] = each.pass_rate
    return out | {f"{each.metric}.binary_aggregate": _aggregate(each) for each in mine if each.pass_rate is not None}


def _aggregate(summary: MetricSummary) -> float:
    """As Azure counts: what passed over all rows, errors and unscored ones too."""
    passed = (summary.pass_rate or 0.0) * summary.n_scored
    return round(passed / summary.n_total, 2) if summary.n_total else 0.0


def _ragas(results: Results) -> Iterator[str]:
    for row in _rows(results):
        out: dict[str, Any] = {"id": row["case_id"]}
        for name, value in row.items():
            if name in _RAGAS_NAMES:
                out[_RAGAS_NAMES[name]] = json.loads(value) if name == "contexts" and value is not None else value
        yield _strict({**out, **{each: row[each] for each in results.metrics}}) + "\n"


def _of_a_metric(column: str, plan: Plan) -> bool:
    endings = ("", " state", " passed", " Δ", " reason")
    return any(column == f"{each.spec}{ending}" for each in plan.metrics for ending in endings)


SHAPES: Final[dict[str, Callable[[Results], Iterator[str]]]] = {AZURE: _azure, RAGAS: _ragas}
