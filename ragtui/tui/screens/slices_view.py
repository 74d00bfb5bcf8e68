"""How the slices of an experiment look: per metric a line a value, those that are worse than the rest told first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragtui.experiments import slice_lines
from ragtui.experiments.results import Results
from ragtui.text import cell
from ragtui.tui.widgets.passage import Passage

if TYPE_CHECKING:
    from ragtui.experiments.slices import Slice

_VALUE = 20  # cells of a value's name beside its figures on a narrow screen


def slices_of(found: Sequence[Slice], results: Results) -> Passage:
    """Per metric each value's mean with its n and interval, and how it lies to the rest."""
    passage = Passage()
    worse = {(each.metric, each.value) for each in found if each.worse}
    for line in slice_lines.said(found, results):
        passage.text(line, tone="warn" if worse else "dim")
    names = slice_lines.headings(found)[2:]
    lines = slice_lines.lines(found, results)
    widths = [max(len(row[at]) for row in (names, *(line[2:] for line in lines))) + 2 for at in range(len(names))]
    last = ""
    for each, (_, value, *figures) in zip(found, lines, strict=True):
        if each.metric != last:
            passage.heading(each.metric)
            passage.line((" " * _VALUE + _beside(names, widths), "dim"), hang=_VALUE)
            last = each.metric
        tone = "warn" if (each.metric, each.value) in worse else ""
        shown = cell(value, _VALUE - 3)
        passage.line((f"{shown:<{_VALUE}}", tone or "title"), (_beside(figures, widths), tone), hang=_VALUE)
    return passage


def _beside(words: Sequence[str], widths: Sequence[int]) -> str:
    return "".join(f"{word:<{width}}" for word, width in zip(words, widths, strict=True)).rstrip()
