"""A form on the keyboard: one field a line, changed by arrows, or chosen from a list by typing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from ragtui.text import cell
from ragtui.tui.actions import bindings
from ragtui.tui.performing import Performs
from ragtui.tui.widgets.choosing import Choice, Choosing


@dataclass
class Field:
    """``choices`` are asked for when they are needed; ``free``: any text will do. An empty ``value`` shows as ``empty``."""

    name: str
    label: str
    value: str
    choices: Callable[[], Sequence[Choice]]
    empty: str = "none"
    free: bool = False
    proposed: str = ""


class Form(Performs, Widget, can_focus=True):
    """Says ``Changed`` whenever a value does."""

    SCOPES = ("form",)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("form")]
    DEFAULT_CSS = """
    Form { height: auto; padding: 1 1; }
    """

    @dataclass
    class Changed(Message):
        """One field has another value."""

        form: Form
        name: str

        @property
        def control(self) -> Form:
            return self.form

    def __init__(self, fields: Sequence[Field], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.fields = list(fields)
        for each in self.fields:
            each.proposed = each.proposed or each.value
        self._at = 0

    @property
    def values(self) -> dict[str, str]:
        return {each.name: each.value for each in self.fields}

    def set(self, name: str, value: str) -> None:
        """Changes a value from outside, without a message."""
        each = next(each for each in self.fields if each.name == name)
        each.value = each.proposed = value
        self.refresh(layout=True)

    def get_content_height(self, container: object, viewport: object, width: int) -> int:
        return len(self.fields)

    def render(self) -> Content:
        width = max(len(each.label) for each in self.fields) + 2
        return Content("\n").join(self._line(i, each, width) for i, each in enumerate(self.fields))

    def _line(self, at: int, each: Field, width: int) -> Content:
        current = at == self._at and self.has_focus
        title = next((choice.title for choice in each.choices() if choice.key == each.value), each.value) or each.empty
        shown = Content.styled(cell(title), "bold $foreground" if each.value else "$foreground")
        note = next((choice.note for choice in each.choices() if choice.key == each.value), "")
        left, right = ("‹ ", " ›  ") if current else ("  ", "    ")
        line = Content.assemble(
            Content.styled("▌ " if current else "  ", "bold $primary"),
            Content.styled(f"{each.label:<{width}}", "$primary" if current else "dim"),
            Content.styled(left, "bold $accent"),
            shown,
            Content.styled(right, "bold $accent"),
            Content.styled(cell(note), "dim"),
        )
        return line.truncate(max(10, self.content_size.width), ellipsis=True)

    def on_focus(self, event: events.Focus) -> None:
        self.refresh()

    def on_blur(self, event: events.Blur) -> None:
        self.refresh()

    # What the keys do

    def do_down(self) -> None:
        self._at = min(self._at + 1, len(self.fields) - 1)
        self.refresh()

    def do_up(self) -> None:
        self._at = max(self._at - 1, 0)
        self.refresh()

    def do_next_choice(self) -> None:
        self._cycle(1)

    def do_previous_choice(self) -> None:
        self._cycle(-1)

    def _cycle(self, step: int) -> None:
        each = self.fields[self._at]
        keys = [choice.key for choice in each.choices()]
        if keys:
            at = keys.index(each.value) if each.value in keys else -1
            self._take(each, keys[(at + step) % len(keys)])

    def do_choose(self) -> None:
        each = self.fields[self._at]

        def take(chosen: str | None) -> None:
            if chosen is not None:
                self._take(each, chosen)

        self.app.push_screen(Choosing(each.label, each.choices(), each.value, free=each.free), take)

    def do_clear(self) -> None:
        each = self.fields[self._at]
        self._take(each, each.proposed)

    def _take(self, each: Field, value: str) -> None:
        if value != each.value:
            each.value = value
            self.refresh(layout=True)
            self.post_message(self.Changed(self, each.name))
