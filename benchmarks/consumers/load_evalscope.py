"""EvalScope: the task it makes of a folder, and MTEB's own turning of that task into what models are given."""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from typing import Any

import stand_ins
from loading import load_each

UNPACKED = Path(sys.argv.pop(1))
stand_ins.mteb(UNPACKED)
for name in ("evalscope", "evalscope.backend", "evalscope.backend.rag_eval", "evalscope.backend.rag_eval.mteb"):
    stand_ins.package(name, UNPACKED / name.replace(".", "/"))
stand_ins.stand_in("evalscope.utils.logger", get_logger=logging.getLogger)

from evalscope.backend.rag_eval.mteb.custom_task import build_custom_task  # noqa: E402
from mteb._create_dataloaders import _retrieval_texts  # noqa: E402
from mteb.types import PromptType  # noqa: E402


def load(path: str) -> dict[str, Any]:
    task = build_custom_task({"name": "Custom", "data_path": path})
    task.convert_v1_dataset_format_to_v2(num_proc=None)
    split = task.dataset["default"]["test"]
    corpus, queries = split["corpus"], split["queries"]
    return {
        "documents": dict(zip(corpus["id"], _retrieval_texts(corpus, PromptType.document), strict=True)),
        "queries": dict(zip(queries["id"], _retrieval_texts(queries, PromptType.query), strict=True)),
        "judgments": split["relevant_docs"],
    }


load_each(load)
