"""Scores rankings: judgments and a run in, one row a query and metric out.

A run is nearly always written query by query, best first. One pass over the columns checks that, and then nothing is
sorted; a run in any other order is sorted by one packed integer. Either way text columns stay where they are: documents
are looked up by a hash and compared as text only where it matches, and ties are put in order only where a judged
document is tied.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl

from ragtui.metrics.metric import Metric
from ragtui.metrics.rankings.formula import Columns, Formula
from ragtui.metrics.score import State
from ragtui.metrics.spec import MetricError

NOT_IN_RUN: Final = "not in the run"
NO_JUDGMENTS: Final = "no judgments for this query"
NO_RELEVANT: Final = "no judged document is relevant"

_COLUMNS: Final = Columns(
    *(pl.col(name) for name in ("rank", "grade", "relevant", "nth", "hole", "n_relevant", "n_returned"))
)
_SPREAD: Final = 0x9E3779B97F4A7C15  # odd, so that query numbers keep their differences when multiplied


def evaluate(
    qrels: pl.DataFrame,
    run: pl.DataFrame,
    metrics: Sequence[Metric],
    queries: Iterable[str] | None = None,
) -> pl.DataFrame:
    """Scores every query by every metric.

    Args:
        qrels: ``query_id, doc_id, grade`` (whole numbers; below 0 means unjudged), each pair once.
        run: ``query_id, doc_id, score``, each pair once, lines in any order.
        metrics: metrics with a ``ranking`` formula, any cuts at once.
        queries: the ids to report on, in order; default: those of ``qrels``, then further ones of ``run``.

    Returns:
        One row a query and metric, metric by metric: ``query_id, metric, score, state, reason, judged, in_run``;
        ``score`` is null unless ``state`` is ``scored``.

    Raises:
        MetricError: a score is missing or not a number, a metric is no ranking metric, or it is given twice.
    """
    _refuse(metrics, run)
    judgments = _judgments(qrels)
    table, order = _ordered(judgments, run)
    judged = _judged(judgments, table)
    hits = _hits(judged, run, table, order)
    if hits.select(pl.struct("q", "doc_id").is_duplicated().any()).item():
        return evaluate(qrels, _last_of_each_pair(run), metrics, queries)
    if any(_formula(each).counts_unjudged for each in metrics):
        hits = _with_holes(hits, judgments, run, table, order)
    scores = table.join(_sums(hits, judged, table, metrics), on="q", how="left", maintain_order="left")
    return _long(_asked(scores, queries), metrics)


def ranked(qrels: pl.DataFrame, run: pl.DataFrame, query_id: str) -> pl.DataFrame:
    """One query's ranking as it is scored: ``rank, doc_id, score, grade``; ``grade`` is null for an unjudged document.

    The relevant documents that are missing from the run follow, highest grade first, with null rank and score.
    """
    judged = qrels.filter(pl.col("query_id") == query_id).select("doc_id", pl.col("grade").cast(pl.Int64))
    listed = (
        run.filter(pl.col("query_id") == query_id)
        .unique("doc_id", keep="last", maintain_order=True)
        .sort(pl.col("score").cast(pl.Float32), "doc_id", descending=True)
        .with_row_index("rank", offset=1)
        .select(pl.col("rank").cast(pl.Int64), "doc_id", "score")
    )
    missing = judged.filter(pl.col("grade") >= 1).join(listed, on="doc_id", how="anti")
    missing = missing.sort("grade", "doc_id", descending=[True, False])
    graded = listed.join(judged.filter(pl.col("grade") >= 0), on="doc_id", how="left", maintain_order="left")
    return pl.concat([graded, missing], how="diagonal").select("rank", "doc_id", "score", "grade")


def identical(run: pl.DataFrame) -> int:
    """How many hits have their query's own id as document id: the hits that BEIR removes by default."""
    return int(run.select((pl.col("query_id") == pl.col("doc_id")).sum()).item())


def drop_identical(run: pl.DataFrame) -> pl.DataFrame:
    """The run without the hits whose document id is the query's own, as BEIR evaluates it."""
    return run.filter(pl.col("query_id") != pl.col("doc_id"))


# --- order ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Order:
    """The run in ranked order (but for ties), without its texts.

    ``q`` is the number of the query at each place, ``first`` the first place of each block of one query, ``levels`` the
    first place of each block of one query and score, ``line`` the line of the run at each place (``None``: its own).
    """

    q: pl.Series
    first: pl.Series
    levels: pl.Series
    line: pl.Series | None

    def documents(self, run: pl.DataFrame, places: pl.Series) -> pl.Series:
        return run["doc_id"].gather(places if self.line is None else self.line.gather(places))

    def sizes(self) -> pl.DataFrame:
        """``q, n_returned``."""
        ends = self.first.shift(-1, fill_value=self.q.len())
        return pl.DataFrame({"q": self.q.gather(self.first), "n_returned": ends - self.first})


def _ordered(judgments: pl.DataFrame, run: pl.DataFrame) -> tuple[pl.DataFrame, _Order]:
    """Numbers the queries of judgments and run and puts the run in ranked order.

    The first frame has a row a query: ``q, query_id, n_judged, n_relevant, n_returned``.
    """
    score = pl.Series(run["score"].cast(pl.Float32).to_numpy() + np.float32(0))  # -0.0 becomes 0.0: they are equal
    new_query = _changes(run["query_id"].hash())
    names = _in_order(run["query_id"], score, new_query)
    if names is not None:
        q = (new_query.cum_sum() - 1).cast(pl.UInt32)
        order = _Order(q, new_query.arg_true(), (new_query | _changes(score)).arg_true(), None)
    else:
        names, q = _numbered(run["query_id"])
        order = _sorted(q, score)
    table = _query_table(names, judgments)
    return table.join(order.sizes(), on="q", how="left", maintain_order="left"), order


def _in_order(query_id: pl.Series, score: pl.Series, new_query: pl.Series) -> pl.Series | None:
    """The run's queries if it is written query by query, best first; else ``None``."""
    first = new_query.arg_true()
    if first.len() > 1000 and 2 * first.len() > query_id.len():
        return None  # hardly any block: shuffled, or so flat that sorting it is cheap
    names = query_id.gather(first)
    whole = names.n_unique() == names.len()
    return names if whole and not ((score > score.shift()) & ~new_query).any() else None


def _changes(values: pl.Series) -> pl.Series:
    """Whether each value differs from the one before; the first does."""
    return (values != values.shift()).fill_null(True)


def _numbered(query_id: pl.Series) -> tuple[pl.Series, pl.Series]:
    """The distinct queries, and each line's number among them."""
    hashes = query_id.hash().rename("hash").to_frame()
    first = hashes.with_row_index("line").unique("hash", keep="first", maintain_order=True)
    names = query_id.gather(first["line"])
    table = first.select("hash", q=pl.int_range(pl.len(), dtype=pl.UInt32))
    q = hashes.join(table, on="hash", how="left", maintain_order="left")["q"]
    if (names.gather(q) == query_id).all():
        return names, q
    names = query_id.unique(maintain_order=True)  # two texts with one hash
    table = names.to_frame().with_row_index("q")
    return names, query_id.to_frame().join(table, on="query_id", how="left", maintain_order="left")["q"]


def _sorted(q: pl.Series, score: pl.Series) -> _Order:
    """Sorts by query, then falling score, as one integer: the query's number above the float's bits turned round."""
    bits = score.to_numpy().view(np.uint32)
    falling = np.where(bits >> 31, bits, ~bits & np.uint32(0x7FFFFFFF))
    packed = (q.to_numpy().astype(np.uint64) << np.uint64(32)) | falling
    by_rank = pl.DataFrame({"packed": packed}).with_row_index("line").sort("packed")
    q = (by_rank["packed"] // 2**32).cast(pl.UInt32).rename("q")
    return _Order(q, _changes(q).arg_true(), _changes(by_rank["packed"]).arg_true(), by_rank["line"])


def _query_table(in_run: pl.Series, judgments: pl.DataFrame) -> pl.DataFrame:
    """``q, query_id, n_judged, n_relevant``: the run's queries in the order given, then those only judged."""
    counts = judgments.group_by("query_id", maintain_order=True).agg(
        n_judged=pl.len(), n_relevant=(pl.col("grade") >= 1).sum()
    )
    names = pl.concat([in_run.to_frame(), counts.select("query_id")]).unique(maintain_order=True)
    return names.with_row_index("q").join(counts, on="query_id", how="left", maintain_order="left")


# --- judged documents ----------------------------------------------------------------------------------------------


def _judgments(qrels: pl.DataFrame) -> pl.DataFrame:
    """The last judgment of each pair."""
    kept = qrels.select("query_id", "doc_id", pl.col("grade").cast(pl.Int64))
    pairs = kept.select(_key(pl.col("query_id").hash(), pl.col("doc_id")))
    if pairs.to_series().n_unique() == kept.height:
        return kept
    return kept.unique(["query_id", "doc_id"], keep="last", maintain_order=True)


def _key(q: pl.Expr, doc_id: pl.Expr) -> pl.Expr:
    """One number for a query and a document; equal for equal pairs, hardly ever for others."""
    return doc_id.hash() ^ (q.cast(pl.UInt64) * pl.lit(_SPREAD, dtype=pl.UInt64))


def _judged(judgments: pl.DataFrame, table: pl.DataFrame) -> pl.DataFrame:
    """The judgments that are one (grade 0 or more) with their query's number: ``q, doc_id, grade, key``."""
    numbered = judgments.filter(pl.col("grade") >= 0).join(table.select("query_id", "q"), on="query_id")
    return numbered.select("q", "doc_id", "grade", key=_key(pl.col("q"), pl.col("doc_id")))


def _hits(judged: pl.DataFrame, run: pl.DataFrame, table: pl.DataFrame, order: _Order) -> pl.DataFrame:
    """The judged documents of the run by query and rank: ``q, rank, doc_id, grade, hole, n_returned, n_relevant``."""
    doc_id = run["doc_id"] if order.line is None else run["doc_id"].hash().gather(order.line)
    doc_hash = pl.col("doc_id").hash() if order.line is None else pl.col("doc_id")
    near = (
        pl.LazyFrame({"q": order.q, "doc_id": doc_id})
        .select("q", key=doc_hash ^ (pl.col("q").cast(pl.UInt64) * pl.lit(_SPREAD, dtype=pl.UInt64)))
        .with_row_index("place")
        .filter(pl.col("key").is_in(judged["key"].implode()))
        .collect()
    )
    near = near.with_columns(order.documents(run, near["place"]))
    hits = near.join(judged, on="key", maintain_order="left", suffix=" judged")
    hits = hits.filter(pl.col("q") == pl.col("q judged"), pl.col("doc_id") == pl.col("doc_id judged"))
    hits = hits.select("q", _ranks(hits["place"], run, order), "doc_id", "grade", hole=False)
    return hits.sort("q", "rank").join(_sizes(table), on="q", how="left", maintain_order="left")


def _sizes(table: pl.DataFrame) -> pl.DataFrame:
    return table.select("q", "n_returned", pl.col("n_relevant").fill_null(0))


def _ranks(place: pl.Series, run: pl.DataFrame, order: _Order) -> pl.Series:
    """The rank of each place (ascending): where scores are tied, the higher document id comes first."""
    block = order.first.search_sorted(place, side="right") - 1
    start = order.first.gather(block)
    level = order.levels.search_sorted(place, side="right") - 1
    tied = level.filter(order.levels.gather(level) + 1 < _ends(order).gather(level)).unique().sort()
    rank = (place - start + 1).cast(pl.Int64).rename("rank")
    if tied.is_empty():
        return rank
    group = pl.DataFrame({"level": tied, "from": order.levels.gather(tied), "to": _ends(order).gather(tied)})
    group = group.with_columns(place=pl.int_ranges("from", "to", dtype=pl.UInt32)).explode("place")
    group = group.with_columns(order.documents(run, group["place"]))
    ahead = pl.col("doc_id").rank("ordinal", descending=True).over("level") - 1
    right = group.select("place", at=(pl.col("from") + ahead).cast(pl.Int64))
    known = pl.DataFrame({"place": place, "rank": rank, "start": start}).join(
        right, on="place", how="left", maintain_order="left"
    )
    return known.select(rank=pl.coalesce(pl.col("at") - pl.col("start") + 1, "rank")).to_series()


def _ends(order: _Order) -> pl.Series:
    return order.levels.shift(-1, fill_value=order.q.len())


def _last_of_each_pair(run: pl.DataFrame) -> pl.DataFrame:
    return run.unique(["query_id", "doc_id"], keep="last", maintain_order=True)


def _with_holes(
    hits: pl.DataFrame, judgments: pl.DataFrame, run: pl.DataFrame, table: pl.DataFrame, order: _Order
) -> pl.DataFrame:
    """Adds the retrieved documents whose id is judged for no query."""
    place = pl.int_range(order.q.len(), dtype=pl.UInt32, eager=True)
    listed = pl.DataFrame({"place": place, "q": order.q, "doc_id": order.documents(run, place)})
    known = judgments.filter(pl.col("grade") >= 0).select("doc_id").unique()
    holes = listed.join(known, on="doc_id", how="anti", maintain_order="left")
    holes = holes.select("q", _ranks(holes["place"], run, order), "doc_id", hole=True)
    holes = holes.join(_sizes(table), on="q", how="left", maintain_order="left")
    return pl.concat([hits, holes], how="diagonal_relaxed").sort("q", "rank")


# --- scores -----------------------------------------------------------------------------------------------------------


def _formula(metric: Metric) -> Formula:
    if metric.ranking is None:
        raise MetricError(f"{metric.name} is not computed from judgments and a run")
    return metric.ranking


def _refuse(metrics: Sequence[Metric], run: pl.DataFrame) -> None:
    names = [each.name for each in metrics]
    if len(set(names)) < len(names):
        raise MetricError("a metric is named twice")
    bad = run.filter(pl.col("score").is_null() | pl.col("score").is_nan())
    if not bad.is_empty():
        query, doc = bad.row(0)[:2]
        raise MetricError(f"the run's score of document {doc!r} for query {query!r} is not a number")


def _sums(hits: pl.DataFrame, judged: pl.DataFrame, table: pl.DataFrame, metrics: Sequence[Metric]) -> pl.DataFrame:
    """``q`` and a column a metric, for queries with a judged document."""
    best = judged.select("q", "grade", hole=False).sort("q", "grade", descending=[False, True])
    best = best.with_columns(rank=_position(best["q"])).join(_sizes(table), on="q", how="left", maintain_order="left")
    formulas = [(each, _formula(each)) for each in metrics]
    ideal = (
        _counted(best)
        .group_by("q")
        .agg(formula.ideal(_COLUMNS, each.k).alias(each.name) for each, formula in formulas if formula.ideal)
    )
    found = (
        _counted(hits).group_by("q").agg(formula.found(_COLUMNS, each.k).alias(each.name) for each, formula in formulas)
    )
    both = ideal.join(found, on="q", how="full", coalesce=True, suffix=" found")
    return both.select("q", *(_quotient(each) for each in metrics))


def _quotient(metric: Metric) -> pl.Expr:
    if _formula(metric).ideal is None:
        return pl.col(metric.name).cast(pl.Float64)
    return (pl.col(f"{metric.name} found").cast(pl.Float64) / pl.col(metric.name)).alias(metric.name)


def _position(q: pl.Series) -> pl.Series:
    """1, 2, 3, … within each block of equal values."""
    new = _changes(q)
    block = (new.cum_sum() - 1).cast(pl.UInt32)
    return pl.int_range(1, q.len() + 1, eager=True) - new.arg_true().cast(pl.Int64).gather(block)


def _counted(documents: pl.DataFrame) -> pl.DataFrame:
    """Adds ``relevant`` and ``nth`` to documents in the order of query and rank."""
    relevant = (documents["grade"] >= 1).fill_null(False).rename("relevant")
    so_far = relevant.cast(pl.Int64).cum_sum()
    new = _changes(documents["q"])
    before = (so_far - relevant).gather(new.arg_true()).gather((new.cum_sum() - 1).cast(pl.UInt32))
    return documents.with_columns(relevant, nth=so_far - before)


def _asked(scores: pl.DataFrame, queries: Iterable[str] | None) -> pl.DataFrame:
    if queries is None:
        return scores.sort(pl.col("n_judged").is_null(), maintain_order=True)
    asked = pl.DataFrame({"query_id": pl.Series(queries, dtype=pl.String)}).unique(maintain_order=True)
    return asked.join(scores, on="query_id", how="left", maintain_order="left")


def _long(scores: pl.DataFrame, metrics: Sequence[Metric]) -> pl.DataFrame:
    frame = scores.with_columns(
        judged=pl.col("n_judged").is_not_null(),
        in_run=pl.col("n_returned").is_not_null(),
    )
    return pl.concat(_of_metric(frame, each) for each in metrics)


def _of_metric(frame: pl.DataFrame, metric: Metric) -> pl.DataFrame:
    judged, in_run = pl.col("judged"), pl.col("in_run")
    if _formula(metric).needs_relevant:
        applies = pl.col("n_relevant").fill_null(0) > 0
        why_not = pl.when(judged).then(pl.lit(NO_RELEVANT)).otherwise(pl.lit(NO_JUDGMENTS))
        reason = pl.when(applies & in_run).then(pl.lit("")).when(applies).then(pl.lit(NOT_IN_RUN)).otherwise(why_not)
    else:
        applies = in_run
        reason = pl.when(applies).then(pl.lit("")).otherwise(pl.lit(NOT_IN_RUN))
    return frame.select(
        "query_id",
        metric=pl.lit(metric.name),
        score=pl.when(applies).then(pl.col(metric.name).fill_null(0.0)),
        state=pl.when(applies).then(pl.lit(State.SCORED.value)).otherwise(pl.lit(State.NOT_APPLICABLE.value)),
        reason=reason,
        judged=judged,
        in_run=in_run,
    )
