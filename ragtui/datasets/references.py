"""References to columns and to what a target gives, in both vendors' syntaxes."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ragtui.datasets.near_names import nearest

DATA: Final = "data"
TARGET: Final = "target"

_CLOUD_OUTPUT: Final = {"output_text": ("response",), "output_items": ("output_items",)}
_CLOUD_INPUT: Final = {path: name for name, path in _CLOUD_OUTPUT.items()}
_PLAIN: Final = re.compile(r"[^\W\d]\w*", re.UNICODE)
_SEGMENT: Final = re.compile(
    r"""\.?(?P<name>[^.\[\]"'{}$\s][^.\[\]"'{}$]*)|\[(?P<index>\d+)\]|\[(?P<double>"(?:[^"\\]|\\.)*")\]|\['(?P<single>[^']*)'\]"""
)


class MappingError(ValueError):
    """A reference cannot be read; the message says what is wrong, ``suggestion`` what was probably meant."""

    def __init__(self, message: str, suggestion: str | None = None) -> None:
        super().__init__(message if suggestion is None else f"{message}; did you mean {suggestion}?")
        self.suggestion = suggestion


@dataclass(frozen=True, slots=True)
class Reference:
    """A place values come from: ``data`` (a column of the dataset) or ``target`` (a field of what the target gives), and the
    path below it: names, and positions in lists."""

    source: str
    path: tuple[str | int, ...]

    @property
    def column(self) -> str:
        """The first name of the path."""
        return str(self.path[0])

    def __str__(self) -> str:
        return f"${{{self.source}{_printed(self.path)}}}"

    def cloud(self) -> str:
        """As Foundry writes it: ``{{item.x}}``, ``{{sample.output_text}}``."""
        if self.source == TARGET:
            return (
                f"{{{{sample.{_CLOUD_INPUT[self.path]}}}}}"
                if self.path in _CLOUD_INPUT
                else f"{{{{sample{_printed(self.path)}}}}}"
            )
        return f"{{{{item{_printed(self.path)}}}}}"


def parse_reference(text: str, bare: bool = True) -> Reference:
    """``${data.x}``, ``${target.x}``, ``{{item.x}}``, ``{{sample.output_text}}`` and, with ``bare``, a column's plain name.

    A path goes down with dots, ``["any name"]`` and ``[0]``.

    Raises:
        MappingError: it is none of them.
    """
    inner = text.strip()
    if inner.startswith("${"):
        return _parsed(
            inner, inner[2:-1] if inner.endswith("}") else None, {DATA: DATA, TARGET: TARGET}, "${data.NAME}"
        )
    if inner.startswith("{{"):
        found = _parsed(
            inner,
            inner[2:-2].strip() if inner.endswith("}}") else None,
            {"item": DATA, "sample": TARGET},
            "{{item.NAME}}",
        )
        if found.source == TARGET and str(found.path[0]) in _CLOUD_OUTPUT:
            return Reference(TARGET, _CLOUD_OUTPUT[str(found.path[0])] + found.path[1:])
        return found
    if bare and inner:
        return Reference(DATA, (inner,))
    raise MappingError(
        f"{text!r} is no reference" if inner else "the reference is empty", f"${{data.{inner}}}" if inner else None
    )


def is_reference(text: str) -> bool:
    return text.strip().startswith(("${", "{{"))


def _parsed(text: str, inside: str | None, prefixes: Mapping[str, str], example: str) -> Reference:
    if inside is None:
        raise MappingError(f"{text} is not closed")
    prefix = re.match(r"\w*", inside)
    word = prefix.group() if prefix else ""
    path = _path(text, inside[len(word) :])
    if word not in prefixes:
        near = nearest(word, prefixes)
        said = f"unknown prefix {word!r} in {text}" if word else f"{text} has no prefix"
        raise MappingError(said, text.replace(word, near or next(iter(prefixes)), 1) if word else example)
    if not path:
        raise MappingError(f"{text} names no column", example)
    return Reference(prefixes[word], tuple(path))


def _path(text: str, rest: str) -> list[str | int]:
    path: list[str | int] = []
    position = 0
    while position < len(rest):
        match = _SEGMENT.match(rest, position)
        if match is None or (match["name"] is not None and rest[position] != "."):
            raise MappingError(f"{text}: cannot read {rest[position:]!r}")
        try:
            path.append(_part(match))
        except ValueError as error:
            raise MappingError(f"{text}: cannot read {match.group()}") from error
        position = match.end()
    return path


def _part(match: re.Match[str]) -> str | int:
    if match["index"] is not None:
        return int(match["index"])
    if match["double"] is not None:
        return str(json.loads(match["double"], strict=False))
    return match["name"].rstrip() if match["name"] is not None else match["single"]


def _printed(path: Sequence[str | int]) -> str:
    return "".join(
        f"[{part}]"
        if isinstance(part, int)
        else f".{part}"
        if _PLAIN.fullmatch(part)
        else f"[{json.dumps(part, ensure_ascii=False)}]"
        for part in path
    )
