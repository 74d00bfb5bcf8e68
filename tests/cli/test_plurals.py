"""One of a thing is called one: what commands say of a dataset with a single case."""

from __future__ import annotations

import re
from pathlib import Path

from tests.cli.test_check import ragtui

SEVERAL = re.compile(r"\b1 (?!(?:is|was|has|loses|ties)\b)[a-z]+s\b")


def test_one_is_never_several(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(
        '{"id": "a", "query": "q", "response": "r", "context": ["c"], "ground_truth": "r"}\n'
    )
    (tmp_path / "labels.csv").write_text(
        "question,text,context,file_name,answer_start,answer_end\nq,a,a b,f.txt,0,1\nq,b,a b,f.txt,2,3\n"
    )
    (tmp_path / "c.csv").write_text("id,text\n1,a\n,b\n")
    said = ""
    for line in (
        "check a.jsonl --output-format full", "check labels.csv --output-format full", "check . --for pinecone",
        "convert a.jsonl t.csv --to table", "convert labels.csv z.jsonl --to azure", "convert labels.csv r.json --to ragas",
        "convert a.jsonl p.json --to pinecone", "convert a.jsonl qa.csv --to deepset-qa", "convert labels.csv beir --to beir",
        "convert c.csv corpus.jsonl --to beir --part corpus", "copy a.jsonl more.jsonl", "copy a.jsonl more.jsonl",
        "archive export a.jsonl a.zip", "archive import a.zip b.zip", "run a.jsonl -m f1,groundedness", "show",
    ):  # fmt: skip
        done = ragtui(*line.split(), cwd=tmp_path)
        assert done.returncode < 2, (line, done.stderr)
        said += f"{line}\n{done.stdout}{done.stderr}"
    assert "Wrote 1 case to t.csv." in said
    assert [found.group() for found in SEVERAL.finditer(said)] == []
