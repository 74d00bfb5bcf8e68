"""What the four panes of the main screen have in common."""

from __future__ import annotations

from dataclasses import dataclass

from textual.containers import Container
from textual.message import Message

from ragtui.tui.opened import OpenDataset
from ragtui.tui.performing import Performs
from ragtui.tui.widgets.virtual_table import VirtualTable
from ragtui.tui.workbench import Workbench


class Pane(Performs, Container):
    """One of the four panes. Parts inside are reached with tab; the first is where the focus starts."""

    DEFAULT_CSS = "Pane { height: 1fr; width: 1fr; }"

    class Altered(Message):
        """Breadcrumb, status or what is possible may have changed."""

    @dataclass
    class Activity(Message):
        """What goes on in the background, in a few words; empty when it has ended."""

        words: str

    @dataclass
    class Evaluate(Message):
        """A new experiment is wanted, with this dataset if there is one."""

        dataset: OpenDataset | None

    @dataclass
    class Ended(Message):
        """A run of this experiment has ended: what is shown of it may be old."""

        experiment: str

    @dataclass
    class Results(Message):
        """The results of an experiment are wanted."""

        experiment: str

    def __init__(self, workbench: Workbench, *, id: str) -> None:
        super().__init__(id=id)
        self.workbench = workbench

    def crumbs(self) -> list[str]:
        """Where one is inside this pane."""
        return []

    async def loaded(self) -> None:
        """Called once, after the first paint, on the pane that is shown first."""

    def remark(self) -> str:
        """What the status line says about what is at the cursor; empty for nothing."""
        return ""

    def refreshed(self) -> None:
        """Called when the pane comes to the front or what the workbench holds has changed."""

    def rows_table(self) -> VirtualTable:
        """The table that ``filter`` and ``sort`` are about while a text has the focus."""
        return self.query(VirtualTable).last()

    def rows_changed(self) -> None:
        """The rows were filtered or sorted from a text."""

    def start(self) -> VirtualTable | None:
        """What has the focus when the pane comes to the front."""
        return next(iter(self.query(VirtualTable)), None)

    def step_back(self) -> bool:
        """What escape does inside the pane; ``False`` if there was nothing to go back from."""
        start, focused = self.start(), self.screen.focused
        if start is not None and focused is not start and focused is not None and self in focused.ancestors:
            self.screen.set_focus(start)
            return True
        return False
