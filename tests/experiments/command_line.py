"""Runs ``ragtui`` in this process, as a script would."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ragtui.cli import app


@dataclass(frozen=True)
class Said:
    status: int
    out: str
    err: str


class Shell:
    """A folder in which ``ragtui`` is called."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self._capsys = capsys
        monkeypatch.chdir(folder)

    def __call__(self, *arguments: str) -> Said:
        with pytest.raises(SystemExit) as ended:
            app(list(arguments))
        captured = self._capsys.readouterr()
        code = ended.value.code
        return Said(code if isinstance(code, int) else 0, captured.out, captured.err)

    def write(self, name: str, rows: Sequence[Mapping[str, Any]]) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        return path
