"""What the screens that lie over the main one have in common: lines of title at the top, the keys at the bottom."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.screen import Screen, ScreenResultType

from ragtui.tui.performing import Performs
from ragtui.tui.widgets.key_bar import KeyBar
from ragtui.tui.widgets.prompt_line import Line, PromptLine


class OverScreen(Performs, Screen[ScreenResultType], inherit_bindings=False):
    """Its parts, which ``parts`` yields, stand between ``LINES`` of title and the two lines at the bottom."""

    LINES: ClassVar[tuple[str, ...]] = ()
    """The ids of the lines at the top."""
    AUTO_FOCUS = ""
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-wide")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-short"), (32, "-tall")]  # noqa: RUF012
    ALLOW_IN_MAXIMIZED_VIEW = "#top, #bottom"
    DEFAULT_CSS = """
    OverScreen {
        background: $background; color: $foreground;
        & #top { height: auto; background: $panel; }
        & #top > Line { background: $panel; color: $foreground; }
    }
    """

    def compose(self) -> ComposeResult:
        with Vertical(id="top"):
            for name in self.LINES:
                yield Line(id=name)
        yield from self.parts()
        with Vertical(id="bottom"):
            yield PromptLine()
            yield KeyBar()

    @abstractmethod
    def parts(self) -> ComposeResult:
        """What stands between the lines at the top and those at the bottom."""

    def on_descendant_focus(self) -> None:
        self.show_keys()

    def show_keys(self) -> None:
        """Draws the keys anew, where what can be done has changed."""
        self.query_one(KeyBar).update_for(self.focused or self)
