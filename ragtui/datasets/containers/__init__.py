"""What rows are written in: CSV, workbooks, JSON lines, JSON documents. One module a container, each with a ``CONTAINER``."""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass
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
    """One way to write rows. ``claims`` says how surely (1 to 100) a file is written so; ``read`` never raises for bad content."""

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


def reading_of(source: Source) -> Reading:
    """The rows of ``source``, read once however many formats look at them."""
    cached = source.cache.get(_CACHED)
    if isinstance(cached, Reading):
        return cached
    head = head_of(source)
    claims = {container: container.claims(source, head) for container in containers().values()}
    best = max(claims, key=lambda container: claims[container])
    reading = best.read(source) if claims[best] > 0 else Reading(None, Report(source.file))
    source.cache[_CACHED] = reading
    return reading
