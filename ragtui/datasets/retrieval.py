"""A retrieval set as its rules see it: documents, queries, judgments and runs side by side, each with the file it is from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import polars as pl

_EXACT: Final = 2**53  # below this a float holds every whole number


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

    @cached_property
    def unknown_documents(self) -> pl.DataFrame | None:
        """``line, doc_id`` of judgments for documents that are not there; ``None`` where that cannot be said."""
        return _anti(self.judgments, self.documents, "doc_id")

    @cached_property
    def unknown_queries(self) -> pl.DataFrame | None:
        """``line, query_id`` of judgments for queries that are not there."""
        return _anti(self.judgments, self.queries, "query_id")

    @cached_property
    def repeated_pairs(self) -> bool:
        """Whether any query and document are judged twice."""
        import polars as pl

        if self.judgments is None:
            return False
        pairs = self.judgments.lazy().select(pl.struct("query_id", "doc_id").hash().n_unique()).collect().item()
        if int(pairs) == self.judgments.height:
            return False
        return bool(self.judgments.select(pl.struct("query_id", "doc_id").is_duplicated().any()).item())

    @cached_property
    def judged_queries(self) -> int:
        """How many queries are judged."""
        return 0 if self.judgments is None else self.judgments["query_id"].n_unique()

    @cached_property
    def all_judged(self) -> bool:
        """Whether it is plain to see that every query has a judgment."""
        if self.queries is None or self.unknown_queries is None or self.unknown_queries.height:
            return False
        return self.judged_queries == self.queries["query_id"].n_unique()

    @cached_property
    def all_relevant(self) -> bool:
        """Whether every judgment is above 0."""
        return self.judgments is not None and bool((self.judgments["grade"] > 0).all())

    @cached_property
    def used_judgments(self) -> pl.DataFrame | None:
        """The judgments that count: of repeated pairs the last, in the order of the lines. Grades are whole numbers unless
        the file has others."""
        import polars as pl

        if self.judgments is None:
            return None
        used = self.judgments
        if self.repeated_pairs:
            used = used.unique(["query_id", "doc_id"], keep="last", maintain_order=True)
        grade = used["grade"]
        is_whole = bool(((grade == grade.round(0)) & (grade.abs() < _EXACT)).all())
        return used.cast({"grade": pl.Int64}) if is_whole else used

    def asked(self, limit: int | None) -> pl.DataFrame | None:
        """The queries, with a ``limit`` so many of those that are run; ``None`` where there are none."""
        judged = self.used_judgments
        if limit is None or self.queries is None:
            return self.queries
        return to_run(self.queries, None if judged is None else judged["query_id"], limit)

    def used_runs(self) -> dict[str, pl.DataFrame]:
        """``query_id, doc_id, score`` of every run; of a document that is a hit twice for a query the last."""
        import polars as pl

        pair = pl.struct("query_id", "doc_id")
        used = {}
        for name, run in self.runs.items():
            if run.lazy().select(pair.hash().n_unique()).collect().item() != run.height:
                run = run.unique(["query_id", "doc_id"], keep="last", maintain_order=True)
            used[name] = run.drop("line")
        return used

    def sizes(self) -> dict[str, int]:
        """The counts of the set: documents, queries, judgments, evaluable queries and what hangs loose.

        A query is evaluable if a document that exists is judged relevant (grade above 0) for it.
        """
        import polars as pl

        counts: dict[str, int] = {}
        if self.documents is not None:
            counts["documents"] = self.documents.height
        if self.queries is not None:
            counts["queries"] = self.queries.height
        used = self.used_judgments
        if used is None or self.judgments is None:
            return counts
        counts["judgments"] = used.height
        counts["judgment_lines"] = self.judgments.height
        relevant = used.lazy().filter(pl.col("grade") > 0)
        for column, loose, name in (
            ("doc_id", self.unknown_documents, "unknown_documents"),
            ("query_id", self.unknown_queries, "unknown_queries"),
        ):
            if loose is None:
                continue
            counts[name] = loose[column].n_unique()
            if loose.height:
                relevant = relevant.join(loose.lazy().select(column).unique(), on=column, how="anti")
        plain = self.all_relevant and not any(counts.get(f"unknown_{each}") for each in ("documents", "queries"))
        counts["evaluable_queries"] = (
            self.judged_queries if plain else relevant.select(pl.col("query_id").n_unique()).collect().item()
        )
        return counts


def to_run(queries: pl.DataFrame, judged: pl.Series | None, limit: int | None = None) -> pl.DataFrame:
    """The queries that are asked, the first ``limit`` of them: where most of a set have no judgment (a split of a large
    set), those that are judged, else all."""
    chosen = queries
    if judged is not None:
        with_judgments = queries.filter(queries["query_id"].is_in(judged.unique().implode()))
        if 0 < with_judgments.height < queries.height / 2:
            chosen = with_judgments
    return chosen if limit is None else chosen.head(limit)


def _anti(judgments: pl.DataFrame | None, there: pl.DataFrame | None, column: str) -> pl.DataFrame | None:
    if judgments is None or there is None or not there.height:
        return None
    found = judgments.lazy().join(there.lazy().select(column), on=column, how="anti")
    return found.select("line", column).sort("line").collect()
