"""Fixes looked at before they are made: what would change, line by line; then beside the file, or in it."""

from __future__ import annotations

import asyncio
import shutil
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, ClassVar, Final

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content

from ragtui.text import cell
from ragtui.tui.actions import bindings
from ragtui.tui.performing import work
from ragtui.tui.screens.over import OverScreen
from ragtui.tui.widgets.part import Part
from ragtui.tui.widgets.passage import Passage
from ragtui.tui.widgets.prompt_line import Line, PromptLine
from ragtui.tui.widgets.wrapped_text import WrappedText

if TYPE_CHECKING:
    from collections.abc import Callable

    from ragtui.datasets.fixes.passes import Mended

_SHOWN: Final = 2_000  # lines of the difference
_TONES: Final = {"+": "good", "-": "bad", "@": "cool", " ": "dim"}


@dataclass(frozen=True)
class Fixed:
    """What was written (files, or a folder), all files in that, and which replaced one that is kept as a backup."""

    written: tuple[Path, ...]
    files: tuple[Path, ...]
    backups: tuple[tuple[Path, Path], ...]


class FixingScreen(OverScreen["Fixed | None"], inherit_bindings=False):
    """Ends with what was written; ``None`` if it was left."""

    SCOPES = ("fixing",)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("fixing")]
    LINES = ("fix-title",)

    def __init__(self, path: str, format: str, name: str) -> None:
        super().__init__()
        self._path, self._format, self._dataset = path, format, name
        self._unsafe = False
        self._mended: Mended | None = None
        self._staging = Path(mkdtemp(prefix="ragtui-"))
        self._tries = 0
        self._wanted: Callable[[], None] | None = None  # asked for before all was looked at

    def parts(self) -> ComposeResult:
        with Part("what would change", id="diff-part"):
            yield WrappedText(id="diff", empty="looking for fixes …")

    def on_mount(self) -> None:
        title = Content.styled(" Fixes ", "bold $background on $primary")
        self.query_one("#fix-title", Line).show(Content.assemble(title, "  ", cell(self._dataset)))
        self.set_focus(self.query_one("#diff", WrappedText))
        self._look()

    def on_unmount(self) -> None:
        shutil.rmtree(self._staging, ignore_errors=True)

    def _look(self) -> None:
        self._mended = None
        work(self, partial(self._look_at, self._unsafe), "fixes")

    async def _look_at(self, unsafe: bool) -> None:
        from ragtui.datasets.check import CannotOpen

        self._tries += 1
        folder = self._staging / str(self._tries)
        folder.mkdir()
        text = self.query_one("#diff", WrappedText)
        try:
            found, passage = await asyncio.to_thread(_mended, self._path, folder, self._format, unsafe)
        except (CannotOpen, OSError) as error:
            passage = Passage()
            passage.line((str(error), "bad"))
            text.show(passage)
            return
        self._mended = found
        text.show(passage)
        count = sum(each.mended.total() for each in found.files)
        kinds = "with those that may change a meaning" if unsafe else "safe ones only; U for all"
        part = self.query_one("#diff-part", Part)
        part.title("what would change", f"{count:,} fixes" if count else "nothing", kinds)
        said = "w writes a copy beside it · i fixes the file itself" if count else "there is nothing to fix here"
        self.query_one(PromptLine).status(Content(said))
        self.show_keys()
        if self._wanted is not None and count:
            self._wanted()

    def do_unsafe(self) -> None:
        self._unsafe = not self._unsafe
        self._look()

    def do_write(self) -> None:
        from ragtui.datasets.fixes.written import beside

        if self._mended is None:
            self._wanted = self.do_write
            return
        self._end(partial(beside, self._mended), [])

    def do_in_place(self) -> None:
        from ragtui.datasets.fixes.written import in_place

        if self._mended is None:
            self._wanted = self.do_in_place
            return
        backups: list[tuple[Path, Path]] = []
        self._end(partial(in_place, self._mended, backups), backups)

    def _end(self, write: partial[list[Path]], backups: list[tuple[Path, Path]]) -> None:
        try:
            written = write()
        except OSError as error:
            said = f"{error.filename or self._path}: cannot be written: {error.strerror or error}"
            self.query_one(PromptLine).status(Content.styled(cell(said), "$error"))
            return
        files = [file for path in written for file in self._files_of(path)]
        self.dismiss(Fixed(tuple(written), tuple(files), tuple(backups)))

    def _files_of(self, written: Path) -> list[Path]:
        if not written.is_dir() or self._mended is None:
            return [written]
        return [written / original.relative_to(self._path) for original in self._mended.all]

    def why_not(self, name: str) -> str | None:
        if name == "unsafe":
            return None
        return "there is nothing to fix" if self._mended is not None and not self._mended.files else None


def _mended(path: str, folder: Path, format: str, unsafe: bool) -> tuple[Mended, Passage]:
    """The fixes of a dataset, and what they change as it is shown."""
    from ragtui.datasets.fixes.differences import unified
    from ragtui.datasets.fixes.passes import mend

    found = mend(path, folder, format=format, unsafe=unsafe)
    passage, shown = Passage(), 0
    for each in found.files:
        passage.heading(each.shown, ", ".join(f"{code} {count:,}" for code, count in sorted(each.mended.items())))
        before = each.copy.parent.parent / each.copy.name if each.sheet is not None else each.path
        for number, line in enumerate(unified(before, each.copy, each.shown)):
            shown += 1
            if shown > _SHOWN:
                passage.line(("… and more; ragtui check --diff shows all", "dim"))
                return found, passage
            if number > 1:  # the names are in the heading
                passage.line((line, _TONES.get(line[:1], "")), hang=1)
    if not found.files:
        passage.text("No finding here has a fix of this kind.", tone="dim")
    return found, passage
