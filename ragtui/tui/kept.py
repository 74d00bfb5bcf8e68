"""What the app keeps of a workspace between starts, in ``.ragtui/app.json``: how columns are arranged, earlier filters."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from ragtui.tui.widgets.arrangement import Place, read, woven, written
from ragtui.workspace import Workspace, write_atomically

NAME: Final = "app.json"
_MOST_FILTERS: Final = 100


class Kept:
    """Read when it is first asked for. Arranging makes the state folder; a filter is written only where there is one."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._path = workspace.state / NAME
        self._known: dict[str, Any] | None = None

    def columns(self, table: str) -> list[Place]:
        """How the columns of a table were arranged; empty if they were not."""
        tables = self._values.get("columns")
        return read(tables.get(table)) if isinstance(tables, dict) else []

    def arrange(self, table: str, places: Sequence[Place] | None) -> None:
        """Keeps an arrangement, ``None`` forgets it; columns that are not there just now keep their places.

        Raises:
            OSError: it cannot be written; until the app ends it counts all the same.
        """
        self._read_again()
        tables = self._values.setdefault("columns", {})
        if places is None:
            tables.pop(table, None)
        else:
            tables[table] = written(woven(places, self.columns(table)))
        self._write()

    def filters(self) -> list[str]:
        """Earlier filters, the latest last."""
        found = self._values.get("filters")
        return [each for each in found if isinstance(each, str)] if isinstance(found, list) else []

    def filtered(self, condition: str) -> None:
        """Keeps a filter that was used.

        Raises:
            OSError: it cannot be written; until the app ends it is kept all the same.
        """
        self._read_again()
        earlier = [each for each in self.filters() if each != condition]
        self._values["filters"] = [*earlier, condition][-_MOST_FILTERS:]
        if self._workspace.state.is_dir():
            self._write()

    @property
    def _values(self) -> dict[str, Any]:
        if self._known is None:
            self._known = self._on_disk() or {}
        return self._known

    def _on_disk(self) -> dict[str, Any] | None:
        """What lies there; a file that is no JSON object is none: it is written anew with the next thing to keep."""
        try:
            found = json.loads(self._path.read_text("utf-8"))
        except (OSError, ValueError):
            return None
        if not isinstance(found, dict):
            return None
        return found | {"columns": found.get("columns") if isinstance(found.get("columns"), dict) else {}}

    def _read_again(self) -> None:
        """Another process may have written meanwhile."""
        self._known = self._on_disk() or self._known or {}

    def _write(self) -> None:
        write_atomically(self._path, json.dumps(self._values, ensure_ascii=True, indent=1) + "\n")
