"""What the Metric Groups pane does with single metrics and whole groups: own metrics, tries, proposals, thresholds, files."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from textual.widget import Widget

from ragtui.experiments import wording
from ragtui.metrics.spec import MetricError
from ragtui.tui import group_work, outside
from ragtui.tui.exporting import placed
from ragtui.tui.performing import tell, work
from ragtui.tui.screens import group_views as views
from ragtui.tui.screens.reading import Reading
from ragtui.tui.widgets.choosing import Choice, Choosing
from ragtui.tui.widgets.prompt_line import ask

if TYPE_CHECKING:
    from ragtui.metrics.groups import Group
    from ragtui.metrics.metric import Metric
    from ragtui.tui.opened import OpenDataset
    from ragtui.tui.workbench import Workbench

MOST_CASES = 2_000  # that are listed to choose from; any other id may be typed


class GroupMetrics:
    """Mixed into the pane, which has the group and the metric at the cursor."""

    workbench: Workbench

    if TYPE_CHECKING:

        @property
        def current(self) -> Group | None: ...

        @property
        def metric(self) -> Metric | None: ...

        def change(self, change: Callable[[], None], name: str, *, row: int | None = None) -> bool: ...

        def pick_metrics(
            self, name: str, have: tuple[str, ...], proposed: tuple[str, ...], typed: str = ""
        ) -> None: ...

        def refreshed(self) -> None: ...

    @property
    def _here(self) -> Widget:
        return cast(Widget, self)

    def why_no_metric(self, name: str) -> str | None:
        """Why what is asked for cannot be done with the metric at the cursor."""
        metric = self.metric
        if metric is None:
            return "there is no metric here"
        if name in ("try-metric", "threshold"):
            return None
        file, allowed = self.workbench.own_file(metric)
        if file is None:
            return f"{metric.name} comes with ragtui; m makes a metric of your own"
        return "it may run already" if name == "allow" and allowed else None

    # Own metrics

    def do_new_metric(self, name: str = "") -> None:
        if name:
            self._choose_kind(name)
        else:
            ask(self._here, "name of the new metric", then=lambda typed: self._choose_kind(typed) if typed else None)

    def _choose_kind(self, name: str) -> None:
        choices = [
            Choice("judged", "judged: a prompt that a model reads", "TOML"),
            Choice("code", "computed: def evaluate(session)", "Python"),
        ]
        self._here.app.push_screen(Choosing(f"what is {name}?", choices), partial(self._choose_group, name))

    def _choose_group(self, name: str, kind: str | None) -> None:
        if kind is None:
            return
        here = self.current
        choices = [
            Choice(group.name, group.name, wording.count(len(group.metrics), "metric"))
            for group in self.workbench.groups()
        ]
        screen = Choosing(
            f"group that {name} joins (type for a new one)", choices, here.name if here is not None else "", free=True
        )
        self._here.app.push_screen(screen, partial(self._write_new, name, kind))

    def _write_new(self, name: str, kind: str, group: str | None) -> None:
        if group is None:
            tell(self._here, "a new metric must join a group: nothing was made", "warning")
            return
        try:
            draft = group_work.new_draft(self.workbench, name, kind, group)
        except (MetricError, OSError) as error:
            tell(self._here, str(error), "error")
            return
        outside.edit(self._here, draft)
        if self.change(lambda: group_work.create(self.workbench, name, kind, draft, group), group):
            tell(self._here, f"made {name}; it is in {group}")
        else:
            tell(self._here, f"what you wrote is kept: m with the name {name} goes on with it")

    def do_edit_metric(self) -> None:
        metric, group = self.metric, self.current
        if metric is None or group is None:
            return
        row = group.specs.index(metric.name)
        try:
            draft = group_work.draft_of(self.workbench, metric)
        except OSError as error:
            tell(self._here, str(error), "error")
            return
        outside.edit(self._here, draft)
        before = metric.version
        if self.change(lambda: group_work.save(self.workbench, metric, draft), group.name, row=row):
            after = self.metric
            changed = after is not None and after.version != before
            tell(self._here, f"a new version of {metric.name} is saved" if changed else f"{metric.name} is as it was")
        else:
            tell(self._here, "what you wrote is kept: e goes on with it")

    def do_delete_metric(self, name: str = "") -> None:
        if name:
            self._ask_to_delete(name)
            return
        own = group_work.own_metrics(self.workbench)
        if not own:
            tell(self._here, "there is no metric of your own; m makes one", "warning")
            return
        choices = [
            Choice(each, each, f"in use by {', '.join(groups)}" if groups else "in no group", dim=bool(groups))
            for each, groups in own.items()
        ]
        self._here.app.push_screen(
            Choosing("delete which metric of your own?", choices),
            lambda chosen: self._ask_to_delete(chosen) if chosen else None,
        )

    def _ask_to_delete(self, name: str) -> None:
        if groups := group_work.own_metrics(self.workbench).get(name):
            tell(self._here, f"{name} is in use by {', '.join(groups)}; take it out there first", "warning")
            return

        def delete(answer: str | None) -> None:
            if answer != "delete":
                return
            try:
                gone = group_work.delete(self.workbench, name)
            except (MetricError, OSError) as error:
                tell(self._here, str(error), "error")
                return
            self.refreshed()
            tell(self._here, f"deleted {gone}; its versions stay in .ragtui/metrics/")

        choices = [Choice("keep", "Keep it"), Choice("delete", f"Delete {name}")]
        self._here.app.push_screen(Choosing(f"delete the metric {name}?", choices), delete)

    def do_allow(self) -> None:
        metric = self.metric
        file = self.workbench.own_file(metric)[0] if metric is not None else None
        if file is None:
            return

        def asked(_: None) -> None:
            choices = [Choice("no", "Do not let it run"), Choice("yes", f"Let {file.shown} run as it is now")]
            self._here.app.push_screen(Choosing("may this code run on this machine?", choices), answered)

        def answered(answer: str | None) -> None:
            if answer == "yes":
                group_work.allow(self.workbench, file)
                self.refreshed()
                tell(self._here, f"{file.shown} may run")

        self._here.app.push_screen(Reading(file.shown, views.code(file), "esc, then you are asked"), asked)

    # Trying

    def do_try_metric(self) -> None:
        if (metric := self.metric) is not None:
            self._with_dataset(f"try {metric.name} on", partial(self._choose_case, metric))

    def _with_dataset(self, title: str, then: Callable[[OpenDataset], None]) -> None:
        datasets = self.workbench.usable_datasets()
        if len(datasets) == 1:
            then(datasets[0])
            return
        choices = [Choice(str(i), each.name, each.path) for i, each in enumerate(datasets)]
        self._here.app.push_screen(
            Choosing(title, choices), lambda chosen: then(datasets[int(chosen)]) if chosen is not None else None
        )

    def _choose_case(self, metric: Metric, opened: OpenDataset) -> None:
        choices = [Choice(case_id, f"{case_id}  {name}") for case_id, name in group_work.cases(opened, MOST_CASES)]
        screen = Choosing(f"try {metric.name} on the case", choices, free=True)
        self._here.app.push_screen(screen, partial(self._choose_judge, metric, opened))

    def _choose_judge(self, metric: Metric, opened: OpenDataset, case: str | None) -> None:
        if case is None:
            return
        if metric.question is None:
            self._try(metric, opened, case, "embedded")
            return
        from ragtui.tui.offers import judge_choices

        screen = Choosing("who judges (type for another)", judge_choices(self.workbench), free=True)
        self._here.app.push_screen(screen, partial(self._try, metric, opened, case))

    def _try(self, metric: Metric, opened: OpenDataset, case: str, judge: str | None) -> None:
        if judge is not None:
            work(self._here, partial(self._tried, metric, opened, case, judge), "try")

    async def _tried(self, metric: Metric, opened: OpenDataset, case: str, judge: str) -> None:
        trial = await asyncio.to_thread(group_work.trial, self.workbench, metric, opened, case, judge)
        if isinstance(trial, str):
            tell(self._here, trial, "error")
        else:
            self._here.app.push_screen(Reading(f"{metric.name} on {trial.case_id}", views.tried(trial)))

    # Groups as a whole

    def do_propose(self) -> None:
        self._with_dataset("propose a group for", self._proposed)

    def _proposed(self, opened: OpenDataset) -> None:
        proposed = group_work.proposed(opened)
        if not proposed:
            tell(self._here, f"no metric fits what {opened.name} holds; i on the dataset shows its columns", "warning")
            return

        def named(name: str) -> None:
            if name:
                self.pick_metrics(name, (), proposed)

        ask(self._here, f"name of the group for {opened.name}", then=named, value=group_work.free_name(self.workbench, opened),
            replace=True)  # fmt: skip

    def do_threshold(self, text: str = "") -> None:
        group, metric = self.current, self.metric
        if group is None or metric is None:
            return
        if text:
            self._set_threshold(group, metric, text)
            return
        own = group.thresholds.get(metric.name)
        hint = "" if metric.threshold is None else f" (empty: {metric.threshold:g})"
        ask(self._here, f"threshold of {metric.name}, {metric.shown_scale}{hint}", value="" if own is None else f"{own:g}",
            then=partial(self._set_threshold, group, metric), replace=True)  # fmt: skip

    def _set_threshold(self, group: Group, metric: Metric, text: str) -> None:
        row = group.specs.index(metric.name)
        self.change(lambda: group_work.set_threshold(self.workbench, group, metric, text), group.name, row=row)

    def do_export(self, file: str = "") -> None:
        group = self.current
        if group is None:
            return

        def export(typed: str) -> None:
            if typed:
                try:
                    written = group_work.export(group, Path(typed).expanduser())
                    tell(self._here, f"wrote {placed(written, self.workbench.started)}")
                except OSError as error:
                    tell(self._here, f"{typed}: {error.strerror or error}", "error")

        if file:
            export(file)
        else:
            ask(self._here, "export to", then=export, value=f"{group.name}.toml", replace=True)

    def do_import(self, file: str = "") -> None:
        def take(typed: str) -> None:
            if typed and self.change(lambda: group_work.import_from(self.workbench, Path(typed).expanduser()), ""):
                tell(self._here, f"took over the groups of {typed}; u takes them back")

        if file:
            take(file)
        else:
            ask(self._here, "import groups from", then=take)
