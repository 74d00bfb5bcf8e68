"""Each finding with the line it is in, a mark under the place, and the remedy."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ragtui.cli.findings_output import Style, sizes, summary
from ragtui.cli.findings_output.concise import line as concise_line
from ragtui.cli.findings_output.concise import rest
from ragtui.text import cell

if TYPE_CHECKING:
    from ragtui.datasets.check import Opened

_WIDTH: Final = 96
_BEFORE: Final = 32  # characters kept left of the marked one in a long line


def render(opened: Opened, style: Style) -> Iterator[str]:
    from ragtui.datasets.rules import rules

    known = rules()
    for dataset in opened.datasets:
        yield f"{cell(dataset.path)}: {dataset.format} ({cell(dataset.why)}), {sizes([dataset])}\n"
    if opened.datasets:
        yield "\n"
    for path, group in groupby(opened.placed(), key=lambda pair: pair[0]):
        findings = [finding for _, finding in group]
        lines = _lines(Path(path), {finding.line for finding in findings if finding.line and finding.sheet is None})
        for finding in findings:
            yield concise_line(path, finding, style) + "\n"
            if finding.line in lines:
                yield from _excerpt(lines[finding.line], finding.line, finding.column)
            remedy = known[finding.code].remedy if finding.code in known else ""
            if remedy:
                yield f"  = remedy: {remedy}\n"
            yield "\n"
    yield from rest(opened)
    yield summary(opened) + "\n"


def _excerpt(text: str, number: int, column: int) -> Iterator[str]:
    """The part of a line around ``column``; the mark stands under it if nothing before it was widened."""
    start = max(0, column - 1 - _BEFORE) if len(text) > _WIDTH else 0
    part = text[start : start + _WIDTH]
    before = cell(part[: max(0, column - 1 - start)])
    shown = ("…" if start else "") + cell(part) + ("…" if start + _WIDTH < len(text) else "")
    gutter = " " * len(str(number))
    yield f"{gutter} |\n{number} | {shown}\n"
    if column:
        yield f"{gutter} | {' ' * (len(before) + (1 if start else 0))}^\n"


def _lines(path: Path, numbers: set[int]) -> dict[int, str]:
    """The text of the lines asked for, without their ends."""
    from ragtui.datasets.containers.encoding import decode_head

    if not numbers or not path.is_file():
        return {}
    found: dict[int, str] = defaultdict(str)
    last = max(numbers)
    with path.open("rb") as stream:
        head = decode_head(stream.read(1 << 16))
        if head.encoding != "utf-8" or b"\n" not in head.data:
            text = path.read_bytes().decode(head.encoding or "utf-8", "replace").lstrip("\ufeff")
            lines = text.split("\n" if "\n" in text else "\r")
            return {number: lines[number - 1].rstrip("\r") for number in numbers if number <= len(lines)}
        stream.seek(0)
        for number, raw in enumerate(stream, 1):
            if number in numbers:
                found[number] = raw.decode("utf-8", "replace").rstrip("\r\n").lstrip("\ufeff")
            if number >= last:
                break
    return dict(found)
