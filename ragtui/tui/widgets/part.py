"""A part of a screen: a frame with a title around one table or text, lit while it has the focus."""

from __future__ import annotations

from typing import Any

from textual.containers import Container
from textual.content import Content
from textual.screen import Screen

from ragtui.text import cell


class Part(Container):
    """Below 100 columns the frame shrinks to its title line, so that small screens show data instead of borders."""

    DEFAULT_CSS = """
    Part {
        border: round $border-blurred; background: $surface; padding: 0; width: 1fr; height: 1fr;
        border-title-color: $text-muted; border-subtitle-color: $text-muted; border-title-style: bold;
        &:focus-within { border: round $border; border-title-color: $primary; border-subtitle-color: $foreground; }
        & > * { background: $surface; width: 1fr; height: 1fr; }
    }
    """

    def __init__(self, title: str = "", *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._titles = (title, "")
        self.title(title)

    def title(self, *parts: str) -> None:
        """What the frame says at its top left; parts that are empty are left out."""
        self._show((cell(" · ".join(part for part in parts if part)), self._titles[1]))

    def subtitle(self, *parts: str) -> None:
        """What the frame says at its bottom right; only where it has a bottom."""
        self._show((self._titles[0], cell(" · ".join(part for part in parts if part))))

    def _show(self, titles: tuple[str, str], again: bool = False) -> None:
        if titles == self._titles and not again and self.border_title is not None:
            return
        self._titles = titles
        # A frame without corners puts its title against the line.
        room = "" if not self.is_attached or self.styles.border_left[0] else " "
        self.border_title = Content(f"{room}{titles[0]}{room}") if titles[0] else None
        self.border_subtitle = Content(titles[1]) if titles[1] else None

    def on_resize(self) -> None:
        self._show(self._titles, again=True)


def zoom(screen: Screen[Any]) -> None:
    """Shows only the part that has the focus, or all again."""
    if screen.maximized is not None:
        screen.minimize()
    elif (focused := screen.focused) is not None:
        screen.maximized = next((each for each in focused.ancestors if isinstance(each, Part)), None)
