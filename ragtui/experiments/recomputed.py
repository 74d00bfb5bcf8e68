"""Scores of other tools computed again from the rows of their own file, so that numbers which do not fit them are seen.

Azure's text and document metrics are computed from the inputs that its result file holds, Pinecone's from the facts that
came with them. Judged scores cannot be computed again and are left alone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from ragtui.datasets.mapping import SYNONYMS
from ragtui.datasets.near_names import plain_name
from ragtui.experiments import wording
from ragtui.metrics import facts
from ragtui.metrics.registry import metric
from ragtui.metrics.score import Evidence, Inputs, Outcome
from ragtui.metrics.spec import MetricError
from ragtui.metrics.wording.meteor import has_synonyms

if TYPE_CHECKING:
    import polars as pl

TOLERANCE: Final = 1e-6
FACTS_TOLERANCE: Final = 0.003  # Pinecone rounded one of its figures before it made the next of them
NAMED: Final = 3  # rows that are named when some differ
FACTS: Final = ("correctness", "completeness", "alignment")
_TEXT: Final = {"f1_score": "f1", "f1": "f1", "bleu": "bleu", "bleu_score": "bleu", "gleu": "gleu", "gleu_score": "gleu",
                "meteor": "meteor", "meteor_score": "meteor"}  # fmt: skip
_ROUGE: Final = ("rougeL", "rouge1", "rouge2", "rouge3", "rouge4", "rouge5")
_DOCUMENTS: Final = {"document_retrieval": "nDCG@3:azure", "ndcg@3": "nDCG@3:azure", "xdcg@3": "xdcg@3", "fidelity": "fidelity",
                     "holes": "holes", "holes_ratio": "holes_ratio"}  # fmt: skip


@dataclass(frozen=True)
class Again:
    """One metric computed again. ``outcomes`` has one a row; ``spec`` names what it was computed as."""

    spec: str
    outcomes: Sequence[Outcome | None]
    tolerance: float

    def differs(self, row: int, score: float | None) -> bool:
        """Whether the file's score is another one than its own row gives. Where one side is empty Azure says 0 and
        ragtui that there is nothing to compare: that is no difference."""
        outcome = self.outcomes[row]
        if outcome is None or score is None:
            return False
        if outcome.score is None:
            return abs(score) > self.tolerance
        return abs(outcome.score - score) > self.tolerance

    def said(self, row: int, score: float | None) -> str:
        """What a reader of the row must know; empty where the score is what it should be."""
        outcome = self.outcomes[row]
        if outcome is None or not self.differs(row, score):
            return ""
        what = f"is {outcome.score:.6g}" if outcome.score is not None else f"is not defined ({outcome.reason})"
        return f"the file says {score:.6g}; computed again as {self.spec} it {what}"

    def remark(self, name: str, ids: Sequence[str], scores: Sequence[float | None]) -> str:
        """One line about the whole column."""
        there = [row for row, score in enumerate(scores) if score is not None and self.outcomes[row] is not None]
        wrong = [row for row in there if self.differs(row, scores[row])]
        as_what = "" if name == self.spec else f" as {self.spec}"
        head = f"{name}: computed again{as_what} on {len(there):,} of {wording.count(len(scores), 'row')}"
        if not wrong:
            return f"{head}; all agree"
        first = "; ".join(f"{ids[row]} {self._short(row, scores[row])}" for row in wrong[:NAMED])
        return f"{head}; {len(wrong):,} differ: {first}{'; …' if len(wrong) > NAMED else ''}"

    def _short(self, row: int, score: float | None) -> str:
        outcome = self.outcomes[row]
        now = "not defined" if outcome is None or outcome.score is None else f"{outcome.score:.4g}"
        return f"says {score:.4g}, is {now}"


def again(
    frame: pl.DataFrame, columns: Mapping[str, str], scores: Mapping[str, Sequence[float | None]]
) -> dict[str, Again]:
    """What can be computed again of a table's metrics: ``columns`` and ``scores`` are by metric name."""
    found: dict[str, Again] = {}
    told = facts_of(frame)
    texts, documents = _text_inputs(frame), _document_inputs(frame)
    for name, column in columns.items():
        if name in FACTS and told is not None:
            found[name] = Again(
                name, [None if each is None else facts.outcome(name, each) for each in told], FACTS_TOLERANCE
            )
        elif texts is not None and (specs := _text_specs(name, column)):
            found[name] = _nearest([_computed(spec, texts) for spec in specs], scores[name])
        elif documents is not None and (spec := _DOCUMENTS.get(name.removesuffix("_score").lower())):
            found[name] = _computed(spec, documents)
    return found


def _text_specs(name: str, column: str) -> list[str]:
    """What a column of Azure's can be: ``rouge`` does not say which, unless the evaluator is called so."""
    last = name.rpartition(".")[2].lower()
    if last in _TEXT:
        base = _TEXT[last]
        return [] if base == "meteor" and not has_synonyms() else [f"{base}:azure"]
    if last not in ("rouge", "rouge_score", "rouge_f1_score"):
        return []
    evaluator = column.rpartition(".")[0].rpartition(".")[2]
    try:
        known = metric(evaluator).name.partition(":")[0]
    except MetricError:
        known = ""
    return [f"{each}:azure" for each in ((known,) if known in _ROUGE else _ROUGE)]


def _computed(spec: str, rows: Sequence[Inputs]) -> Again:
    score = metric(spec).score
    assert score is not None
    return Again(spec, [score(each) for each in rows], TOLERANCE)


def _nearest(found: Sequence[Again], scores: Sequence[float | None]) -> Again:
    return min(found, key=lambda each: sum(each.differs(row, score) for row, score in enumerate(scores)))


# --- inputs --------------------------------------------------------------------------------------------------------


def _text_inputs(frame: pl.DataFrame) -> list[Inputs] | None:
    """Response and ground truth of each row of a result file; ``None`` where the file does not hold both."""
    columns = {plain_name(name.removeprefix("inputs.")): name for name in frame.columns if name.startswith("inputs.")}
    found = {wanted: _named(columns, wanted) for wanted in ("response", "ground_truth")}
    if None in found.values():
        return None
    pairs = zip(frame[found["response"] or ""], frame[found["ground_truth"] or ""], strict=True)
    return [{"response": response or "", "ground_truth": (truth or "",)} for response, truth in pairs]


def _named(columns: Mapping[str, str], wanted: str) -> str | None:
    return next((columns[name] for name in (wanted, *SYNONYMS[wanted]) if name in columns), None)


def _document_inputs(frame: pl.DataFrame) -> list[Inputs] | None:
    """Labelled and retrieved documents of each row, known by the keys of their items."""
    truth = _holding(frame, "query_relevance_label")
    given = _holding(frame, "relevance_score")
    if truth is None or given is None:
        return None
    pairs = zip(frame[truth], frame[given], strict=True)
    return [{"retrieval_ground_truth": labels or "", "retrieved_documents": hits or ""} for labels, hits in pairs]


def _holding(frame: pl.DataFrame, key: str) -> str | None:
    for name in frame.columns:
        if name.startswith("inputs."):
            first = next((each for each in frame[name] if isinstance(each, str) and each.strip()), "")
            if first.lstrip().startswith("[") and f'"{key}"' in first:
                return name
    return None


# --- Pinecone ------------------------------------------------------------------------------------------------------


def nested_scores(frame: pl.DataFrame) -> dict[str, list[str | None]]:
    """Pinecone's figures, which lie inside one column, as columns of texts by metric; empty where there are none."""
    column = next((name for name in ("metrics", "scores") if name in frame.columns), None)
    if column is None:
        return {}
    rows = [_object(each) for each in frame[column]]
    found = {name: [_number(row.get(name)) for row in rows] for name in FACTS}
    return {name: values for name, values in found.items() if any(value is not None for value in values)}


def _number(value: Any) -> str | None:
    return None if value is None or isinstance(value, dict | list) else json.dumps(value).strip('"')


def facts_of(frame: pl.DataFrame) -> list[tuple[Evidence, ...] | None] | None:
    """The facts that came with each row, ``None`` for a row without; ``None`` for all where no row has any."""
    column = next((name for name in ("reasoning", "evaluated_facts", "facts") if name in frame.columns), None)
    if column is None:
        return None
    rows = [_facts(each) for each in frame[column]]
    return rows if any(each is not None for each in rows) else None


def _facts(cell: Any) -> tuple[Evidence, ...] | None:
    value = _parsed(cell)
    if isinstance(value, dict):
        value = value.get("evaluated_facts", value.get("facts"))
    if not isinstance(value, list):
        return None
    found = [
        (_text(each, ("fact", "content", "text")), _text(each, ("entailment", "label", "verdict"))) for each in value
    ]
    if any(verdict.lower() not in facts.VERDICTS for _, verdict in found):
        return None
    return tuple(Evidence(claim, verdict.lower()) for claim, verdict in found)


def _text(value: Any, keys: Sequence[str]) -> str:
    """A text however deep it lies: ``"x"``, ``{"fact": "x"}``, ``{"fact": {"content": "x"}}``."""
    while isinstance(value, dict):
        value = next((value[key] for key in keys if key in value), "")
    return value if isinstance(value, str) else ""


def _object(cell: Any) -> dict[str, Any]:
    value = _parsed(cell)
    return value if isinstance(value, dict) else {}


def _parsed(cell: Any) -> Any:
    try:
        return json.loads(cell) if isinstance(cell, str) else cell
    except ValueError:
        return None
