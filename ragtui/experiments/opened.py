"""Opens what the user named: an experiment of the workspace, or a result file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ragtui.experiments.metrics_file import MetricsFile
from ragtui.experiments.plan import Plan, Side
from ragtui.experiments.store import Store, StoreError
from ragtui.workspace import Workspace

if TYPE_CHECKING:
    from ragtui.experiments.results import Results
    from ragtui.experiments.what_if import AtCut


def open_results(name: str, workspace: Workspace, settings: MetricsFile | None = None) -> Results:
    """An experiment by its id, the beginning of it or ``last``; or a result file by its path. ``settings`` replace
    thresholds.

    Raises:
        StoreError: there is no such experiment.
        CannotOpen: the file holds no scores.
    """
    path = Path(name)
    if (
        path.is_file()
        or (path.is_dir() and name != "last")
        or "/" in name
        or path.suffix in (".jsonl", ".json", ".csv", ".tsv", ".xlsx")
    ):
        from ragtui.experiments.imported import open_result_file

        return open_result_file(path, settings)
    results = Store.open(workspace).results(name)
    if settings is not None:
        results.plan = _with_thresholds(results.plan, settings)
    return results


def at_cuts_of(results: Results, workspace: Workspace, cuts: str, case_id: str | None = None) -> list[AtCut]:
    """The ranking metrics of an experiment at other cuts (as typed, the usual ones for an empty text), from what it kept.

    Raises:
        WhatIfError: there is nothing to cut.
        CannotOpen, PlanError: the dataset, whose contexts are looked at again, is gone or has changed.
    """
    from ragtui.experiments.planning import reopen
    from ragtui.experiments.stored_results import StoredResults
    from ragtui.experiments.what_if import WhatIfError, at_cuts, families, read_cuts

    if not isinstance(results, StoredResults):
        raise WhatIfError("a result file of another tool holds no rankings to cut")
    wanted = read_cuts(cuts)
    on_cases = not any(results.frames(side) for side in results.sides)
    dataset = reopen(results.entry, workspace) if on_cases and families(results.plan) else None
    return at_cuts(results, wanted, case_id, dataset)


def open_side(name: str, workspace: Workspace, settings: MetricsFile | None = None) -> tuple[Results, Side]:
    """What ``open_results`` opens, and the side that is meant: ``EXPERIMENT:baseline``, else the candidate.

    Raises:
        StoreError: there is no such experiment, or it has no such side. CannotOpen: the file holds no scores.
    """
    before, _, side = name.rpartition(":")
    if not before or side not in tuple(Side) or Path(name).is_file():
        return open_results(name, workspace, settings), Side.CANDIDATE
    results = open_results(before, workspace, settings)
    if Side(side) not in dict(results.plan.sides):
        raise StoreError(f"experiment {results.experiment} has no {side}")
    return results, Side(side)


def _with_thresholds(plan: Plan, settings: MetricsFile) -> Plan:
    found = settings.thresholds
    return replace(plan, metrics=tuple(replace(m, threshold=found.get(m.spec, m.threshold)) for m in plan.metrics))
