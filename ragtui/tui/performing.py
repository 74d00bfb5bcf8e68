"""How widgets perform the registry's actions, and how anything on a screen speaks to the user."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, ClassVar, Literal, cast

from textual.widget import Widget

from ragtui.text import block
from ragtui.tui.actions import BY_ID, Action, in_scope

if TYPE_CHECKING:
    from textual.dom import DOMNode

Severity = Literal["information", "warning", "error"]


class Performs:
    """Mixed into the widget (or app, or screen) that is one or several scopes of the registry.

    ``do_NAME`` performs an action; one that takes an argument takes it as its only parameter, ``""`` if none was typed.
    """

    SCOPES: ClassVar[tuple[str, ...]] = ()

    def why_not(self, name: str) -> str | None:
        """Why the action cannot be performed now, in a few words; ``None`` if it can."""
        return None

    def action_of(self, name: str) -> Action | None:
        return next((BY_ID[key] for scope in self.SCOPES if (key := f"{scope}.{name}") in BY_ID), None)

    async def action_perform(self, name: str, argument: str = "") -> None:
        """Performs one of this scope's actions, or says why it cannot be done now."""
        action = self.action_of(name)
        if action is None:
            return
        if reason := self.why_not(name):
            tell(cast(Widget, self), f"{action.title}: {reason}", "warning")
            return
        method = getattr(self, action.method)
        result: Any = method(argument) if action.argument else method()
        if inspect.isawaitable(result):
            await result


def tell(node: Widget, message: str, severity: Severity = "information", title: str = "") -> None:
    """A short message in the corner. Whatever it quotes is shown as it is."""
    node.app.notify(block(message), title=block(title), severity=severity, markup=False)


def work(node: Widget, job: Callable[[], Coroutine[Any, Any, None]], kind: str) -> None:
    """Does something that takes its time; the same kind of job on the same widget, asked for again, replaces it. What
    goes wrong is told by the app, which goes on."""
    untyped: Any = job  # for a type checker Textual takes only jobs that never end
    node.run_worker(untyped, group=kind, exclusive=True, exit_on_error=False)


def chain(node: DOMNode | None) -> list[Performs]:
    """Who can perform actions where the focus is, nearest first."""
    return [each for each in (node.ancestors_with_self if node is not None else []) if isinstance(each, Performs)]


def own_first(actions: list[tuple[Performs, Action]]) -> list[tuple[Performs, Action]]:
    """What only this screen can do before what every table, text or screen can."""
    rank = {"table": 1, "text": 1, "form": 1, "app": 2}
    return sorted(actions, key=lambda each: rank.get(each[1].scope, 0))


def available(node: DOMNode | None) -> list[tuple[Performs, Action]]:
    """Every action that can be asked for where the focus is, nearest scope first."""
    return [(each, action) for each in chain(node) for action in in_scope(*each.SCOPES)]
