"""Why cells could not be scored, in a few lines: each cause with how often it came and where it was first seen."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from ragtui.experiments import wording
from ragtui.experiments.results import Results

MOST: Final = 5
_LONGEST: Final = 160


@dataclass
class _Seen:
    first: str
    cases: set[str] = field(default_factory=set)
    metrics: dict[str, None] = field(default_factory=dict)


def error_causes(results: Results, most: int = MOST) -> list[str]:
    """``candidate: target error (exception) in 2 cases, first a: No module named 'bot'``, the most frequent first; empty
    where nothing erred."""
    from ragtui.experiments.stored_results import StoredResults

    if not isinstance(results, StoredResults) or not any(each.errors for each in results.summaries()):
        return []
    found: dict[tuple[str, str, str, str], _Seen] = {}
    for case_id, cell in results.all_cells():
        if cell.state.is_error:
            said = " ".join(cell.reason.split())[:_LONGEST]
            key = (cell.side.value, cell.state.value.replace("_", " "), cell.cause or "", said)
            seen = found.setdefault(key, _Seen(case_id))
            seen.cases.add(case_id)
            seen.metrics[cell.metric] = None
    ranked = sorted(found.items(), key=lambda each: -len(each[1].cases))
    lines = [_line(*key, seen, everywhere=len(seen.metrics) == len(results.metrics)) for key, seen in ranked[:most]]
    rest = len(ranked) - most
    return [*lines, f"and {wording.count(rest, 'other cause')}"] if rest > 0 else lines


def _line(side: str, state: str, cause: str, said: str, seen: _Seen, everywhere: bool) -> str:
    where = "" if everywhere else f" {', '.join(seen.metrics)}"
    named = f" ({cause})" if cause else ""
    count = wording.count(len(seen.cases), "case")
    return f"{side}{where}: {state}{named} in {count}, first {seen.first}{f': {said}' if said else ''}"
