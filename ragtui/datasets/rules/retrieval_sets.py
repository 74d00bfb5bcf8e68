"""Rules about a retrieval set as a whole: what its files say about each other (codes BEIR1xx to 4xx)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

from ragtui.datasets.containers.table import visible
from ragtui.datasets.findings import Finding, Level, More, counted, shown_per_rule
from ragtui.datasets.retrieval import RetrievalSet
from ragtui.datasets.rules import rule

if TYPE_CHECKING:
    import polars as pl

_LARGE_GRADE: Final = 10
_ABSURD_GRADE: Final = 100


@rule("BEIR103", "repeated-id", example='two lines with "_id": "d7"', remedy="give each its own id", on=RetrievalSet)
def repeated_ids(whole: RetrievalSet) -> Iterator[Finding | More]:
    """Two records have one id (a number and its digits as text count as one). Loaders keep the last and say nothing, so a
    document vanishes from the corpus."""
    import polars as pl

    for frame, column, file in _with_ids(whole):
        ids = frame[column]
        if bool((ids.slice(1) > ids.head(-1)).all()) or ids.n_unique() == frame.height:
            continue  # ids in order, as most sets have them, are told apart ten times as fast
        repeats = (
            frame.lazy()
            .filter(pl.col(column).is_duplicated())
            .select(column, "line", first=pl.col("line").first().over(column))
            .filter(pl.col(column).is_first_distinct().not_())
        )

        def say(shown: str, line: int, first: int, file: str = file) -> Finding:
            message = f'"_id" "{visible(shown)}" collides with line {first}; ids must be unique'
            return Finding("BEIR103", Level.ERROR, message, file=file, line=line, field="_id")

        yield from _each(repeats.collect(), say)


@rule("BEIR111", "space-around-id", Level.WARNING, example='"_id": "d1 "', platforms=("evalscope",), on=RetrievalSet)
def spaces_around_ids(whole: RetrievalSet) -> Iterator[Finding | More]:
    """An id begins or ends with a space. EvalScope trims ids of documents and queries but not those in judgments, so they
    no longer match."""
    import polars as pl

    for frame, column, file in _with_ids(whole):
        odd = frame.lazy().filter(pl.col(column).str.strip_chars() != pl.col(column)).select(column, "line")

        def say(shown: str, line: int, file: str = file) -> Finding:
            message = f'"_id" "{visible(shown)}" has spaces around it'
            return Finding("BEIR111", Level.WARNING, message, file=file, line=line, field="_id")

        yield from _each(odd.collect(), say)


@rule("BEIR112", "ids-shared", Level.INFO, example='a query "7" and a document "7"', on=RetrievalSet)
def shared_ids(whole: RetrievalSet) -> Iterator[Finding]:
    """Queries and documents share ids. BEIR's evaluate drops every hit whose id equals its query's, as if it were the
    query itself, which deletes right answers where ids are just numbers. ragtui keeps them; --drop-identical gives BEIR's
    numbers."""
    import polars as pl

    if whole.documents is None or whole.queries is None:
        return
    asked = whole.queries.lazy().select("query_id")  # the smaller side is the one to look things up in
    if (
        not whole.documents.lazy()
        .join(asked, left_on="doc_id", right_on="query_id", how="semi")
        .select(pl.len())
        .collect()
        .item()
    ):
        return
    shared = whole.queries.lazy().join(
        whole.documents.lazy().select("doc_id"), left_on="query_id", right_on="doc_id", how="semi"
    )
    lines = shared.select("line", "query_id").sort("line").collect()
    if lines.height:
        line, first = lines.row(0)
        message = f'the id of {counted(lines.height, "query", "queries")} is one of a document, too (first "{first}"); hits on it are kept'
        yield Finding("BEIR112", Level.INFO, message, file=whole.queries_file, line=line, field="_id")


@rule("BEIR202", "unknown-document", example='"corpus-id": "d9", which corpus.jsonl lacks', on=RetrievalSet)
def unknown_documents(whole: RetrievalSet) -> Iterator[Finding | More]:
    """A judgment names a document that the corpus does not hold. It can never be found, so Recall, nDCG and MAP of that
    query can never reach 1; no loader says so."""
    yield from _unknown(whole, "BEIR202", "doc_id", "corpus-id", whole.documents, whole.documents_file)


@rule("BEIR203", "unknown-query", example='"query-id": "q7", which queries.jsonl lacks', on=RetrievalSet)
def unknown_queries(whole: RetrievalSet) -> Iterator[Finding | More]:
    """A judgment names a query that the queries do not hold. BEIR's loader dies of it with a KeyError, others drop it."""
    yield from _unknown(whole, "BEIR203", "query_id", "query-id", whole.queries, whole.queries_file)


@rule("BEIR204", "repeated-judgment", Level.WARNING, example="q1 d1 1 on two lines", remedy="keep one", on=RetrievalSet)
def repeated_judgments(whole: RetrievalSet) -> Iterator[Finding | More]:
    """A query and a document are judged twice, with the same grade. It counts once."""
    same, _ = _repeated_pairs(whole)
    if same is not None:

        def say(line: int, query: str, document: str, first: int, _grade: float, _before: float) -> Finding:
            message = f"{visible(query)} {visible(document)} is judged as on line {first} already; it counts once"
            return Finding("BEIR204", Level.WARNING, message, file=whole.judgments_file, line=line)

        yield from _each(same, say)


@rule("BEIR205", "conflicting-judgments", example="q1 d1 1, and q1 d1 0", remedy="decide and keep one", on=RetrievalSet)
def conflicting_judgments(whole: RetrievalSet) -> Iterator[Finding | More]:
    """A query and a document are judged twice, with different grades. Loaders take the last and say nothing. ragtui takes
    the last too, and names both lines."""
    _, other = _repeated_pairs(whole)
    if other is not None:

        def say(line: int, query: str, document: str, first: int, grade: float, before: float) -> Finding:
            message = f"{visible(query)} {visible(document)} has grade {grade:g} here and {before:g} on line {first}; the last counts"
            return Finding("BEIR205", Level.ERROR, message, file=whole.judgments_file, line=line)

        yield from _each(other, say)


@rule(
    "BEIR206",
    "fractional-grade",
    Level.WARNING,
    example='"score": 0.5',
    platforms=("beir", "evalscope", "mteb"),
    on=RetrievalSet,
)
def fractional_grades(whole: RetrievalSet) -> Iterator[Finding | More]:
    """A grade is not a whole number. EvalScope cuts it (0.5 becomes 0, so a relevant document becomes irrelevant), BEIR
    and trec_eval refuse it."""

    def say(line: int, grade: float) -> Finding:
        cut = f"EvalScope would cut it to {int(grade)}"
        return Finding(
            "BEIR206", Level.WARNING, f"grade {grade:g} is not a whole number; {cut}", line=line, field="score"
        )

    yield from _graded(whole, lambda grade: grade != grade.round(0), say)


@rule(
    "BEIR207", "negative-grade", Level.INFO, example='"score": -1', remedy="write 0 for not relevant", on=RetrievalSet
)
def negative_grades(whole: RetrievalSet) -> Iterator[Finding]:
    """Grades below 0 mark documents as not judged, or as spam. trec_eval gains nothing by them, and neither does ragtui."""
    import polars as pl

    if whole.judgments is None:
        return
    below = whole.judgments.lazy().filter(pl.col("grade") < 0).select("line", "grade").collect()
    if below.height:
        line, grade = below.row(0)
        message = f"{counted(below.height, 'grade')} below 0 (first {grade:g}): as if not judged"
        yield Finding("BEIR207", Level.INFO, message, file=whole.judgments_file, line=line, field="score")


@rule(
    "BEIR208",
    "large-grade",
    Level.WARNING,
    example='"score": 1699999999',
    remedy="grade from 0 to 3, say",
    on=RetrievalSet,
)
def large_grades(whole: RetrievalSet) -> Iterator[Finding | More]:
    """Grades go from 0 (not relevant) to a small number. A larger one is usually another column, such as a time or a
    rank; trec_eval needs memory in proportion to it, and one such grade rules the nDCG of its query. Above 100 it is an
    error."""

    def warn(line: int, grade: float) -> Finding:
        return Finding("BEIR208", Level.WARNING, f"grade {grade:g} is above {_LARGE_GRADE}", line=line, field="score")

    def refuse(line: int, grade: float) -> Finding:
        message = f"grade {grade:g} is no grade of relevance"
        return Finding("BEIR208", Level.ERROR, message, line=line, field="score")

    yield from _graded(whole, lambda grade: (grade > _LARGE_GRADE) & (grade <= _ABSURD_GRADE), warn)
    yield from _graded(whole, lambda grade: grade > _ABSURD_GRADE, refuse)


@rule("BEIR217", "unjudged-query", Level.WARNING, remedy="judge a document for it, or remove it", on=RetrievalSet)
def unjudged_queries(whole: RetrievalSet) -> Iterator[Finding | More]:
    """A query has no judgment at all, so nothing can be said about it. Some tools drop it, some count it as 0."""
    if whole.queries is None or whole.judgments is None or whole.all_judged:
        return
    left = whole.queries.lazy().join(whole.judgments.lazy().select("query_id"), on="query_id", how="anti")
    if whole.judged_elsewhere is not None:
        left = left.join(whole.judged_elsewhere.alias("query_id").to_frame().lazy(), on="query_id", how="anti")

    def say(line: int, query: str) -> Finding:
        return Finding(
            "BEIR217", Level.WARNING, f"query {visible(query)} has no judgment", file=whole.queries_file, line=line
        )

    yield from _each(left.sort("line").select("line", "query_id").collect(), say)


@rule("BEIR218", "nothing-relevant", Level.WARNING, remedy="judge a relevant document for it", on=RetrievalSet)
def nothing_relevant(whole: RetrievalSet) -> Iterator[Finding | More]:
    """A query has judgments but none above 0. Its Recall is undefined; trec_eval counts it as 0, other tools leave it out,
    and their means cannot be compared. ragtui calls it not applicable and says how many there are."""
    import polars as pl

    if whole.judgments is None or whole.all_relevant:
        return
    poor = (
        whole.judgments.lazy()
        .group_by("query_id")
        .agg(pl.col("line").min(), pl.col("grade").max())
        .filter(pl.col("grade") <= 0)
    )

    def say(line: int, query: str) -> Finding:
        message = f"query {visible(query)} has no relevant document: none is judged above 0"
        return Finding("BEIR218", Level.WARNING, message, file=whole.judgments_file, line=line)

    yield from _each(poor.sort("line").select("line", "query_id").collect(), say)


def _with_ids(whole: RetrievalSet) -> Iterator[tuple[pl.DataFrame, str, str]]:
    if whole.documents is not None:
        yield whole.documents, "doc_id", whole.documents_file
    if whole.queries is not None:
        yield whole.queries, "query_id", whole.queries_file


def _unknown(
    whole: RetrievalSet, code: str, column: str, key: str, there: pl.DataFrame | None, file: str
) -> Iterator[Finding | More]:
    """Findings for references to what ``there`` does not hold; silent where it could not be read at all."""
    import polars as pl

    loose = whole.unknown_documents if column == "doc_id" else whole.unknown_queries
    if loose is None or there is None or not loose.height:
        return
    folded = pl.col(column).str.strip_chars().str.to_lowercase()
    near = dict(
        there.lazy()
        .select(pl.col(column), folded.alias("folded"))
        .join(loose.lazy().select(folded.alias("folded")).unique(), on="folded", how="semi")
        .unique("folded", keep="first")
        .select("folded", column)
        .collect()
        .iter_rows()
    )
    unread = whole.unreadable.get(file, 0)
    aside = f" ({unread:,} of its lines could not be read)" if unread else ""

    def say(line: int, shown: str) -> Finding:
        other = near.get(shown.strip().lower())
        hint = f'; nearest "{visible(other)}"' if other is not None else ""
        message = f"{key} {visible(shown)} is not in {file.rpartition('/')[2]}{aside}{hint}"
        return Finding(code, Level.ERROR, message, file=whole.judgments_file, line=line, field=key)

    yield from _each(loose, say)


def _repeated_pairs(whole: RetrievalSet) -> tuple[pl.DataFrame | None, pl.DataFrame | None]:
    """Judgments of a pair that was judged before: those of the first's grade, and those of another."""
    import polars as pl

    if whole.judgments is None or not whole.repeated_pairs:
        return None, None
    pair = ["query_id", "doc_id"]
    repeats = (
        whole.judgments.lazy()
        .filter(pl.struct(pair).is_duplicated())
        .with_columns(
            pl.col("line").first().over(pair).alias("first"), pl.col("grade").first().over(pair).alias("before")
        )
        .filter(pl.struct(pair).is_first_distinct().not_())
        .select("line", "query_id", "doc_id", "first", "grade", "before")
        .collect()
    )
    same = pl.col("grade") == pl.col("before")
    return repeats.filter(same), repeats.filter(~same)


def _graded(
    whole: RetrievalSet, odd: Callable[[pl.Expr], pl.Expr], say: Callable[[int, float], Finding]
) -> Iterator[Finding | More]:
    import polars as pl

    if whole.judgments is None:
        return
    found = whole.judgments.lazy().filter(odd(pl.col("grade"))).select("line", "grade").collect()
    for each in _each(found, say):
        yield _in_file(each, whole.judgments_file)


def _in_file(each: Finding | More, file: str) -> Finding | More:
    from dataclasses import replace

    return replace(each, file=file)


def _each(rows: pl.DataFrame, say: Callable[..., Finding]) -> Iterator[Finding | More]:
    """A finding for each of the first rows, and the number of the others."""
    last: Any = None
    for values in rows.head(shown_per_rule()).iter_rows():
        last = say(*values)
        yield last
    if rows.height > shown_per_rule():
        yield More(last.code, last.level, rows.height - shown_per_rule(), last.file)


def double_encoded_queries(whole: RetrievalSet) -> Iterator[Finding | More]:
    """TEXT005 for queries whose text was encoded twice."""
    import polars as pl

    from ragtui.datasets.rules.text import DOUBLE, double_encoded_message, undouble

    if whole.queries is None:
        return
    rows = whole.queries.filter(pl.col("text").str.contains(DOUBLE.pattern)).select("line", "text")
    repaired = [(line, right) for line, text in rows.iter_rows() if (right := undouble(text)) is not None]

    def say(line: int, right: str) -> Finding:
        message = double_encoded_message(right)
        return Finding("TEXT005", Level.WARNING, message, file=whole.queries_file, line=line, field="text")

    yield from _each(pl.DataFrame(repaired, schema=["line", "right"], orient="row"), say)
