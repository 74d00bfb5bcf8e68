"""The app: opens the workspace, paints, then loads; performs what works everywhere; leaves a summary behind."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sys
import textwrap
import threading
import time
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from textual.app import App
from textual.binding import BindingType
from textual.driver import Driver
from textual.screen import Screen
from textual.worker import Worker, WorkerState

from ragtui.text import block
from ragtui.tui import themes
from ragtui.tui.actions import SCOPES, Action, bindings, read_keymap
from ragtui.tui.keys_in_order import KeysInOrder
from ragtui.tui.performing import Performs, available, chain, own_first, tell, work
from ragtui.tui.screens.main import MainScreen
from ragtui.tui.screens.pane import Pane
from ragtui.tui.steady_lines import held
from ragtui.tui.widgets.choosing import Choice, Choosing
from ragtui.tui.widgets.key_bar import key_of
from ragtui.tui.widgets.part import zoom
from ragtui.tui.widgets.prompt_line import ask, recall
from ragtui.tui.workbench import Workbench
from ragtui.workspace import Workspace, WorkspaceError

_LONGEST_LEAVING = 10.0  # seconds; a run gets five of them to put itself in order


class RagtuiApp(KeysInOrder, Performs, App[None], inherit_bindings=False):
    """The application; everything it shows and asks is on its workbench."""

    SCOPES = ("app",)
    TITLE = "ragtui"
    CSS_PATH = Path(__file__).with_name("ragtui.tcss")
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("app")]
    ENABLE_COMMAND_PALETTE = False
    ESCAPE_TO_MINIMIZE = False

    def __init__(self, workbench: Workbench, *, experiment: str | None = None, mouse: bool = False) -> None:
        without_colour = "NO_COLOR" in os.environ
        super().__init__(ansi_color=True if without_colour else None)
        self.workbench = workbench
        self.keymap: dict[str, str] = {}
        self.mouse_on = mouse
        self._experiment = experiment
        self.leaving = threading.Event()
        self.ended_by = 0
        self.main = MainScreen(workbench)
        # The theme is there before the style sheet is first read, so that it is read once.
        self._problems = self._choose_theme(themes.WITHOUT_COLOUR if without_colour else workbench.setting("theme", ""))

    def get_driver_class(self) -> type[Driver]:
        return held(super().get_driver_class())

    # Starting: the first paint needs one theme and no data; everything else comes after it.

    def _choose_theme(self, wanted: str) -> list[themes.Problem]:
        found, problems = themes.load_themes()
        for theme in found:
            self.register_theme(theme)
        if wanted and wanted not in self.available_themes:
            problems.append(themes.Problem(self.workbench.workspace.config_path, f"there is no theme {wanted!r}"))
            wanted = ""
        self.set_reactive(App.theme, wanted or themes.DEFAULT)
        self.stylesheet.set_variables(self.get_css_variables())
        self.set_class(self.current_theme.dark, "-dark-mode", update=False)
        self.set_class(not self.current_theme.dark, "-light-mode", update=False)
        return problems

    def get_default_screen(self) -> Screen[Any]:
        return self.main

    def on_mount(self) -> None:
        self.animation_level = "none"
        self._install_signals()

    def on_ready(self) -> None:
        self.call_after_refresh(self._after_first_paint, self._problems)

    def _after_first_paint(self, problems: list[themes.Problem]) -> None:
        self.keymap, wrong = read_keymap(self.workbench.workspace.table("keys"))
        self.set_keymap(self.keymap)
        lines = [*(f"{problem.path.name}: {problem.message}" for problem in problems), *wrong]
        if lines:
            tell(self.main, "\n".join(lines), "warning", title="left out")
        work(self.main, partial(self._load), "load")

    async def _load(self) -> None:
        """Opens what was named on the command line, and the experiment that was asked for."""
        await asyncio.to_thread(self.workbench.warm_up)
        recall("filter", self.workbench.kept.filters())
        self.main.alter()
        for pane in self.main.query(Pane):  # whichever is in front by now: keys may have been quicker
            await pane.loaded()
        if self._experiment is not None:
            await self.open_results(self._experiment)

    def _install_signals(self) -> None:
        loop = asyncio.get_running_loop()

        def told(number: int, _: object) -> None:
            # At once, whatever the loop waits for: where the terminal has vanished it may wait for ever to write.
            self.ended_by = number
            self.leaving.set()
            loop.call_soon_threadsafe(self._end_by, number)

        for name in ("SIGTERM", "SIGHUP"):
            if (
                number := getattr(signal, name, None)
            ) is not None and threading.current_thread() is threading.main_thread():
                signal.signal(number, told)

    def exit(self, *arguments: Any, **named: Any) -> None:
        self.leaving.set()
        super().exit(*arguments, **named)

    def _end_by(self, number: int) -> None:
        self.workbench.cancel()
        self.exit(return_code=128 + number)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """A job that broke is told; what is on the screen stays."""
        if event.state is WorkerState.ERROR:
            error = event.worker.error
            tell(self.screen, f"{type(error).__name__}: {error}", "error", title="this went wrong")

    # What works everywhere

    async def _pane(self, name: str) -> None:
        while self.screen is not self.main:
            self.screen.dismiss(None)  # not popped: whoever opened it is told that it was left
        await self.main.show_pane(name)

    async def do_datasets(self) -> None:
        await self._pane("datasets")

    async def do_groups(self) -> None:
        await self._pane("groups")

    async def do_experiments(self) -> None:
        await self._pane("experiments")

    async def do_results(self) -> None:
        await self._pane("results")

    async def open_results(self, experiment: str) -> None:
        """Brings an experiment's results to the front."""
        await self._pane(self.main.pane.id or "datasets")
        await self.main.open_results(experiment)

    def do_next_part(self) -> None:
        self.screen.focus_next()

    def do_previous_part(self) -> None:
        self.screen.focus_previous()

    def do_zoom(self) -> None:
        zoom(self.screen)

    async def do_back(self) -> None:
        if self.screen is self.main:
            await self.main.step_back()
        elif self.screen.maximized is not None:
            self.screen.minimize()
        elif len(self.screen_stack) > 1:
            self.screen.dismiss(None)

    def do_keys(self) -> None:
        self._choose_action("keys that work here", self._here(with_keys_only=True))

    def do_palette(self) -> None:
        self._choose_action("every action here", self._here(with_keys_only=False))

    def _here(self, with_keys_only: bool) -> list[Choice]:
        choices: list[Choice] = []
        scope = ""
        for performer, action in own_first(available(self.screen.focused or self.screen)):
            if with_keys_only and not action.keys:
                continue
            if action.scope != scope and with_keys_only:
                scope = action.scope
                choices.append(Choice("", SCOPES[scope], heading=True))
            reason = performer.why_not(action.name)
            note = key_of(self, action) if with_keys_only else f"{action.name}  {key_of(self, action)}".strip()
            dim = reason is not None
            choices.append(Choice(action.id, action.title, note, dim=dim, words=action.words, reason=reason or ""))
        return choices

    def _choose_action(self, title: str, choices: list[Choice]) -> None:
        node = self.screen.focused or self.screen
        performers = chain(node)

        async def perform(chosen: str | None) -> None:
            scope, _, name = (chosen or "").partition(".")
            for performer in performers:
                if scope in performer.SCOPES:
                    await performer.action_perform(name)
                    return

        self.push_screen(Choosing(title, choices), perform)

    def do_command(self) -> None:
        node = self.screen.focused or self.screen
        actions = available(node)
        names = [f"{action.name} {action.argument}".strip() for _, action in actions]
        ask(
            self.screen,
            ":",
            then=lambda typed: work(self.screen, partial(self._command, typed, actions), "command"),
            complete=lambda typed: [n.split(" ")[0] for n in names if n.startswith(typed)] if " " not in typed else [],
            history="command",
        )

    async def _command(self, typed: str, actions: list[tuple[Performs, Action]]) -> None:
        name, _, argument = typed.strip().partition(" ")
        if not name:
            return
        found = [each for each in actions if each[1].name == name]
        found = found or [each for each in actions if each[1].name.startswith(name)]
        if not found:
            tell(self.screen, f"no action {name}; ? lists them", "warning")
            return
        await found[0][0].action_perform(found[0][1].name, argument.strip())

    def do_theme(self, name: str = "") -> None:
        if name in self.available_themes:
            self.theme = name
            return
        if name:
            tell(self.screen, f"no theme {name}", "warning")
        own = [each for each in self.available_themes if each.startswith(("ragtui", "ansi"))]
        rest = [each for each in self.available_themes if each not in own]
        choices = [Choice(each, each) for each in [*own, *rest]]
        self.push_screen(Choosing("theme", choices, self.theme), lambda name: self.do_theme(name) if name else None)

    def do_judges(self) -> None:
        from ragtui.tui.screens.judges import JudgesScreen

        if not isinstance(self.screen, JudgesScreen):
            self.push_screen(JudgesScreen(self.workbench))

    def do_mouse(self) -> None:
        self.mouse_on = not self.mouse_on
        if (driver := self._driver) is not None:
            enable = getattr(driver, "_enable_mouse_support" if self.mouse_on else "_disable_mouse_support", None)
            if enable is not None:
                enable()
        tell(self.screen, "the mouse is on" if self.mouse_on else "the mouse is off: the terminal selects text again")

    def why_not(self, name: str) -> str | None:
        return None

    async def do_quit(self) -> None:
        running = self.workbench.running()
        if running:
            choices = [Choice("stay", "Stay"), Choice("quit", "Stop the run and quit; resume it any time")]

            def answer(chosen: str | None) -> None:
                if chosen == "quit":
                    self.workbench.cancel()
                    self.exit()

            self.push_screen(Choosing(f"{running} is still going", choices), answer)
        else:
            self.exit()


def _end_at_last(app: RagtuiApp) -> None:
    """Ends a process that was told to end and cannot: where the terminal has vanished the toolkit reads from it and waits
    to write to it for ever. What was scored is stored already."""
    app.leaving.wait()
    time.sleep(_LONGEST_LEAVING)
    os._exit(128 + app.ended_by if app.ended_by else app.return_code or 1)


def fitted(text: str, width: int) -> str:
    """Lines no longer than ``width``, cut between words; a continued line is set in."""
    return "\n".join(
        textwrap.fill(line, max(20, width), subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)
        for line in text.splitlines()
    )


def run_app(paths: list[str], *, demo: bool = False, mouse: bool = False, experiment: str | None = None) -> None:
    """Runs the app on these datasets; with ``demo`` on the demo's results, with ``experiment`` on that experiment's.

    Prints the summary of what was looked at last when it ends. Refuses a terminal that cannot draw (exit status 2).
    """
    if os.environ.get("TERM", "dumb") in ("dumb", "") or not sys.stdout.isatty():
        print(
            "ragtui: this terminal cannot draw a screen; use `ragtui check PATH` or `ragtui show EXPERIMENT`",
            file=sys.stderr,
        )
        raise SystemExit(2)
    try:
        workspace = Workspace.open(".")
    except WorkspaceError as error:
        print(f"ragtui: {block(error)}", file=sys.stderr)
        raise SystemExit(2) from error
    workbench = Workbench(workspace, list(paths), demo=demo)
    mouse = mouse or workbench.setting("mouse", False) is True
    app = RagtuiApp(workbench, experiment=experiment, mouse=mouse)
    threading.Thread(target=_end_at_last, args=(app,), name="end at last", daemon=True).start()
    app.run(mouse=mouse)
    workbench.leave()
    if farewell := workbench.farewell():
        print(fitted(farewell, shutil.get_terminal_size().columns))
    if app.return_code:
        raise SystemExit(app.return_code)
