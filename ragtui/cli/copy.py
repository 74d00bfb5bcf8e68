"""``ragtui copy SRC DST.jsonl``: cases of one dataset added to another, or made into a new one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ragtui.cli._stop import could_not_run
from ragtui.experiments import wording


def command(
    source: Annotated[str, typer.Argument(metavar="SRC", help="The dataset the cases are in.")],
    target: Annotated[Path, typer.Argument(metavar="DST.jsonl", help="The dataset they are added to, or a new one.")],
    cases: Annotated[list[str] | None, typer.Option(help="Ids of cases, separated by commas [default: all].")] = None,
    where: Annotated[str | None, typer.Option(metavar="SQL", help="Only rows where this SQL expression holds.")] = None,
    experiment: Annotated[
        bool, typer.Option("--experiment", help="SRC is an experiment: its rows become cases, with what was answered.")
    ] = False,
    format: Annotated[str | None, typer.Option(help="Read SRC as this format.")] = None,
) -> None:
    """Copy cases from one dataset into another. Each keeps where it came from; one that is there already is left out."""
    from ragtui.datasets.check import CannotOpen, open_dataset
    from ragtui.datasets.copying import append, records_of
    from ragtui.datasets.formats import ReadOptions
    from ragtui.datasets.label_rows import mixed_columns, told
    from ragtui.text import cell
    from ragtui.workspace import Workspace, WorkspaceError

    if experiment and where is not None:
        could_not_run("--where is for datasets; name the rows of an experiment with --cases")
    try:
        if experiment:
            wanted = [name.strip() for text in cases or [] for name in text.split(",") if name.strip()]
            added, left = _from_experiment(source, wanted, target)
            typer.echo(
                f"Added {wording.count(added, 'case')} to {cell(str(target))}"
                + (f"; {left:,} there already." if left else ".")
            )
            return
        dataset, _ = open_dataset(source, format, ReadOptions(workspace=Workspace.open(".")))
        ids = [name.strip() for text in cases for name in text.split(",") if name.strip()] if cases else None
        if where is not None and dataset.cases is not None:
            import polars as pl

            try:
                held = set(dataset.cases.filter(pl.sql_expr(where))["_case_id"])
            except (pl.exceptions.PolarsError, TypeError) as error:
                could_not_run(f"--where {where}: {str(error).splitlines()[0]}")
            ids = [each for each in (dataset.cases["_case_id"] if ids is None else ids) if each in held]
        added, left = append(records_of(dataset, ids), target)
        for line in told(mixed_columns(dataset)):
            typer.echo(f"ragtui: not copied: {cell(line)}", err=True)
    except (CannotOpen, WorkspaceError) as error:
        could_not_run(str(error))
    except OSError as error:
        could_not_run(f"{error.filename or target}: {error.strerror or error}")
    more = f"; {left:,} there already" if left else ""
    typer.echo(f"Added {wording.count(added, 'case')} to {cell(str(target))}{more}.")


def _from_experiment(name: str, wanted: list[str], target: Path) -> tuple[int, int]:
    from ragtui.experiments.database import StoreError
    from ragtui.experiments.selected import add_selected
    from ragtui.experiments.store import Store
    from ragtui.workspace import Workspace, WorkspaceError

    try:
        results = Store.open(Workspace.open(".")).results(name)
    except (StoreError, WorkspaceError) as error:
        could_not_run(str(error))
    return add_selected(results, wanted or results.rows()["case_id"].to_list(), target)
