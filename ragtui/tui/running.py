"""A run in a thread of its own: it fills a plain object, the screen looks at that ten times a second."""

from __future__ import annotations

import gc
import sys
import threading
from typing import TYPE_CHECKING

from ragtui.experiments.progress import Progress

if TYPE_CHECKING:
    from ragtui.datasets.dataset import Dataset
    from ragtui.experiments.plan import Plan
    from ragtui.experiments.run import RunOptions
    from ragtui.workspace import Workspace

_LEAVING = 5.0  # seconds that a run gets to put itself in order when the app ends


class Run:
    """One experiment that runs, or has just ended. ``problem`` is one line if it could not run at all."""

    def __init__(self, plan: Plan, dataset: Dataset, workspace: Workspace, options: RunOptions | None = None) -> None:
        self.plan = plan
        self.progress = Progress(experiment=plan.id)
        self.problem = ""
        self._dataset, self._workspace, self.options = dataset, workspace, options
        make_processes_possible()
        gc.freeze()  # what is there already is not gone through again: that would hold a key up for 150 ms
        self._thread = threading.Thread(target=self._work, name=f"run {plan.id}", daemon=True)
        self._thread.start()

    def _work(self) -> None:
        from ragtui.experiments.run import run
        from ragtui.experiments.store import Store

        try:
            with Store.open(self._workspace, write=True) as store:
                run(self.plan, self._dataset, self._workspace, store, self.progress, self.options)
        except expected() as error:
            self.problem = str(error)
        except Exception as error:
            # A fault of ours must be seen too, and must not take the screen down with it.
            self.problem = f"the run broke: {type(error).__name__}: {error}"
        finally:
            gc.unfreeze()

    @property
    def ended(self) -> bool:
        return not self._thread.is_alive()

    def cancel(self) -> None:
        self.progress.cancel()

    def wait(self) -> None:
        """Waits for a cancelled run to put itself in order, but not for ever."""
        self._thread.join(_LEAVING)


def make_processes_possible() -> None:
    """Judging may start processes. Python's tracker for them wants the real standard error, which the app has replaced;
    once the tracker runs, starting processes needs it no more."""
    from multiprocessing import resource_tracker

    shown = sys.stderr
    sys.stderr = sys.__stderr__
    try:
        resource_tracker.ensure_running()
    finally:
        sys.stderr = shown


def expected() -> tuple[type[Exception], ...]:
    """What planning and running may say in one line: the user's business, not a fault."""
    from ragtui.datasets.check import CannotOpen
    from ragtui.experiments.demo import DemoError, Stopped
    from ragtui.experiments.planning import PlanError
    from ragtui.experiments.reports import ReportError
    from ragtui.experiments.store import StoreError
    from ragtui.judges.profile import JudgeError
    from ragtui.metrics.spec import MetricError
    from ragtui.targets.target import TargetError
    from ragtui.workspace import WorkspaceError

    return (
        CannotOpen, DemoError, JudgeError, MetricError, OSError, PlanError, ReportError, Stopped, StoreError, TargetError,
        WorkspaceError,
    )  # fmt: skip
