"""azure-ai-evaluation: ``evaluate`` over the file, with its evaluators that need no network, and one that keeps what it is given."""

from __future__ import annotations

import json
import math
import os
import tempfile
from pathlib import Path
from typing import Any

from loading import load_each, plain

os.environ["PF_DISABLE_TRACING"] = "true"

from azure.ai.evaluation import DocumentRetrievalEvaluator, F1ScoreEvaluator, evaluate
from azure.ai.evaluation._evaluators._common import EvaluatorBase

FIELDS = (
    "query", "context", "response", "ground_truth", "conversation", "retrieved_documents", "retrieval_ground_truth",
)  # fmt: skip


def keep(**kwargs: Any) -> dict[str, str]:  # by another name the package takes it for a column
    return {"row": json.dumps(plain({name: kwargs[name] for name in FIELDS if name in kwargs}))}


class Turns(EvaluatorBase):
    """Takes a conversation apart as every evaluator of this package does, and counts its turns."""

    def __call__(self, *, conversation: Any) -> Any:
        return super().__call__(conversation=conversation)

    async def _do_eval(self, eval_input: Any) -> dict[str, float]:
        return {"turn": 1.0}


def _is_score(value: Any) -> bool:
    return isinstance(value, float) and math.isfinite(value)


def load(path: str) -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder:
        out = str(Path(folder, "out.json"))
        told = evaluate(data=path, evaluators={"keep": keep}, output_path=out)["rows"]
        rows = [json.loads(row["outputs.keep.row"]) if "outputs.keep.row" in row else {} for row in told]
        for name, needed, evaluator in (
            ("f1", ("response", "ground_truth"), F1ScoreEvaluator),
            ("document_retrieval", ("retrieved_documents", "retrieval_ground_truth"), DocumentRetrievalEvaluator),
            ("turns", ("conversation",), Turns),
        ):
            if any(needed[0] in row and needed[-1] in row for row in rows):
                scored = evaluate(data=path, evaluators={name: evaluator()}, output_path=out)["rows"]
                for row, result in zip(rows, scored, strict=True):
                    scores = [value for key, value in result.items() if key.startswith(f"outputs.{name}.")]
                    if all(each in row for each in needed) and not any(_is_score(value) for value in scores):
                        row[f"no {name}"] = True
        return rows


load_each(load)
