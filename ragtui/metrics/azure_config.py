"""Groups as Azure's evaluation tools write them: the SDK's ``evaluator_config`` and Foundry's ``testing_criteria``, both ways."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ragtui.datasets.mapping_files import CLOUD, TOML, read_mapping
from ragtui.datasets.references import DATA, MappingError, Reference, parse_reference
from ragtui.metrics.groups import Group
from ragtui.metrics.metric import Metric
from ragtui.metrics.registry import Own, metric
from ragtui.metrics.spec import MetricError

# What Azure calls metrics that have another name here; the others are called the same.
_AZURE: Final = {
    "f1": "f1_score", "bleu": "bleu_score", "gleu": "gleu_score", "meteor": "meteor_score", "rouge1": "rouge_score",
    "rouge2": "rouge_score", "rougeL": "rouge_score",
}  # fmt: skip
_SAME: Final = frozenset(
    ("groundedness", "relevance", "coherence", "fluency", "retrieval", "similarity", "response_completeness",
     "intent_resolution", "task_adherence", "tool_call_accuracy", "document_retrieval")
)  # fmt: skip
_ROUGE: Final = {"rouge1": "rouge1", "rouge2": "rouge2", "rougeL": "rougeL"}


@dataclass(frozen=True)
class AzureConfig:
    """What such a file says: metric ``specs`` in order, ``mapping`` by ``METRIC.input``, ``thresholds``, the ``model`` that
    judges (where the file names one), and a line for each thing that has no counterpart here."""

    specs: tuple[str, ...]
    mapping: Mapping[str, str]
    thresholds: Mapping[str, float]
    model: str | None = None
    lost: tuple[str, ...] = ()


def read_azure(path: Path, own: Own | None = None) -> AzureConfig:
    """A whole ``evaluator_config`` or list of criteria.

    Raises:
        MetricError: it is neither, or names no metric known here. OSError: it cannot be read.
    """
    file = read_mapping(path)
    if file.fault is not None or file.syntax == TOML:
        raise MetricError(
            f"{path}: {file.fault.message if file.fault else 'no evaluator_config and no testing_criteria'}"
        )
    document = json.loads(path.read_bytes().decode("utf-8-sig"))
    lost: list[str] = []
    found: dict[str, Metric] = {}
    thresholds: dict[str, float] = {}
    model: str | None = None
    labels: dict[str, str] = {"": ""}
    for label, evaluator, settings in _entries(document, file.syntax):
        name = _named(label, evaluator, settings, own)
        if name is None:
            lost.append(f"{label}: no metric here is like {evaluator}")
            continue
        if name.name in found:
            lost.append(f"{label}: {name.name} is there already")
            continue
        found[name.name] = name
        labels[label] = name.name
        threshold = settings.get("threshold")
        if isinstance(threshold, int | float) and not isinstance(threshold, bool):
            thresholds[name.name] = float(threshold)
        model = model or next((str(settings[key]) for key in ("deployment_name", "model") if settings.get(key)), None)
    if not found:
        raise MetricError(f"{path}: names no metric that is known here" + (f" ({'; '.join(lost)})" if lost else ""))
    mapping = {}
    for entry in file.entries:
        if entry.metric in labels and isinstance(entry.reference, str):
            metric_name = labels[entry.metric]
            mapping[f"{metric_name}.{entry.input}" if metric_name else entry.input] = entry.reference
    return AzureConfig(tuple(found), mapping, thresholds, model, tuple(lost))


def evaluator_config(group: Group, mapping: Mapping[str, str]) -> tuple[dict[str, Any], list[str]]:
    """The SDK's ``evaluator_config`` for a group, and what it cannot say."""
    config = {}
    lost = []
    for each in group.metrics:
        if _azure_name(each) is None:
            lost.append(f"{each.name}: Azure has no such evaluator")
            continue
        config[each.name] = {"column_mapping": _columns(each, mapping, str)}
    if any(group.threshold(each) is not None for each in group.metrics):
        lost.append("thresholds: the SDK takes them where evaluators are made, not in evaluator_config")
    return {"evaluator_config": config}, lost


def criteria_of(group: Group, mapping: Mapping[str, str], model: str | None = None) -> tuple[dict[str, Any], list[str]]:
    """Foundry's ``testing_criteria`` for a group, judged by ``model``, and what they cannot say."""
    criteria = []
    lost = []
    for each in group.metrics:
        evaluator = _azure_name(each)
        if evaluator is None:
            lost.append(f"{each.name}: Azure has no such evaluator")
            continue
        settings: dict[str, Any] = {}
        if model is not None and each.question is not None:
            settings["deployment_name"] = model
        if each.name in _ROUGE:
            settings["rouge_type"] = _ROUGE[each.name]
        if (threshold := group.threshold(each)) is not None:
            settings["threshold"] = int(threshold) if float(threshold).is_integer() else threshold
        criteria.append(
            {
                "type": "azure_ai_evaluator",
                "name": each.name,
                "evaluator_name": f"builtin.{evaluator}",
                **({"initialization_parameters": settings} if settings else {}),
                "data_mapping": _columns(each, mapping, Reference.cloud),
            }
        )
    return {"testing_criteria": criteria}, lost


def _columns(each: Metric, mapping: Mapping[str, str], write: Callable[[Reference], str]) -> dict[str, str]:
    """The reference of every input of a metric: its own, the general one, else the column of that name."""
    columns = {}
    for name in each.inputs:
        stated = mapping.get(f"{each.name}.{name}") or mapping.get(name)
        try:
            reference = parse_reference(stated) if stated else Reference(DATA, (name,))
        except MappingError as error:
            raise MetricError(f"{each.name}.{name}: {error}") from error
        columns[name] = write(reference)
    return columns


def _azure_name(each: Metric) -> str | None:
    base = each.name.partition(":")[0].partition("@")[0]
    return base if base in _SAME else _AZURE.get(base)


def _entries(document: Any, syntax: str) -> list[tuple[str, str, dict[str, Any]]]:
    """Label, evaluator and settings of every entry."""
    if syntax == CLOUD:
        criteria = document.get("testing_criteria", [document]) if isinstance(document, dict) else document
        found = []
        for each in criteria if isinstance(criteria, list) else []:
            if isinstance(each, dict) and isinstance(each.get("data_mapping"), dict):
                label = str(each.get("name") or each.get("evaluator_name") or "").removeprefix("builtin.")
                settings = each.get("initialization_parameters")
                evaluator = str(each.get("evaluator_name") or label)
                found.append((label, evaluator, settings if isinstance(settings, dict) else {}))
        return found
    config = document.get("evaluator_config", document) if isinstance(document, dict) else {}
    return [(name, name, {}) for name, value in config.items() if isinstance(value, dict) and name != "default"]


def _named(label: str, evaluator: str, settings: Mapping[str, Any], own: Own | None) -> Metric | None:
    """The metric of this evaluator, or of the label's name."""
    rouge = str(settings.get("rouge_type", "")).replace("RougeType.", "").replace("ROUGE_", "rouge")
    for name in (rouge if "rouge" in evaluator and rouge else "", evaluator, evaluator.removeprefix("builtin."), label):
        try:
            if name:
                return metric(name, own)
        except MetricError:
            continue
    return None
