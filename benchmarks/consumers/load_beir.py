"""BEIR: its loader, and the function that makes a document's text for a model, with judgments from qrels/<split>.tsv."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from loading import load_each
from stand_ins import package, stand_in

UNPACKED = Path(sys.argv.pop(1))
package("beir", UNPACKED / "beir")
package("beir.datasets", UNPACKED / "beir" / "datasets")
package("beir.retrieval", UNPACKED / "beir" / "retrieval")
package("beir.retrieval.models", UNPACKED / "beir" / "retrieval" / "models")
stand_in("torch", Tensor=type("Tensor", (), {}))

from beir.datasets.data_loader import GenericDataLoader  # noqa: E402
from beir.retrieval.models.util import extract_corpus_sentences  # noqa: E402


def load(path: str) -> dict[str, Any]:
    splits = sorted(each.stem for each in Path(path, "qrels").glob("*.tsv"))
    split = "test" if "test" in splits or len(splits) != 1 else splits[0]
    corpus, queries, qrels = GenericDataLoader(path).load(split)
    texts = extract_corpus_sentences(list(corpus.values()), " ")
    return {"documents": dict(zip(corpus, texts, strict=True)), "queries": queries, "judgments": qrels}


load_each(load)
