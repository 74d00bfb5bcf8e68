"""The command line. One module a command, found by its name: adding a command touches no other file.

A module ``ragtui/cli/NAME.py`` gives either a function ``command`` (the parameters are the command's, its docstring the
help) or, for a command with commands of its own, a Typer ``app``. It imports nothing heavy at its top. A module whose name
begins with ``_`` is no command; a trailing ``_`` is left out of the name (``import_`` is ``import``).

``ragtui PATH...`` and bare ``ragtui`` open the app; a path that is named like a command is written ``./check``.
"""

from __future__ import annotations

import os
import pkgutil
import sys
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Annotated, Any, Final

os.environ.setdefault("TYPER_USE_RICH", "0")  # Rich would double the time that --help takes

import typer
from typer.core import TyperGroup

_OPEN: Final = "open"
_ROOT_OPTIONS: Final = frozenset({"--help", "-h", "--version", "--install-completion", "--show-completion"})
_APP_OPTIONS: Final = frozenset({"--mouse", "--demo"})


@cache
def command_names() -> tuple[str, ...]:
    """Every command, in alphabetical order."""
    names = (info.name for info in pkgutil.iter_modules(__path__) if not info.name.startswith("_") and not info.ispkg)
    return tuple(sorted(name.removesuffix("_") for name in names))


class _Commands(TyperGroup):
    """The commands of the folder; each module is imported when its command is asked for, all of them for ``--help``."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [name for name in command_names() if name != _OPEN]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        return _load(cmd_name) if cmd_name in command_names() else None

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Lists the commands by the first sentence of their help; to build each whole would double the time of --help."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, _first_sentence(_module(name))) for name in self.list_commands(ctx)])


def _first_sentence(module: ModuleType) -> str:
    told = module.app.info.help if hasattr(module, "app") else module.command.__doc__
    first, *_ = " ".join((told or "").split("\n\n")[0].split()).split(". ")
    return first if first.endswith((".", "?", "!")) else f"{first}."


@cache
def _module(name: str) -> ModuleType:
    names = {info.name.removesuffix("_"): info.name for info in pkgutil.iter_modules(__path__)}
    return import_module(f"{__name__}.{names[name]}")


def _load(name: str) -> Any:
    loaded = _module(name)
    nested = getattr(loaded, "app", None)
    if nested is None:
        nested = _typer()
        nested.command(name)(loaded.command)
    command = typer.main.get_command(nested)
    command.name = name
    return command


def _typer(**options: Any) -> typer.Typer:
    return typer.Typer(
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        **options,
    )


def _show_version(wanted: bool) -> None:
    if wanted:
        from ragtui import __version__

        typer.echo(f"ragtui {__version__}")
        raise typer.Exit


root = typer.Typer(
    cls=_Commands,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@root.callback(subcommand_metavar="[PATH]... | COMMAND [ARGS]...")
def _ragtui(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    """Evaluate RAG systems in the terminal.

    With paths, or alone, opens the app: ragtui data/ [--mouse]. A path named like a command is written ./check.
    """


def app(arguments: Sequence[str] | None = None) -> None:
    """Runs the command line on ``arguments`` (else ``sys.argv``) and ends the process with its status."""
    from ragtui.cli import _ending, _streams

    given = list(sys.argv[1:] if arguments is None else arguments)
    if "_RAGTUI_COMPLETE" in os.environ:
        root(args=given, prog_name="ragtui")
    _streams.make_safe()
    raise SystemExit(_ending.status_of(lambda: _invoke(with_command(given))))


def _invoke(arguments: list[str]) -> None:
    """Typer's own way of ending would call an interrupted question and a closed pipe 1, a failed gate."""
    command = typer.main.get_command(root)
    with command.make_context("ragtui", arguments) as context:
        command.invoke(context)


def with_command(arguments: list[str]) -> list[str]:
    """``arguments`` with the command that opens the app put in front where no command is named."""
    first = next((argument for argument in arguments if argument not in _APP_OPTIONS), None)
    if first in _ROOT_OPTIONS or (first is not None and first == arguments[0] and first in command_names()):
        return arguments
    return [_OPEN, *arguments]
