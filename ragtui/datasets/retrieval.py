"""A retrieval set as its rules see it: documents, queries, judgments and runs side by side, each with the file it is from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class RetrievalSet:
    """Everything read of one retrieval set, repeated lines included; ``None`` for a part that is not there.

    ``documents`` is ``doc_id, line, offset``; ``queries`` is ``query_id, text, line``; ``judgments`` is ``query_id, doc_id,
    grade, line``; each run is ``query_id, doc_id, score, line``. ``*_file`` is what findings call the file.
    ``unreadable`` counts, per file, lines whose record could not be read. ``whole`` is false where a file was written in a
    wrong shape altogether: then sizes say nothing. ``judged_elsewhere`` are ids of queries judged in other splits.
    """

    documents: pl.DataFrame | None = None
    queries: pl.DataFrame | None = None
    judgments: pl.DataFrame | None = None
    runs: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    documents_file: str = ""
    queries_file: str = ""
    judgments_file: str = ""
    run_files: Mapping[str, str] = field(default_factory=dict)
    unreadable: Mapping[str, int] = field(default_factory=dict)
    whole: bool = True
    judged_elsewhere: pl.Series | None = None

    def known_documents(self) -> pl.Series | None:
        """The ids of documents, ``None`` where they cannot be known."""
        return None if self.documents is None else self.documents["doc_id"]

    def known_queries(self) -> pl.Series | None:
        return None if self.queries is None else self.queries["query_id"]


def used_judgments(judgments: pl.DataFrame) -> pl.DataFrame:
    """The judgments that count: of repeated pairs the last, in the order of the lines."""
    if not judgments.select("query_id", "doc_id").is_duplicated().any():
        return judgments
    return judgments.unique(["query_id", "doc_id"], keep="last", maintain_order=True)


def sizes(whole: RetrievalSet, used: pl.DataFrame | None) -> dict[str, int]:
    """The counts of a retrieval set: documents, queries, judgments, evaluable queries and what hangs loose.

    A query is evaluable if a document that exists is judged relevant (grade above 0) for it.
    """
    import polars as pl

    counts: dict[str, int] = {}
    if whole.documents is not None:
        counts["documents"] = whole.documents.height
        counts["distinct_documents"] = whole.documents["doc_id"].n_unique()
    if whole.queries is not None:
        counts["queries"] = whole.queries.height
    if used is None or whole.judgments is None:
        return counts
    counts["judgments"] = used.height
    counts["judgment_lines"] = whole.judgments.height
    relevant = used.lazy().filter(pl.col("grade") > 0)
    for column, known, name in (
        ("doc_id", whole.known_documents(), "unknown_documents"),
        ("query_id", whole.known_queries(), "unknown_queries"),
    ):
        if known is None:
            continue
        ids = known.alias(column).to_frame().lazy()
        counts[name] = used.lazy().join(ids, on=column, how="anti").select(pl.col(column).n_unique()).collect().item()
        relevant = relevant.join(ids, on=column, how="semi")
    counts["evaluable_queries"] = relevant.select(pl.col("query_id").n_unique()).collect().item()
    return counts
