"""``ragtui group``: Metric Groups in ``ragtui.toml``, all that the app can do with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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
_FILE = typer.Argument(help="A TOML file with [groups.NAME] tables, or Azure's JSON.")
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
def export(
    name: str = _NAME,
    form: str = typer.Option("toml", "--as", help="toml, sdk (evaluator_config) or foundry (testing_criteria)."),
    mapping: Path = typer.Option(None, help="The mapping to write with it: TOML, or the JSON it came from."),
    model: str = typer.Option(None, help="foundry: the deployment that judges."),
) -> None:
    """Print a group as TOML, or as Azure's SDK or Foundry takes it."""
    import tomlkit

    if form not in ("toml", "sdk", "foundry"):
        could_not_run(f"unknown form {form!r}; known are toml, sdk and foundry")
    if form != "toml":
        _export_azure(name, form, mapping, model)
        return

    from ragtui.metrics.groups import as_table, load_group

    group = _try(load_group, _workspace(), name)
    typer.echo(tomlkit.dumps({"groups": {group.name: as_table(group)}}), nl=False)


@app.command("import")
def import_(file: Path = _FILE) -> None:
    """Take over the groups of a TOML file, or an evaluator_config or testing_criteria (JSON) as a group of the file's name;
    one that is there already is refused."""
    from ragtui.metrics.groups import import_groups

    if file.suffix.lower() == ".json":
        _import_azure(file)
        return
    try:
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        could_not_run(f"{file}: cannot be read: {error}")
    _, names = _try(import_groups, _workspace(), text, file.name)
    typer.echo(f"imported {', '.join(names)}")


def _export_azure(name: str, form: str, mapping: Path | None, model: str | None) -> None:
    from ragtui.metrics.azure_config import criteria_of, evaluator_config
    from ragtui.metrics.groups import load_group

    group = _try(load_group, _workspace(), name)
    stated = {} if mapping is None else _stated(mapping)
    if form == "sdk":
        document, lost = _try(evaluator_config, group, stated)
    else:
        document, lost = _try(criteria_of, group, stated, model)
    for line in lost:
        typer.echo(f"ragtui: lost: {line}", err=True)
    typer.echo(_as_json(document))


def _stated(path: Path) -> dict[str, str]:
    """What a mapping file says, by ``METRIC.input``; in Azure's files the names of metrics are looked up."""
    from ragtui.datasets.mapping_files import read_mapping
    from ragtui.metrics.azure_config import read_azure

    return dict(
        _try(read_azure, path).mapping if path.suffix.lower() == ".json" else _try(read_mapping, path).mapping()
    )


def _write_mapping(file: Path, mapping: Mapping[str, str]) -> Path:
    """A TOML file beside Azure's, with the metrics under the names they have here; an older one is not replaced."""
    import tomlkit

    from ragtui.workspace import write_atomically

    path = file.with_suffix(".mapping.toml")
    if path.exists():
        could_not_run(f"{path}: is there already; move it away")
    tables: dict[str, Any] = {}
    for name, reference in mapping.items():
        metric, _, column = name.rpartition(".")
        (tables.setdefault(metric, {}) if metric else tables)[column] = reference
    _try(write_atomically, path, tomlkit.dumps({"mapping": tables}))
    return path


def _import_azure(file: Path) -> None:
    """Makes a group of what Azure's file says; its mapping becomes a TOML file beside the workspace's own."""
    from ragtui.metrics.azure_config import read_azure
    from ragtui.metrics.groups import groups, save_group, set_threshold
    from ragtui.metrics.own.files import own_metrics
    from ragtui.metrics.spec import MetricError

    workspace = _workspace()
    found = _try(read_azure, file, own_metrics(workspace))
    name = file.stem
    if name in {group.name for group in _try(groups, workspace)}:
        could_not_run(f"there is a group {name} already; rename it, or the file")
    workspace = _try(save_group, workspace, name, found.specs)
    lost = list(found.lost)
    for spec, value in found.thresholds.items():
        try:
            workspace = set_threshold(workspace, name, spec, value)
        except MetricError as error:
            lost.append(str(error))
    for line in lost:
        typer.echo(f"ragtui: lost: {line}", err=True)
    if found.model:
        typer.echo(f"ragtui: it is judged by {found.model}: run with --judge azure:{found.model}@ENDPOINT", err=True)
    if found.mapping:
        typer.echo(f"ragtui: its mapping is in {_write_mapping(file, found.mapping)}: run with --mapping", err=True)
    typer.echo(f"imported {name}")


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
