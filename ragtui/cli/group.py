"""``ragtui group``: Metric Groups in ``ragtui.toml``, all that the app can do with them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ragtui.cli._stop import could_not_run

if TYPE_CHECKING:
    from ragtui.metrics.groups import Group
    from ragtui.workspace import Workspace

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Make, show and change Metric Groups: named, ordered sets of 1 to 50 metrics.",
)

_NAME = typer.Argument(help="The group's name.")
_FILE = typer.Argument(help="A TOML file with [groups.NAME] tables.")
_METRICS = typer.Argument(help="Metrics, as groundedness, nDCG@10 or f1:azure; `ragtui metrics` lists them.")


@app.command("list")
def list_(output_format: str = typer.Option("text", help="text or json.")) -> None:
    """List the groups of this workspace."""
    from ragtui.metrics.groups import groups

    found = _try(groups, _workspace())
    if output_format == "json":
        typer.echo(_as_json([_row(each) for each in found]))
    elif not found:
        typer.echo("no Metric Group yet; `ragtui group add NAME METRIC...` makes one")
    else:
        width = max(len(each.name) for each in found)
        for each in found:
            typer.echo(f"{each.name:<{width}}  {len(each.metrics):>2}  {', '.join(each.specs)}")


@app.command()
def show(name: str = _NAME, output_format: str = typer.Option("text", help="text or json.")) -> None:
    """Show one group: its metrics in order, with their thresholds."""
    from ragtui.metrics.groups import load_group

    group = _try(load_group, _workspace(), name)
    typer.echo(_as_json(_row(group)) if output_format == "json" else shown(group))


@app.command()
def add(name: str = _NAME, metrics: list[str] = _METRICS) -> None:
    """Add metrics to a group; it is made if it is not there."""
    from ragtui.metrics.groups import add_metrics

    _change(name, add_metrics, name, _split(metrics))


@app.command()
def remove(name: str = _NAME, metrics: list[str] = _METRICS) -> None:
    """Take metrics out of a group."""
    from ragtui.metrics.groups import remove_metrics

    _change(name, remove_metrics, name, _split(metrics))


@app.command()
def move(
    name: str = _NAME,
    metric: str = typer.Argument(help="The metric to move."),
    to: int = typer.Argument(help="Its new place, counted from 1."),
) -> None:
    """Put a metric at another place of its group."""
    from ragtui.metrics.groups import move_metric

    if to < 1:
        could_not_run(f"the place {to} is not there; places are counted from 1")
    _change(name, move_metric, name, metric, to - 1)


@app.command()
def threshold(
    name: str = _NAME,
    metric: str = typer.Argument(help="The metric the threshold is for."),
    value: str = typer.Argument(help="The threshold, or `default` to take the group's own back."),
) -> None:
    """Give a metric of a group its own threshold."""
    from ragtui.metrics.groups import set_threshold

    try:
        number = None if value == "default" else float(value)
    except ValueError:
        could_not_run(f"the threshold {value!r} is no number; write a number or default")
    _change(name, set_threshold, name, metric, number)


@app.command()
def rename(name: str = _NAME, new: str = typer.Argument(help="Its new name.")) -> None:
    """Give a group another name."""
    from ragtui.metrics.groups import rename_group

    _change(new, rename_group, name, new)


@app.command()
def duplicate(name: str = _NAME, copy: str = typer.Argument(help="The copy's name.")) -> None:
    """Write a group a second time, under another name."""
    from ragtui.metrics.groups import duplicate_group

    _change(copy, duplicate_group, name, copy)


@app.command()
def delete(name: str = _NAME) -> None:
    """Delete a group that no experiment uses."""
    from ragtui.metrics.groups import delete_group

    workspace = _workspace()
    _try(delete_group, workspace, name, _used_by(workspace, name))
    typer.echo(f"deleted {name}")


@app.command()
def propose(
    dataset: str = typer.Argument(help="A dataset, as for `ragtui check`."),
    name: str = typer.Option(None, "--save", help="Write the proposal as a group of this name."),
    model: bool = typer.Option(False, "--model", help="Also metrics that need a model judge."),
) -> None:
    """Propose metrics that fit what a dataset holds."""
    from ragtui.metrics.groups import available_inputs, propose, save_group

    found = propose(available_inputs(_dataset(dataset)), judge_offline=not model)
    if not found:
        could_not_run(f"{dataset}: no metric fits its columns; `ragtui check` shows what they are for")
    if name is None:
        typer.echo("\n".join(found))
    else:
        _change(name, save_group, name, found)


@app.command()
def export(name: str = _NAME) -> None:
    """Print a group as TOML, to be kept or given away."""
    import tomlkit

    from ragtui.metrics.groups import as_table, load_group

    group = _try(load_group, _workspace(), name)
    typer.echo(tomlkit.dumps({"groups": {group.name: as_table(group)}}), nl=False)


@app.command("import")
def import_(file: Path = _FILE) -> None:
    """Take over the groups of a TOML file; one that is there already is refused."""
    from ragtui.metrics.groups import import_groups

    try:
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        could_not_run(f"{file}: cannot be read: {error}")
    _, names = _try(import_groups, _workspace(), text, file.name)
    typer.echo(f"imported {', '.join(names)}")


def shown(group: Group) -> str:
    """A group's metrics in order, one a line."""
    lines = [f"{group.name}: {len(group.metrics)} metric{'' if len(group.metrics) == 1 else 's'}"]
    for place, each in enumerate(group.metrics, 1):
        limit = group.threshold(each)
        passes = "no threshold" if limit is None else f"{'≥' if each.higher_is_better else '≤'} {limit:g}"
        own = " (the group's)" if each.name in group.thresholds else ""
        lines.append(f"{place:>3}  {each.name:<22} {each.shown_scale:<12} {passes}{own}")
    return "\n".join(lines)


def _change(name: str, change: Callable[..., Workspace], *arguments: Any) -> None:
    """Changes a group and shows it as it is then."""
    from ragtui.metrics.groups import load_group

    typer.echo(shown(load_group(_try(change, _workspace(), *arguments), name)))


def _try(function: Callable[..., Any], *arguments: Any) -> Any:
    """What the function gives; where it cannot, one line and status 2."""
    from ragtui.metrics.spec import MetricError
    from ragtui.workspace import WorkspaceError

    try:
        return function(*arguments)
    except (MetricError, WorkspaceError) as error:
        could_not_run(str(error))
    except OSError as error:
        could_not_run(f"ragtui.toml cannot be written: {error.strerror or error}")


def _workspace() -> Workspace:
    from ragtui.workspace import Workspace

    found: Workspace = _try(Workspace.open)
    return found


def _dataset(path: str) -> Any:
    from ragtui.datasets.check import CannotOpen, open_dataset

    try:
        return open_dataset(path)[0]
    except CannotOpen as error:
        could_not_run(str(error))


def _used_by(workspace: Workspace, name: str) -> tuple[str, ...]:
    """The experiments that were run with a group."""
    from ragtui.experiments.store import Store

    store = Store.open(workspace)
    try:
        return tuple(entry.plan.id for entry in store.list() if entry.plan.group == name)
    finally:
        store.close()


def _split(specs: Sequence[str]) -> list[str]:
    return [part for spec in specs for part in spec.split(",") if part.strip()]


def _row(group: Group) -> dict[str, Any]:
    thresholds = {each.name: group.threshold(each) for each in group.metrics}
    return {"name": group.name, "metrics": list(group.specs), "thresholds": thresholds}


def _as_json(value: Any) -> str:
    import json

    return json.dumps(value, indent=1, ensure_ascii=False)
