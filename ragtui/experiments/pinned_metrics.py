"""The metrics of a plan at the versions it pins, and which of them have a newer one since."""

from __future__ import annotations

from pathlib import Path

from ragtui.experiments.plan import Plan, PlannedMetric
from ragtui.metrics.metric import Metric
from ragtui.metrics.own import versions
from ragtui.metrics.own.code_score import CodeScore
from ragtui.metrics.own.files import own_files, own_metrics
from ragtui.metrics.registry import Own, is_shipped, metric
from ragtui.metrics.spec import MetricError, parse
from ragtui.workspace import Workspace


def planned_metrics(plan: Plan, workspace: Workspace) -> tuple[Metric, ...]:
    """The metrics of a plan, ready to score: the user's own at the version that was pinned.

    Raises:
        MetricError: one of them is gone, or its version was not kept.
    """
    own = own_metrics(workspace)
    return tuple(_ready(each, own, workspace) for each in plan.metrics)


def _ready(each: PlannedMetric, own: Own, workspace: Workspace) -> Metric:
    if _is_own(each) and not (each.spec in own and own[each.spec].metric.version == each.version):
        return versions.metric_at(workspace, each.spec, each.version)
    return metric(each.spec, own)


def code_of_metrics(plan: Plan, workspace: Workspace) -> tuple[Path, ...]:
    """The files that scoring a plan would run: where exactly the content lies that was pinned.

    Raises:
        MetricError: as for ``planned_metrics``.
    """
    files = [each.score.file for each in planned_metrics(plan, workspace) if isinstance(each.score, CodeScore)]
    return tuple(place for each in files if (place := versions.place_of(each, workspace)) is not None)


def _is_own(each: PlannedMetric) -> bool:
    return not is_shipped(parse(each.spec).base)


def keep_versions(plan: Plan, workspace: Workspace) -> None:
    """Keeps the own metrics of a plan as they are, so that it can go on when they have changed.

    Raises:
        OSError: they cannot be written.
    """
    wanted = {each.spec: each.version for each in plan.metrics if _is_own(each)}
    for file in own_files(workspace) if wanted else ():
        if wanted.get(file.name) == file.version:
            versions.keep(file, workspace)


def close(metrics: tuple[Metric, ...]) -> None:
    """Ends the processes of code metrics."""
    for each in metrics:
        if isinstance(each.score, CodeScore):
            each.score.close()


def stale(plan: Plan, workspace: Workspace) -> tuple[str, ...]:
    """The plan's metrics of which a newer version exists than the one it was run with; a metric that is gone is none."""
    own = own_metrics(workspace) if any(_is_own(each) for each in plan.metrics) else {}
    return tuple(each.spec for each in plan.metrics if _current(each, own) not in (None, each.version))


def _current(each: PlannedMetric, own: Own) -> str | None:
    try:
        return metric(each.spec, own).version
    except MetricError:
        return None
