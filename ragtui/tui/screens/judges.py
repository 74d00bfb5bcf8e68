"""Judges: which there are, whether they work, how often they are right, and which one new experiments use."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.timer import Timer

from ragtui.judges.profile import STRATEGIES, JudgeError, Profile
from ragtui.text import cell
from ragtui.tui import judge_work
from ragtui.tui.actions import bindings
from ragtui.tui.judge_work import Trial
from ragtui.tui.performing import tell, work
from ragtui.tui.screens import judge_views as views
from ragtui.tui.screens.over import OverScreen
from ragtui.tui.widgets.choosing import Choice, Choosing
from ragtui.tui.widgets.part import Part
from ragtui.tui.widgets.prompt_line import Line, PromptLine, ask
from ragtui.tui.widgets.virtual_table import VirtualTable
from ragtui.tui.widgets.wrapped_text import WrappedText

if TYPE_CHECKING:
    from ragtui.judges.probe import Probe
    from ragtui.tui.workbench import Workbench
    from ragtui.workspace import Workspace

_TICK = 0.1


class JudgesScreen(OverScreen[None], inherit_bindings=False):
    """The list above, everything known of the judge at the cursor below."""

    SCOPES = ("judges",)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("judges"), Binding("escape", "leave", show=False)]
    LINES = ("judges-title", "judges-note")
    DEFAULT_CSS = """
    JudgesScreen {
        & #judges-part { height: 35%; min-height: 7; }
    }
    """

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self.workbench = workbench
        self._judges: list[tuple[str, Profile | JudgeError]] = []
        self._probes: dict[str, Probe | str] = {}
        self._trials: dict[str, Trial] = {}
        self._going: Trial | None = None
        self._ticking: Timer | None = None

    def parts(self) -> ComposeResult:
        with Part("judges", id="judges-part"):
            yield VirtualTable(id="judge-list")
        with Part("judge", id="judge-part"):
            yield WrappedText(id="judge-text")

    def on_mount(self) -> None:
        self.query_one("#judges-title", Line).show(Content.styled(" Judges ", "bold $background on $primary"))
        note = " keys stay in environment variables: ragtui.toml holds their names only"
        self.query_one("#judges-note", Line).show(Content(note))
        self._ticking = self.set_interval(_TICK, self._tick, pause=True)
        self._show(judge_work.picked(self.workbench.workspace))
        self.set_focus(self.table)

    def on_unmount(self) -> None:
        if self._going is not None:
            self._going.stopped = True

    @property
    def table(self) -> VirtualTable:
        return self.query_one("#judge-list", VirtualTable)

    @property
    def current(self) -> tuple[str, Profile | JudgeError] | None:
        row = self.table.row
        return self._judges[row] if row is not None and row < len(self._judges) else None

    def _show(self, name: str) -> None:
        self._judges = judge_work.judges(self.workbench.workspace)
        names = [each for each, _ in self._judges]
        row = names.index(name) if name in names else 0
        self.table.show(views.list_frame(self.workbench.workspace), views.COLUMNS, row=row)
        self._describe()

    @on(VirtualTable.Moved)
    def _describe(self) -> None:
        if (here := self.current) is None:
            return
        name, found = here
        passage = views.about(self.workbench.workspace, name, found, self._probes.get(name), self._trials.get(name))
        self.query_one("#judge-text", WrappedText).show(passage)
        self.query_one("#judge-part", Part).title(name)
        self.show_keys()

    @on(VirtualTable.Opened)
    def _opened(self) -> None:
        if not self.why_not("pick"):
            self.do_pick()

    # What the keys do

    def do_add(self, typed: str = "") -> None:
        if typed:
            self._add(typed)
        else:
            ask(self.table, "name openai:MODEL@URL [KEY_VARIABLE]", then=self._add, history="judge")

    def _add(self, typed: str) -> None:
        def add() -> Workspace:
            workspace, added[0] = judge_work.add(self.workbench.workspace, typed)
            return workspace

        added = [""]
        self._change(add, lambda: f"added {added[0]}; p asks whether it works", lambda: added[0])

    def do_pick(self) -> None:
        name = self._judge_name()
        self._change(
            lambda: judge_work.pick(self.workbench.workspace, name), lambda: f"new experiments use {name}", lambda: name
        )

    def do_remove(self) -> None:
        name = self._judge_name()

        def answer(chosen: str | None) -> None:
            if chosen == "remove":
                self._change(
                    lambda: judge_work.remove(self.workbench.workspace, name), lambda: f"took {name} out", lambda: ""
                )

        choices = [Choice("keep", "Keep it"), Choice("remove", f"Take {name} out of ragtui.toml")]
        self.app.push_screen(Choosing(f"take {name} out?", choices), answer)

    def do_strategy(self, strategy: str = "") -> None:
        name = self._judge_name()

        def choose(chosen: str | None) -> None:
            if chosen:
                self._change(
                    lambda: judge_work.choose_strategy(self.workbench.workspace, name, chosen),
                    lambda: (
                        f"{name} is asked by {chosen}" if chosen != "auto" else f"{name} is asked as its check found"
                    ),
                    lambda: name,
                )

        if strategy in STRATEGIES:
            choose(strategy)
            return
        notes = {
            "auto": "as its check found",
            "rubric": "one call: reason, then score",
            "claims": "yes or no, a claim a call",
        }
        choices = [Choice(each, each, notes[each]) for each in STRATEGIES]
        self.app.push_screen(Choosing(f"how {name} is asked", choices), choose)

    def _change(self, change: Callable[[], Workspace], said: Callable[[], str], then: Callable[[], str]) -> None:
        """Changes ``ragtui.toml``, says so, and goes to a judge."""
        try:
            self.workbench.workspace = change()
        except JudgeError as error:
            tell(self, str(error), "error")
            return
        except OSError as error:
            tell(self, f"ragtui.toml cannot be written: {error.strerror or error}", "error")
            return
        tell(self, said())
        self._show(then())

    def do_probe(self) -> None:
        work(self, partial(self._probe, *self._profile()), "probe")

    async def _probe(self, name: str, found: Profile) -> None:
        self.query_one("#judge-part", Part).title(name, "asking …")
        self._probes[name] = await asyncio.to_thread(judge_work.probe_now, found)
        self._describe()

    def do_check(self) -> None:
        name, found = self._profile()
        self._going = self._trials[name] = Trial(name)
        if self._ticking is not None:
            self._ticking.resume()
        work(self, partial(self._check, found, self._going), "gold")
        self.show_keys()

    async def _check(self, found: Profile, trial: Trial) -> None:
        await asyncio.to_thread(judge_work.try_on_gold, self.workbench.workspace, found, trial)
        self._going = None
        if not self.is_attached:
            return
        if self._ticking is not None:
            self._ticking.pause()
        self.query_one(PromptLine).status(Content(""))
        here = self._judge_name()
        self._show(here)
        if trial.problem:
            tell(self, trial.problem, "warning" if trial.problem == "stopped" else "error", title=trial.judge)

    def _tick(self) -> None:
        trial = self._going
        if trial is not None and trial.total:
            text = f"{cell(trial.judge)}, {trial.stage}: {trial.done} of {trial.total} claims judged"
            self.query_one(PromptLine).status(Content(text))

    def do_stop(self) -> None:
        if self._going is not None:
            self._going.stopped = True

    def action_leave(self) -> None:
        if self.maximized is not None:
            self.minimize()
        elif not self.table.let_go():
            self.dismiss(None)

    def _judge_name(self) -> str:
        return self.current[0] if self.current is not None else ""

    def _profile(self) -> tuple[str, Profile]:
        """What ``why_not`` made sure of: a judge that can be used."""
        name, found = self.current or ("", JudgeError("there is no judge here"))
        if isinstance(found, JudgeError):
            raise found
        return name, found

    def why_not(self, name: str) -> str | None:
        if name == "add":
            return None
        if name == "stop":
            return None if self._going is not None else "nothing is checked"
        judge, found = self.current or ("", JudgeError("there is no judge here"))
        if name == "remove":
            return None if judge and judge != "embedded" else "it is not from ragtui.toml"
        if isinstance(found, JudgeError):
            return str(found)
        if name == "check":
            return "a check goes on; X stops it" if self._going is not None else None
        if name in ("probe", "strategy"):
            return None if found.model else "the embedded judge is part of ragtui: there is nothing to ask"
        return None
