"""In which format a source is read: asked for now, said of it once, or by what its content looks like."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

from ragtui.datasets.discover import CannotOpen
from ragtui.datasets.formats import Format, ReadOptions, Sniff, Source, formats
from ragtui.datasets.settings import said_format

_SURE: Final = 75


def chosen_format(
    source: Source, forced: Format | None, named: bool, options: ReadOptions
) -> tuple[Format, Sniff] | None:
    """What a source is read as: what is asked for now (of a scan only what is a dataset), else what was said of it once."""
    said = formats().get(said_format(options, source) or "")
    if said is not None and forced is None:
        sniff = said.sniff(source)
        return said, Sniff(100, "as you chose" + (f": {sniff.why}" if sniff is not None else ""))
    if named or said is not None:
        return choose_format(source, forced)
    found = choose_format(source)
    return found if found is None or forced is None else choose_format(source, forced)


def choose_format(source: Source, forced: Format | None = None) -> tuple[Format, Sniff] | None:
    """The format that is surest of ``source``, or the forced one; ``None`` where none knows it."""
    if forced is not None:
        return forced, forced.sniff(source) or Sniff(100, "asked for with --format")
    sniffs: list[tuple[Format, Sniff]] = []
    for each in sorted(formats().values(), key=lambda each: not getattr(each, "by_head", False)):
        sniff = each.sniff(source)
        if sniff is not None:
            sniffs.append((each, sniff))
            if sniff.confidence >= _SURE and getattr(each, "by_head", False):
                break  # before a format reads the whole of a file that may be huge
    return max(sniffs, key=lambda pair: pair[1].confidence, default=None)


def forced_format(format: str | None) -> Format | None:
    """The format of that name; ``None`` for none.

    Raises:
        CannotOpen: it is not known; the message lists those that are.
    """
    if format is None:
        return None
    if format not in formats():
        raise CannotOpen(f"unknown format {format!r}{suggestion(format, formats())}; known are {', '.join(formats())}")
    return formats()[format]


def suggestion(word: str, known: Iterable[str]) -> str:
    """`` (did you mean …?)`` where a known word is near, else nothing."""
    near = get_close_matches(word, list(known), 1)
    return f" (did you mean {near[0]!r}?)" if near else ""
