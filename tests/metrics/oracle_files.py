"""Values from the reference implementations, as kept in ``tests/oracles``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl

ORACLES = Path(__file__).parent.parent / "oracles"
RANKING_CASES = ("case1_binary", "case2_graded_ties", "case3_numbers")


def azure(kind: str) -> list[dict[str, Any]]:
    """Rows of Azure AI evaluation's own evaluators: ``text`` or ``doc_retrieval``."""
    rows = [json.loads(line) for line in (ORACLES / "azure.jsonl").read_text("utf-8").splitlines()]
    return [row for row in rows if row["kind"] == kind]


def pinecone() -> dict[str, Any]:
    return json.loads((ORACLES / "pinecone.json").read_text("utf-8"))


def ranking(case: str) -> tuple[pl.DataFrame, pl.DataFrame, dict[str, Any]]:
    """Judgments, run and pytrec_eval's values of one case."""
    folder = ORACLES / "ir" / case
    qrels, run = (_lines(folder / name) for name in ("qrels.jsonl", "run.jsonl"))
    qrels = qrels.rename({"score": "grade"}).cast({"grade": pl.Int64})
    return qrels, run, json.loads((folder / "expected.json").read_text("utf-8"))


def _lines(path: Path) -> pl.DataFrame:
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return pl.DataFrame(
        {
            "query_id": [row["query-id"] for row in rows],
            "doc_id": [row["corpus-id"] for row in rows],
            "score": [float(row["score"]) for row in rows],
        },
        schema={"query_id": pl.String, "doc_id": pl.String, "score": pl.Float64},
    )


def ours(name: str) -> str:
    """ragtui's spec for a name that trec_eval or pytrec_eval uses; ``map``, ``ndcg`` and ``recip_rank`` have no cut."""
    return {"map": "MAP@all", "ndcg": "nDCG@all", "recip_rank": "MRR@all"}.get(name, name)
