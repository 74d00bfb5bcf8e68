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

from evalscope.backend.rag_eval.ragas.task_template import _load_dataset  # noqa: E402


def load(path: str) -> list[dict[str, Any]]:
    held = ({name: getattr(sample, name) for name in sample.get_features()} for sample in _load_dataset(path))
    return [{name: value for name, value in row.items() if value not in ("", [])} for row in held]


load_each(load)
