"""Lets loader modules of large packages be imported from an unpacked wheel without what only models need."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import Any


def package(name: str, folder: Path) -> ModuleType:
    """A package whose modules are the real ones below ``folder``, but whose own ``__init__`` is not run."""
    module = ModuleType(name)
    module.__path__ = [str(folder)]
    sys.modules[name] = module
    return module


def stand_in(name: str, **names: Any) -> ModuleType:
    """A module that only has these names; they must be importable, and are not used."""
    module = ModuleType(name)
    vars(module).update(names)
    sys.modules[name] = module
    return module


def mteb(unpacked: Path) -> None:
    """MTEB's loader, task and text functions; torch, models, evaluators and statistics are left out."""
    top = package("mteb", unpacked / "mteb")
    package("mteb.abstasks", unpacked / "mteb" / "abstasks")
    nobody = type("Nobody", (), {})
    stand_in("mteb._evaluators", RetrievalEvaluator=nobody)
    stand_in("mteb._evaluators.retrieval_metrics", make_score_dict=None)
    models = ("CrossEncoderProtocol", "EncoderProtocol", "SearchCrossEncoderWrapper", "SearchEncoderWrapper")
    stand_in("mteb.models", SearchProtocol=nobody, **dict.fromkeys(models, nobody))
    counts = ("relevant_docs", "single_input_modality", "top_ranked")
    stand_in(
        "mteb.abstasks._statistics_calculation",
        compute_black_or_white_image_flags=None,
        **{f"calculate_{name}_statistics": None for name in counts},
    )
    stand_in("mteb.abstasks.abstask", AbsTask=type("AbsTask", (), {"is_multilingual": False}))
    task = importlib.import_module("mteb.abstasks.retrieval").AbsTaskRetrieval
    sys.modules["mteb.abstasks"].AbsTaskRetrieval = task  # type: ignore[attr-defined]
    top.TaskMetadata = _Metadata  # type: ignore[attr-defined]


class _Metadata:
    is_multilingual = False

    def __init__(self, **fields: Any) -> None:
        vars(self).update(fields)
