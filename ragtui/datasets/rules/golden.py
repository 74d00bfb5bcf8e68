"""Rules about golden datasets: what they ask is asked nowhere else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from ragtui.datasets.dataset import Dataset
from ragtui.datasets.findings import Finding, Level, More, shown_per_rule
from ragtui.datasets.formats import Golden, asked
from ragtui.datasets.rules import rule


@dataclass(frozen=True)
class BesideGolden:
    """A dataset beside those that are golden."""

    dataset: Dataset
    golden: tuple[Golden, ...]


@rule(
    "ID301",
    "shared-with-golden",
    Level.WARNING,
    example="a question of the golden set in the set that prompts are tuned on",
    remedy="take the case out of one of the two",
    on=BesideGolden,
)
def shared_with_golden(beside: BesideGolden) -> Iterator[Finding | More]:
    """A golden dataset says how good a system is because nothing was ever tuned on it. A case that asks the same elsewhere
    gives its answer away, and the golden figure becomes too good. Golden is what --golden names, what ragtui.toml lists, and
    an archive that was exported with --golden and is checked together with others."""
    dataset = beside.dataset
    others = [each for each in beside.golden if each.location != dataset.location.resolve()]
    frame, column, line = (
        (dataset.cases, "_name", "_line") if dataset.cases is not None else (dataset.queries, "text", "line")
    )
    if frame is None or not others:
        return
    for golden in others:
        hits = (number for text, number in frame.select(column, line).iter_rows() if asked(text) in golden.asked)
        for number in islice(hits, shown_per_rule()):
            message = f"asks what the golden dataset {golden.name} asks"
            yield Finding("ID301", Level.WARNING, message, line=number)
        yield More("ID301", Level.WARNING, sum(1 for _ in hits))
