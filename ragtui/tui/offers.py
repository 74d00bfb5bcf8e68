"""What the form of a new experiment offers, and the plan that its values ask for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from ragtui.tui.opened import OpenDataset
from ragtui.tui.widgets.choosing import Choice

if TYPE_CHECKING:
    from ragtui.experiments.plan import Plan
    from ragtui.tui.workbench import Workbench

_GROUP: Final = "group:"


def proposed_metrics(bench: Workbench) -> str:
    """The only group there is, else what fits the data."""
    groups = bench.groups()
    return f"{_GROUP}{groups[0].name}" if len(groups) == 1 else ""


def metric_choices(bench: Workbench) -> list[Choice]:
    groups = [
        Choice(f"{_GROUP}{group.name}", group.name, ", ".join(metric.name for metric in group.metrics))
        for group in bench.groups()
    ]
    return [Choice("", "what fits the data"), *groups]


def judge_choices(bench: Workbench) -> list[Choice]:
    named = [Choice(name, name, "from ragtui.toml") for name in bench.workspace.table("judges")]
    return [Choice("embedded", "embedded", "offline, a heuristic"), *named]


def target_choices(opened: OpenDataset | None) -> list[Choice]:
    """What can answer for a dataset's cases without asking anyone."""
    from ragtui.datasets.dataset import Role, Shape

    dataset = opened.dataset if opened is not None else None
    if dataset is None:
        return []
    if dataset.shape is Shape.RETRIEVAL:
        runs = [Choice(f"run:{name}", f"run:{name}", "recorded ranking") for name in dataset.runs]
        return [*runs, Choice("bm25", "bm25", "searches the dataset's corpus")]
    choices = [Choice("recorded", "recorded", "the dataset's own responses")]
    choices += [
        Choice(f"recorded:{name}", f"recorded:{name}", "a column") for name in dataset.columns_with(Role.RESPONSE)
    ]
    folder = dataset.location.parent
    siblings = sorted(each for each in folder.glob("*.jsonl") if each != dataset.location)
    return choices + [Choice(f"recorded:{each.name}", f"recorded:{each.name}", "a file beside it") for each in siblings]


def proposed_targets(opened: OpenDataset | None) -> tuple[str, str]:
    """Candidate and baseline to begin with: what is recorded, the later version against the one before."""
    from ragtui.datasets.dataset import Role, Shape

    dataset = opened.dataset if opened is not None else None
    keys = [choice.key for choice in target_choices(opened)]
    if dataset is None or dataset.shape is Shape.RETRIEVAL:
        return (keys or ["recorded"])[0], ""
    columns = [key for key in keys if key.startswith("recorded:")]
    if "response" in dataset.fields or len(dataset.columns_with(Role.RESPONSE)) == 1:
        return "recorded", ""
    return (columns[-1], columns[-2] if len(columns) > 1 else "") if columns else ("recorded", "")


def plan_of(bench: Workbench, opened: OpenDataset, values: Mapping[str, str]) -> Plan:
    """The plan that a form's values ask for.

    Raises:
        One of ``running.expected()``, in one line.
    """
    from ragtui.experiments.planning import make_plan

    if opened.dataset is None:
        raise ValueError(f"{opened.path} is not read")
    chosen = values["metrics"]
    return make_plan(
        opened.dataset,
        bench.workspace,
        metrics=None if not chosen or chosen.startswith(_GROUP) else chosen,
        group=chosen.removeprefix(_GROUP) if chosen.startswith(_GROUP) else None,
        candidate=values["candidate"] or "recorded",
        baseline=values["baseline"] or None,
        judge=values["judge"] or "embedded",
        strategy=values["strategy"] or "auto",
        repeats=_whole(values["repeats"] or "1", "repeats"),
        limit=_whole(values["limit"], "limit") if values["limit"] else None,
    )


def _whole(text: str, name: str) -> int:
    """A positive whole number.

    Raises:
        ValueError: it is none.
    """
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise ValueError(f"{name} must be a whole number from 1 on, not {text!r}")
    return number
