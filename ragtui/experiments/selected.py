"""Rows of an experiment made into test cases: what was asked and expected, and what one side answered."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from ragtui.datasets.check import CannotOpen
from ragtui.datasets.copying import SOURCE, append
from ragtui.experiments.plan import Side
from ragtui.experiments.results import CaseDetail, Results

_EXPECTED: Final = "ground_truth"


def selected_cases(results: Results, case_ids: Sequence[str], side: Side = Side.CANDIDATE) -> list[dict[str, Any]]:
    """The cases as records: ``id``, inputs, expected values, ``response`` and ``context`` of ``side``, the person's
    ``label`` and ``note``, and ``source`` with the experiment.

    Raises:
        KeyError: there is no such case.
    """
    return [_record(results, results.detail(case_id), side) for case_id in case_ids]


def add_selected(
    results: Results, case_ids: Sequence[str], target: Path, side: Side = Side.CANDIDATE
) -> tuple[int, int]:
    """Adds rows to a JSON lines dataset; returns how many were added, and how many were there already.

    Raises:
        CannotOpen: the target is not JSON lines, or a row is not in the experiment. OSError: it cannot be written.
    """
    try:
        records = selected_cases(results, case_ids, side)
    except KeyError as error:
        raise CannotOpen(f"no case {error} in this experiment") from error
    return append(records, target)


def _record(results: Results, detail: CaseDetail, side: Side) -> dict[str, Any]:
    record: dict[str, Any] = {"id": detail.case_id, **{name: text for name, text in detail.inputs.items() if text}}
    answered = detail.side(side)
    if answered is not None and answered.response is not None:
        record["response"] = answered.response
    if answered is not None and answered.contexts:
        record["context"] = list(answered.contexts) if len(answered.contexts) > 1 else answered.contexts[0]
    for name, text in detail.expected.items():
        if text:
            record[name if name == _EXPECTED or name.startswith("expected") else f"expected_{name}"] = text
    label = detail.labels.get(side.value)
    record |= {"label": label} if label else {}
    record |= {"note": detail.note} if detail.note else {}
    source = {"experiment": results.experiment, "side": side.value}
    return record | {SOURCE: json.dumps(source)}
