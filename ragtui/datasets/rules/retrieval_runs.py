"""Rules about runs beside a retrieval set (codes BEIR3xx): whether they answer the queries, with documents that exist."""

from __future__ import annotations

from collections.abc import Iterator

from ragtui.datasets.containers.table import visible
from ragtui.datasets.findings import Finding, Level, More, counted, shown_per_rule
from ragtui.datasets.retrieval import RetrievalSet
from ragtui.datasets.rules import rule


@rule("BEIR303", "unknown-query-in-run", Level.WARNING, on=RetrievalSet)
def unknown_queries(whole: RetrievalSet) -> Iterator[Finding]:
    """A run answers queries that the set does not have. They are not scored; often the run belongs to another split."""
    there = whole.queries if whole.queries is not None else whole.judgments
    if there is None or not there.height:
        return
    for name, run in whole.runs.items():
        loose = run.lazy().join(there.lazy().select("query_id"), on="query_id", how="anti").sort("line").collect()
        if loose.height:
            count, first = loose["query_id"].n_unique(), loose["query_id"][0]
            message = f"not in the set: {counted(count, 'query', 'queries')} of the run (first {first})"
            yield Finding("BEIR303", Level.WARNING, message, file=whole.run_files[name], line=int(loose["line"][0]))


@rule("BEIR304", "query-missing-in-run", Level.INFO, on=RetrievalSet)
def missing_queries(whole: RetrievalSet) -> Iterator[Finding]:
    """Judged queries have no hit in the run. They count as 0 and are counted aloud; BEIR's own means leave them out for
    nDCG, MAP and Recall, and count them for MRR."""
    if whole.judgments is None:
        return
    for name, run in whole.runs.items():
        asked = whole.judgments.lazy().select("query_id").unique()
        lost = asked.join(run.lazy().select("query_id"), on="query_id", how="anti").sort("query_id").collect()
        if lost.height:
            message = (
                f"{lost.height:,} judged queries are not in the run (first {lost['query_id'][0]}); they count as 0"
            )
            yield Finding("BEIR304", Level.INFO, message, file=whole.run_files[name])


@rule("BEIR305", "unknown-document-in-run", Level.WARNING, on=RetrievalSet)
def unknown_documents(whole: RetrievalSet) -> Iterator[Finding]:
    """A run names documents that the corpus does not hold: it was made over another corpus, or with other ids."""
    if whole.documents is None or not whole.documents.height:
        return
    for name, run in whole.runs.items():
        loose = run.lazy().join(whole.documents.lazy().select("doc_id"), on="doc_id", how="anti").sort("line").collect()
        if loose.height:
            message = f"not in the corpus: the documents of {counted(loose.height, 'hit')} (first {loose['doc_id'][0]})"
            yield Finding("BEIR305", Level.WARNING, message, file=whole.run_files[name], line=int(loose["line"][0]))


@rule("BEIR306", "repeated-hit", remedy="keep one", on=RetrievalSet)
def repeated_hits(whole: RetrievalSet) -> Iterator[Finding | More]:
    """A run names one document twice for a query. trec_eval refuses such a run, others take the last; so does ragtui."""
    import polars as pl

    pair = pl.struct("query_id", "doc_id")
    for name, run in whole.runs.items():
        if run.lazy().select(pair.hash().n_unique()).collect().item() == run.height:
            continue
        first = pl.col("line").first().over("query_id", "doc_id").alias("first")
        twice = (
            run.lazy()
            .filter(pair.is_duplicated())
            .with_columns(first)
            .filter(pair.is_first_distinct().not_())
            .collect()
        )
        for query, document, line, before in (
            twice.head(shown_per_rule()).select("query_id", "doc_id", "line", "first").iter_rows()
        ):
            message = f"{visible(document)} is a hit for {visible(query)} on line {before} already; the last counts"
            yield Finding("BEIR306", Level.ERROR, message, file=whole.run_files[name], line=line)
        if twice.height > shown_per_rule():
            yield More("BEIR306", Level.ERROR, twice.height - shown_per_rule(), whole.run_files[name])
