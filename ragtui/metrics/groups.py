"""Metric Groups: named, ordered sets of 1 to 50 metrics in ``ragtui.toml``. A group names metrics, never versions.

[groups.answers]
metrics = ["groundedness", "relevance", "f1"]
thresholds = { f1 = 0.4 }
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from ragtui.datasets.dataset import Dataset, Role, Shape
from ragtui.metrics.metric import Kind, Metric
from ragtui.metrics.own.files import own_metrics
from ragtui.metrics.registry import Own, metric, metrics, resolve, resolve_all
from ragtui.metrics.spec import MetricError, folded
from ragtui.workspace import Workspace

MOST: Final = 50
_NAME: Final = re.compile(r"[^\W_][\w .-]{0,63}")
_TABLE: Final = "groups"


@dataclass(frozen=True)
class Group:
    """A named, ordered set of metrics. ``thresholds`` are the group's own, by the metrics' full names."""

    name: str
    metrics: tuple[Metric, ...]
    thresholds: Mapping[str, float] = field(default_factory=dict)

    @property
    def specs(self) -> tuple[str, ...]:
        return tuple(each.name for each in self.metrics)

    def threshold(self, metric: Metric) -> float | None:
        """The threshold that applies to one of the group's metrics."""
        return self.thresholds.get(metric.name, metric.threshold)


# --- reading -------------------------------------------------------------------------------------------------------


def group_names(workspace: Workspace) -> tuple[str, ...]:
    """Every group's name, in the order of ``ragtui.toml``, also those that cannot be used."""
    return tuple(workspace.table(_TABLE))


def groups(workspace: Workspace) -> tuple[Group, ...]:
    """Every group, in the order of ``ragtui.toml``.

    Raises:
        MetricError: one cannot be used; the message names file, group and remedy.
    """
    return tuple(load_group(workspace, name) for name in group_names(workspace))


def load_group(workspace: Workspace, name: str) -> Group:
    """One group by its name.

    Raises:
        MetricError: there is no such group (the message names the nearest), or it cannot be used.
    """
    table = workspace.table(_TABLE)
    if name not in table:
        raise MetricError(f"there is no Metric Group {name!r}{_nearest(name, table)}")
    try:
        return _checked(name, *_parts(table[name]), own_metrics(workspace))
    except MetricError as error:
        raise MetricError(f"{workspace.config_path.name}: [groups.{name}]: {error}") from None


def _parts(value: Any) -> tuple[Sequence[str], Mapping[str, float]]:
    """The specs and thresholds as the file gives them."""
    if isinstance(value, list):
        value = {"metrics": value}
    if not isinstance(value, dict):
        raise MetricError("it must be a table with a list of metrics")
    unknown = [key for key in value if key not in ("metrics", "thresholds")]
    if unknown:
        raise MetricError(f"{unknown[0]!r} is not known here; a group has metrics and thresholds")
    specs, thresholds = value.get("metrics", []), value.get("thresholds", {})
    if not isinstance(specs, list) or not all(isinstance(each, str) for each in specs):
        raise MetricError('metrics must be a list of names, as ["groundedness", "nDCG@10"]')
    if not isinstance(thresholds, dict):
        raise MetricError("thresholds must be a table, as { f1 = 0.4 }")
    return specs, thresholds


def check_new_name(workspace: Workspace, name: str) -> None:
    """Makes sure that a group can be called so and that none is.

    Raises:
        MetricError: it cannot, or one is.
    """
    _check_name(name)
    if name in group_names(workspace):
        raise MetricError(f"there is a group {name} already; choose another name")


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise MetricError(
            f"{name!r} cannot be a group's name; use letters, digits, spaces, - _ . and begin with a letter or digit"
        )


def _checked(name: str, specs: Iterable[str], thresholds: Mapping[str, Any], own: Own | None) -> Group:
    """A group that keeps all rules; a spec without a cut (``nDCG``) stands for its metrics at 1, 3, 5 and 10."""
    _check_name(name)
    chosen = [each for spec in specs for each in resolve(spec, own)]
    if not chosen:
        raise MetricError("a group needs at least one metric; `ragtui metrics` lists them")
    if len(chosen) > MOST:
        raise MetricError(f"a group holds at most {MOST} metrics; this would be {len(chosen)}")
    twice = next((each.name for at, each in enumerate(chosen) if each in chosen[:at]), None)
    if twice is not None:
        raise MetricError(f"{twice} is named twice")
    return Group(name, tuple(chosen), _checked_thresholds(thresholds, chosen, own))


def _checked_thresholds(thresholds: Mapping[str, Any], chosen: Sequence[Metric], own: Own | None) -> dict[str, float]:
    out: dict[str, float] = {}
    for spec, value in thresholds.items():
        found = metric(spec, own)
        if found.name not in {each.name for each in chosen}:
            raise MetricError(f"a threshold is given for {spec}, which is not in the group")
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise MetricError(f"the threshold of {spec} is {value!r}; it must be a number")
        if not found.on_scale(value):
            raise MetricError(f"the threshold {value:g} of {spec} is outside its scale, {found.shown_scale}")
        out[found.name] = float(value)
    return out


def _nearest(name: str, known: Collection[str]) -> str:
    if not known:
        return "; ragtui.toml has none yet: `ragtui group add NAME METRIC...` makes one"
    import difflib

    near = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean {near[0]}?" if near else f"; there are {', '.join(known)}"


def holding(workspace: Workspace, spec: str) -> tuple[str, ...]:
    """The groups that name a metric, also those that cannot be used."""
    found = []
    for name, value in workspace.table(_TABLE).items():
        specs = value.get("metrics", []) if isinstance(value, dict) else value
        if isinstance(specs, list) and any(isinstance(each, str) and folded(each) == folded(spec) for each in specs):
            found.append(name)
    return tuple(found)


def thresholds_of(workspace: Workspace, name: str) -> Mapping[str, Any]:
    """The thresholds that ``ragtui.toml`` gives a group, whatever they are."""
    return workspace.table(_TABLE, name, "thresholds")


# --- changing ------------------------------------------------------------------------------------------------------


def save_group(
    workspace: Workspace,
    name: str,
    specs: Iterable[str],
    thresholds: Mapping[str, float] | None = None,
) -> Workspace:
    """Writes a group, new or changed, and returns the workspace as it is then. Without ``thresholds`` those it has stay
    with the metrics that stay.

    Raises:
        MetricError: it breaks a rule; nothing is written.
    """
    own = own_metrics(workspace)
    wanted = _checked(name, specs, {}, own)
    if thresholds is None:
        kept = load_group(workspace, name).thresholds if _is_usable(workspace, name) else {}
        thresholds = {spec: value for spec, value in kept.items() if spec in wanted.specs}
    return _write(workspace, _checked(name, wanted.specs, thresholds, own))


def add_metrics(workspace: Workspace, name: str, specs: Iterable[str]) -> Workspace:
    """Appends metrics to a group, which is made if it is not there; those it has already stay where they are."""
    there = load_group(workspace, name).specs if name in group_names(workspace) else ()
    return save_group(workspace, name, [*there, *(each for each in _names(specs, workspace) if each not in there)])


def remove_metrics(workspace: Workspace, name: str, specs: Iterable[str]) -> Workspace:
    """Takes metrics out of a group.

    Raises:
        MetricError: one is not in it, or none would be left.
    """
    group = load_group(workspace, name)
    gone = _names(specs, workspace)
    absent = next((each for each in gone if each not in group.specs), None)
    if absent is not None:
        raise MetricError(f"{absent} is not in {name}; it has {', '.join(group.specs)}")
    left = [each for each in group.specs if each not in gone]
    if not left:
        raise MetricError(f"{name} would be empty; delete it with `ragtui group delete {name}`")
    return save_group(workspace, name, left)


def move_metric(workspace: Workspace, name: str, spec: str, to: int) -> Workspace:
    """Puts one metric of a group at another place, counted from 0 (and from the end below 0)."""
    group = load_group(workspace, name)
    moved = metric(spec, own_metrics(workspace)).name
    if moved not in group.specs:
        raise MetricError(f"{moved} is not in {name}; it has {', '.join(group.specs)}")
    rest = [each for each in group.specs if each != moved]
    at = to if to >= 0 else len(group.specs) + to
    rest.insert(min(max(at, 0), len(rest)), moved)
    return save_group(workspace, name, rest)


def set_threshold(workspace: Workspace, name: str, spec: str, value: float | None) -> Workspace:
    """Gives one metric of a group its own threshold; ``None`` takes it back."""
    group = load_group(workspace, name)
    changed = metric(spec, own_metrics(workspace)).name
    rest = {each: limit for each, limit in group.thresholds.items() if each != changed}
    return save_group(workspace, name, group.specs, rest if value is None else {**rest, changed: value})


def rename_group(workspace: Workspace, old: str, new: str) -> Workspace:
    """Gives a group another name; it keeps its place in the file."""
    group = load_group(workspace, old)
    if new == old:
        return workspace
    _refuse_taken(workspace, new)
    renamed = _checked(new, group.specs, group.thresholds, own_metrics(workspace))
    table = {renamed.name if name == old else name: value for name, value in workspace.table(_TABLE).items()}
    return workspace.save(_TABLE, value=table)


def duplicate_group(workspace: Workspace, name: str, copy: str) -> Workspace:
    """Writes the group a second time, under another name."""
    group = load_group(workspace, name)
    _refuse_taken(workspace, copy)
    return save_group(workspace, copy, group.specs, group.thresholds)


def delete_group(workspace: Workspace, name: str, used_by: Sequence[str] = ()) -> Workspace:
    """Removes a group.

    Raises:
        MetricError: there is none, or an experiment uses it (``used_by`` names them).
    """
    table = workspace.table(_TABLE)
    if name not in table:
        raise MetricError(f"there is no Metric Group {name!r}{_nearest(name, table)}")
    if used_by:
        raise MetricError(f"{name} is in use by {', '.join(used_by[:3])}{' and others' if len(used_by) > 3 else ''}")
    return workspace.save(_TABLE, name, value=None)


def _names(specs: Iterable[str], workspace: Workspace) -> list[str]:
    return [each.name for each in resolve_all(specs, own_metrics(workspace))]


def _refuse_taken(workspace: Workspace, name: str) -> None:
    if name in group_names(workspace):
        raise MetricError(f"there is a Metric Group {name!r} already")


def _is_usable(workspace: Workspace, name: str) -> bool:
    if name not in group_names(workspace):
        return False
    try:
        load_group(workspace, name)
    except MetricError:
        return False
    return True


def import_groups(workspace: Workspace, text: str, source: str) -> tuple[Workspace, tuple[str, ...]]:
    """Takes over all groups of a TOML text with ``[groups.NAME]`` tables; returns the workspace and their names.

    Raises:
        MetricError: it is not such a text, or a group breaks a rule or is there already; nothing is written.
    """
    try:
        found = tomllib.loads(text).get(_TABLE)
    except tomllib.TOMLDecodeError as error:
        raise MetricError(f"{source}: not valid TOML: {error}") from None
    if not isinstance(found, dict) or not found:
        raise MetricError(f"{source}: holds no Metric Group; one is a table [groups.NAME] with a list of metrics")
    checked = []
    for name, value in found.items():
        try:
            _refuse_taken(workspace, name)
            checked.append(_checked(name, *_parts(value), own_metrics(workspace)))
        except MetricError as error:
            raise MetricError(f"{source}: [groups.{name}]: {error}") from None
    for group in checked:
        workspace = _write(workspace, group)
    return workspace, tuple(group.name for group in checked)


def as_table(group: Group) -> dict[str, Any]:
    """A group as ``ragtui.toml`` holds it."""
    value: dict[str, Any] = {"metrics": list(group.specs)}
    return {**value, "thresholds": dict(group.thresholds)} if group.thresholds else value


def _write(workspace: Workspace, group: Group) -> Workspace:
    return workspace.save(_TABLE, group.name, value=as_table(group))


# --- proposing -----------------------------------------------------------------------------------------------------

RANKING: Final = ("nDCG@10", "MAP@100", "Recall@100", "Precision@10", "MRR@10")
_NEEDS_A_MODEL: Final = frozenset(("coherence", "fluency", "intent_resolution", "task_adherence", "tool_call_accuracy"))
_PROPOSED: Final = (
    "groundedness",
    "relevance",
    "coherence",
    "fluency",
    "retrieval",
    "correctness",
    "completeness",
    "alignment",
    "f1",
    "exact_match",
    "context_recall",
    "context_precision",
    "tool_call_accuracy",
    "latency",
    "tokens",
    "cost",
)


_BY_ROLE: Final = {
    Role.INPUT: "query",
    Role.EXPECTED: "ground_truth",
    Role.RESPONSE: "response",
    Role.CONTEXT: "context",
    Role.RETRIEVED_IDS: "retrieved_ids",
}


def available_inputs(dataset: Dataset) -> frozenset[str]:
    """The metric inputs a dataset has: those its format defines, columns named like one, and one for each role."""
    if dataset.shape is Shape.RETRIEVAL:
        return frozenset(("qrels", "run"))
    filled = [column for column in dataset.columns if column.filled]
    roles = {_BY_ROLE[column.role] for column in filled if column.role in _BY_ROLE}
    known = {name for each in metrics() for name in (*each.inputs, *each.optional)}
    return frozenset(dataset.fields) | roles | {column.name for column in filled if column.name in known}


def propose(inputs: Collection[str], judge_offline: bool = True) -> tuple[str, ...]:
    """Specs that fit the inputs a dataset has (``query``, ``response``, ``context``, ``ground_truth``, ``qrels``,
    ``run``, ``latency_ms``, …), best first; with ``judge_offline`` without those that need a model."""
    if "qrels" in inputs:
        return RANKING
    out = []
    for each in map(metric, _PROPOSED):
        offline = not (judge_offline and each.name in _NEEDS_A_MODEL)
        if offline and set(each.inputs) <= set(inputs) and _is_told(each, inputs):
            out.append(each.name)
    return tuple(out)


def _is_told(metric: Metric, inputs: Collection[str]) -> bool:
    """Whether a metric without needed inputs finds any of those it can use."""
    if metric.kind is Kind.RETRIEVAL and metric.score is not None:
        return any(name.startswith("gold_") for name in inputs)
    return bool(metric.inputs) or any(name in inputs for name in metric.optional)
