"""``ragtui check PATH...``: what is wrong with a dataset, at which line."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from ragtui.cli._numbers import MOST
from ragtui.cli._stop import could_not_run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ragtui.datasets.check import Opened
    from ragtui.datasets.formats import Golden, ReadOptions
    from ragtui.workspace import Workspace

_LARGE: Final = 64 << 20  # bytes of a corpus


def command(
    paths: Annotated[
        list[str] | None, typer.Argument(metavar="[PATH]...", help="Files, folders, book.xlsx#Sheet [default: .].")
    ] = None,
    output_format: Annotated[str, typer.Option(help="concise, full, json, github, junit or sarif.")] = "concise",
    output_file: Annotated[
        Path | None, typer.Option("--output-file", "-o", help="Write the report there, not to standard output.")
    ] = None,
    select: Annotated[
        list[str] | None, typer.Option(help="Only these rules: codes or their beginnings, separated by commas; ALL.")
    ] = None,
    ignore: Annotated[list[str] | None, typer.Option(help="Not these rules.")] = None,
    statistics: Annotated[
        bool, typer.Option("--statistics", help="Count the findings of each rule instead of listing them.")
    ] = False,
    platform: Annotated[
        str | None, typer.Option("--for", metavar="PLATFORM", help="Judge the data for use there.")
    ] = None,
    files: Annotated[
        Path | None, typer.Option(help="A folder, or a listing of names, that labels' file names are matched against.")
    ] = None,
    mapping: Annotated[
        Path | None,
        typer.Option(help="A mapping (TOML, an SDK evaluator_config or Foundry criteria) to check against the data."),
    ] = None,
    golden: Annotated[
        list[str] | None,
        typer.Option(help="A dataset nothing may be tuned on: what others share with it is a finding."),
    ] = None,
    format: Annotated[str | None, typer.Option(help="Read everything as this format instead of sniffing.")] = None,
    split: Annotated[
        str | None, typer.Option(help="The judgments to use, where there are several [default: test].")
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(min=1, max=MOST, help="Look at this many cases or queries only; no document is dropped."),
    ] = None,
    skip_hidden: Annotated[bool, typer.Option("--skip-hidden", help="Leave hidden rows of workbooks out.")] = False,
    fail_level: Annotated[
        str, typer.Option(help="The mildest level that fails the check: error, warning or info.")
    ] = "error",
    diff: Annotated[bool, typer.Option("--diff", help="Show what --fix would change; write nothing.")] = False,
    fix: Annotated[
        bool, typer.Option("--fix", help="Write NAME.fixed.EXT beside the file, DIR.fixed/ for a folder.")
    ] = False,
    in_place: Annotated[
        bool, typer.Option("--in-place", help="Fix the file itself and keep what it was as NAME.orig.")
    ] = False,
    unsafe_fixes: Annotated[
        bool, typer.Option("--unsafe-fixes", help="Make those fixes, too, that may change a meaning.")
    ] = False,
    output: Annotated[Path | None, typer.Option(help="Write what is fixed there.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing; the status tells.")] = False,
) -> None:
    """Check datasets: encoding, structure, values, ids, file names.

    [*] marks what --fix mends. Status: 0 nothing at or above --fail-level (left), 1 something, 2 could not run; with --diff
    0 nothing to fix, 1 a difference.
    """
    for corpus in filter(_is_large, (os.path.join(path, "corpus.jsonl") for path in paths or ["."])):
        from ragtui.datasets.retrieval_lines.scan import begin_ahead

        begin_ahead(Path(corpus))
        break
    from ragtui.cli._fixing import Wanted, check_wanted, fixed
    from ragtui.cli.findings_output import Style, forms, render
    from ragtui.datasets.check import CannotOpen, check_options, open_datasets
    from ragtui.datasets.findings import Level

    if output_format not in forms():
        could_not_run(f"unknown output format {output_format!r}; known are {', '.join(forms())}")
    if fail_level not in [level.value for level in Level]:
        could_not_run(f"unknown level {fail_level!r}; known are error, warning and info")
    if statistics and output_format not in ("concise", "full"):
        could_not_run(f"--statistics is text; the {output_format} report has its own counts")
    try:
        options = _options(select or [], ignore or [], platform, files, split, limit, skip_hidden, mapping)
        workspace = _workspace()
        options = replace(options, golden=_golden(golden or [], workspace), workspace=workspace)
        check_options(options.select, options.ignore, platform, format)
        wanted = Wanted(diff, fix, in_place, unsafe_fixes, output)
        check_wanted(wanted, paths or ["."])
        if wanted.any:
            opened = fixed(paths or ["."], wanted, options, format, quiet)
        else:
            opened = open_datasets(paths or ["."], options, format)
    except CannotOpen as error:
        could_not_run(str(error))
    level = Level(fail_level)
    if not quiet:
        for note in opened.notes:
            typer.echo(f"ragtui: {note}", err=True)
        style = Style(level, output_file is None and _colour())
        _write(_statistics(opened) if statistics else render(output_format, opened, style), output_file)
    if any(opened.total(each) for each in Level if each.rank <= level.rank):
        raise typer.Exit(1)


def _options(
    select: list[str],
    ignore: list[str],
    platform: str | None,
    files: Path | None,
    split: str | None,
    limit: int | None,
    skip_hidden: bool,
    mapping: Path | None,
) -> ReadOptions:
    from ragtui.datasets.check import CannotOpen
    from ragtui.datasets.files import FilesError, file_names
    from ragtui.datasets.formats import ReadOptions

    try:
        names = file_names(files) if files is not None else None
    except FilesError as error:
        raise CannotOpen(str(error)) from error
    return ReadOptions(
        split=split, limit=limit, platform=platform, select=_codes(select), ignore=_codes(ignore),
        skip_hidden=skip_hidden, files=names, mapping=mapping,
    )  # fmt: skip


def _is_large(corpus: str) -> bool:
    """Whether processes will be wanted for a corpus: they start, and start on it, while the rest is loaded."""
    try:
        return os.path.getsize(corpus) > _LARGE
    except (OSError, ValueError):
        return False


def _workspace() -> Workspace:
    from ragtui.datasets.check import CannotOpen
    from ragtui.workspace import Workspace, WorkspaceError

    try:
        return Workspace.open(".")
    except WorkspaceError as error:
        raise CannotOpen(str(error)) from error


def _golden(named: list[str], workspace: Workspace) -> tuple[Golden, ...]:
    """The golden datasets that are named, and those of ``golden = [...]`` in ``ragtui.toml``."""
    from ragtui.datasets.check import golden_at

    kept = workspace.config.get("golden", [])
    paths = [str(workspace.root / each) for each in kept if isinstance(each, str)] if isinstance(kept, list) else []
    return tuple(golden_at(path) for path in [*named, *paths])


def _codes(given: list[str]) -> tuple[str, ...]:
    return tuple(code.strip().upper() for text in given for code in text.split(",") if code.strip())


def _colour() -> bool:
    if "NO_COLOR" in os.environ:
        return False
    return bool(os.environ.get("FORCE_COLOR")) or sys.stdout.isatty()


def _statistics(opened: Opened) -> Iterator[str]:
    """``count<TAB>code<TAB>[*] name``, the most frequent first; the star says that some of them have a safe fix."""
    from ragtui.cli.findings_output import summary
    from ragtui.datasets.rules import rules

    fixable = {finding.code for finding in opened.findings() if finding.fixable}
    for code, (count, _) in sorted(opened.by_code().items(), key=lambda item: (-item[1][0], item[0])):
        name = rules()[code].name if code in rules() else ""
        yield f"{count}\t{code}\t[{'*' if code in fixable else ' '}] {name}\n"
    yield summary(opened) + "\n"


def _write(pieces: Iterator[str], path: Path | None) -> None:
    if path is None:
        for piece in pieces:
            sys.stdout.write(piece)
        sys.stdout.flush()
        return
    from ragtui.workspace import write_atomically

    try:
        write_atomically(path, "".join(pieces))
    except OSError as error:
        could_not_run(f"{path}: cannot be written: {error.strerror or error}")
