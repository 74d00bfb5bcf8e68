"""What each metric would get under a mapping, in the first rows; what does not resolve, with the nearest column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from ragtui.datasets.dataset import Dataset
from ragtui.datasets.mapping import inputs_frame, metric_inputs, present, unresolved
from ragtui.datasets.references import MappingError, parse_reference
from ragtui.tui.widgets.passage import Passage

if TYPE_CHECKING:
    from ragtui.datasets.mapping import Resolution
    from ragtui.metrics.metric import Metric

_ROWS: Final = 3
_WIDTH: Final = 160


def preview(dataset: Dataset, metrics: Sequence[Metric], mapping: Mapping[str, str]) -> tuple[Passage, int]:
    """The passage, and how many inputs lead nowhere. Takes its time with large data: call it in a thread."""
    sound, lost = Passage(), Passage()
    known: dict[str, str] = {}
    wrong = 0
    for metric in metrics:
        sound.heading(metric.name)
        for name in metric.inputs:
            try:
                found = metric_inputs(dataset, mapping, metric.name, (name,))
            except MappingError as error:
                wrong += 1
                lost.line(("✗ ", "bad"), (f"{metric.name}.{name}  ", "strong"), (str(error), "bad"), hang=2)
                continue
            if name in found.missing:
                wrong += 1
                _missing(lost, metric.name, name, str(found.missing[name]), mapping)
            else:
                _resolved(sound, dataset, name, found, known)
        wrong += _unused(lost, sound, dataset, metric, mapping)
    if not metrics:
        sound.text("no metric takes inputs of cases", tone="dim")
    lost.paragraphs += sound.paragraphs  # what does not resolve is seen first
    return lost, wrong


def _unused(lost: Passage, sound: Passage, dataset: Dataset, metric: Metric, mapping: Mapping[str, str]) -> int:
    """What is mapped for a metric that does not ask for it: no harm, unless it leads nowhere; returns how many do not."""
    wrong = 0
    for key, stated in mapping.items():
        of, _, name = key.rpartition(".")
        if of != metric.name or name in metric.inputs:
            continue
        try:
            why = unresolved(dataset, parse_reference(stated))
        except MappingError as error:
            lost.line(("✗ ", "bad"), (f"{key}  ", "strong"), (str(error), "bad"), hang=2)
            wrong += 1
            continue
        if why is None:
            sound.line(
                ("· ", "dim"), (f"{name:<13}", ""), (stated, "cool"), (f"  {metric.name} asks for none", "dim"), hang=2
            )
        else:
            wrong += 1
            _missing(lost, metric.name, name, str(why), mapping)
    return wrong


def _missing(passage: Passage, metric: str, name: str, why: str, mapping: Mapping[str, str]) -> None:
    stated = mapping.get(f"{metric}.{name}") or mapping.get(name) or ""
    passage.line(
        ("✗ ", "bad"), (f"{metric}.{name} ", "strong"), (f"{stated}  " if stated else "", ""), (why, "bad"), hang=2
    )


def _resolved(passage: Passage, dataset: Dataset, name: str, found: Resolution, known: dict[str, str]) -> None:
    """One input with its reference, over how many rows, and the first of them."""
    reference = found.used[name]
    rows = dataset.rows
    filled = present(dataset, reference) if reference.source == "data" else rows
    how = "proposed by a usual name" if name in found.proposed else ""
    share = "" if filled == rows else f"{filled:,} of {rows:,} rows"
    passage.line(
        ("✓ ", "good"), (f"{name:<13}", ""), (str(reference), "cool"), (f"  {share}" if share else "", "warn"),
        (f"  {how}" if how else "", "dim"), hang=2,
    )  # fmt: skip
    if known.get(name) != str(reference):  # the same rows are not shown for each metric again
        known[name] = str(reference)
        _first_rows(passage, dataset, name, found)


def _first_rows(passage: Passage, dataset: Dataset, name: str, found: Resolution) -> None:
    frame = inputs_frame(dataset, found)
    if name not in frame.columns:
        return
    for value in frame[name].head(_ROWS).to_list():
        text = "(nothing)" if value is None else " ⏎ ".join(value) if isinstance(value, list) else value
        passage.line((text[:_WIDTH], "dim"), indent=4, hang=2)
