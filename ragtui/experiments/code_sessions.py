"""What a code metric is given of a case: all that is known of it, as one JSON object."""

from __future__ import annotations

import json
from typing import Any, Final

from ragtui.datasets.case_ids import CASE_ID, NAME
from ragtui.datasets.dataset import Dataset, Role
from ragtui.metrics.score import Inputs, texts
from ragtui.targets.target import Response

_LISTS: Final = ("context", "ground_truth")


class CodeSessions:
    """Makes the ``session`` of cases: ``test_case`` (``id``, ``name``, ``inputs`` and ``expected`` by the columns' own
    names; ``expected`` also has ``answer``, the first gold answer, and ``answers``, all of them), ``response``,
    ``contexts``, ``turns``, and ``metric_inputs`` by ragtui's names."""

    def __init__(self, dataset: Dataset) -> None:
        assert dataset.cases is not None
        frame = dataset.cases
        self._ids, self._names = frame[CASE_ID].to_list(), frame[NAME].to_list()
        self._inputs = _columns(dataset, Role.INPUT)
        self._expected = _columns(dataset, Role.EXPECTED)

    def of(self, position: int, response: Response, inputs: Inputs) -> str:
        """The session of one case, one line."""
        asked = _row(self._inputs, position)
        query = " ".join(texts(inputs, "query"))
        if "query" in inputs:
            asked.setdefault("query", query)
        golds = list(texts(inputs, "ground_truth"))
        expected = {**({"answer": golds[0], "answers": golds} if golds else {}), **_row(self._expected, position)}
        contexts = list(texts(inputs, "context"))
        turn = {
            "query": query, "answer": response.text, "contexts": contexts, "latency_ms": response.latency_ms,
            "prompt_tokens": response.prompt_tokens, "completion_tokens": response.completion_tokens,
            "cost": response.cost,
        }  # fmt: skip
        session = {
            "test_case": {
                "id": self._ids[position],
                "name": self._names[position],
                "inputs": asked,
                "expected": expected,
            },
            "response": response.text,
            "contexts": contexts,
            "turns": [turn],
            "metric_inputs": {name: list(value) if name in _LISTS else value for name, value in inputs.items()},
        }
        return json.dumps(session)


def _columns(dataset: Dataset, role: Role) -> dict[str, list[Any]]:
    assert dataset.cases is not None
    return {name: dataset.cases[name].to_list() for name in dataset.columns_with(role) if name in dataset.cases.columns}


def _row(columns: dict[str, list[Any]], position: int) -> dict[str, Any]:
    return {name: values[position] for name, values in columns.items() if values[position] is not None}
