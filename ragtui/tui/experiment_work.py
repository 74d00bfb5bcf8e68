"""What the Experiments pane asks of the floors below beyond the list: remarks, copies, code to allow, plots."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ragtui.tui.opened import OpenDataset
from ragtui.tui.widgets.passage import Passage

if TYPE_CHECKING:
    from ragtui.experiments.history import Point
    from ragtui.experiments.store import Entry
    from ragtui.experiments.tags import Remark
    from ragtui.tui.workbench import Workbench

STORED = "stored:"  # a candidate of the form: the responses of that experiment


def remarks(bench: Workbench) -> dict[str, Remark]:
    """What is noted on each experiment."""
    from ragtui.experiments.tags import remarks

    return remarks(bench.store())


def set_tags(bench: Workbench, entry: Entry, typed: str) -> str:
    """Replaces an experiment's tags, written with commas; returns what to say."""
    from ragtui.experiments.tags import set_tags

    return _said(lambda: ", ".join(set_tags(bench.store(write=True), entry.id, [typed]).tags) or "no tag")


def set_note(bench: Workbench, entry: Entry, typed: str) -> str:
    """Replaces an experiment's note; returns what to say."""
    from ragtui.experiments.tags import set_note

    return _said(lambda: "noted" if set_note(bench.store(write=True), entry.id, typed).note else "the note is gone")


def merge_shards(bench: Workbench) -> tuple[str, str | None]:
    """Takes in what the shards of this workspace hold by now; what to say, and the experiment to show. Call it in a
    thread."""
    from ragtui.experiments.merging import merge_all
    from ragtui.experiments.store import StoreError

    try:
        merged = merge_all(bench.store(write=True))
    except StoreError as error:
        return str(error), None
    return "; ".join(f"{experiment}: {told}" for experiment, told in merged.items()), next(iter(merged), None)


def waiting_shards(bench: Workbench) -> str:
    """What shards of this workspace hold and its experiments do not; empty where that is nothing. Call it in a thread."""
    from ragtui.experiments.merging import waiting

    return _said(lambda: "; ".join(waiting(bench.store()))) if bench.has_store or has_shards(bench) else ""


def has_shards(bench: Workbench) -> bool:
    """Whether a shard was run here."""
    return (bench.workspace.state / "shards").is_dir()


def _said(do: Callable[[], str]) -> str:
    from ragtui.experiments.store import StoreError

    try:
        return do()
    except StoreError as error:
        return str(error)


def dataset_of(bench: Workbench, entry: Entry) -> OpenDataset | str:
    """The dataset of an experiment, opened if it is not; one line where it cannot be. Call it in a thread."""
    path = entry.source if Path(entry.source).is_absolute() else str(bench.workspace.root / entry.source)
    file = path.partition("#")[0]
    for each in bench.datasets:
        if each.dataset is not None and each.name == entry.plan.dataset and _same(each.dataset.location, Path(file)):
            return each
    found = bench.read([path])
    fitting = next((each for each in found if each.dataset is not None and each.name == entry.plan.dataset), None)
    if fitting is None:
        return next((each.failure for each in found if each.failure), f"{entry.source} is not there any more")
    bench.put([fitting])
    return fitting


def _same(one: Path, other: Path) -> bool:
    try:
        return one.resolve() == other.resolve()
    except OSError:
        return False


def values_of(entry: Entry, rescored: bool = False) -> dict[str, str]:
    """An experiment's plan as the values of the form; ``rescored`` has its stored responses scored."""
    from ragtui.tui.offers import GROUP

    plan = entry.plan
    return {
        "metrics": f"{GROUP}{plan.group}" if plan.group else ",".join(each.spec for each in plan.metrics),
        "candidate": f"{STORED}{entry.id}" if rescored else plan.candidate,
        "baseline": "" if rescored else plan.baseline or "",
        "judge": plan.judge,
        "strategy": plan.strategy,
        "repeats": str(plan.repeats),
        "limit": str(plan.limit or ""),
    }


def code_to_allow(bench: Workbench, entry: Entry | None = None) -> tuple[Sequence[Path | str], list[str]]:
    """The code that the plan which was looked at last (or an experiment) would start and the user has not allowed, and how
    it is shown; none where the plan cannot be made."""
    from ragtui import trust
    from ragtui.experiments.answering import asks_anyone, code_of
    from ragtui.experiments.planning import opened_again
    from ragtui.tui.running import expected

    try:
        if entry is not None:
            if not asks_anyone(entry.plan, bench.workspace):  # nothing is opened for it
                return (), []
            plan, dataset = entry.plan, opened_again(entry, bench.workspace)[0]
        elif bench._planned is not None:
            plan, dataset = bench._planned
        else:
            return (), []
        left = trust.untrusted(bench.workspace, code_of(plan, dataset, bench.workspace))
    except expected():
        return (), []
    return left, [trust.shown(bench.workspace, each) for each in left]


def allow(bench: Workbench, codes: Sequence[Path | str]) -> None:
    """Remembers that the user lets these run."""
    from ragtui import trust

    trust.trust(bench.workspace, *codes)


def history_of(bench: Workbench, entry: Entry, metric: str) -> tuple[Point, ...] | str:
    """A metric over the experiments on the same dataset; one line where there is none. Call it in a thread."""
    from ragtui.experiments.history import history
    from ragtui.experiments.store import StoreError

    try:
        return history(bench.store(), metric, entry.plan.dataset)
    except StoreError as error:
        return str(error)


def plotted(points: Sequence[Point], metric: str, width: int) -> Passage:
    """The plot as a passage."""
    from ragtui.experiments.plot import lines

    passage = Passage()
    for line in lines(points, metric, width)[1:]:
        tone = "warn" if line.lstrip().startswith("┄") else ""
        passage.line((line, tone))
    return passage
