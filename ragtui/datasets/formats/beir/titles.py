"""Which documents have no title: asked only for platforms that cannot do without."""

from __future__ import annotations

from pathlib import Path

import msgspec


class _Titled(msgspec.Struct, gc=False):
    title: str | None = None


def untitled(corpus: Path) -> tuple[int, int, int]:
    """How many documents of a JSON lines file have no title, out of how many, and the line of the first. Lines that are no
    objects do not count."""
    decode = msgspec.json.Decoder(_Titled).decode
    missing = documents = first = 0
    with corpus.open("rb") as stream:
        for line, raw in enumerate(stream, 1):
            try:
                title = decode(raw).title
            except (msgspec.MsgspecError, RecursionError):
                continue
            documents += 1
            if title is None:
                missing += 1
                first = first or line
    return missing, documents, first
