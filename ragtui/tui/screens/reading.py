"""A text over the screen: a rule explained, a dataset described, a row whole. Escape closes it."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from ragtui.tui.widgets.part import Part
from ragtui.tui.widgets.passage import Passage
from ragtui.tui.widgets.prompt_line import PromptLine
from ragtui.tui.widgets.wrapped_text import WrappedText


class Reading(ModalScreen[None]):
    """Shows one passage; movement and search keys as everywhere."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,enter,ctrl+c", "leave", show=False)]
    DEFAULT_CSS = """
    Reading {
        align: center middle; background: $background 60%;
        & > Vertical { width: 92%; max-width: 110; height: 88%; }
        & PromptLine { background: $surface; }
        &:ansi { background: transparent; }
    }
    """

    def __init__(self, title: str, passage: Passage, hint: str = "esc closes") -> None:
        super().__init__()
        self._heading, self._passage, self._hint = title, passage, hint

    def compose(self) -> ComposeResult:
        with Vertical():
            part = Part(self._heading)
            part.subtitle(self._hint)
            with part:
                yield WrappedText()
            yield PromptLine()

    def on_mount(self) -> None:
        for text in self.query(WrappedText):  # none where it was left before it was there
            text.show(self._passage)
            text.focus()

    def action_leave(self) -> None:
        self.dismiss(None)
