"""BEIR folders: corpus.jsonl, queries.jsonl, qrels.jsonl; a retrieval set is streamed, cases give their gold contexts."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from ragtui.datasets.dataset import Dataset
from ragtui.datasets.discover import CannotOpen
from ragtui.datasets.findings import counted
from ragtui.datasets.writing.cases import WrittenCases, last_turns
from ragtui.datasets.writing.files import write_lines


class Beir:
    id = "beir"
    title = "BEIR retrieval set"
    folders = True
    endings: tuple[str, ...] = ()

    def write(self, cases: WrittenCases, path: Path) -> list[str]:
        """A document for each gold context, known by its file where each has one, else by a hash of its text.

        Raises:
            CannotOpen: no case has a gold context.
        """
        documents: dict[str, str] = {}
        queries: list[dict[str, Any]] = []
        judgments: list[dict[str, Any]] = []
        without = 0
        for number, row in enumerate(cases.rows(), 1):
            query = row.get("id") or f"q{number}"
            queries.append({"_id": query, "text": row.get("query", "")})
            relevant = list(_documents(row))
            without += not relevant
            for name, text in relevant:
                if documents.setdefault(name, text) != text:
                    name = f"{name}#{_hash(text)}"  # several passages of one file are several documents
                    documents[name] = text
                judgments.append({"query-id": query, "corpus-id": name, "score": 1})
        if not documents:
            raise CannotOpen("there is no labelled context that could be a document; BEIR needs documents")
        write_lines(
            path / "corpus.jsonl", ({"_id": name, "title": "", "text": text} for name, text in documents.items())
        )
        write_lines(path / "queries.jsonl", queries)
        write_lines(path / "qrels.jsonl", judgments)
        lost = [*cases.lost("query", "gold_context", "gold_file_name", "gold_ids"), *last_turns(cases)]
        return [
            *lost,
            *(
                [f"{counted(without, 'query', 'queries')} without a labelled context, so without a judgment"]
                if without
                else []
            ),
        ]

    def write_set(self, dataset: Dataset, path: Path) -> list[str]:
        """A retrieval set, some thousand documents at a time."""
        from ragtui.datasets.texts import corpus

        lost = []
        if dataset.corpus is not None:
            write_lines(
                path / "corpus.jsonl",
                (
                    {"_id": each.doc_id, "title": each.title, "text": each.text}
                    for part in corpus(dataset)
                    for each in part
                ),
            )
        if dataset.queries is not None:
            rows = dataset.queries.select("query_id", "text").iter_rows()
            write_lines(path / "queries.jsonl", ({"_id": query, "text": text} for query, text in rows))
        if dataset.qrels is not None:
            pairs = dataset.qrels.select("query_id", "doc_id", "grade").iter_rows()
            write_lines(path / "qrels.jsonl", ({"query-id": q, "corpus-id": d, "score": s} for q, d, s in pairs))
        for name, run in dataset.runs.items():
            hits = run.select("query_id", "doc_id", "score").iter_rows()
            stem = name.rpartition(".")[0] or name
            file = stem if stem.lower().startswith(("run", "result", "prediction", "ranking")) else f"run_{stem}"
            write_lines(path / f"{file}.jsonl", ({"query-id": q, "corpus-id": d, "score": s} for q, d, s in hits))
        if dataset.format == "beir" and dataset.corpus_path is not None and _has_more(dataset.corpus_path):
            lost.append("not written: metadata of the documents")
        return lost


def _documents(row: dict[str, Any]) -> Iterator[tuple[str, str]]:
    contexts = row.get("gold_context") or []
    names = row.get("gold_ids") or row.get("gold_file_name") or []
    for place, text in enumerate(contexts):
        yield (names[place] if len(names) == len(contexts) else _hash(text)), text


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def _has_more(path: Path) -> bool:
    """Whether the first documents have keys that are not kept."""
    from ragtui.datasets.formats.beir.parts import first_keys

    return bool(first_keys(path) - {"_id", "title", "text"})


WRITER: Final = Beir()
