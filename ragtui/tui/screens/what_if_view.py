"""How an experiment's ranking metrics look at other cuts: a line a metric and side, a column a cut."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragtui.experiments import wording
from ragtui.metrics.spec import parse
from ragtui.tui.widgets.passage import Passage

if TYPE_CHECKING:
    from ragtui.experiments.what_if import AtCut

_CUTS_A_BLOCK = 8  # fit beside the names on a narrow screen


def what_if(found: Sequence[AtCut], case_id: str | None) -> Passage:
    """Means over the whole set, then the scores of the case that was looked at."""
    passage = Passage()
    passage.text("As if only the first k documents had been returned; nothing was run again.", tone="dim")
    _table(passage, "mean over all", found, [each.mean for each in found])
    if case_id is not None and any(each.score is not None for each in found):
        _table(passage, case_id, found, [each.score for each in found])
    least = min((each.n_scored for each in found), default=0)
    most = max((each.n_total for each in found), default=0)
    passage.gap()
    passage.line((f"means over {least:,} of {most:,}", "dim"))
    return passage


def _table(passage: Passage, title: str, found: Sequence[AtCut], values: Sequence[float | None]) -> None:
    cuts = sorted({each.k for each in found})
    rows: dict[tuple[str, str], dict[int, float | None]] = {}
    for each, value in zip(found, values, strict=True):
        spec = parse(each.metric)
        name = spec.base + (f":{spec.variant}" if spec.variant else "")
        rows.setdefault((name, each.side.value), {})[each.k] = value
    both = len({side for _, side in rows}) > 1
    width = max(len(_label(name, side, both)) for name, side in rows) + 2
    for start in range(0, len(cuts), _CUTS_A_BLOCK):
        block = cuts[start : start + _CUTS_A_BLOCK]
        passage.heading(title if not start else f"{title}, on")
        passage.line((" " * width + "".join(f"{'k ' + str(k):>7}" for k in block), "dim"))
        for (name, side), row in rows.items():
            figures = "".join(f"{wording.number(row.get(k)):>7}" for k in block)
            passage.line((f"{_label(name, side, both):<{width}}", "title"), (figures, ""))


def _label(name: str, side: str, both: bool) -> str:
    return f"{name} {side}" if both else name
