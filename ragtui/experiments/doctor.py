"""What a report of a fault needs to hold, and what is wrong with this installation, terminal or workspace."""

from __future__ import annotations

import locale
import os
import platform
import shutil
import sqlite3
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from typing import Final

from ragtui import __version__
from ragtui.experiments import database, writer_lock
from ragtui.experiments.config_faults import faults
from ragtui.experiments.config_lines import line_of, settings
from ragtui.experiments.places import places
from ragtui.experiments.store import Store, StoreError
from ragtui.workspace import CONFIG_NAME, Workspace

_TERMINAL: Final = ("TERM", "COLORTERM", "TERM_PROGRAM", "NO_COLOR", "TMUX", "STY", "SSH_TTY", "LANG", "LC_ALL")
_PROGRAMS: Final = ("VISUAL", "EDITOR", "PAGER")


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that was looked at. ``origin`` is the file (with line) or the environment it came from; ``problem`` says
    in one line what to do about it, and is empty where all is well."""

    topic: str
    name: str
    value: str
    origin: str = ""
    problem: str = ""


def examine(workspace: Workspace, size: tuple[int, int] | None = None, wrong_keys: Sequence[str] = ()) -> list[Fact]:
    """Everything, by topic: ``versions``, ``terminal``, ``places``, ``config``, ``store``. Nothing is written or sent.

    ``size`` is columns and lines of the terminal, ``None`` where there is none; ``wrong_keys`` is what the app cannot use
    of ``[keys]``. No key or other secret is among the facts.
    """
    return [
        *_versions(),
        *_terminal(os.environ, size),
        *(Fact("places", each.name, str(each.path), "" if each.path.exists() else "not there") for each in places(workspace)),
        *_config(workspace, wrong_keys),
        *_judges(workspace, os.environ),
        *_store(workspace),
    ]  # fmt: skip


def _versions() -> Iterator[Fact]:
    yield Fact("versions", "ragtui", __version__)
    yield Fact("versions", "python", f"{platform.python_version()} ({sys.executable})")
    yield Fact("versions", "system", f"{platform.platform()}, {os.cpu_count()} cores")
    yield Fact("versions", "sqlite", sqlite3.sqlite_version)
    for name in sorted(_dependencies()):
        try:
            yield Fact("versions", name, version(name))
        except PackageNotFoundError:
            yield Fact("versions", name, "missing", problem=f"{name} is not installed; install ragtui again")


def _dependencies() -> set[str]:
    """The packages that ragtui cannot do without."""
    try:
        needed = [each for each in requires("ragtui") or () if "extra ==" not in each]
    except PackageNotFoundError:  # run from a checkout that is not installed
        needed = ["textual", "rich", "typer", "polars", "numpy", "openai"]
    return {
        "".join(letter if letter.isalnum() or letter in "-_." else " " for letter in each).split()[0] for each in needed
    }


def _terminal(environment: Mapping[str, str], size: tuple[int, int] | None) -> Iterator[Fact]:
    encoding = sys.stdout.encoding or locale.getpreferredencoding(False)
    poor = "" if encoding.lower().replace("-", "") == "utf8" else "set LANG=C.UTF-8, else other scripts show as marks"
    yield Fact("terminal", "encoding", encoding, problem=poor)
    if size is None:
        yield Fact("terminal", "size", "no terminal")
    else:
        small = "the app wants 80×24 or more" if size[0] < 80 or size[1] < 24 else ""
        yield Fact("terminal", "size", f"{size[0]}×{size[1]}", problem=small)
    for name in _TERMINAL:
        if name in environment:
            dumb = "a terminal that can do nothing: the app does not start in it" if environment[name] == "dumb" else ""
            yield Fact("terminal", name, environment[name], "environment", dumb)
    for name in _PROGRAMS:
        if name in environment:
            program = (environment[name].split() or [""])[0]
            gone = "" if shutil.which(program) else f"{program!r} is not on this machine"
            yield Fact("terminal", name, environment[name], "environment", gone)


def _config(workspace: Workspace, wrong_keys: Sequence[str]) -> Iterator[Fact]:
    found = settings(workspace.config_path, workspace.config)
    wrong = {".".join(each.keys): each for each in faults(workspace)}
    for each in found:
        fault = wrong.pop(each.name, None)
        problem = fault.message if fault is not None else ""
        yield Fact("config", each.name, each.value, f"{workspace.config_path}:{each.line}", problem)
    for name, fault in wrong.items():
        line = line_of(workspace.config_path, fault.keys)
        yield Fact("config", name, "", f"{workspace.config_path}:{line}", fault.message)
    for told in wrong_keys:
        yield Fact("config", "keys", "", f"{workspace.config_path}:{line_of(workspace.config_path, ('keys',))}", told)
    if not found and not wrong:
        yield Fact("config", CONFIG_NAME, "nothing is set; everything is as it comes", str(workspace.config_path))


def _judges(workspace: Workspace, environment: Mapping[str, str]) -> Iterator[Fact]:
    from ragtui.judges.profile import JudgeError, profiles

    for each in profiles(workspace):
        if isinstance(each, JudgeError):
            continue  # among the settings
        needed = each.key_name and not (each.local and each.key_env is None)
        if not needed:
            yield Fact("judges", each.name, "needs no key")
            continue
        there = bool(environment.get(each.key_name, "").strip())
        told = "" if there else f"set the environment variable {each.key_name} to your key"
        yield Fact("judges", each.name, f"{each.key_name} is {'set' if there else 'not set'}", "environment", told)


def _store(workspace: Workspace) -> Iterator[Fact]:
    try:
        with Store.open(workspace) as store:
            entries = store.list()
    except StoreError as error:
        yield Fact("store", "store", "unusable", problem=str(error))
        return
    yield Fact("store", "experiments", f"{len(entries):,}")
    held = writer_lock.holder(workspace.state)
    if held is not None:
        yield Fact("store", "running", f"{held.experiment} (process {held.pid} on {held.host}, since {held.since})")
    if workspace.state.exists():
        network = database.on_network(workspace.state)
        yield Fact("store", "journal", "rollback (network file system)" if network else "write-ahead log")
        unwritable = (
            "" if os.access(workspace.state, os.W_OK) else "its folder is read-only; runs cannot be stored here"
        )
        free = shutil.disk_usage(workspace.state).free
        full = unwritable or ("less than 100 MB are free" if free < 100_000_000 else "")
        yield Fact("store", "free", f"{free / 1e9:.1f} GB", str(workspace.state), full)
