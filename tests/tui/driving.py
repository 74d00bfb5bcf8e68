"""Driving the app without a terminal, and reading what it shows as text."""

from __future__ import annotations

import asyncio
import time
import unicodedata
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from textual import events
from textual.keys import _character_to_key, _get_unicode_name_from_key
from textual.pilot import Pilot

from ragtui.tui.app import RagtuiApp
from ragtui.tui.workbench import Workbench
from ragtui.workspace import Workspace

WIDE, NARROW = (160, 45), (80, 24)
_LONGEST_WAIT = 20.0


@asynccontextmanager
async def running(
    folder: Path, *paths: str, size: tuple[int, int] = WIDE, experiment: str | None = None
) -> AsyncIterator[tuple[RagtuiApp, Pilot[None]]]:
    """The app in a workspace, loaded."""
    app = RagtuiApp(Workbench(Workspace.open(folder), list(paths)), experiment=experiment)
    async with app.run_test(size=size, notifications=True) as pilot:
        await settled(app, pilot)
        yield app, pilot
    app.workbench.leave()


async def settled(app: RagtuiApp, pilot: Pilot[None]) -> None:
    """Waits until no job goes on and the screen stands still."""
    until, before = time.monotonic() + _LONGEST_WAIT, ""
    while time.monotonic() < until:
        await pilot.pause(0.06)  # longer than the pause before the case beside the table follows
        idle = not any(worker.is_running or worker.state.name == "PENDING" for worker in app.workers)
        shown = screen_text(app)
        if idle and shown.strip() and shown == before:
            return
        before = shown
    raise AssertionError(f"still at work: {[worker.group for worker in app.workers]}")


async def press(app: RagtuiApp, pilot: Pilot[None], *keys: str) -> None:
    """Presses keys one after the other and waits for what they set going."""
    await type_keys(app, *keys)
    await settled(app, pilot)


async def type_text(app: RagtuiApp, pilot: Pilot[None], text: str) -> None:
    await press(app, pilot, *text)


async def type_keys(app: RagtuiApp, *keys: str) -> None:
    """Types keys, or characters, and waits until the app has dealt with the last; a pilot waits long after each."""
    for key in keys:
        app.post_message(key_event(key))
    end = time.monotonic() + _LONGEST_WAIT
    await asyncio.sleep(0.005)
    while app.keys_ahead:
        assert time.monotonic() < end, f"{app.keys_ahead} of {len(keys)} keys were not dealt with"
        await asyncio.sleep(0.005)


def key_event(key: str) -> events.Key:
    """The event a terminal's driver makes of a key, given by its name or its character."""
    if len(key) == 1:
        return events.Key(_character_to_key(key), key)
    try:
        return events.Key(key, unicodedata.lookup(_get_unicode_name_from_key(key)))
    except KeyError:
        return events.Key(key, None)


async def shows(app: RagtuiApp, pilot: Pilot[None], text: str) -> str:
    """Waits until the screen shows a text, and returns the whole screen."""
    return await until(pilot, lambda: screen_text(app), lambda shown: text in shown)


async def until(pilot: Pilot[None], get: Callable[[], str], good: Callable[[str], bool]) -> str:
    end = time.monotonic() + _LONGEST_WAIT
    while not good(shown := get()):
        if time.monotonic() > end:
            raise AssertionError(f"never seen; the screen was:\n{shown}")
        await pilot.pause(0.05)
        await asyncio.sleep(0)
    return shown


def screen_text(app: RagtuiApp) -> str:
    """The screen as lines of text."""
    strips = app.screen._compositor.render_strips(app.size)
    return "\n".join("".join(segment.text for segment in strip) for strip in strips)


def lines_of(app: RagtuiApp) -> list[str]:
    return screen_text(app).splitlines()
