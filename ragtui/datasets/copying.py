"""Cases copied from one dataset into another: as JSON lines, each with where it came from."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from ragtui.datasets.case_ids import CASE_ID
from ragtui.datasets.check import CannotOpen, open_dataset
from ragtui.datasets.containers.table import LINE
from ragtui.datasets.dataset import Dataset
from ragtui.datasets.label_rows import mixed_columns, without_mixed
from ragtui.workspace import replacing

SOURCE = "source"


def records_of(dataset: Dataset, case_ids: Collection[str] | None = None) -> list[dict[str, Any]]:
    """The cases with these ids (all without), as they would stand in JSON lines: ``id``, their columns, ``source``.
    What the rows of one case do not agree on is left out.

    Raises:
        CannotOpen: a case is not there, or the dataset has none.
    """
    if dataset.cases is None:
        raise CannotOpen(f"{dataset.path}: holds no cases to copy")
    wanted = None if case_ids is None else set(case_ids)
    names = [each.name for each in dataset.columns if each.name in dataset.cases.columns]
    records = []
    for row in without_mixed(dataset.cases, mixed_columns(dataset)).iter_rows(named=True):
        if wanted is not None and row[CASE_ID] not in wanted:
            continue
        values = {name: row[name] for name in names if row[name] is not None and name not in ("id", SOURCE)}
        source = {"format": dataset.format, "file": dataset.location.name, "line": row[LINE]}
        records.append({"id": row[CASE_ID], **values, SOURCE: row.get(SOURCE) or json.dumps(source)})
    missing = sorted((wanted or set()) - {record["id"] for record in records})
    if missing:
        raise CannotOpen(f"{dataset.path}: has no case {', '.join(missing[:5])}")
    return records


def append(records: Sequence[Mapping[str, Any]], target: Path) -> tuple[int, int]:
    """Adds records to a JSON lines dataset, which is made if it is not there. Returns how many were added, and how many were
    left out because the dataset has a case with their id. The bytes that are there stay as they are.

    Raises:
        CannotOpen: the target is not JSON lines. OSError: it cannot be written.
    """
    if target.suffix.lower() not in (".jsonl", ".ndjson"):
        raise CannotOpen(f"{target}: cases are added to JSON lines; name a .jsonl file")
    there: set[str] = set()
    before = b""
    if target.exists() and target.stat().st_size:
        known, _ = open_dataset(str(target))
        there = set() if known.cases is None else set(known.cases[CASE_ID])
        before = target.read_bytes()
    new = [record for record in records if record["id"] not in there]
    lines = [json.dumps(record, ensure_ascii=False).encode("utf-8", "replace") + b"\n" for record in new]
    if new:
        target.parent.mkdir(parents=True, exist_ok=True)
        with replacing(target) as stream:
            stream.write(before if not before or before.endswith(b"\n") else before + b"\n")
            stream.writelines(lines)
    return len(new), len(records) - len(new)
