"""What rows are written in: CSV, workbooks, JSON lines, JSON documents. One module a container, each with a ``CONTAINER``."""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Final, Protocol

from ragtui.datasets.containers.table import Table
from ragtui.datasets.findings import Report

if TYPE_CHECKING:
    from ragtui.datasets.formats import Source

HEAD_BYTES: Final = 1 << 16
_CACHED: Final = "reading"


@dataclass(frozen=True, slots=True)
class Head:
    """The first bytes of a file: raw, and as text where it is text (``None`` where it is not)."""

    data: bytes
    text: str | None
    encoding: str | None


@dataclass(frozen=True)
class Reading:
    """A file as read: its rows, ``None`` where there are none to be had, and what is wrong with them.

    A format that reads the rows adds ``report`` to its own: ``report.merge(reading.report)``.
    """

    table: Table | None
    report: Report


class Container(Protocol):
    """One way to write rows. ``claims`` says how surely (1 to 100) a file is written so; ``read`` never raises for bad content.

    A container of large files may also have ``first_rows(source, rows)``, which looks at the beginning of a file only.
    """

    id: str

    def claims(self, source: Source, head: Head) -> int: ...

    def read(self, source: Source) -> Reading: ...


@cache
def containers() -> dict[str, Container]:
    found: dict[str, Container] = {}
    for info in pkgutil.iter_modules(__path__):
        container = getattr(importlib.import_module(f"{__name__}.{info.name}"), "CONTAINER", None)
        if container is not None:
            found[container.id] = container
    return found


def head_of(source: Source) -> Head:
    """The first 64 KiB of a file, decoded if it is text."""
    from ragtui.datasets.containers.encoding import decode_head

    with source.path.open("rb") as stream:
        return decode_head(stream.read(HEAD_BYTES))


def container_of(source: Source) -> Container | None:
    """The container that is surest of a file, ``None`` where none takes it."""
    head = head_of(source)
    claims = [(container.claims(source, head), container) for container in containers().values()]
    claim, best = max(claims, key=lambda pair: pair[0])
    return best if claim > 0 else None


def reading_of(source: Source) -> Reading:
    """The rows of ``source``, read once however many formats look at them."""
    cached = source.cache.get(_CACHED)
    if isinstance(cached, Reading):
        return cached
    container = container_of(source)
    reading = Reading(None, Report(source.file)) if container is None else container.read(source)
    source.cache[_CACHED] = reading
    return reading


def first_rows(source: Source, rows: int = 200) -> Table | None:
    """The first rows of a file, for a screen that does not wait until all of it is read and checked; ``None`` where there
    are none. Of a file that was read already they are its own; else only its beginning is looked at, where the container
    knows how."""
    container = container_of(source)
    if container is None:
        return None
    quick = getattr(container, "first_rows", None)
    if isinstance(source.cache.get(_CACHED), Reading) or quick is None:
        table = reading_of(source).table
        return None if table is None else replace(table, frame=table.frame.head(rows))
    found: Table | None = quick(source, rows)
    return found
