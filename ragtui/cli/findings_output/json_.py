"""Findings, datasets and counts as one JSON document; its shape is a contract."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ragtui.cli.findings_output import Style
from ragtui.text import storable

if TYPE_CHECKING:
    from ragtui.datasets.check import Opened
    from ragtui.datasets.dataset import Dataset
    from ragtui.datasets.findings import Finding


def render(opened: Opened, style: Style) -> Iterator[str]:
    yield json.dumps(document(opened), indent=1, allow_nan=False) + "\n"


def document(opened: Opened) -> dict[str, Any]:
    from ragtui.datasets.findings import Level

    return {
        "version": 1,
        "findings": [_storable(_finding(finding)) for finding in opened.findings()],
        "datasets": [_storable(_dataset(dataset)) for dataset in opened.datasets],
        "summary": {
            **{f"{level.value}s": opened.total(level) for level in Level},
            "fixable": opened.fixable,
            "fixable_unsafely": opened.fixable_unsafely,
            "by_code": {code: {"count": count, "shown": shown} for code, (count, shown) in opened.by_code().items()},
        },
        "notes": [storable(note) for note in opened.notes],
    }


def _storable(told: dict[str, Any]) -> dict[str, Any]:
    """The same without halves of surrogate pairs, as of a file's name that is no text: strict parsers refuse them."""
    return {key: storable(value) if isinstance(value, str) else value for key, value in told.items()}


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "file": finding.file,
        "line": finding.line,
        "column": finding.column,
        "field": finding.field,
        "row": finding.row,
        "sheet": finding.sheet,
        "cell": finding.cell,
        "code": finding.code,
        "level": finding.level.value,
        "message": finding.message,
        "fixable": finding.fixable,
        "dataset": finding.dataset,
    }


def _dataset(dataset: Dataset) -> dict[str, Any]:
    from ragtui.datasets.dataset import Shape

    shared = {"path": dataset.path, "format": dataset.format, "why": dataset.why, "rows": dataset.rows}
    if dataset.shape is Shape.RETRIEVAL:
        return shared | dict(dataset.counts)
    return shared | {
        "columns": len(dataset.columns),
        "headers": [{"name": each.name, "role": each.role.value, "filled": each.filled} for each in dataset.columns],
        "encoding": dataset.encoding,
        "delimiter": dataset.delimiter,
        "header_line": dataset.header_line,
        **dataset.counts,
    }
