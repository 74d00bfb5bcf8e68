"""DeepEval: the goldens of its dataset, from CSV, JSON or JSON lines."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from loading import load_each

os.environ["DEEPEVAL_TELEMETRY_OPT_OUT"] = "YES"

from deepeval.dataset import EvaluationDataset

FIELDS = ("input", "actual_output", "expected_output", "retrieval_context", "context")


def load(path: str) -> list[dict[str, Any]]:
    dataset = EvaluationDataset()
    getattr(dataset, f"add_goldens_from_{Path(path).suffix[1:]}_file")(path)
    held = [golden.model_dump() for golden in dataset.goldens]
    return [{name: golden[name] for name in FIELDS if golden.get(name) not in (None, [])} for golden in held]


load_each(load)
