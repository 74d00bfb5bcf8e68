"""DeepEval test cases and goldens, in JSON, JSON lines or CSV, in snake_case or camelCase."""

from __future__ import annotations

from typing import Final

from ragtui.datasets.dataset import Role
from ragtui.datasets.record_format import Known, RecordFormat, Records

_BAR: Final = "|"  # what lists are joined by in CSV and JSON lines

KNOWN: Final = (
    Known("input", Role.INPUT, "query"),
    Known("actual_output", Role.RESPONSE, "response", ("actualOutput",)),
    Known("expected_output", Role.EXPECTED, "ground_truth", ("expectedOutput",)),
    Known("retrieval_context", Role.CONTEXT, "context", ("retrievalContext",), is_list=True, separator=_BAR),
    Known("context", Role.EXPECTED, "gold_context", is_list=True, separator=_BAR),
    Known("name", Role.IGNORED),
    Known("comments"),
    Known("source_file", Role.IGNORED, None, ("sourceFile",)),
    Known("tools_called", Role.IGNORED, None, ("toolsCalled",)),
    Known("expected_tools", Role.EXPECTED, None, ("expectedTools",)),
    Known("additional_metadata", Role.IGNORED, None, ("additionalMetadata",)),
    Known("custom_column_key_values", Role.IGNORED, None, ("customColumnKeyValues",)),
    Known("scenario", Role.INPUT),
    Known("expected_outcome", Role.EXPECTED, None, ("expectedOutcome",)),
)
_OWN: Final = (
    "actual_output",
    "retrieval_context",
    "source_file",
    "additional_metadata",
    "custom_column_key_values",
    "expected_outcome",
)


def _telling(records: Records) -> int:
    sure = {name: column for name, column in records.columns.items() if name not in records.misspelt}
    if "input" not in sure and "scenario" not in sure:
        return 0
    own = [name for name in _OWN if name in sure]
    if own:
        return 75
    return 50 if "expected_output" in sure else 0


FORMAT: Final = RecordFormat("deepeval", "DeepEval test cases", KNOWN, _telling, ("deepeval",))
