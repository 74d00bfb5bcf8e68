"""Ragas samples under today's names: JSON lines, a JSON list or CSV."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from ragtui.datasets.writing.cases import WrittenCases, last_turns
from ragtui.datasets.writing.files import one_text, write_csv, write_json

_NAMES: Final = {
    "id": "id",
    "query": "user_input",
    "response": "response",
    "context": "retrieved_contexts",
    "ground_truth": "reference",
    "gold_context": "reference_contexts",
    "retrieved_ids": "retrieved_context_ids",
    "gold_ids": "reference_context_ids",
}


class Ragas:
    id = "ragas"
    title = "Ragas dataset"
    folders = False
    endings: tuple[str, ...] = (".jsonl", ".ndjson", ".json", ".csv")

    def write(self, cases: WrittenCases, path: Path) -> list[str]:
        there = {name: key for name, key in _NAMES.items() if cases.has(name) or name == "query"}
        records: list[dict[str, Any]] = []
        for row in cases.rows():
            record = {key: row[name] for name, key in there.items() if name in row}
            if "reference" in record:
                record["reference"] = one_text(record["reference"])
            records.append(record)
        if path.suffix.lower() == ".csv":
            write_csv(path, list(there.values()), ([record.get(key) for key in there.values()] for record in records))
        else:
            write_json(path, records)
        lost = [*cases.lost(*_NAMES), *last_turns(cases)]
        several = cases.frame["ground_truth"].list.len().gt(1).sum() if cases.has("ground_truth") else 0
        return [
            *lost,
            *(
                [f"ground_truth: the answers of {several:,} case{'' if several == 1 else 's'} become one text"]
                if several
                else []
            ),
        ]


WRITER: Final = Ragas()
