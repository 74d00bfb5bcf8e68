"""Asks for a person's own score: one digit is enough."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from ragtui.text import cell


def keys_of(scale: tuple[float | None, float | None]) -> dict[str, str]:
    """The digits that stand for scores on a scale, with the score of each: itself on 1 to 5, and on 0 to 1 its ends and
    the tenths between."""
    low, high = scale
    if (low, high) == (0.0, 1.0):
        return {"0": "0", "1": "1", **{str(n): f"0.{n}" for n in range(2, 10)}}
    first = 0 if low is None else max(0, int(low))
    last = 9 if high is None else min(9, int(high))
    return {str(n): str(n) for n in range(first, last + 1)}


class OwnScore(ModalScreen[str | None]):
    """Ends with the score as text, or ``None`` if it was left."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,ctrl+c", "leave", show=False),
        *(Binding(str(n), f"take('{n}')", show=False) for n in range(10)),
    ]
    DEFAULT_CSS = """
    OwnScore {
        align: center middle; background: $background 60%;
        & > Static { width: auto; max-width: 94%; height: auto; padding: 0 2; background: $surface;
            border: round $border; border-title-color: $primary; border-subtitle-color: $text-muted; }
        &:ansi { background: transparent; }
    }
    """

    def __init__(self, metric: str, scale: tuple[float | None, float | None], levels: Sequence[str] = ()) -> None:
        super().__init__()
        self._metric, self._scores, self._levels = metric, keys_of(scale), levels

    def compose(self) -> ComposeResult:
        lines = [Content(cell(each)) for each in self._levels]
        keys = Content.assemble("press  ", *(Content.styled(f"{key}  ", "bold $accent") for key in self._scores))
        box = Static(Content("\n").join([*lines, keys]))
        box.border_title = Content(cell(f"your own score of {self._metric}"))
        box.border_subtitle = Content("esc leaves")
        yield box

    def action_take(self, key: str) -> None:
        if key in self._scores:
            self.dismiss(self._scores[key])

    def action_leave(self) -> None:
        self.dismiss(None)
