"""EvalScope's RAG evaluation: the Ragas dataset it makes of a file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import stand_ins
from loading import load_each

UNPACKED = Path(sys.argv.pop(1))
for name in ("evalscope", "evalscope.backend", "evalscope.backend.rag_eval", "evalscope.backend.rag_eval.ragas"):
    stand_ins.package(name, UNPACKED / name.replace(".", "/"))

stand_ins.stand_in("langchain_community.chat_models.vertexai", ChatVertexAI=type("ChatVertexAI", (), {}))

from evalscope.backend.rag_eval.ragas.task_template import _load_dataset  # noqa: E402
from ragas import evaluate  # noqa: E402
from ragas.metrics import ExactMatch, Faithfulness  # noqa: E402
from ragas.validation import validate_required_columns  # noqa: E402


def load(path: str) -> list[dict[str, Any]]:
    """The rows; a column that is empty in all of them was put there by EvalScope."""
    dataset = _load_dataset(path)
    rows = [{name: getattr(sample, name) for name in sample.get_features()} for sample in dataset]
    used = {name for row in rows for name, value in row.items() if value not in ("", [])}
    rows = [{name: value for name, value in row.items() if name in used} for row in rows]
    if any("response" in row and "retrieved_contexts" in row and "user_input" in row for row in rows):
        validate_required_columns(dataset, [Faithfulness()])  # what comes before its first call of a judge
    if any("response" in row and "reference" in row for row in rows):
        evaluate(dataset, metrics=[ExactMatch()], show_progress=False)
    return rows


load_each(load)
