"""The bottom line: what was said last at the left, where one is at the right; and, when asked, a line to type in."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Input
from textual.widgets.input import Selection

from ragtui.text import cell
from ragtui.tui.performing import tell
from ragtui.tui.widgets.key_bar import KeyBar, key_words
from ragtui.tui.widgets.typed_line import TypedLine

Then = Callable[[str], object]
Complete = Callable[[str], list[str]]


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with what was typed, in one line; ``at`` is where in it, counted from 0, if that is known."""

    message: str
    at: int | None = None


Check = Callable[[str], Awaitable[Fault | None]]

_history: dict[str, list[str]] = {}  # what was typed before, by kind, while the app runs


def recall(kind: str, earlier: Sequence[str]) -> None:
    """What was typed before this start of the app, the latest last."""
    _history[kind] = list(earlier)


class Line(Widget):
    """One line that is redrawn alone, without laying anything out."""

    DEFAULT_CSS = "Line { height: 1; color: $text-muted; }"

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._content = Content("")

    def show(self, content: Content) -> None:
        if content.plain != self._content.plain or content.spans != self._content.spans:
            self._content = content
            self.refresh()

    def render(self) -> Content:
        return self._content.truncate(max(1, self.content_size.width), ellipsis=True)


class PromptLine(Horizontal):
    """Status until ``ask`` turns it into a field; enter or escape turn it back and return the focus to where it was."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+c", "leave", show=False),
        Binding("tab", "complete", show=False),
        Binding("up", "earlier(1)", show=False),
        Binding("down", "earlier(-1)", show=False),
    ]
    DEFAULT_CSS = """
    PromptLine {
        height: 1; padding: 0 1; background: $background;
        & > #status { width: 1fr; color: $text-muted; }
        & > #position { width: 1; text-align: right; color: $text-muted; }
        & > #asked { width: auto; color: $accent; text-style: bold; display: none; }
        & > #offer { width: auto; color: $text-muted; display: none; }
        & > Input { width: 1fr; display: none; border: none; padding: 0; height: 1; background: $background; }
        & > Input:focus { border: none; }
    }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._then: Then | None = None
        self._changed: Then | None = None
        self._complete: Complete | None = None
        self._check: Check | None = None
        self._kind = ""
        self._back_to: Widget | None = None
        self._offers: list[str] = []
        self._completed: str | None = None
        self._at = 0
        self._position_width = 0

    def compose(self) -> ComposeResult:
        yield Line(id="status")
        yield Line(id="position")
        yield Line(id="asked")
        field = TypedLine(id="typed", select_on_focus=False)
        field.cursor_blink = False
        yield field
        yield Line(id="offer")

    def status(self, content: Content) -> None:
        self.query_one("#status", Line).show(content)

    def position(self, content: Content) -> None:
        line = self.query_one("#position", Line)
        width = content.cell_length + 1
        if width != self._position_width:  # only when a digit comes or goes
            self._position_width = width
            line.styles.width = width
        line.show(content)

    @property
    def asking(self) -> bool:
        return self._then is not None

    def ask(
        self,
        label: str,
        then: Then,
        *,
        value: str = "",
        changed: Then | None = None,
        complete: Complete | None = None,
        check: Check | None = None,
        history: str = "",
        replace: bool = False,
    ) -> None:
        """Asks for one line of text. ``then`` is called with it on enter, ``changed`` at every key.

        ``check`` does what was asked for and says what is wrong: then the line stays, with its text. With ``replace`` the
        first key takes the place of ``value``.
        """
        self._back_to = self.screen.focused
        self._then, self._changed, self._complete, self._kind, self._at = then, changed, complete, history, 0
        self._check = check
        asked = self.query_one("#asked", Line)
        asked.show(Content(cell(label) + (" " if len(label) > 1 else "")))
        asked.styles.width = len(label) + (1 if len(label) > 1 else 0)
        field = self.query_one("#typed", Input)
        field.value = value
        self._offers, self._completed = [], None
        self._switch(asking=True)
        self._show_offers(complete(value) if complete is not None and not value else [])
        # Shown and focused in the same step: keys typed at once must not run as commands.
        self.screen.set_focus(field)
        field.cursor_position = len(value)
        if replace and value:
            field.selection = Selection(0, len(value))

    def _switch(self, asking: bool) -> None:
        for name in ("#status", "#position"):
            self.query_one(name).display = not asking
        for name in ("#asked", "#typed"):
            self.query_one(name).display = asking
        self.query_one("#offer").display = False
        self._say(self._keys() if asking else None)

    def _keys(self) -> Content:
        """The keys of a line that is asked for."""
        items = [("⏎", "takes it"), ("esc", "leaves")]
        items += [("tab", "completes")] if self._complete is not None else []
        items += [("↑", "earlier ones")] if _history.get(self._kind) else []
        return key_words((key, word, True) for key, word in items)

    def _say(self, content: Content | None) -> None:
        for bar in self.screen.query(KeyBar):
            bar.say(content)

    def _end(self) -> Then | None:
        then, self._then = self._then, None
        self._switch(asking=False)
        self.screen.set_focus(self._back_to if self._back_to is not None and self._back_to.is_attached else None)
        return then

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        typed = event.value
        if self._check is not None:
            self.run_worker(self._checked(self._check, typed), group="check", exclusive=True, exit_on_error=False)
            return
        self._remember(typed)
        if (then := self._end()) is not None:
            then(typed)

    async def _checked(self, check: Check, typed: str) -> None:
        if (fault := await check(typed)) is not None:
            if not self._offer(f"✗ {fault.message}", "$error", beyond_half=True):
                self._say(Content.styled(cell(f"✗ {fault.message}"), "$error"))
            tell(self, fault.message, "error")
            if fault.at is not None and self.asking:
                wrong = re.match(r'\w*|"[^"]*"', typed[fault.at :])  # behind it, so that backspace takes it away
                self.query_one("#typed", Input).cursor_position = fault.at + (wrong.end() if wrong else 0)
            return
        self._remember(typed)
        if self.asking and (then := self._end()) is not None:
            then(typed)

    def _remember(self, typed: str) -> None:
        if self._kind and typed:
            earlier = _history.setdefault(self._kind, [])
            if typed in earlier:
                earlier.remove(typed)
            earlier.append(typed)

    def _offer(self, text: str, style: str = "", *, beyond_half: bool = False) -> bool:
        """Shows a text behind what is typed; returns whether all of it fits there."""
        offer, shown = self.query_one("#offer", Line), cell(text)
        typed = cell_len(self.query_one("#typed", Input).value) + self.query_one("#asked").size.width
        left = self.size.width - typed - 4 if beyond_half else 0
        room = max(self.size.width // 2, left)
        offer.styles.width = min(cell_len(shown), room)
        offer.show(Content.styled(shown, style))
        offer.display = True
        return cell_len(shown) <= room

    def _show_offers(self, offers: list[str]) -> None:
        self._offers = offers
        if offers:
            typed = self.query_one("#typed", Input).value
            begun = typed[: typed.rfind(" ") + 1]
            words = [each.removeprefix(begun) for each in offers[:6]]
            self._offer("⇥ " + "  ".join(words))
        else:
            self.query_one("#offer", Line).display = False

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        if not self.asking:
            return
        if self._completed is not None and event.value == self._completed:
            return  # tab goes on to the next of the same offers
        self._completed = None
        self._say(self._keys())
        self._show_offers(self._complete(event.value) if self._complete else [])
        if self._changed is not None:
            self._changed(event.value)

    def action_complete(self) -> None:
        if self._offers:
            field = self.query_one("#typed", Input)
            going_on = self._completed in self._offers
            at = self._offers.index(self._completed or "") + 1 if going_on else 0
            self._completed = self._offers[at % len(self._offers)]
            field.value = self._completed
            field.cursor_position = len(field.value)

    def action_earlier(self, step: int) -> None:
        earlier = _history.get(self._kind, [])
        self._at = max(0, min(self._at + step, len(earlier)))
        if earlier:
            field = self.query_one("#typed", Input)
            field.value = earlier[-self._at] if self._at else ""
            field.cursor_position = len(field.value)

    def action_leave(self) -> None:
        changed = self._changed
        self._end()
        if changed is not None:
            changed("")

    def on_blur(self, event: events.Blur) -> None:
        event.stop()


def ask(
    node: Widget,
    label: str,
    then: Then,
    *,
    value: str = "",
    changed: Then | None = None,
    complete: Complete | None = None,
    check: Check | None = None,
    history: str = "",
    replace: bool = False,
) -> None:
    """Asks for one line of text at the bottom of the screen that ``node`` is on."""
    node.screen.query_one(PromptLine).ask(
        label, then, value=value, changed=changed, complete=complete, check=check, history=history, replace=replace
    )
