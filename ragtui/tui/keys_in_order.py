"""Keys that are typed ahead of a busy screen, or arrive in one go over a slow link, do what they were meant to do."""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING, Any, Final, cast

from textual import events

if TYPE_CHECKING:
    from textual.app import App
    from textual.message_pump import MessagePump

_ROUNDS: Final = 2
_PATIENCE: Final = 1.0  # seconds after which a mark that was lost is not waited for


class KeysInOrder:
    """Mixed into the app, in front of it.

    A key goes from the focus up to the app from one message queue to the next, and so does what it sets going (a line
    that is submitted gives the focus back on that way); a key right behind it would overtake both and reach the wrong
    widget. So each waits for the one before: a mark follows on the same way, twice, and the next key is let go when it
    arrives, at a screen that is there.
    """

    _ahead: deque[events.Key]
    _turn = 0
    _since = 0.0

    @property
    def _app(self) -> App[Any]:
        return cast("App[Any]", self)

    @property
    def keys_ahead(self) -> int:
        """How many keys have not been dealt with."""
        return len(self.__dict__.get("_ahead", ()))

    async def on_event(self, event: events.Event) -> None:
        if not isinstance(event, events.Key) or event.is_forwarded:
            await super().on_event(event)  # type: ignore[misc]
            return
        if "_ahead" not in self.__dict__:
            self._ahead = deque()
        self._ahead.append(event)
        if len(self._ahead) == 1:
            await self._let_go()
        elif time.monotonic() - self._since > _PATIENCE:
            await self._next()

    async def _let_go(self) -> None:
        self._turn += 1
        self._since = time.monotonic()
        await super().on_event(self._ahead[0])  # type: ignore[misc]
        self._follow(self._app.focused or self._app.screen, self._turn, _ROUNDS)

    def _follow(self, node: MessagePump | None, turn: int, rounds: int) -> None:
        """Sets the mark behind whatever waits at ``node``; from there it goes on to the parent."""
        app = self._app
        if node is None or node is app or not node.call_later(self._follow, node._parent, turn, rounds):
            app.call_later(self._arrived, turn, rounds)

    async def _arrived(self, turn: int, rounds: int) -> None:
        app = self._app
        if turn != self._turn or not self._ahead:
            return
        if rounds > 1:
            self._follow(app.focused or app.screen, turn, rounds - 1)
        elif not app.screen.is_mounted or any(w.group == "check" and not w.is_finished for w in app.workers):
            app.set_timer(0.01, lambda: self._arrived(turn, rounds))
        else:
            await self._next()

    async def _next(self) -> None:
        self._ahead.popleft()
        if self._ahead:
            await self._let_go()
