"""Azure's document retrieval: labelled documents and scored results in each case, as ``retrieval_ground_truth`` and
``retrieved_documents``."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from ragtui.metrics.metric import Cut, Definition, Kind, Metric
from ragtui.metrics.score import Inputs, Outcome, State, not_applicable, scored, texts

INPUTS: Final = ("retrieval_ground_truth", "retrieved_documents")
OPTIONAL: Final = ("ground_truth_label_min",)
_WEIGHT: Final = 0.6  # how much of its worth a document keeps at each further rank of xDCG


class BadInput(ValueError):
    """The two lists cannot be used; the message says what is wrong where."""


@dataclass(frozen=True)
class Ranking:
    """``labels`` of the retrieved documents in rank order (``None``: without a label), those of all judged documents,
    the smallest label there is, and how many results were given (repeated ones counted each time)."""

    labels: tuple[int | None, ...]
    truth: tuple[int, ...]
    lowest: int
    retrieved: int

    @property
    def gains(self) -> list[int]:
        return [label or 0 for label in self.labels]

    @property
    def hit(self) -> bool:
        """Whether any retrieved document has a label other than 0; else all of Azure's scores are 0."""
        return any(self.gains)


def read(inputs: Inputs) -> Ranking:
    """Ranks by falling score, ties as given; of a repeated document the first place for ties and the last score count.

    Raises:
        BadInput: not lists of such objects, a label that is no whole number, a score that is no number.
    """
    labels = {
        _id(item, INPUTS[0]): _number(item, "query_relevance_label", INPUTS[0], whole=True)
        for item in _items(inputs, INPUTS[0])
    }
    results = _items(inputs, INPUTS[1])
    scores: dict[object, float] = {}
    for item in results:
        scores[_id(item, INPUTS[1])] = _number(item, "relevance_score", INPUTS[1])
    order = sorted(scores, key=lambda key: -scores[key])
    lowest = "".join(texts(inputs, OPTIONAL[0])).strip() or "0"
    if not lowest.lstrip("-").isdigit():
        raise BadInput(f"{OPTIONAL[0]} is {lowest!r}, no whole number")
    below = next((key for key, label in labels.items() if label < int(lowest)), None)
    if below is not None:
        raise BadInput(f"{INPUTS[0]}: the label of document {below[1]!r} is below {lowest}, the smallest there is")
    found = tuple(None if key not in labels else int(labels[key]) for key in order)
    return Ranking(found, tuple(int(label) for label in labels.values()), int(lowest), len(results))


def ndcg(ranking: Ranking, k: int | None) -> float:
    """Gain 2^label - 1, discount log2(rank + 1), against the best order of all judged documents."""
    ideal = _dcg(sorted(ranking.truth, reverse=True)[:k])
    return _dcg(ranking.gains[:k]) / ideal if ranking.hit and ideal else 0.0


def xdcg(ranking: Ranking, k: int | None) -> float:
    """25 · Σ label · 0.6^(rank - 1), divided by what ``k`` documents weigh; 0 to 100 for labels of 0 to 4."""
    depth = k or len(ranking.labels)
    weights = [_WEIGHT**place for place in range(depth)]
    worth = sum(label * weight for label, weight in zip(ranking.gains, weights, strict=False))
    return 25 * worth / sum(weights) if ranking.hit else 0.0


def fidelity(ranking: Ranking, k: int | None) -> float | None:
    """What was retrieved of all that is worth retrieving, labels weighing 2^(label + 1) - 1; undefined where no label
    is above the smallest."""
    wanted = _worth(ranking.truth, ranking.lowest)
    if not wanted:
        return None if ranking.hit else 0.0
    return _worth(ranking.gains, ranking.lowest) / wanted if ranking.hit else 0.0


def top1(ranking: Ranking, k: int | None) -> float:
    """The label of the first result."""
    return ranking.gains[0] if ranking.hit else 0


def top3(ranking: Ranking, k: int | None) -> float:
    """The highest label among the first three results."""
    return max(ranking.gains[:3]) if ranking.hit else 0


def holes(ranking: Ranking, k: int | None) -> float:
    """Retrieved documents without a label, each counted once."""
    return sum(label is None for label in ranking.labels)


def holes_ratio(ranking: Ranking, k: int | None) -> float:
    """``holes`` divided by the number of results, repeated ones counted each time."""
    return holes(ranking, k) / ranking.retrieved if ranking.retrieved else 0.0


def _dcg(labels: Sequence[int]) -> float:
    return math.fsum((2.0**label - 1) / math.log2(rank + 1) for rank, label in enumerate(labels, 1))


def _worth(labels: Sequence[int], lowest: int) -> float:
    return sum(2.0 ** (label + 1) - 1 for label in labels if label > lowest)


# --- inputs --------------------------------------------------------------------------------------------------------


def _items(inputs: Inputs, name: str) -> list[dict[str, Any]]:
    import msgspec

    text = "".join(texts(inputs, name))
    try:
        found = msgspec.json.decode(text) if text.strip() else []
    except msgspec.DecodeError as error:
        raise BadInput(f"{name} is not JSON: {error}") from None
    if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
        raise BadInput(f"{name} must be a list of objects")
    return found


def _id(item: dict[str, Any], name: str) -> tuple[type, object]:
    """The document's id; the number 1 and the text "1" are two documents, as Azure has it."""
    value = item.get("document_id")
    if not isinstance(value, str | int) or isinstance(value, bool):
        raise BadInput(f"{name}: every item needs a document_id")
    return type(value), value


def _number(item: dict[str, Any], key: str, name: str, whole: bool = False) -> float:
    value, shown = item.get(key), item.get("document_id")
    if value is None:
        raise BadInput(f"{name}: document {shown!r} has no {key}")
    if isinstance(value, bool) or not isinstance(value, int if whole else int | float) or not math.isfinite(value):
        raise BadInput(f"{name}: the {key} of document {shown!r} is {value!r}, no {'whole ' if whole else ''}number")
    return value


# --- the table -----------------------------------------------------------------------------------------------------

Compute = Callable[[Ranking, int | None], float | None]


def scoring(compute: Compute, k: int | None) -> Callable[[Inputs], Outcome]:
    """The score of one case."""

    def score(inputs: Inputs) -> Outcome:
        missing = [name for name in INPUTS if name not in inputs]
        if missing:
            return not_applicable(f"no {' and no '.join(missing)}")
        try:
            ranking = read(inputs)
        except BadInput as error:
            return Outcome(State.METRIC_ERROR, cause="bad_input", reason=str(error))
        if not ranking.truth:
            return not_applicable("no document is judged")
        value = compute(ranking, k)
        if value is None:
            return not_applicable("no document is judged above the smallest label")
        return scored(value, "" if ranking.hit else "no retrieved document has a label other than 0")

    return score


def azure_ndcg(metric: Metric) -> Metric:
    """nDCG over the lists of one case instead of judgments and a run."""
    return replace(
        metric,
        inputs=INPUTS,
        optional=OPTIONAL,
        ranking=None,
        score=scoring(ndcg, metric.k),
        definition=f"nDCG of the first k results with gain 2^label - 1. {_TEXT}",
        source=_SOURCE,
    )


_SOURCE: Final = "Azure AI evaluation (document_retrieval)"
_TEXT: Final = (
    "Results are ranked by falling score, equal scores as given; a result without a label counts as label 0; ids "
    'compare by type (1 is not "1"). Nothing retrieved, or nothing with a label other than 0, scores 0; without judged '
    "documents not applicable; lists that are not as they should be are a metric error that says what is wrong. "
    "Response, context and language play no part."
)


def _definition(
    name: str,
    summary: str,
    text: str,
    compute: Compute,
    *,
    scale: tuple[float | None, float | None] = (0.0, None),
    higher_is_better: bool = True,
    cut: Cut = Cut.NEVER,
    cuts: tuple[int, ...] = (),
) -> Definition:
    made = Metric(
        name,
        Kind.RETRIEVAL,
        summary,
        inputs=INPUTS,
        optional=OPTIONAL,
        scale=scale,
        higher_is_better=higher_is_better,
        definition=f"{text} {_TEXT}",
        source=_SOURCE,
    )
    return Definition(made, cut, cuts=cuts, build=lambda metric: replace(metric, score=scoring(compute, metric.k)))


DEFINITIONS: Final = (
    _definition(
        "xdcg",
        "are highly labelled documents near the top?",
        "25 · Σ label · 0.6^(rank - 1) over the first k, divided by what k documents weigh: 0 to 100 for labels of "
        "0 to 4.",
        xdcg,
        cut=Cut.MUST,
        cuts=(3,),
    ),
    _definition(
        "fidelity",
        "how much of what is worth retrieving was retrieved?",
        "Σ (2^(label + 1) - 1) over all results with a label above the smallest, divided by the same sum over all "
        "judged documents; not applicable where no label is above the smallest.",
        fidelity,
        scale=(0.0, 1.0),
    ),
    _definition("top1_relevance", "how good is the first result?", "The label of the first result.", top1),
    _definition(
        "top3_max_relevance",
        "how good is the best of the first three?",
        "The highest label among the first three results.",
        top3,
    ),
    _definition(
        "holes",
        "how many results are not judged?",
        "Retrieved documents without a label.",
        holes,
        higher_is_better=False,
    ),
    _definition(
        "holes_ratio",
        "which part of the results is not judged?",
        "Retrieved documents without a label, divided by the number of results.",
        holes_ratio,
        scale=(0.0, 1.0),
        higher_is_better=False,
    ),
)
