"""``ragtui experiment``: what is kept of experiments beside their scores, and how a metric went."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

app = typer.Typer(
    help="Tag, note, delete and bring back experiments; what differs between two; a metric over all of them.",
    rich_markup_mode=None,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)

_NAME = typer.Argument(metavar="EXPERIMENT", help="Its id, the beginning of it, or last.")


@app.command()
def tag(
    experiment: Annotated[str, _NAME],
    tags: Annotated[list[str] | None, typer.Argument(help="The tags it is to have; none takes them away.")] = None,
    add: Annotated[bool, typer.Option("--add", help="Keep those it has.")] = False,
) -> None:
    """Set an experiment's tags."""

    def do() -> str:
        from ragtui.experiments.tags import Remark, remarks, set_tags

        with _store() as store:
            name = store.entry(experiment).id
            before = remarks(store).get(name, Remark()).tags if add else ()
            return f"{name}: {', '.join(set_tags(store, name, [*before, *(tags or ())]).tags) or 'no tag'}"

    _say(do)


@app.command()
def note(
    experiment: Annotated[str, _NAME],
    text: Annotated[str, typer.Argument(help="The note; an empty one takes it away.")],
) -> None:
    """Write a note on an experiment."""

    def do() -> str:
        from ragtui.experiments.tags import set_note

        with _store() as store:
            name = store.entry(experiment).id
            return f"{name}: {set_note(store, name, text).note or 'no note'}"

    _say(do)


@app.command()
def delete(experiment: Annotated[str, _NAME]) -> None:
    """Take an experiment out of the list; undelete brings it back."""

    def do() -> str:
        with _store() as store:
            return f"deleted {store.delete(experiment)}; ragtui experiment undelete brings it back"

    _say(do)


@app.command()
def undelete() -> None:
    """Bring back the experiment that was deleted last."""

    def do() -> str:
        with _store() as store:
            found = store.undelete()
        return f"brought back {found}" if found else "nothing was deleted"

    _say(do)


@app.command()
def differences(a: Annotated[str, _NAME], b: Annotated[str, _NAME]) -> None:
    """Say what two experiments differ in: dataset, targets, judge, versions, thresholds."""

    def do() -> str:
        from ragtui.experiments.plan_differences import plan_differences

        with _store(write=False) as store:
            one, two = store.entry(a), store.entry(b)
        found = plan_differences(one.plan, two.plan, (one.id, two.id), targets=True)
        return "\n".join(found) or f"{one.id} and {two.id} are the same plan, run anew"

    _say(do)


@app.command()
def history(
    metric: Annotated[str, typer.Argument(help="The metric, as groundedness or nDCG@10.")],
    dataset: Annotated[
        str | None, typer.Option(help="Experiments on this dataset [default: that of the last one].")
    ] = None,
) -> None:
    """Plot a metric over the experiments on one dataset, the first begun first."""

    def do() -> str:
        from ragtui.experiments.history import history as of
        from ragtui.experiments.plot import lines
        from ragtui.metrics.registry import metric as named

        with _store(write=False) as store:
            spec = named(metric).name if metric not in _metrics_of(store) else metric
            points = of(store, spec, dataset or store.entry("last").plan.dataset)
            return "\n".join(lines(points, spec, _width()))

    _say(do)


def _metrics_of(store: object) -> set[str]:
    from ragtui.experiments.store import Store

    assert isinstance(store, Store)
    return {each.spec for entry in store.list() for each in entry.plan.metrics}


def _width() -> int:
    import shutil

    return shutil.get_terminal_size((100, 24)).columns


def _store(write: bool = True):  # type: ignore[no-untyped-def]
    from ragtui.experiments.store import Store
    from ragtui.workspace import Workspace

    return Store.open(Workspace.open("."), write=write)


def _say(do: Callable[[], str]) -> None:
    """Does it and prints what it says; what cannot be done is one line and status 2."""
    from ragtui.cli._stop import could_not_run
    from ragtui.experiments.store import StoreError
    from ragtui.metrics.spec import MetricError
    from ragtui.text import block
    from ragtui.workspace import WorkspaceError

    try:
        said = do()
    except (StoreError, MetricError, WorkspaceError) as error:
        could_not_run(str(error))
    typer.echo(block(said))
