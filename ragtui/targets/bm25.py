"""BM25 over the dataset's own corpus: ``bm25``. What corpus, queries and judgments alone can be measured with."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from ragtui.datasets.dataset import Dataset, Shape
from ragtui.datasets.texts import corpus
from ragtui.metrics.wording.words import is_unspaced, words
from ragtui.targets.target import Case, Response, TargetError
from ragtui.workspace import Workspace

if TYPE_CHECKING:
    import polars as pl

KIND: Final = "bm25"
DEPTH: Final = 100  # documents a query
K1, B = 1.2, 0.75  # Lucene's
_BATCH: Final = 4096  # queries


def open_kind(rest: str, dataset: Dataset, workspace: Workspace) -> Bm25:
    """Opens the search; the index is built when the first query comes."""
    if rest:
        raise TargetError(f"bm25 takes nothing after the colon ({rest!r}); it searches the dataset's own corpus")
    if dataset.shape is not Shape.RETRIEVAL or dataset.corpus is None or dataset.corpus_path is None:
        raise TargetError(f"{dataset.path} has no corpus to search; bm25 needs one (corpus.jsonl)")
    if dataset.queries is None:
        raise TargetError(f"{dataset.path} has no queries to search for (queries.jsonl)")
    return Bm25(dataset)


@dataclass
class Bm25:
    """Searches the corpus with Lucene's BM25 (k1 = 1.2, b = 0.75): the first 100 documents that share a word with the
    query. Words of any language, scripts without spaces by character and pair of characters; the same every time."""

    dataset: Dataset
    spec: str = "bm25"
    replays: bool = True
    host: str | None = None
    _index: tuple[Any, pl.Series] | None = field(default=None, repr=False)

    async def respond(self, cases: Sequence[Case]) -> AsyncIterator[Response]:
        """The ranking for each case's query."""
        texts = [case.inputs.get("query", "") for case in cases]
        found = await asyncio.to_thread(self._search, [case.case_id for case in cases], texts)
        rankings: dict[str, list[tuple[str, float]]] = {case.case_id: [] for case in cases}
        for query_id, doc_id, score in found.iter_rows():
            rankings[query_id].append((doc_id, score))
        for case in cases:
            yield Response(case.case_id, ranking=tuple(rankings[case.case_id]))

    async def rankings(self) -> pl.DataFrame:
        """``query_id, doc_id, score`` for all queries of the dataset."""
        queries = self.dataset.queries
        assert queries is not None
        return await asyncio.to_thread(self._search, queries["query_id"], queries["text"].fill_null(""))

    async def close(self) -> None:
        self._index = None

    def _search(self, ids: Iterable[str], texts: Iterable[str]) -> pl.DataFrame:
        import polars as pl

        if self._index is None:
            self._index = _indexed(self.dataset)
        index, doc_ids = self._index
        ids, texts = list(ids), list(texts)
        parts = [
            _batch(index, doc_ids, ids[at : at + _BATCH], texts[at : at + _BATCH]) for at in range(0, len(ids), _BATCH)
        ]
        return pl.concat(parts) if parts else pl.DataFrame(schema=_schema())


def terms(text: str) -> list[str]:
    """The words of a text; of a script without spaces also each pair of neighbouring characters, as one term."""
    found = words(text)
    if text.isascii():
        return found
    pairs = [left + right for left, right in pairwise(found) if is_unspaced(left) and is_unspaced(right)]
    return found + pairs


def _indexed(dataset: Dataset) -> tuple[Any, pl.Series]:
    """The index, and the document ids in its order; of several documents with one id the last is searched."""
    import bm25s
    import polars as pl

    try:
        terms_of = {each.doc_id: terms(each.whole) for batch in corpus(dataset) for each in batch}
    except OSError as error:
        raise TargetError(f"{dataset.corpus_path}: cannot be read: {error.strerror or error}") from error
    if not any(terms_of.values()):
        raise TargetError(f"{dataset.path}: its corpus holds no words to search")
    index = bm25s.BM25(method="lucene", k1=K1, b=B)
    index.index(list(terms_of.values()), show_progress=False)
    return index, pl.Series("doc_id", list(terms_of))


def _batch(index: Any, doc_ids: pl.Series, ids: Sequence[str], texts: Sequence[str]) -> pl.DataFrame:
    """The rankings of some queries; one without any word of the corpus has none."""
    import numpy as np
    import polars as pl

    known = index.vocab_dict
    words_of = {query: [term for term in terms(text) if term in known] for query, text in zip(ids, texts, strict=True)}
    asked = {query: found for query, found in words_of.items() if found}
    depth = min(DEPTH, len(doc_ids))
    if not asked:
        return pl.DataFrame(schema=_schema())
    places, scores = index.retrieve(list(asked.values()), k=depth, show_progress=False, sorted=True)
    frame = pl.DataFrame(
        {
            "query_id": pl.Series(list(asked), dtype=pl.String).gather(np.repeat(np.arange(len(asked)), depth)),
            "doc_id": doc_ids.gather(places.ravel().astype(np.uint32)),
            "score": scores.ravel().astype(np.float64),
        }
    )
    return frame.filter(pl.col("score") > 0)


def _schema() -> dict[str, Any]:
    import polars as pl

    return {"query_id": pl.String, "doc_id": pl.String, "score": pl.Float64}
