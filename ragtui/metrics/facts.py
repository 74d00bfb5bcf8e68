"""Facts of the ground truth, judged against the response: correctness, completeness, alignment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from ragtui.metrics.metric import Definition, Kind, Metric
from ragtui.metrics.score import Evidence, Outcome, not_applicable, scored

VERDICTS: Final = ("entailed", "contradicted", "neutral")
BLIND_SPOT: Final = "Further statements of the response, even false ones, lower none of the three."


def correctness(evidence: Sequence[Evidence]) -> Outcome:
    """E / (E + C): of the facts the response speaks of, how many it has right.

    Not applicable where no fact was found in the ground truth, or the response speaks of none.
    """
    count = _count(evidence)
    if not evidence:
        return _NO_FACTS
    if not count["entailed"] + count["contradicted"]:
        return not_applicable(f"the response speaks of none of the {_facts(len(evidence))}")
    return _scored(count["entailed"] / (count["entailed"] + count["contradicted"]), evidence)


def completeness(evidence: Sequence[Evidence]) -> Outcome:
    """E / (E + C + N): how many facts of the ground truth the response states."""
    return _scored(_count(evidence)["entailed"] / len(evidence), evidence) if evidence else _NO_FACTS


def alignment(evidence: Sequence[Evidence]) -> Outcome:
    """The harmonic mean of correctness and completeness, both unrounded; 0 where no fact is entailed."""
    if not evidence:
        return _NO_FACTS
    count = _count(evidence)
    if not count["entailed"]:
        return _scored(0.0, evidence)
    right = count["entailed"] / (count["entailed"] + count["contradicted"])
    whole = count["entailed"] / len(evidence)
    return _scored(2 * right * whole / (right + whole), evidence)


_FORMULAS: Final = {"correctness": correctness, "completeness": completeness, "alignment": alignment}
_NO_FACTS: Final = not_applicable("the ground truth states no fact")


def outcome(metric: Metric | str, evidence: Sequence[Evidence]) -> Outcome:
    """One facts metric from the judged facts; also what recomputes imported results.

    Raises:
        ValueError: not a facts metric, or a verdict other than entailed, contradicted, neutral.
    """
    name = metric if isinstance(metric, str) else metric.name
    if name not in _FORMULAS:
        raise ValueError(f"{name!r} is not a facts metric")
    return _FORMULAS[name](evidence)


def _count(evidence: Sequence[Evidence]) -> Counter[str]:
    count = Counter(each.verdict for each in evidence)
    unknown = [verdict for verdict in count if verdict not in VERDICTS]
    if unknown:
        raise ValueError(f"{unknown[0]!r} is no verdict on a fact; it is one of {', '.join(VERDICTS)}")
    return count


def _facts(n: int) -> str:
    return f"{n} fact" if n == 1 else f"{n} facts"


def _scored(score: float, evidence: Sequence[Evidence]) -> Outcome:
    count = _count(evidence)
    parts = ", ".join(f"{count[verdict]} {verdict}" for verdict in VERDICTS if count[verdict])
    missed = [each for each in evidence if each.verdict == "contradicted"] or [
        each for each in evidence if each.verdict == "neutral"
    ]
    first = f"; {'wrong' if missed[0].verdict == 'contradicted' else 'missing'}: {missed[0].claim}" if missed else ""
    return scored(score, f"{_facts(len(evidence))}: {parts}{first}", tuple(evidence))


def _definition(name: str, summary: str, formula: str) -> Definition:
    made = Metric(
        name,
        Kind.FACTS,
        summary,
        inputs=("response", "ground_truth"),
        optional=("query",),
        threshold=0.5,
        question="facts",
        derive=lambda score, reason, evidence: outcome(name, evidence),
        definition=f"The facts of the ground truth are judged against the response: entailed (E), contradicted (C) or "
        f"neutral (N). {formula} {BLIND_SPOT} An empty response leaves every fact neutral; without a ground truth, or "
        f"where it states no fact, not applicable. Context is not looked at. Any language the judge knows.",
        source="Pinecone Assistant evaluation",
    )
    return Definition(made)


DEFINITIONS: Final = (
    _definition(
        "correctness",
        "of the facts the response speaks of, how many are right?",
        "E / (E + C); not applicable where all are neutral.",
    ),
    _definition("completeness", "how many facts of the ground truth are in the response?", "E / (E + C + N)."),
    _definition(
        "alignment",
        "correctness and completeness in one number",
        "Harmonic mean of correctness and completeness, unrounded; 0 where no fact is entailed.",
    ),
)
