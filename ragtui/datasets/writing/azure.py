"""Azure AI evaluation data: JSON lines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from ragtui.datasets.conversations import messages_of
from ragtui.datasets.writing.cases import WrittenCases
from ragtui.datasets.writing.files import cell, one_text, write_csv, write_lines

_KEPT: Final = ("query", "response", "context", "ground_truth")


class Azure:
    id = "azure"
    title = "Azure AI evaluation data"
    folders = False
    endings: tuple[str, ...] = (".jsonl", ".ndjson", ".csv")

    def write(self, cases: WrittenCases, path: Path) -> list[str]:
        records = list(_records(cases))
        if path.suffix.lower() == ".csv":
            keys = list(dict.fromkeys(key for record in records for key in record))
            write_csv(path, keys, ([cell(record.get(key)) for key in keys] for record in records))
        else:
            write_lines(path, records)
        lost = cases.lost(*_KEPT, extra=True)
        for name in ("context", "ground_truth"):
            joined = cases.frame[name].list.len().gt(1).sum() if cases.has(name) else 0
            if joined:
                what = "chunks" if name == "context" else "answers"
                lost.append(f"{name}: the {what} of {joined:,} case{'' if joined == 1 else 's'} become one text")
        return lost


def _records(cases: WrittenCases) -> Iterator[dict[str, Any]]:
    for row, extra in zip(cases.rows(), cases.extras() if cases.extra.width else iter(dict, None), strict=False):
        record: dict[str, Any] = {"id": row["id"]} if "id" in row else {}
        if cases.conversation is None or not messages_of(cell(extra.get(cases.conversation))):
            record |= {name: row[name] for name in ("query", "response") if name in row}
            record |= {name: one_text(row[name]) for name in ("context", "ground_truth") if name in row}
        elif "ground_truth" in row:
            record["ground_truth"] = one_text(row["ground_truth"])
        if "filters" in row:
            record["filters"] = row["filters"]
        yield record | {name: value for name, value in extra.items() if name not in record}


WRITER: Final = Azure()
