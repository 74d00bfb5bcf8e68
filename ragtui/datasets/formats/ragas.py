"""Ragas datasets: single-turn samples under today's names and those of earlier versions."""

from __future__ import annotations

from typing import Final

from ragtui.datasets.dataset import Role
from ragtui.datasets.record_format import Known, RecordFormat, Records

KNOWN: Final = (
    Known("user_input", Role.INPUT, "query", ("question",)),
    Known("response", Role.RESPONSE, "response", ("answer",)),
    Known("retrieved_contexts", Role.CONTEXT, "context", ("contexts",), is_list=True),
    Known("reference", Role.EXPECTED, "ground_truth", ("ground_truths", "ground_truth")),
    Known("reference_contexts", Role.EXPECTED, "gold_context", is_list=True),
    Known("retrieved_context_ids", Role.RETRIEVED_IDS, "retrieved_ids"),
    Known("reference_context_ids", Role.EXPECTED, "gold_ids"),
    Known("multi_responses", Role.IGNORED),
    Known("rubrics", Role.EXPECTED),
    Known("synthesizer_name"),
    Known("persona_name"),
    Known("query_style"),
    Known("query_length"),
)


def _telling(records: Records) -> int:
    today = [
        name
        for name in ("user_input", "retrieved_contexts", "reference_contexts", "synthesizer_name")
        if name in records.columns
    ]
    exact = [name for name in today if name not in records.older]
    if len(exact) >= 2 or (exact and "response" in records.columns):
        return 75
    old = set(records.older.values())
    if {"question", "contexts"} <= old and ({"answer", "ground_truth", "ground_truths"} & old):
        return 65
    return 45 if exact else 0


FORMAT: Final = RecordFormat("ragas", "Ragas dataset", KNOWN, _telling, ("ragas", "evalscope"))
