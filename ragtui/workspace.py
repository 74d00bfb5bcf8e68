"""Where things lie: the workspace folder, its ``ragtui.toml``, its state in ``.ragtui/``, and the bundled folders."""

from __future__ import annotations

import errno
import os
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any, BinaryIO, Final

CONFIG_NAME: Final = "ragtui.toml"
STATE_NAME: Final = ".ragtui"


class WorkspaceError(Exception):
    """``ragtui.toml`` cannot be used; the message is one line naming file, place and remedy."""


@dataclass(frozen=True)
class Workspace:
    """A folder of datasets with, once something was saved or run, ``ragtui.toml`` and ``.ragtui/`` in it.

    Any folder is a workspace; nothing is written until the user saves or runs something.
    """

    root: Path
    config: dict[str, Any] = field(default_factory=dict)

    @property
    def config_path(self) -> Path:
        return self.root / CONFIG_NAME

    @property
    def state(self) -> Path:
        """The state folder; it may not exist yet."""
        return self.root / STATE_NAME

    @classmethod
    def open(cls, start: Path | str = ".") -> Workspace:
        """The workspace around ``start``: the nearest folder upwards with ``ragtui.toml`` or ``.ragtui``, else itself.

        Raises:
            WorkspaceError: ``ragtui.toml`` is not valid TOML.
        """
        here = Path(start).resolve()
        if here.is_file():
            here = here.parent
        root = next(
            (d for d in (here, *here.parents) if (d / CONFIG_NAME).is_file() or (d / STATE_NAME).is_dir()), here
        )
        return cls(root, _read(root / CONFIG_NAME))

    def table(self, *keys: str) -> dict[str, Any]:
        """A table of ``ragtui.toml`` by its path, empty where absent: ``table("groups")``."""
        node: Any = self.config
        for key in keys:
            node = node.get(key, {}) if isinstance(node, dict) else {}
        return node if isinstance(node, dict) else {}

    def save(self, *keys: str, value: dict[str, Any] | None) -> Workspace:
        """Writes one table of ``ragtui.toml`` (``None`` removes it), keeping the user's comments; returns the new state.

        Raises:
            OSError: the file cannot be written, or what the table would stand in is none.
        """
        import tomlkit

        document = tomlkit.parse(self.config_path.read_text("utf-8") if self.config_path.exists() else "")
        node: Any = document
        for key in keys[:-1]:
            if key not in node:
                node[key] = tomlkit.table(is_super_table=True)
            node = node[key]
            if not isinstance(node, dict):
                raise OSError(errno.EINVAL, f"{key} must be a table; `ragtui doctor` tells more", str(self.config_path))
        if value is None:
            node.pop(keys[-1], None)
        else:
            node[keys[-1]] = value
        write_atomically(self.config_path, tomlkit.dumps(document))
        return Workspace(self.root, _read(self.config_path))


def _read(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise WorkspaceError(f"{path}: not valid TOML: {error}") from error


def write_atomically(path: Path, text: str | bytes) -> None:
    """Replaces ``path`` in one step, so that a crash or a full disk leaves either the old file or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as stream:
        stream.write(text.encode("utf-8") if isinstance(text, str) else text)


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A stream to what becomes ``path`` in one step when the block ends well; else an older file stays as it was.

    A link stays a link, and what it leads to is replaced. What is no file (``/dev/stdout``, a pipe) is written to as it
    is.

    Raises:
        OSError: it cannot be written.
    """
    if path.name in ("", ".."):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if (path.is_absolute() and path.parts[1:2] in (("dev",), ("proc",))) or (path.exists() and not path.is_file()):
        with path.open("ab") as stream:
            yield stream
        return
    try:
        target = path.resolve() if path.is_symlink() else path
    except RuntimeError as error:  # links in a circle; from Python 3.13 on that is no error here
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path)) from error
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:40]}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()
        Path(name).chmod(mode)
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def bundled(name: str) -> Path:
    """The shipped folder ``themes`` or ``sample_data``: inside an installed wheel, or beside the package in a checkout.

    Raises:
        FileNotFoundError: the installation lacks it.
    """
    inside = Path(str(files("ragtui").joinpath(name)))
    if inside.is_dir():
        return inside
    root = Path(__file__).resolve().parent.parent
    if (root / "pyproject.toml").is_file() and (root / name).is_dir():
        return root / name
    raise FileNotFoundError(f"ragtui: the bundled folder {name!r} is missing; install ragtui again")
