"""Small datasets on disk and what a target answers for them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ragtui.datasets.check import open_dataset
from ragtui.datasets.dataset import Dataset
from ragtui.targets import open_target
from ragtui.targets.target import Case, Response, Target
from ragtui.workspace import Workspace


def write_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    return path


def cases(folder: Path, rows: Iterable[Mapping[str, Any]], name: str = "cases.jsonl") -> Dataset:
    return open_dataset(str(write_lines(folder / name, rows)))[0]


def beir(
    folder: Path, corpus: Mapping[str, str], queries: Mapping[str, str], qrels: Iterable[tuple[str, str, int]]
) -> Dataset:
    write_lines(folder / "corpus.jsonl", ({"_id": doc, "title": "", "text": text} for doc, text in corpus.items()))
    write_lines(folder / "queries.jsonl", ({"_id": query, "text": text} for query, text in queries.items()))
    write_lines(
        folder / "qrels.jsonl", ({"query-id": query, "corpus-id": doc, "score": grade} for query, doc, grade in qrels)
    )
    return open_dataset(str(folder))[0]


def opened(spec: str, dataset: Dataset, root: Path) -> Target:
    return open_target(spec, dataset, Workspace.open(root))


def answers(target: Target, *ids: str) -> list[Response]:
    async def ask() -> list[Response]:
        found = [response async for response in target.respond([Case(each, {}) for each in ids])]
        await target.close()
        return found

    return asyncio.run(ask())
