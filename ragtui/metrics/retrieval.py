"""Ranking metrics over judgments and a run, one formula each. The numbers are trec_eval's."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from ragtui.metrics.metric import Cut, Definition, Kind, Metric
from ragtui.metrics.rankings.formula import Columns, Formula
from ragtui.metrics.retrieved_documents import azure_ndcg

if TYPE_CHECKING:
    import polars as pl


def _dcg(c: Columns, k: int | None) -> pl.Expr:
    """Discounted gain, linear as trec_eval: grade / log2(rank + 1)."""
    return (c.within(k) * c.grade / (c.rank + 1).log(2)).sum()


def _exponential_dcg(c: Columns, k: int | None) -> pl.Expr:
    """Discounted gain with 2^grade - 1 (Burges)."""
    return (c.within(k) * (2.0**c.grade - 1) / (c.rank + 1).log(2)).sum()


def _precision_sum(c: Columns, k: int | None) -> pl.Expr:
    """The precision at each relevant document, summed."""
    return ((c.relevant & c.within(k)) * c.nth / c.rank).sum()


def _capped(c: Columns, k: int | None) -> pl.Expr:
    """The number of relevant documents, but not more than fit into the first ``k``."""
    return c.n_relevant.first() if k is None else c.n_relevant.first().clip(upper_bound=k)


_NDCG: Final = Formula(_dcg, _dcg)
_NDCG_EXPONENTIAL: Final = Formula(_exponential_dcg, _exponential_dcg)
_MAP: Final = Formula(_precision_sum, lambda c, k: c.n_relevant.first())
_RECALL: Final = Formula(lambda c, k: c.hits(k), lambda c, k: c.n_relevant.first())
_PRECISION: Final = Formula(lambda c, k: c.hits(k) / (c.n_returned.first() if k is None else k))
_MRR: Final = Formula(lambda c, k: ((c.relevant & c.within(k)) / c.rank).max())
_HIT: Final = Formula(lambda c, k: (c.relevant & c.within(k)).any())
_R_PRECISION: Final = Formula(lambda c, k: (c.relevant & (c.rank <= c.n_relevant)).sum() / c.n_relevant.first())
_R_CAP: Final = Formula(lambda c, k: c.hits(k), _capped)
_JUDGED: Final = Formula(
    lambda c, k: (
        (c.grade.is_not_null() & c.within(k)).sum()
        / (c.n_returned.first() if k is None else c.n_returned.first().clip(upper_bound=k))
    ),
    needs_relevant=False,
)
_HOLE: Final = Formula(
    lambda c, k: (c.hole & c.within(k)).sum() / (c.n_returned.first() if k is None else k),
    needs_relevant=False,
    counts_unjudged=True,
)

_ORDER: Final = (
    "Documents are ranked by score (as a 32-bit float), equal scores by document id, both descending; the order of "
    "lines in the file does not count. "
)
_SCORED: Final = (
    "A query that is missing from the run scores 0; one without a relevant document (grade 1 or more) is not "
    "applicable. "
)
_TEXTS: Final = (
    "Texts are not looked at: ids in any script count byte for byte. Response, reference and context play no part."
)


def _ndcg_variant(metric: Metric) -> Metric:
    if metric.variant == "azure":
        return azure_ndcg(metric)
    return replace(metric, ranking=_NDCG_EXPONENTIAL) if metric.variant == "exp" else metric


def _definition(
    name: str,
    summary: str,
    formula: Formula,
    text: str,
    *,
    cut: Cut = Cut.MUST,
    higher_is_better: bool = True,
    **more: object,
) -> Definition:
    scored = _SCORED if formula.needs_relevant else "A query that is missing from the run is not applicable. "
    made = Metric(
        name,
        Kind.RETRIEVAL,
        summary,
        inputs=("qrels", "run"),
        higher_is_better=higher_is_better,
        ranking=formula,
        definition=f"{text} {_ORDER}{scored}{_TEXTS}",
        source="trec_eval",
    )
    return Definition(made, cut, **more)  # type: ignore[arg-type]


DEFINITIONS: Final = (
    _definition(
        "nDCG",
        "are highly graded documents near the top?",
        _NDCG,
        "Sum of grade / log2(rank + 1) over the first k, divided by the same sum for the best possible order of all "
        "judged documents.",
        variants={
            "exp": "gain 2^grade - 1 instead of the grade",
            "azure": "Azure's document_retrieval, from the lists of each case",
        },
        aliases={
            "ndcg_cut": "nDCG",
            "document_retrieval": "nDCG@3:azure",
            "DocumentRetrievalEvaluator": "nDCG@3:azure",
        },
        build=_ndcg_variant,
    ),
    _definition(
        "MAP",
        "are relevant documents near the top, and all of them?",
        _MAP,
        "The precision at each relevant document among the first k, summed, divided by the number of relevant "
        "documents (not by k).",
        aliases={"map_cut": "MAP", "AP": "MAP", "average_precision": "MAP"},
    ),
    _definition(
        "Recall",
        "how many of the relevant documents are found?",
        _RECALL,
        "Relevant documents among the first k, divided by all relevant documents.",
        aliases={"R": "Recall"},
    ),
    _definition(
        "Precision",
        "how many of the first k are relevant?",
        _PRECISION,
        "Relevant documents among the first k, divided by k, also where fewer than k were returned.",
        aliases={"P": "Precision"},
    ),
    _definition(
        "MRR",
        "how far up is the first relevant document?",
        _MRR,
        "1 / rank of the first relevant document if it is among the first k, else 0.",
        aliases={"recip_rank": "MRR@all", "RR": "MRR", "reciprocal_rank": "MRR"},
    ),
    _definition(
        "Hit",
        "is any relevant document found?",
        _HIT,
        "1 if a relevant document is among the first k, else 0.",
        aliases={"success": "Hit", "hit_rate": "Hit", "Accuracy": "Hit", "top_k_accuracy": "Hit"},
    ),
    _definition(
        "R-precision",
        "precision at as many documents as are relevant",
        _R_PRECISION,
        "Relevant documents among the first R, divided by R, the number of relevant documents.",
        cut=Cut.NEVER,
        aliases={"Rprec": "R-precision"},
    ),
    _definition(
        "R_cap",
        "recall that can reach 1 at any k",
        _R_CAP,
        "Relevant documents among the first k, divided by the number of relevant documents or k, whichever is smaller.",
        aliases={"recall_cap": "R_cap"},
    ),
    _definition(
        "Judged",
        "how much of what was returned has been judged at all?",
        _JUDGED,
        "Documents among the first k with a grade for this query, divided by k or the number returned, whichever is "
        "smaller.",
    ),
    _definition(
        "Hole",
        "how much of what was returned is judged for no query?",
        _HOLE,
        "Documents among the first k whose id is judged for no query at all, divided by k. High values mean that the "
        "judgments do not fit this corpus or this run.",
        higher_is_better=False,
        aliases={"holes_at": "Hole"},
    ),
)
