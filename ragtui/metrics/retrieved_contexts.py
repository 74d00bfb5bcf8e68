"""Retrieval measured on answer data: was what is needed among the retrieved chunks, and how far up? deepset's names
too."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from ragtui.metrics.metric import Cut, Definition, Kind, Metric
from ragtui.metrics.score import Inputs, Outcome, not_applicable, scored
from ragtui.metrics.wording.matching import CRITERIA, Relevance, relevance


def found_share(found: Relevance) -> float:
    """Gold items found, divided by all."""
    return found.found / found.gold


def found_any(found: Relevance) -> float:
    """1 if any gold item was found."""
    return float(found.found > 0)


def average_precision(found: Relevance) -> float:
    """The precision at each relevant chunk, averaged over the relevant chunks; 0 where none is."""
    ranks = found.ranks
    return sum(place / rank for place, rank in enumerate(ranks, 1)) / len(ranks) if ranks else 0.0


def _built(compute: Callable[[Relevance], float]) -> Callable[[Metric], Metric]:
    def build(metric: Metric) -> Metric:
        return replace(metric, score=lambda inputs: _outcome(compute, inputs, metric))

    return build


def _outcome(compute: Callable[[Relevance], float], inputs: Inputs, metric: Metric) -> Outcome:
    found = relevance(inputs, metric.variant, metric.k)
    if isinstance(found, str):
        return not_applicable(found)
    return scored(compute(found), f"by {found.criterion}: {_said(found)}")


def _said(found: Relevance) -> str:
    if not found.retrieved:
        return "nothing was retrieved"
    part = f"{found.found} of {found.gold} found" if found.gold > 1 else "found" if found.found else "not found"
    ranks = ", ".join(map(str, found.ranks[:8]))
    return f"{part}{f' at rank {ranks}' if ranks else ''} among {len(found.retrieved)}"


_TEXT: Final = (
    "What counts as relevant is the first of these that the case has both sides for, or the variant asked for; the "
    "reason says which: "
    + "; ".join(f"{name}: {text}" for name, text in CRITERIA.items())
    + ". The response is not looked at. "
    "Nothing retrieved scores 0; without context and retrieved ids, or without anything that says what is relevant, "
    "not applicable. Any script: texts are compared as characters."
)


def _definition(
    name: str, summary: str, text: str, source: str, compute: Callable[[Relevance], float], *aliases: str
) -> Definition:
    made = Metric(
        name,
        Kind.RETRIEVAL,
        summary,
        optional=("context", "retrieved_ids", "gold_ids", "gold_file_name", "gold_context", "ground_truth"),
        definition=f"{text} {_TEXT}",
        source=source,
    )
    return Definition(made, Cut.MAY, dict(CRITERIA), dict.fromkeys(aliases, name), _built(compute))


DEFINITIONS: Final = (
    _definition(
        "context_recall",
        "how much of what is needed was retrieved?",
        "Gold items found in any of the (first k) chunks, divided by all.",
        "ragas (by ids or texts, without a model)",
        found_share,
        "id_based_context_recall",
        "non_llm_context_recall",
    ),
    _definition(
        "context_precision",
        "do relevant chunks come first?",
        "The precision at each relevant chunk, averaged over the relevant chunks.",
        "ragas (by ids or texts, without a model)",
        average_precision,
        "id_based_context_precision",
        "non_llm_context_precision",
    ),
    _definition(
        "recall_single",
        "was any of what is needed retrieved?",
        "1 if any gold item is found in the (first k) chunks, else 0.",
        "deepset (recall single hit)",
        found_any,
        "recall_single_hit",
    ),
    _definition(
        "recall_multi",
        "how much of what is needed was retrieved?",
        "Gold items found in the (first k) chunks, divided by all.",
        "deepset (recall multi hit)",
        found_share,
        "recall_multi_hit",
    ),
)
