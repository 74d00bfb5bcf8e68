"""Which version of the embedded judge this is, so that scores of another one are never taken for its own."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cache
from importlib.metadata import version as installed
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

_BESIDE: Final = ("applicability.py", "refusals.py", "sentences.py")  # what its verdicts rest on outside its folder
_KINDS: Final = (".py", ".toml", ".txt")


@cache
def version() -> str:
    """A digest of the judge's code and word lists, and of its stemmer: another verdict means another version."""
    judges = files("ragtui.judges")
    parts = [*_parts(judges.joinpath("embedded"), "embedded"), *((name, judges.joinpath(name)) for name in _BESIDE)]
    return digest([(name, each.read_bytes()) for name, each in parts], installed("snowballstemmer"))


def digest(parts: list[tuple[str, bytes]], stemmer: str) -> str:
    """Ten hex digits, the same on every system whatever its line ends and the order of its folders."""
    found = hashlib.sha256(stemmer.encode())
    for name, content in sorted(parts):
        found.update(name.encode() + b"\0" + content.replace(b"\r\n", b"\n") + b"\0")
    return found.hexdigest()[:10]


def _parts(folder: Traversable, name: str) -> Iterator[tuple[str, Traversable]]:
    for each in folder.iterdir():
        if each.is_dir():
            yield from _parts(each, f"{name}/{each.name}")
        elif each.name.endswith(_KINDS):
            yield f"{name}/{each.name}", each
