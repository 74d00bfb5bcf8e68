"""A list to choose from, found by typing: sort menus, the palette, the keys, form choices, metrics to add."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option

from ragtui.text import cell
from ragtui.tui.widgets.typed_line import TypedLine


@dataclass(frozen=True, slots=True)
class Choice:
    """``note`` stands at the right (a key, a kind); ``reason`` why it cannot be chosen just now, behind the title, which
    gives way to it; ``heading`` choices only divide the list; ``words`` find it, too, though they are not shown."""

    key: str
    title: str
    note: str = ""
    heading: bool = False
    dim: bool = False
    words: str = ""
    reason: str = ""


class _Search(TypedLine):
    """The field of a list in which several can be marked: the space bar marks where no word stands before it."""

    async def _on_key(self, event: events.Key) -> None:
        screen = self.screen
        if event.key == "space" and isinstance(screen, Choosing) and screen.space_marks:
            event.stop()
            event.prevent_default()
            screen.action_mark()
            return
        await super()._on_key(event)


class Choosing(ModalScreen[str | None]):
    """Ends with the chosen key, or ``None``. With ``many``, tab marks and the marked keys come back, a line each;
    so does the space bar, except behind a word that was just typed, where another word may follow."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+c", "leave", show=False),
        Binding("down,ctrl+n", "move(1)", show=False),
        Binding("up,ctrl+p", "move(-1)", show=False),
        Binding("pagedown,ctrl+d", "move(10)", show=False),
        Binding("pageup,ctrl+u", "move(-10)", show=False),
        Binding("tab", "mark", show=False),
    ]
    DEFAULT_CSS = """
    Choosing {
        align: center middle; background: $background 60%;
        & > Vertical { width: 76; max-width: 94%; height: auto; max-height: 80%; padding: 0 1; background: $surface;
            border: round $border; border-title-color: $primary; border-subtitle-color: $text-muted; }
        & Input { border: none; padding: 0; height: 1; background: $surface; }
        & Input:focus { border: none; }
        & OptionList { height: auto; max-height: 100%; border: none; padding: 0; background: $surface;
            scrollbar-size-vertical: 1; }
        & OptionList:focus { border: none; }
        & OptionList > .option-list--option-highlighted {
            background: $primary 35%; color: $foreground; text-style: bold; }
        &:ansi { background: transparent; }
        &:ansi OptionList > .option-list--option-highlighted { text-style: reverse; }
    }
    """

    def __init__(
        self,
        title: str,
        choices: Sequence[Choice],
        start: str = "",
        *,
        many: bool = False,
        free: bool = False,
        typed: str = "",
        marked: Sequence[str] = (),
    ) -> None:
        """``many``: several can be marked, ``marked`` are to begin with. ``free``: what was typed may be taken as it is, too."""
        super().__init__()
        self._heading = title
        self._choices = list(choices)
        self._start = start
        self._many = many
        self._free = free
        self._typed = typed
        self._marked = [choice.key for choice in self._choices if choice.key in marked]
        self._listed: list[Choice] = []
        self._typing = False

    def compose(self) -> ComposeResult:
        box = Vertical()
        box.border_title = Content(cell(self._heading))
        hint = "type to find · space or tab marks · ⏎ takes" if self._many else "type to find · ⏎ takes · esc leaves"
        box.border_subtitle = Content(hint)
        with box:
            field = _Search(self._typed, placeholder="…", select_on_focus=False)
            field.cursor_blink = False
            yield field
            options = OptionList(markup=False, compact=True)
            options.can_focus = False
            yield options

    def on_mount(self) -> None:
        self.set_focus(self.query_one(Input))
        self._list(self._start)

    @on(Input.Changed)
    def _typed_more(self, event: Input.Changed) -> None:
        self._typing = bool(event.value)
        self._list()

    def _list(self, start: str = "") -> None:
        typed = self.query_one(Input).value
        self._listed = found(typed, self._choices)
        if self._free and typed.strip() and typed not in {choice.key for choice in self._choices}:
            self._listed.append(Choice(typed.strip(), f"use {typed.strip()!r}", "as typed"))
        options = self.query_one(OptionList)
        options.clear_options()
        width = max(20, min(76, int(self.app.size.width * 0.94)) - 5)
        options.add_options([Option(self._line(choice, width), disabled=choice.heading) for choice in self._listed])
        if not self._listed:
            options.add_option(Option(Content.styled("  nothing matches", "dim"), disabled=True))
        usable = [i for i, choice in enumerate(self._listed) if not choice.heading]
        wanted = next((i for i in usable if self._listed[i].key == start), usable[0] if usable else None)
        options.highlighted = wanted

    def _line(self, choice: Choice, width: int) -> Content:
        if choice.heading:
            return Content.styled(cell(choice.title), "bold $primary")
        mark = ("● " if choice.key in self._marked else "  ") if self._many else ""
        note, title = cell(choice.note), mark + cell(choice.title)
        room = max(4, width - cell_len(note) - 2)
        reason = f" — {cell(choice.reason)}" if choice.reason else ""
        head = Content(title).truncate(max(12, room - cell_len(reason)), ellipsis=True)
        left = Content.assemble(head, reason).truncate(room, ellipsis=True, pad=True)
        style = "dim" if choice.dim else ""
        return Content.assemble(left.stylize(style) if style else left, "  ", Content.styled(note, "$accent"))

    @property
    def space_marks(self) -> bool:
        """Whether the space bar marks now: not behind a word that is being typed."""
        return self._many and not self._typing

    def action_move(self, step: int) -> None:
        self._typing = False
        options = self.query_one(OptionList)
        usable = [i for i, choice in enumerate(self._listed) if not choice.heading]
        if not usable:
            return
        at = usable.index(options.highlighted) if options.highlighted in usable else 0
        options.highlighted = usable[max(0, min(at + step, len(usable) - 1))]

    def action_mark(self) -> None:
        if not self._many or (choice := self._current()) is None:
            return
        if choice.key in self._marked:
            self._marked.remove(choice.key)
        else:
            self._marked.append(choice.key)
        self.action_move(1)
        after = self._current()
        self._list(after.key if after else "")

    def _current(self) -> Choice | None:
        highlighted = self.query_one(OptionList).highlighted
        return self._listed[highlighted] if highlighted is not None and highlighted < len(self._listed) else None

    @on(Input.Submitted)
    def _take(self, event: Message) -> None:
        event.stop()
        choice = self._current()
        if self._many and self._marked:
            self.dismiss("\n".join(self._marked))
        elif choice is not None:
            self.dismiss(choice.key)

    @on(OptionList.OptionSelected)
    def _clicked(self, event: OptionList.OptionSelected) -> None:
        self.query_one(OptionList).highlighted = event.option_index
        self._take(event)

    def action_leave(self) -> None:
        self.dismiss(None)


def found(typed: str, choices: Sequence[Choice]) -> list[Choice]:
    """The choices that hold every typed word, best first: the one so named, then beginnings before insides."""
    words = typed.lower().split()
    if not words:
        return list(choices)
    scored = []
    for i, choice in enumerate(choices):
        text = f"{choice.title} {choice.note} {choice.words} {choice.key}".lower()
        if not choice.heading and all(word in text for word in words):
            exact = words[0] in (choice.key.lower(), text.split()[0])
            starts = text.startswith(words[0]) or f" {words[0]}" in text
            shortest = len(text.split()[0]) if text.startswith(words[0]) else 0
            scored.append((not exact, not text.startswith(words[0]), not starts, shortest, i))
    return [choices[each[-1]] for each in sorted(scored)]
