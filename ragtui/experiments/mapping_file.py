"""A mapping file as a run takes it: whole, or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from ragtui.datasets.dataset import Dataset
from ragtui.datasets.findings import Level, Report
from ragtui.datasets.mapping_files import CLOUD, SDK, Entry, MappingFile, read_mapping
from ragtui.datasets.references import is_reference
from ragtui.datasets.rules import run_rules
from ragtui.datasets.rules.mapping import Mapped
from ragtui.experiments.planning import PlanError
from ragtui.metrics.registry import Own, metric
from ragtui.metrics.spec import MetricError

_ELSEWHERE: Final = "MAP101"  # a missing column matters only to the metrics of the run, which planning looks at


def stated_in(path: Path, dataset: Dataset, own: Own | None = None) -> dict[str, str]:
    """``input`` or ``METRIC.input`` to reference, the metrics by their full names.

    Raises:
        PlanError: the file cannot be read, or says anything that would not happen; the message names file and line.
    """
    try:
        file = read_mapping(path)
    except OSError as error:
        raise PlanError(f"{path}: {error.strerror or error}") from error
    report = Report(path.name)
    run_rules(Mapped(file, dataset), report, lambda rule: rule.code != _ELSEWHERE)
    for finding in report.findings:
        if finding.level is Level.ERROR:
            raise PlanError(f"{_place(path, finding.line)}: {finding.message}")
    return {_name(path, entry, own): _reference(path, file, entry) for entry in file.entries}


def _name(path: Path, entry: Entry, own: Own | None) -> str:
    if not entry.metric:
        return entry.input
    try:
        return f"{metric(entry.metric, own).name}.{entry.input}"
    except MetricError as error:
        raise PlanError(f"{_place(path, entry.line)}: {entry.name}: {error}") from error


def _reference(path: Path, file: MappingFile, entry: Entry) -> str:
    text = str(entry.reference)
    if file.syntax in (SDK, CLOUD) and text.strip() and not is_reference(text):
        said = f'{entry.name} is the text "{text}" in every row'
        raise PlanError(f"{_place(path, entry.line)}: {said}; for the column write ${{data.{text}}}")
    return text


def _place(path: Path, line: int) -> str:
    return f"{path}:{line}" if line else str(path)
