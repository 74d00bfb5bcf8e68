"""Files and folders while they are opened: the first rows of large ones at once, what is found as it is found."""

from __future__ import annotations

import queue
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ragtui.datasets.watch import Stopped, Watch
from ragtui.tui.opened import OpenDataset, around, stamp

if TYPE_CHECKING:
    from ragtui.datasets.discover import Once

_PAINTED: Final = 0.3  # seconds that the first rows are given to get on the screen
Read = Callable[[list[str], Watch, "Once"], list[OpenDataset]]


@dataclass
class Opening:
    """Opens ``paths`` one after the other in a thread (``run``), or without any what lies around ``root``; the screen takes
    what has come (``news``)."""

    paths: Sequence[str]
    root: Path
    watch: Watch = field(default_factory=Watch)
    was_stopped: bool = False
    _taken: threading.Event = field(default_factory=threading.Event)
    _come: queue.SimpleQueue[list[OpenDataset]] = field(default_factory=queue.SimpleQueue)

    def run(self, read: Read) -> None:
        """Takes as long as it takes: call it in a thread."""
        from ragtui.datasets.check import once_for

        paths = self.paths or around(self.root)
        once = once_for(paths if len(paths) > 1 else [])
        for path in paths:
            try:
                for each in _first(path, self.watch, once):
                    self._come.put([each])
                    self._taken.clear()
                    self._taken.wait(_PAINTED)  # before all the processors read the rest
                self._come.put(read([path], self.watch, once))
            except Stopped:
                return

    def stop(self) -> None:
        """Asks the reader to stop."""
        self.was_stopped = True
        self.watch.stop()

    def news(self) -> Iterator[list[OpenDataset]]:
        """What has come since it was asked for last."""
        while True:
            try:
                yield self._come.get_nowait()
            except queue.Empty:
                return
            self._taken.set()

    def words(self) -> str:
        """How far it is."""
        return f"reading {self.watch.portion:.0%}" if self.watch.total else "reading"

    def told(self, opened: OpenDataset) -> bool:
        """Puts what was found so far into a dataset that is still read; whether that is more than before."""
        known = opened.dataset
        reports = [each for each in list(self.watch.reports) if known is not None and each.shown == known.path]
        counts: Counter[tuple[str, str]] = Counter()
        for report in reports:
            for (_, code, level), n in list(report.counts.items()):
                counts[code, level.value] += n
        if counts == opened.counts:
            return False
        opened.counts, opened.findings = counts, [finding for report in reports for finding in list(report.findings)]
        return True


def _first(path: str, watch: Watch, once: Once) -> Iterator[OpenDataset]:
    """The beginnings of what is large."""
    from ragtui.datasets.beginnings import beginnings
    from ragtui.datasets.check import CannotOpen

    try:
        for dataset in beginnings(path, once):
            yield OpenDataset(path, dataset, reading=watch, stamp=stamp(dataset.location))
    except (CannotOpen, OSError):
        return  # reading it says why
