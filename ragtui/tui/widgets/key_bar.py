"""The footer: the keys that matter where the focus is, as many as fit, the important ones first to stay."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from textual.content import Content
from textual.dom import DOMNode
from textual.widget import Widget

from ragtui.text import cell
from ragtui.tui.actions import Action, shown
from ragtui.tui.performing import Performs, available


class KeyBar(Widget):
    """One line; ``update_for`` is called when the focus or what is possible changes."""

    DEFAULT_CSS = """
    KeyBar { height: 1; background: $panel; color: $text-muted; padding: 0 1; }
    KeyBar:ansi { color: ansi_default; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._items: list[tuple[Action, str, bool]] = []
        self._instead: Content | None = None

    def update_for(self, node: DOMNode | None) -> None:
        """Shows the keys for this focus."""
        seen: set[str] = set()
        items = []
        for performer, action in available(node):
            key = key_of(self, action)
            if key and key not in seen:
                seen.add(key)
                if action.short:
                    items.append((action, key, _possible(performer, action)))
        if items != self._items:
            self._items = items
            self.refresh()

    def say(self, instead: Content | None) -> None:
        """Shows this in the place of the keys while a line is asked for, which takes all keys but its own."""
        self._instead = instead
        self.refresh()

    def render(self) -> Content:
        if self._instead is not None:
            return self._instead.truncate(max(1, self.content_size.width), ellipsis=True)
        return key_line(self._items, self.content_size.width)


def key_of(widget: DOMNode, action: Action) -> str:
    """The action's first key as the user may have changed it, as people write it."""
    changed: dict[str, str] = getattr(widget.app, "keymap", {})
    return cell(shown(changed.get(action.id, action.keys)))


def key_line(items: Sequence[tuple[Action, str, bool]], width: int) -> Content:
    """As many ``key word`` pairs as fit in ``width``; those of high rank go first."""
    taken: list[tuple[Action, str, bool]] = []
    room = width
    for item in sorted(items, key=lambda each: each[0].rank):
        need = len(item[1]) + 1 + len(item[0].short) + 2
        if need <= room + 2:
            taken.append(item)
            room -= need
    return key_words(
        (key, action.short, possible) for action, key, possible in items if (action, key, possible) in taken
    )


def key_words(items: Iterable[tuple[str, str, bool]]) -> Content:
    """Keys and what they do, those dim that can do nothing now."""
    parts: list[Content | str] = []
    for key, word, possible in items:
        if parts:
            parts.append("  ")
        parts.append(Content.styled(key, "bold $accent" if possible else "dim"))
        parts.append(Content.styled(f" {word}", "$foreground" if possible else "dim"))
    return Content.assemble(*parts)


def _possible(performer: Performs, action: Action) -> bool:
    return performer.why_not(action.name) is None
