"""Langfuse dataset items: input, expected output and metadata, each any JSON."""

from __future__ import annotations

from typing import Final

from ragtui.datasets.dataset import Role
from ragtui.datasets.record_format import Known, RecordFormat, Records

KNOWN: Final = (
    Known("id", Role.ID),
    Known("input", Role.INPUT, "query"),
    Known("expected_output", Role.EXPECTED, "ground_truth", ("expectedOutput",)),
    Known("metadata"),
    Known("status"),
    Known("sourceTraceId", Role.IGNORED, None, ("source_trace_id",)),
    Known("sourceObservationId", Role.IGNORED, None, ("source_observation_id",)),
    Known("datasetId", Role.IGNORED, None, ("dataset_id",)),
    Known("datasetName", Role.IGNORED, None, ("dataset_name",)),
)


def _telling(records: Records) -> int:
    sure = {name for name in records.columns if name not in records.misspelt}
    if "input" not in sure or "expected_output" not in sure:
        return 0
    if sure & {"sourceTraceId", "datasetId", "datasetName", "sourceObservationId"}:
        return 85
    return 70 if sure & {"metadata", "status"} else 0


FORMAT: Final = RecordFormat("langfuse", "Langfuse dataset items", KNOWN, _telling, ("langfuse",))
