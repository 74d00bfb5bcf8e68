"""What ``ragtui check`` does with fixes: shows them, or writes them where the user wants them."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ragtui.cli._stop import could_not_run

if TYPE_CHECKING:
    from ragtui.datasets.check import Opened
    from ragtui.datasets.fixes.passes import Mended
    from ragtui.datasets.formats import ReadOptions


@dataclass(frozen=True)
class Wanted:
    """What the options say: only show, or write beside, to ``output``, or in place."""

    diff: bool = False
    fix: bool = False
    in_place: bool = False
    unsafe: bool = False
    output: Path | None = None

    @property
    def writes(self) -> bool:
        return self.fix or self.in_place or self.output is not None

    @property
    def any(self) -> bool:
        return self.diff or self.writes


def check_wanted(wanted: Wanted, paths: list[str]) -> None:
    """Ends the command where the options contradict each other."""
    if wanted.in_place and wanted.output is not None:
        could_not_run("--in-place and --output contradict each other; choose one")
    if wanted.output is not None and len(paths) > 1:
        could_not_run("--output takes the fixes of one path; name one, or use --fix")
    if wanted.output is not None:
        output, typed = wanted.output.resolve(), Path(paths[0]).resolve()
        if output == typed or (typed.is_dir() and output.is_relative_to(typed)):
            could_not_run(f"{wanted.output}: is what is checked; name another place, or use --in-place")
    if wanted.unsafe and not wanted.any:
        could_not_run("--unsafe-fixes needs --diff, --fix or --in-place")


def fixed(paths: list[str], wanted: Wanted, options: ReadOptions, format: str | None, quiet: bool) -> Opened:
    """Mends everything at ``paths``, writes it, and returns the check of what is left. With ``--diff`` the difference is
    printed instead, nothing is written, and the command ends here.

    Raises:
        CannotOpen: as ``open_datasets``.
    """
    from ragtui.datasets.check import Opened, once_for
    from ragtui.datasets.fixes.passes import mend
    from ragtui.datasets.fixes.written import staging

    left, differs = Opened(), False
    named = _once_each(paths)
    once = (
        once_for(named, format) if wanted.diff or wanted.in_place else None
    )  # copies beside what was named are several
    try:
        with staging() as folder:
            for place, path in enumerate(named):
                (folder / str(place)).mkdir()
                mended = mend(path, folder / str(place), options, format, wanted.unsafe, once=once)
                if wanted.diff:
                    differs |= _show(mended, quiet)
                else:
                    _write(mended, wanted, quiet)
                _join(left, mended.left)
    except OSError as error:
        could_not_run(f"{error.filename or 'the fixed copy'}: cannot be written: {error.strerror or error}")
    if wanted.diff:
        raise typer.Exit(1 if differs else 0)
    return left


def _once_each(paths: list[str]) -> list[str]:
    """The paths without those that name again what is named before."""
    from ragtui.datasets.discover import identity, split_sheet

    named: dict[tuple[str, str | None], str] = {}
    for path in paths:
        named.setdefault(identity(*split_sheet(path)), path)
    return list(named.values())


def _show(mended: Mended, quiet: bool) -> bool:
    from ragtui.datasets.fixes.differences import unified
    from ragtui.text import cell

    raw = not sys.stdout.isatty()  # a patch must have the file's own characters, a terminal must not
    for each in mended.files:
        before = each.copy.parent.parent / each.copy.name if each.sheet is not None else each.path
        for line in () if quiet else unified(before, each.copy, each.shown):
            sys.stdout.write((line if raw else cell(line, 1 << 20)) + "\n")
    if not quiet and mended.files:
        sys.stdout.flush()
        typer.echo(f"ragtui: would fix {_counted(mended)}", err=True)
    return bool(mended.files)


def _write(mended: Mended, wanted: Wanted, quiet: bool) -> None:
    from ragtui.datasets.fixes.written import beside, in_place
    from ragtui.text import cell

    written = in_place(mended) if wanted.in_place else beside(mended, wanted.output)
    if quiet:
        return
    if written:
        names = ", ".join(cell(str(path)) for path in written[:5]) + (" …" if len(written) > 5 else "")
        typer.echo(f"ragtui: fixed {_counted(mended)}; wrote {names}", err=True)
    elif mended.left.reports:
        typer.echo(f"ragtui: {cell(mended.typed)}: nothing to fix", err=True)


def _counted(mended: Mended) -> str:
    counts: Counter[str] = Counter()
    for each in mended.files:
        counts.update(each.mended)
    total = counts.total()
    codes = ", ".join(f"{code} {count:,}" for code, count in sorted(counts.items()))
    return f"{total:,} finding{'' if total == 1 else 's'} ({codes})"


def _join(left: Opened, other: Opened) -> None:
    from dataclasses import replace

    first = len(left.datasets)
    for report in other.reports:
        report.findings = [
            replace(each, dataset=None if each.dataset is None else each.dataset + first) for each in report.findings
        ]
    left.datasets += other.datasets
    left.reports += other.reports
    left.notes += other.notes
    left.unread += other.unread
