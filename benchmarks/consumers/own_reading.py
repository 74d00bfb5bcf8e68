"""What ragtui reads of a dataset, in the shape that the ``load_*`` scripts print."""

from __future__ import annotations

import json
import sys
from typing import Any

from ragtui.datasets.check import CannotOpen, open_dataset
from ragtui.datasets.dataset import Dataset, Shape

_CALLED = {
    "ragas": {"query": "user_input", "context": "retrieved_contexts", "ground_truth": "reference"},
    "deepeval": {
        "query": "input",
        "response": "actual_output",
        "context": "retrieval_context",
        "gold_context": "context",
        "ground_truth": "expected_output",
    },
}


def content(path: str) -> Any:
    """Documents, queries and judgments, or rows; ``None`` where there is nothing to read."""
    try:
        dataset, _ = open_dataset(path)
    except CannotOpen:
        return None
    return _retrieval(dataset) if dataset.shape is Shape.RETRIEVAL else _cases(dataset)


def _retrieval(dataset: Dataset) -> dict[str, Any]:
    from ragtui.datasets.texts import documents

    judgments: dict[str, dict[str, float]] = {}
    if dataset.qrels is not None:
        for query, document, grade in dataset.qrels.select("query_id", "doc_id", "grade").iter_rows():
            judgments.setdefault(query, {})[document] = grade
    ids = [] if dataset.corpus is None else dataset.corpus["doc_id"].to_list()
    queries = {} if dataset.queries is None else dict(dataset.queries.select("query_id", "text").iter_rows())
    texts = {name: text.whole for name, text in documents(dataset, ids).items()}
    return {"documents": texts, "queries": queries, "judgments": judgments}


def _cases(dataset: Dataset) -> Any:
    if dataset.cases is None:
        return None
    called = _CALLED.get(dataset.format, {})
    held = {
        called.get(name, name): column for name, column in dataset.fields.items() if column in dataset.cases.columns
    }
    return [
        {name: row[column] for name, column in held.items() if row[column] is not None}
        for row in dataset.cases.iter_rows(named=True)
    ]


if __name__ == "__main__":
    for path in sys.argv[1:]:
        print(json.dumps(content(path)))
