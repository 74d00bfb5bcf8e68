"""``ragtui archive``: cases with their conversations and traces in one file, out of one workspace and into another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ragtui.cli._stop import could_not_run

app = typer.Typer(
    help="Put cases with their conversations and traces into one file, and bring such a file into this workspace.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


@app.command("export")
def export_(
    source: Annotated[str, typer.Argument(metavar="DATASET", help="A dataset of cases.")],
    target: Annotated[Path, typer.Argument(metavar="FILE.zip", help="The archive to write.")],
    golden: Annotated[bool, typer.Option("--golden", help="Mark it: nothing is ever tuned on these cases.")] = False,
    format: Annotated[str | None, typer.Option(help="Read DATASET as this format.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace what is there.")] = False,
) -> None:
    """Write a dataset's cases, conversations and traces into an archive."""
    from ragtui.datasets.archive import ArchiveError, export
    from ragtui.datasets.check import CannotOpen, open_dataset
    from ragtui.datasets.discover import split_sheet
    from ragtui.datasets.formats import ReadOptions
    from ragtui.datasets.settings import as_said
    from ragtui.experiments import wording
    from ragtui.workspace import Workspace, WorkspaceError

    _refuse(target, force)
    try:
        workspace = Workspace.open(split_sheet(source)[0])
        dataset, _ = open_dataset(source, format, ReadOptions(workspace=workspace))
        dataset = as_said(workspace, dataset)
        count = export(dataset, target, golden)
    except (CannotOpen, ArchiveError, WorkspaceError) as error:
        could_not_run(str(error))
    except OSError as error:
        could_not_run(f"{error.filename or target}: {error.strerror or error}")
    typer.echo(f"Wrote {wording.count(count, 'case')} to {_shown(target)}.")


@app.command("import")
def import_(
    source: Annotated[Path, typer.Argument(metavar="FILE.zip", help="The archive.")],
    target: Annotated[
        Path | None, typer.Argument(metavar="[DST.zip]", help="Where it goes [default: its name, in this folder].")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace what is there.")] = False,
) -> None:
    """Check an archive and copy it into this workspace, its sessions under new ids. The copy is a dataset as it is: open,
    check and run it by its name; ragtui convert FILE.zip cases.jsonl --to table takes the cases out.

    At most 20,000 members of 64 MiB and 512 MiB together. An archive that is not as its manifest says is refused whole.
    """
    from ragtui.datasets.archive import ArchiveError, import_to
    from ragtui.experiments import wording

    where = target or Path(source.name)
    if where.exists() and source.exists() and where.resolve() == source.resolve():
        could_not_run(f"{source}: is here already; name another file to import it to")
    _refuse(where, force)
    try:
        count, renamed = import_to(source, where)
    except ArchiveError as error:
        could_not_run(str(error))
    except OSError as error:
        could_not_run(f"{error.filename or source}: {error.strerror or error}")
    sessions = f" and {wording.count(len(renamed), 'session')} under new ids" if renamed else ""
    typer.echo(f"Copied the archive to {_shown(where)}, a dataset of {wording.count(count, 'case')}{sessions}.")


def _refuse(target: Path, force: bool) -> None:
    if target.exists() and not force:
        could_not_run(f"{target}: is there already; --force replaces it")


def _shown(path: Path) -> str:
    from ragtui.text import cell

    return cell(str(path))
