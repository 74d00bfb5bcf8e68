"""Runs an experiment: targets answer, metrics and judges score, and everything is stored as it lands.

Running a plan again goes on where it stopped: stored responses and scores are not asked for again. Killing the process
at any moment loses at most the calls that were in flight.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

from ragtui.datasets.dataset import Dataset, Shape
from ragtui.experiments import diagnoses
from ragtui.experiments.answering import check_allowed
from ragtui.experiments.case_inputs import case_table
from ragtui.experiments.case_run import CaseRun
from ragtui.experiments.database import explained
from ragtui.experiments.finished_frame import write_frame
from ragtui.experiments.judging import processes
from ragtui.experiments.pinned_metrics import keep_versions, planned_metrics
from ragtui.experiments.plan import Plan
from ragtui.experiments.planning import source_of
from ragtui.experiments.progress import Progress, Status
from ragtui.experiments.retrieval_run import RetrievalRun
from ragtui.experiments.shards import Shard, ShardError
from ragtui.experiments.store import Store, StoreError
from ragtui.judges.judge import JudgeStopped
from ragtui.judges.profile import JudgeError
from ragtui.targets.target import TargetError
from ragtui.workspace import Workspace


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How a plan is run; none of it changes what the results mean.

    ``fresh`` reuses nothing that is stored. ``concurrency`` is how many judge calls may be in flight, ``None`` for the
    judge's own. ``budget`` in USD pauses the run when it is spent. With ``shard`` only the cases that fall to it are run,
    with its share of the judge's rate limit; the store is then its own (``shards.at_folder``).
    """

    fresh: bool = False
    concurrency: int | None = None
    budget: float | None = None
    shard: Shard | None = None


def run(
    plan: Plan,
    dataset: Dataset,
    workspace: Workspace,
    store: Store,
    progress: Progress,
    options: RunOptions | None = None,
    executor: Executor | None = None,
) -> Status:
    """Runs or resumes a plan and returns how it ended; blocks, with an event loop of its own.

    Cells that errored are asked again where the last run came to its end. ``executor`` judges offline instead of the
    processes that are started for large sets.

    Raises:
        StoreError: another run holds the workspace, or it cannot be written; once the run goes on, a disk that fills up
            pauses it instead.
        NotAllowed: it would start code that the user has not allowed (``ragtui.trust``).
        TargetError: a target cannot be used at all.
        MetricError: a metric cannot be had at its version.
        ShardError: rankings cannot be run in shards.
        JudgeError: the judge cannot be used. Where a target or judge ends the run before anything was stored, no
            experiment is left behind.
    """
    options = options or RunOptions()
    if options.shard is not None and dataset.shape is Shape.RETRIEVAL:
        raise ShardError(f"--shard is for test cases; the rankings of {dataset.path} are scored all at once")
    source = source_of(dataset, workspace)
    planned_metrics(plan, workspace)  # one that is gone is told before anything is stored
    with store.begin(plan, source, lambda: case_table(dataset, plan.mapping), options.fresh) as recorder:
        progress.begin()
        progress.experiment = plan.id
        retry = recorder.status_before() is Status.FINISHED
        recorder.status(Status.RUNNING)
        with explained(store.path):
            keep_versions(plan, workspace)
        progress.status = Status.RUNNING
        status, message = Status.INTERRUPTED, "the process ended"
        cells: int | None = None
        try:
            check_allowed(plan, dataset, workspace)
            job: CaseRun | RetrievalRun
            if dataset.shape is Shape.RETRIEVAL:
                job = RetrievalRun(plan, dataset, workspace, recorder, progress)
            else:
                job = CaseRun(plan, dataset, workspace, recorder, progress, retry, options)
            with processes(job.judge, job.questions_expected) as started:
                asyncio.run(_until_cancelled(job.run(executor or started), progress))
            cells = job.cells
            status, message = _ending(job, progress)
            if status is Status.FINISHED and options.shard is None:
                write_frame(store, recorder.number, plan)
                diagnoses.keep(store.results(plan.id))
        except (JudgeStopped, StoreError) as stopped:
            status, message = Status.PAUSED, str(stopped)
        except BaseException as error:
            message = str(error) or type(error).__name__
            if isinstance(error, TargetError | JudgeError):
                recorder.withdraw()
            raise
        finally:
            progress.status, progress.message = status, message
            with contextlib.suppress(StoreError):  # a full disk takes no status either; the lock's end tells
                recorder.end(status, message, cells)
        if not store.path.exists():
            raise StoreError(f"{store.path}: was deleted while the run went on, and its results with it; run it again")
    return status


def _ending(job: CaseRun | RetrievalRun, progress: Progress) -> tuple[Status, str]:
    if progress.cancelled:
        return Status.CANCELLED, "cancelled"
    if job.stopped_by:
        return Status.PAUSED, job.stopped_by
    return Status.FINISHED, ""


async def _until_cancelled(work: Coroutine[Any, Any, None], progress: Progress) -> None:
    """Runs ``work``; once the progress is cancelled it gets no further than its next wait."""
    task = asyncio.ensure_future(work)
    while not task.done():
        await asyncio.wait({task}, timeout=0.05)
        if progress.cancelled and not task.done():
            task.cancel()
            await asyncio.wait({task})
    if not task.cancelled():
        task.result()
