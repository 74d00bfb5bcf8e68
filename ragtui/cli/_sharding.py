"""What ``ragtui run --shard i/n`` does: runs the cases that fall to the shard, into a store of its own."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from ragtui.cli._running import Wishes
    from ragtui.datasets.dataset import Dataset
    from ragtui.experiments.plan import Plan
    from ragtui.experiments.shards import Shard
    from ragtui.workspace import Workspace


def shard_wished(wishes: Wishes, dataset: Dataset) -> Shard | None:
    """The shard that was asked for.

    Raises:
        ShardError: it is none, or goes with what only the whole can give.
    """
    from ragtui.datasets.dataset import Shape
    from ragtui.experiments.shards import Shard, ShardError

    if wishes.shard is None:
        return None
    shard = Shard.read(wishes.shard)
    if dataset.shape is Shape.RETRIEVAL:
        raise ShardError(f"--shard is for test cases; the rankings of {dataset.path} are scored all at once")
    given = {
        "--fail-under": wishes.fail_under, "--fail-if-worse": wishes.fail_if_worse, "--report": wishes.reports,
        "--scores": wishes.scores, "--slice": wishes.slices, "--cluster": wishes.cluster,
    }  # fmt: skip
    whole = [option for option, value in given.items() if value]
    if whole:
        raise ShardError(f"{', '.join(whole)} with --shard: give it to `ragtui merge`, which sees every shard")
    if wishes.new:
        raise ShardError("--new with --shard: shards of one run must agree on it; --fresh starts this shard over")
    return shard


def part_of(dataset: Dataset, shard: Shard) -> Dataset:
    """The cases of a dataset that fall to a shard."""
    from ragtui.datasets.case_ids import CASE_ID

    assert dataset.cases is not None
    return replace(dataset, cases=dataset.cases[shard.positions(dataset.cases[CASE_ID].to_list())])


def run_shard(
    plan: Plan, dataset: Dataset, workspace: Workspace, shard: Shard, wishes: Wishes, talk: Console | None
) -> int:
    """Runs one shard and returns the exit status; the gates are left to the merge."""
    from ragtui import text
    from ragtui.cli._progress import watched
    from ragtui.experiments import wording
    from ragtui.experiments.gates import INCOMPLETE, INTERRUPTED, PASSED
    from ragtui.experiments.progress import Progress, Status
    from ragtui.experiments.run import RunOptions, run
    from ragtui.experiments.shards import at_folder, shard_folder
    from ragtui.experiments.store import Store

    folder = shard_folder(workspace, plan, shard)
    progress = Progress()
    budget = None if wishes.budget is None else wishes.budget / shard.of
    options = RunOptions(wishes.fresh, wishes.concurrency, budget, shard)
    with Store.open(at_folder(workspace, folder), write=True) as store:
        status = watched(lambda: run(plan, dataset, workspace, store, progress, options), progress, talk)
        entry = store.entry(plan.id)
    errors = entry.errors > wishes.max_error_rate * entry.cells
    if not wishes.quiet:
        import typer

        done = f"{entry.done:,} of {wording.count(entry.cells, 'cell')}"
        failed = f", {wording.count(entry.errors, 'error')}" if entry.errors else ""
        typer.echo(text.cell(f"shard {shard} of experiment {plan.id}: {status}, {done}{failed}; in {folder}"))
        typer.echo("when all shards are there: ragtui merge")
    if talk is not None and (errors or status is not Status.FINISHED):
        from ragtui.cli._running import say_how_to_go_on

        say_how_to_go_on(progress, talk)
    if status is Status.CANCELLED:
        return INTERRUPTED
    return INCOMPLETE if errors or status is not Status.FINISHED else PASSED
