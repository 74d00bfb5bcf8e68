"""Ragas: its dataset from JSON lines, a JSON list or a pandas frame, and a metric over it that needs no judge."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any

from loading import load_each
from stand_ins import stand_in

os.environ["RAGAS_DO_NOT_TRACK"] = "true"

stand_in("langchain_community.chat_models.vertexai", ChatVertexAI=type("ChatVertexAI", (), {}))  # gone from its newest

import pandas  # noqa: E402
from ragas import EvaluationDataset, evaluate  # noqa: E402
from ragas.metrics import ExactMatch, Faithfulness  # noqa: E402
from ragas.validation import validate_required_columns  # noqa: E402


def load(path: str) -> list[dict[str, Any]]:
    kind = Path(path).suffix
    if kind == ".jsonl":
        dataset = EvaluationDataset.from_jsonl(path)
    elif kind == ".json":
        with open(path, encoding="utf-8") as stream:
            dataset = EvaluationDataset.from_list(json.load(stream))
    else:
        dataset = EvaluationDataset.from_pandas(pandas.read_csv(path))
    rows = [{name: getattr(sample, name) for name in sample.get_features()} for sample in dataset]
    if any("response" in row and "retrieved_contexts" in row and "user_input" in row for row in rows):
        validate_required_columns(dataset, [Faithfulness()])  # what comes before its first call of a judge
    if any("response" in row and "reference" in row for row in rows):
        scores = evaluate(dataset, metrics=[ExactMatch()], show_progress=False).scores
        for row, score in zip(rows, scores, strict=True):
            if "response" in row and "reference" in row and math.isnan(score["exact_match"]):
                row["no exact_match"] = True
    return rows


load_each(load)
