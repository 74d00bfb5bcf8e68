"""The two lines at the top: the four panes, and where one is with what there is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message

from ragtui.text import cell
from ragtui.tui.widgets.prompt_line import Line

PANES = (("datasets", "Datasets"), ("groups", "Metric Groups"), ("experiments", "Experiments"), ("results", "Results"))


@dataclass(frozen=True, slots=True)
class Counts:
    """What the breadcrumb line counts."""

    datasets: int = 0
    groups: int = 0
    metrics: int = 0
    experiments: int = 0


class TopBar(Vertical):
    """Shows the panes with their keys; a click on one asks for it."""

    DEFAULT_CSS = """
    TopBar {
        height: 2; background: $panel;
        & > #panes { background: $panel; }
        & > #crumbs { background: $background; padding: 0 1; }
    }
    """

    @dataclass
    class Picked(Message):
        """A pane was clicked."""

        pane: str

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._pane = "datasets"
        self._activity = ""
        self._crumbs: tuple[str, ...] = ()
        self._counts = Counts()

    def compose(self) -> ComposeResult:
        yield Line(id="panes")
        yield Line(id="crumbs")

    def show(
        self,
        pane: str | None = None,
        crumbs: Sequence[str] | None = None,
        counts: Counts | None = None,
        running: str | None = None,
    ) -> None:
        """Changes what is given. ``running`` is a few words about a run in the background."""
        self._pane = self._pane if pane is None else pane
        self._crumbs = self._crumbs if crumbs is None else tuple(crumbs)
        self._counts = self._counts if counts is None else counts
        self._activity = self._activity if running is None else running
        self._draw()

    def on_resize(self) -> None:
        self._draw()

    def _draw(self) -> None:
        width = self.size.width
        if width:
            self.query_one("#panes", Line).show(pane_line(self._pane, self._activity, width))
            self.query_one("#crumbs", Line).show(crumb_line(self._crumbs, self._counts, width - 2))

    def on_click(self, event: events.Click) -> None:
        if event.y == 0:
            x = 1
            for number, (name, title) in enumerate(PANES, 1):
                end = x + len(f" {number} {title} ") + 1
                if x <= event.x < end:
                    self.post_message(self.Picked(name))
                x = end


def pane_line(current: str, running: str, width: int) -> Content:
    """`` 1 Datasets   2 Metric Groups …``, the current one set off, a run's state at the right."""
    parts: list[Content | str] = [" "]
    used = 1
    for number, (name, title) in enumerate(PANES, 1):
        if name == current:
            parts.append(Content.styled(f" {number} {title} ", "bold $background on $primary"))
        else:
            parts += [Content.styled(f" {number}", "bold $accent"), Content.styled(f" {title} ", "$foreground")]
        parts.append(" ")
        used += len(f" {number} {title} ") + 1
    right = cell(running) or "ragtui"
    if (room := width - used - 1 - cell_len(right)) > 0:
        parts += [" " * room, Content.styled(right, "bold $success" if running else "bold")]
    return Content.assemble(*parts)


def crumb_line(crumbs: Sequence[str], counts: Counts, width: int) -> Content:
    """Where one is at the left, shortened if need be, and the counts at the right."""
    right = counted(counts)
    if width - cell_len(right) < 24:
        right = counted(counts, short=True)
    room = width - cell_len(right) - 2
    shown = [cell(each) for each in crumbs]
    while len(shown) > 2 and cell_len(" › ".join(shown)) > room:
        del shown[1]
    parts: list[Content] = []
    for i, each in enumerate(shown):
        if i:
            parts.append(Content(" › "))
        parts.append(Content.styled(each, "bold $foreground" if i == len(shown) - 1 else ""))
    left = Content.assemble(*parts).truncate(max(1, room), ellipsis=True, pad=True)
    return Content.assemble(left, "  ", Content(right))


def counted(counts: Counts, short: bool = False) -> str:
    """``3 datasets · 1 group · 14 metrics · 5 experiments``."""
    words = [
        (counts.datasets, "dataset"), (counts.groups, "group"), (counts.metrics, "metric"),
        (counts.experiments, "experiment"),
    ]  # fmt: skip
    if short:
        return " · ".join(f"{n} {word[:4] if word != 'group' else word}" for n, word in words)
    return " · ".join(f"{n} {word}{'' if n == 1 else 's'}" for n, word in words)
