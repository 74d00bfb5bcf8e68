"""MTEB: its loader over a folder that a README names the parts of, as one on a hub does, and what it makes for models."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import stand_ins
from loading import load_each

stand_ins.mteb(Path(sys.argv.pop(1)))

import datasets  # noqa: E402
from mteb._create_dataloaders import _retrieval_texts  # noqa: E402
from mteb.abstasks.retrieval_dataset_loaders import RetrievalDatasetLoader  # noqa: E402
from mteb.types import PromptType  # noqa: E402


def load(path: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        datasets.config.HF_DATASETS_CACHE = Path(folder, "cache")
        return _load(shutil.copytree(path, Path(folder, "set")))


def _load(folder: Path) -> dict[str, Any]:
    splits = sorted(each.name for each in Path(folder, "qrels").glob("*.tsv"))
    split = "test.tsv" if "test.tsv" in splits or not splits else splits[0]
    judged = "qrels.jsonl" if (folder / "qrels.jsonl").exists() else f"qrels/{split}"
    parts = {"corpus": "corpus.jsonl", "queries": "queries.jsonl", "default": judged}
    listed = "".join(
        f"- config_name: {name}\n  data_files:\n  - split: test\n    path: {file}\n" for name, file in parts.items()
    )
    (folder / "README.md").write_text(f"---\nconfigs:\n{listed}---\n")
    found = RetrievalDatasetLoader(str(folder), revision=None, split="test", config="default").load()
    corpus, queries = found["corpus"], found["queries"]
    return {
        "documents": dict(zip(corpus["id"], _retrieval_texts(corpus, PromptType.document), strict=True)),
        "queries": dict(zip(queries["id"], _retrieval_texts(queries, PromptType.query), strict=True)),
        "judgments": found["relevant_docs"],
    }


load_each(load)
