"""What the Datasets pane does to the dataset at the cursor: fixes, file matching, mapping, roles, another format."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from textual.widget import Widget

from ragtui.datasets.dataset import Role
from ragtui.tui import opened
from ragtui.tui.exporting import placed
from ragtui.tui.performing import tell, work
from ragtui.tui.screens.fixing import Fixed, FixingScreen
from ragtui.tui.widgets.choosing import Choice, Choosing
from ragtui.tui.widgets.prompt_line import ask

if TYPE_CHECKING:
    from ragtui.datasets.dataset import Dataset
    from ragtui.datasets.matching import Matching
    from ragtui.tui.opened import OpenDataset
    from ragtui.tui.workbench import Workbench


_ROLES: Final = {
    Role.INPUT: "sent to what is evaluated",
    Role.EXPECTED: "only evaluators see it",
    Role.RESPONSE: "a recorded answer",
    Role.CONTEXT: "what was retrieved",
    Role.RETRIEVED_IDS: "ids of what was retrieved",
    Role.ID: "names the row",
    Role.IGNORED: "never sent anywhere",
}


class DatasetWork:
    """Mixed into the pane, which has the dataset at the cursor."""

    workbench: Workbench
    _fixed_last: Fixed | None = None
    _roles_last: tuple[str, Dataset, dict[str, Role]] | None = None  # path, whose, what they were

    if TYPE_CHECKING:

        @property
        def current(self) -> OpenDataset | None: ...

        def do_reread(self) -> None: ...

        def refreshed(self) -> None: ...

        async def open(self, paths: list[str]) -> None: ...

        async def check_again(self, path: str, said: str) -> None: ...

    @property
    def _node(self) -> Widget:
        return cast(Widget, self)

    def why_no_work(self, name: str) -> str | None:
        """Why what is asked for cannot be done with the dataset at the cursor."""
        current = self.current
        if current is None or current.dataset is None:
            return "nothing is open" if current is None else "it is not read"
        if not current.is_whole:
            return "it is not wholly read"
        if name in ("match", "mapping", "roles") and current.dataset.cases is None:
            return "it has no cases"
        return None

    def do_fix(self) -> None:
        current = self.current
        assert current is not None
        assert current.dataset is not None
        screen = FixingScreen(current.dataset.path.partition("#")[0], current.dataset.format, current.name)
        self._node.app.push_screen(screen, self._was_fixed)

    def _was_fixed(self, fixed: Fixed | None) -> None:
        if fixed is None:
            return
        self._fixed_last, self._roles_last = fixed, None
        names = ", ".join(str(path) for path in fixed.written[:3])
        tell(self._node, f"wrote {names}; u undoes it")
        if fixed.backups:
            self.do_reread()
        else:
            work(self._node, partial(self.open, [str(path) for path in fixed.written]), "open")

    def undo_fix(self) -> None:
        """What was fixed in place is what it was again; what was written beside goes."""
        from ragtui.datasets.fixes.written import put_back

        assert self._fixed_last is not None
        fixed, self._fixed_last = self._fixed_last, None
        try:
            put_back(list(fixed.backups))
            for path in fixed.files if not fixed.backups else ():
                path.unlink(missing_ok=True)
            for path in fixed.written if not fixed.backups else ():
                _remove_empty(path)
        except OSError as error:
            tell(self._node, f"{error.filename or 'the file'}: {error.strerror or error}", "error")
            return
        tell(self._node, "the fix is undone")
        gone = {str(path) for path in fixed.written} if not fixed.backups else set()
        self.workbench.datasets = [each for each in self.workbench.datasets if each.path not in gone]
        self.do_reread()

    def do_match(self) -> None:
        work(self._node, self._match, "match")

    async def _match(self) -> None:
        from ragtui.datasets.files import FilesError
        from ragtui.datasets.matching import MatchingError
        from ragtui.tui.screens.matching import MatchingScreen

        current = self.current
        assert current is not None
        assert current.dataset is not None
        workspace, dataset = self.workbench.workspace, current.dataset

        def start() -> Matching:
            from ragtui.datasets.files import file_names
            from ragtui.datasets.matching import load, matching_of

            saved = load(workspace, dataset)
            names = file_names(Path(saved.files)) if saved is not None and saved.files else None
            return matching_of(dataset, names, saved.files if saved is not None else "", saved)

        try:
            found = await asyncio.to_thread(start)
        except (MatchingError, FilesError, OSError) as error:
            tell(self._node, str(error), "error")
            return
        self._node.app.push_screen(MatchingScreen(workspace, dataset, found), self._was_matched)

    def _was_matched(self, written: Path | None) -> None:
        if written is not None:
            self.do_reread()

    def do_mapping(self) -> None:
        from ragtui.datasets.settings import saved_mapping
        from ragtui.tui.screens.mapping import MappingScreen

        current = self.current
        assert current is not None
        assert current.dataset is not None
        dataset = current.dataset
        mapping = saved_mapping(self.workbench.workspace, dataset)

        def keep(found: dict[str, str] | None) -> None:
            if found is not None and found != mapping:
                self._save(dataset, mapping=found)
                tell(self._node, "the mapping is in ragtui.toml; experiments with this dataset take it")

        self._node.app.push_screen(MappingScreen(self.workbench, dataset, mapping), keep)

    def do_roles(self) -> None:
        current = self.current
        assert current is not None
        assert current.dataset is not None
        columns = sorted(current.dataset.columns, key=lambda each: each.position)
        choices = [Choice(each.name, each.name, each.role.value) for each in columns]
        self._node.app.push_screen(Choosing("the column", choices), self._choose_role)

    def _choose_role(self, column: str | None) -> None:
        current = self.current
        if column is None or current is None or current.dataset is None:
            return
        now = next(each.role for each in current.dataset.columns if each.name == column)
        choices = [Choice(role.value, role.value, _ROLES[role]) for role in Role]
        self._node.app.push_screen(
            Choosing(f"what {column} is for", choices, now.value), partial(self._take_role, column)
        )

    def _take_role(self, column: str, chosen: str | None) -> None:
        from ragtui.datasets.settings import saved_roles

        current = self.current
        if chosen is None or current is None or current.dataset is None:
            return
        before = saved_roles(self.workbench.workspace, current.dataset)
        if self._save(current.dataset, roles=before | {column: Role(chosen)}):
            self._roles_last = (current.path, current.dataset, before)
            said = f"{column} is {chosen} now; u undoes it"
            work(self._node, partial(self.check_again, current.path, said), "open")

    def undo_role(self) -> None:
        """The roles are again what they were before the last was given."""
        assert self._roles_last is not None
        path, dataset, before = self._roles_last
        if self._save(dataset, roles=before):
            self._roles_last = None
            work(self._node, partial(self.check_again, path, "the role is what it was"), "open")

    def _save(
        self, dataset: Dataset, roles: dict[str, Role] | None = None, mapping: dict[str, str] | None = None
    ) -> bool:
        from ragtui.datasets import settings

        try:
            self.workbench.workspace = settings.save(self.workbench.workspace, dataset, roles=roles, mapping=mapping)
        except OSError as error:
            tell(self._node, f"ragtui.toml cannot be written: {error.strerror or error}", "error")
            return False
        return True

    def do_convert(self, target: str = "") -> None:
        from ragtui.datasets.writing import writers

        choices = [Choice(each.id, each.id, each.title) for each in writers().values()]

        def then(to: str | None) -> None:
            if to is None:
                return
            if target:
                work(self._node, partial(self._convert, to, Path(target)), "convert")
            else:
                asked = partial(self._convert_to, to)
                ask(self._node, f"{to} file to write", then=asked, complete=opened.complete_path, history="path")

        self._node.app.push_screen(Choosing("write it as", choices), then)

    def _convert_to(self, to: str, typed: str) -> None:
        if typed:
            work(self._node, partial(self._convert, to, Path(typed).expanduser()), "convert")

    async def _convert(self, to: str, target: Path) -> None:
        from ragtui.datasets.discover import CannotOpen
        from ragtui.datasets.writing.conversion import convert

        current = self.current
        if current is None or current.dataset is None:
            return
        if target.exists():
            tell(self._node, f"{target} is there already", "error")
            return
        try:
            lost = await asyncio.to_thread(convert, current.dataset, target, to, {})
        except (CannotOpen, OSError) as error:
            tell(self._node, str(error), "error")
            return
        tell(
            self._node,
            "\n".join([f"wrote {placed(target, self.workbench.started)}", *lost]),
            "warning" if lost else "information",
        )


def _remove_empty(path: Path) -> None:
    """The folders of what was written, where nothing else is in them."""
    if not path.is_dir():
        return
    for folder in (*sorted((each for each in path.rglob("*") if each.is_dir()), reverse=True), path):
        if not any(folder.iterdir()):
            folder.rmdir()
