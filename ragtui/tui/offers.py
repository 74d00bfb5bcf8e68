"""What the form of a new experiment offers, and the plan that its values ask for."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from ragtui.tui.experiment_work import STORED
from ragtui.tui.opened import OpenDataset
from ragtui.tui.widgets.choosing import Choice

if TYPE_CHECKING:
    from ragtui.datasets.dataset import Dataset
    from ragtui.experiments.plan import Plan
    from ragtui.experiments.run import RunOptions
    from ragtui.tui.workbench import Workbench
    from ragtui.workspace import Workspace

GROUP: Final = "group:"
_IGNORED: Final = "an ignored column"


def proposed_metrics(bench: Workbench, opened: OpenDataset | None) -> str:
    """The first group whose metrics fit the shape of the data; else what fits the data."""
    from ragtui.datasets.dataset import Shape

    if opened is None or opened.dataset is None:
        return ""
    ranked = opened.dataset.shape is Shape.RETRIEVAL
    fitting = [
        group for group in bench.groups() if any(metric.ranking is not None for metric in group.metrics) == ranked
    ]
    return f"{GROUP}{fitting[0].name}" if fitting else ""


def metric_choices(bench: Workbench) -> list[Choice]:
    groups = [
        Choice(f"{GROUP}{group.name}", group.name, ", ".join(metric.name for metric in group.metrics))
        for group in bench.groups()
    ]
    return [Choice("", "what fits the data"), *groups]


def judge_choices(bench: Workbench) -> list[Choice]:
    from ragtui.judges.profile import JudgeError, profiles

    found = [each for each in profiles(bench.workspace)[1:] if not isinstance(each, JudgeError)]
    named = [Choice(each.name, each.name, f"{each.model}, by {each.chosen_strategy}") for each in found]
    return [Choice("embedded", "embedded", "offline, a heuristic"), *named]


def target_choices(opened: OpenDataset | None, workspace: Workspace | None = None) -> list[Choice]:
    """What can answer for a dataset's cases: what is recorded, and the targets of ``ragtui.toml``; any other is typed."""
    from ragtui.datasets.dataset import Role, Shape

    dataset = opened.dataset if opened is not None else None
    if dataset is None:
        return []
    targets = workspace.table("targets") if workspace is not None else {}
    named = [Choice(name, name, "a target of ragtui.toml") for name in targets]
    if dataset.shape is Shape.RETRIEVAL:
        runs = [Choice(f"run:{name}", f"run:{name}", "recorded ranking") for name in dataset.runs]
        return [*runs, Choice("bm25", "bm25", "searches the dataset's corpus"), *named]
    choices = [Choice("recorded", "recorded", "the dataset's own responses"), *named]
    choices += [
        Choice(f"recorded:{name}", f"recorded:{name}", "a column") for name in dataset.columns_with(Role.RESPONSE)
    ]
    choices += [Choice(f"recorded:{name}", f"recorded:{name}", _IGNORED) for name in _other_texts(dataset)]
    folder = dataset.location.parent
    siblings = sorted(each for each in folder.glob("*.jsonl") if each != dataset.location)
    return choices + [Choice(f"recorded:{each.name}", f"recorded:{each.name}", "a file beside it") for each in siblings]


def _other_texts(dataset: Dataset) -> list[str]:
    """The columns that nothing is said of and that hold texts: any may be a recorded answer."""
    import polars as pl

    from ragtui.datasets.dataset import Role

    frame = dataset.cases
    names = [] if frame is None else [name for name in dataset.columns_with(Role.IGNORED) if name in frame.columns]
    texts = [name for name in names if frame is not None and frame.schema[name] == pl.String]
    return [name for name in texts if frame is not None and frame[name].str.contains(r"\p{L}").any()]


def proposed_targets(opened: OpenDataset | None) -> tuple[str, str]:
    """Candidate and baseline to begin with: what is recorded, the later version against the one before."""
    from ragtui.datasets.dataset import Role, Shape

    dataset = opened.dataset if opened is not None else None
    keys = [choice.key for choice in target_choices(opened) if choice.note != _IGNORED]
    if dataset is None or dataset.shape is Shape.RETRIEVAL:
        return (keys or ["recorded"])[0], ""
    if "response" in dataset.fields or len(dataset.columns_with(Role.RESPONSE)) == 1:
        return "recorded", ""
    versions = [key for key in keys if key.startswith("recorded:") and re.search("answer|response|output", key.lower())]
    return (versions[-1], versions[-2] if len(versions) > 1 else "") if versions else ("recorded", "")


def plan_of(workspace: Workspace, dataset: Dataset, values: Mapping[str, str]) -> tuple[Dataset, Plan]:
    """The plan that a form's values ask for, and the dataset as the plan takes it (all of it, or the first rows).

    Raises:
        One of ``running.expected()``, in one line.
    """
    from ragtui.datasets.check import open_dataset
    from ragtui.datasets.formats import ReadOptions
    from ragtui.datasets.settings import as_said, saved_mapping
    from ragtui.experiments.planning import make_plan

    if values["candidate"].startswith(STORED):
        return _rescored(workspace, values)
    limit = _whole(values["limit"], "limit") if values["limit"] else None
    if limit is not None and limit < dataset.rows:
        dataset, _ = open_dataset(dataset.path, dataset.format, ReadOptions(limit=limit, workspace=workspace))
        dataset = as_said(workspace, dataset)
    chosen = values["metrics"]
    plan = make_plan(
        dataset,
        workspace,
        metrics=None if not chosen or chosen.startswith(GROUP) else chosen,
        group=chosen.removeprefix(GROUP) if chosen.startswith(GROUP) else None,
        candidate=values["candidate"] or "recorded",
        baseline=values["baseline"] or None,
        judge=values["judge"] or "embedded",
        strategy=values["strategy"] or "auto",
        repeats=_whole(values["repeats"] or "1", "repeats"),
        limit=limit,
        mapping=saved_mapping(workspace, dataset),
    )
    return dataset, replace(plan, round=_round_to_run(plan, workspace))


def _round_to_run(plan: Plan, workspace: Workspace) -> int:
    from ragtui.experiments.rounds import round_to_run
    from ragtui.experiments.store import Store

    return round_to_run(plan, Store.open(workspace), workspace)


def _rescored(workspace: Workspace, values: Mapping[str, str]) -> tuple[Dataset, Plan]:
    """The plan that scores the stored responses of the experiment which the form names as its candidate, and its dataset.

    Raises:
        StoreError: there is none. PlanError: it cannot be planned.
    """
    from ragtui.experiments.planning import opened_again
    from ragtui.experiments.rescoring import rescored_plan
    from ragtui.experiments.store import Store

    chosen = values["metrics"]
    entry = Store.open(workspace).entry(values["candidate"].removeprefix(STORED))
    dataset, _ = opened_again(entry, workspace)
    plan = rescored_plan(
        entry,
        dataset,
        workspace,
        metrics=None if not chosen or chosen.startswith(GROUP) else chosen,
        group=chosen.removeprefix(GROUP) if chosen.startswith(GROUP) else None,
        judge=values["judge"] or None,
        strategy=values["strategy"] or None,
        repeats=_whole(values["repeats"] or "1", "repeats"),
    )
    return dataset, replace(plan, round=_round_to_run(plan, workspace))


def options_of(values: Mapping[str, str]) -> RunOptions | None:
    """How the form's values ask for a plan to be run; ``None`` where they ask for nothing special.

    Raises:
        PlanError: the budget is no amount.
    """
    from ragtui.experiments.planning import PlanError
    from ragtui.experiments.run import RunOptions

    text = values.get("budget", "").strip().lstrip("$").strip()
    if not text:
        return None
    try:
        budget = float(text)
    except ValueError:
        budget = math.nan
    if not (math.isfinite(budget) and budget > 0):
        raise PlanError(f"budget must be an amount in USD above 0, not {text!r}")
    return RunOptions(budget=budget)


def _whole(text: str, name: str) -> int:
    """A positive whole number.

    Raises:
        PlanError: it is none.
    """
    from ragtui.experiments.planning import PlanError

    if not text.isdecimal() or int(text) < 1:
        raise PlanError(f"{name} must be a whole number from 1 on, not {text!r}")
    return int(text)
