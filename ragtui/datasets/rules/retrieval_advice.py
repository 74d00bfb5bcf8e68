"""Advice about a retrieval set (codes BEIR4xx), given on request: whether its size and judgments can tell systems apart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ragtui.datasets.findings import Finding, Level, counted
from ragtui.datasets.retrieval import RetrievalSet
from ragtui.datasets.rules import rule

_FOR: Final = ("beir", "evalscope", "mteb")
_DOCUMENTS: Final = 100
_TINY: Final = 10
_QUERIES: Final = 50
_MOSTLY: Final = 0.5


@rule("BEIR401", "few-documents", Level.INFO, platforms=_FOR, advice=True, on=RetrievalSet)
def few_documents(whole: RetrievalSet) -> Iterator[Finding]:
    """The corpus has fewer than 100 documents. With so few, nearly every ranking finds the right one."""
    if whole.whole and whole.documents is not None and _TINY < whole.documents.height < _DOCUMENTS:
        yield _whole(
            "BEIR401",
            f"{counted(whole.documents.height, 'document')}; {_DOCUMENTS} or more are advised",
            whole.documents_file,
        )


@rule("BEIR402", "few-queries", Level.INFO, platforms=_FOR, advice=True, on=RetrievalSet)
def few_queries(whole: RetrievalSet) -> Iterator[Finding]:
    """There are fewer than 50 queries. The mean then moves by several points by chance alone, and small differences between
    two systems cannot be seen."""
    if whole.whole and whole.queries is not None and 0 < whole.queries.height < _QUERIES:
        yield _whole(
            "BEIR402",
            f"{counted(whole.queries.height, 'query', 'queries')}; {_QUERIES} or more are advised",
            whole.queries_file,
        )


@rule("BEIR403", "tiny-corpus", Level.INFO, platforms=_FOR, advice=True, on=RetrievalSet)
def tiny_corpus(whole: RetrievalSet) -> Iterator[Finding]:
    """The corpus has ten documents or fewer: Recall@10 is 1 whatever the system does."""
    if whole.whole and whole.documents is not None and 0 < whole.documents.height <= _TINY:
        message = f"{counted(whole.documents.height, 'document')}: Recall@10 is always 1"
        yield _whole("BEIR403", message, whole.documents_file)


@rule("BEIR404", "only-positives", Level.INFO, platforms=_FOR, advice=True, on=RetrievalSet)
def only_positives(whole: RetrievalSet) -> Iterator[Finding]:
    """No document is judged irrelevant (0). A hit without a judgment may then be wrong or merely never looked at, and
    nobody can tell which."""
    judgments = whole.judgments
    if whole.whole and judgments is not None and judgments.height and bool((judgments["grade"] > 0).all()):
        yield _whole(
            "BEIR404", "no document is judged 0: irrelevant and never judged look the same", whole.judgments_file
        )


@rule("BEIR405", "no-distractors", Level.INFO, platforms=_FOR, advice=True, on=RetrievalSet)
def no_distractors(whole: RetrievalSet) -> Iterator[Finding]:
    """Most of the corpus is relevant to some query, so there is hardly anything a system could find wrongly. A real corpus
    holds many documents nobody asks for."""
    import polars as pl

    if not whole.whole or whole.documents is None or whole.judgments is None or whole.documents.height <= _TINY:
        return
    relevant = whole.judgments.lazy().filter(pl.col("grade") > 0).select("doc_id").unique()
    count = (
        whole.documents.lazy()
        .select("doc_id")
        .unique()
        .join(relevant, on="doc_id", how="semi")
        .select(pl.len())
        .collect()
        .item()
    )
    if count > _MOSTLY * whole.documents.height:
        share = count / whole.documents.height
        message = f"{share:.0%} of the documents are relevant to some query; add documents that are to none"
        yield _whole("BEIR405", message, whole.documents_file)


def _whole(code: str, message: str, file: str) -> Finding:
    return Finding(code, Level.INFO, message, file=file)
