"""Pinecone Assistant evaluation data: a JSON list, JSON lines or CSV of question, answer, ground_truth_answer."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from ragtui.datasets.findings import counted
from ragtui.datasets.writing.cases import WrittenCases, last_turns
from ragtui.datasets.writing.files import cell, one_text, write_csv, write_json


class Pinecone:
    id = "pinecone"
    title = "Pinecone Assistant evaluation data"
    folders = False
    endings: tuple[str, ...] = (".json", ".jsonl", ".ndjson", ".csv")

    def write(self, cases: WrittenCases, path: Path) -> list[str]:
        own = cases.has("id")
        records = [
            ({"id": row.get("id")} if own else {})
            | {"question": row.get("query"), "answer": row.get("response"), "ground_truth_answer": one_text(row.get("ground_truth"))}
            for row in cases.rows()
        ]  # fmt: skip
        filled = [{key: value for key, value in record.items() if value is not None} for record in records]
        if path.suffix.lower() == ".csv":
            keys = [*(["id"] if own else []), "question", "answer", "ground_truth_answer"]
            write_csv(path, keys, ([cell(record.get(key)) for key in keys] for record in filled))
        else:
            write_json(path, filled)
        lost = [*cases.lost("query", "response", "ground_truth"), *last_turns(cases)]
        for name in ("question", "answer", "ground_truth_answer"):
            without = sum(name not in record for record in filled)
            if without:
                lost.append(f"no {name}, which Pinecone needs, in {without:,} of {counted(len(filled), 'case')}")
        return lost


WRITER: Final = Pinecone()
