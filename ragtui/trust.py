"""Which code of a workspace the user has allowed to run: once per content, remembered outside the workspace.

A workspace can come from anyone (a clone, an archive), so what it may run is never written in it: the list lies in the
user's own state folder. Code is a file (a metric, a setup script, a target's module) or a text (the command of a target).
Another content, or the same content in another workspace, is other code and must be allowed anew.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from ragtui.workspace import Workspace

_NAME: Final = "trusted"
_allowed_here: set[str] = set()  # in this process: holds where the user's own folder cannot be written


def is_trusted(workspace: Workspace, code: Path | str) -> bool:
    """Whether the user has allowed this file (by its present content) or this text to run; a missing file is not."""
    key = _key(workspace, code)
    return key is not None and (key in _allowed_here or key in _kept())


def untrusted(workspace: Workspace, codes: Iterable[Path | str]) -> tuple[Path | str, ...]:
    """Those that the user has not allowed yet, each once."""
    kept = _allowed_here | _kept()
    return tuple(each for each in dict.fromkeys(codes) if _key(workspace, each) not in kept)


def trust(workspace: Workspace, *codes: Path | str) -> None:
    """Remembers that the user allows these to run, as they are now. Where the user's folder cannot be written it holds
    for this process."""
    lines = []
    for code in untrusted(workspace, codes):
        key = _key(workspace, code)
        if key is not None:
            _allowed_here.add(key)
            lines.append(f"{key} {shown(workspace, code)!r} in {str(workspace.root)!r}\n")
    if lines:
        _append("".join(lines))


def shown(workspace: Workspace, code: Path | str) -> str:
    """What the user is asked about: a file by its place in the workspace, a text as it is."""
    if isinstance(code, str):
        return code
    path = code.resolve()
    return str(path.relative_to(workspace.root)) if path.is_relative_to(workspace.root) else str(path)


def _key(workspace: Workspace, code: Path | str) -> str | None:
    if isinstance(code, str):
        kind, content = b"text", code.encode("utf-8", "surrogatepass")
    else:
        try:
            kind, content = b"file", code.read_bytes()
        except OSError:
            return None
    digest = hashlib.sha256()
    for part in (os.fsencode(workspace.root.resolve()), kind, content):
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()


def _list_path() -> Path:
    from platformdirs import user_state_path

    return user_state_path("ragtui") / _NAME


def _kept() -> set[str]:
    try:
        lines = _list_path().read_text("utf-8", "replace").splitlines()
    except OSError:
        return set()
    return {line.partition(" ")[0] for line in lines}


def _append(text: str) -> None:
    path = _list_path()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as stream:  # one write: two processes may both append
            stream.write(text.encode("utf-8", "backslashreplace"))
    except OSError:
        return  # it is remembered in this process, so the run the user agreed to goes on
