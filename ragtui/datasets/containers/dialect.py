"""How a delimited file is written: its delimiter, a ``sep=`` line, and where the header is."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

DELIMITERS: Final = (",", ";", "\t", "|")
NAMES: Final = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
_SEP_LINE: Final = re.compile(r'"?sep=(.)"?\r?\n?', re.IGNORECASE)
_RECORDS_SAMPLED: Final = 200


@dataclass(frozen=True, slots=True)
class Dialect:
    """``skipped`` counts the physical lines before the header: a ``sep=`` line and blank ones."""

    delimiter: str
    skipped: int
    declared: bool = False


def sniff_dialect(text: str, whole: bool = True) -> Dialect:
    """The dialect of the beginning of a file; ``whole`` says that ``text`` is all of it, so that its last record counts."""
    lines = list(lines_of(text))
    skipped, declared = 0, None
    for line in lines:
        match = _SEP_LINE.fullmatch(line)
        if match and declared is None:
            declared = match.group(1)
        elif line.strip("\r\n"):
            break
        skipped += 1
    rest = lines[skipped:]
    return Dialect(declared or _likeliest(rest if whole else rest[:-1] or rest), skipped, declared is not None)


def lines_of(text: str) -> Iterator[str]:
    """Physical lines with their ends: LF ends a line; CR alone only in a text without any LF."""
    end = "\n" if "\n" in text else "\r"
    start = 0
    while (at := text.find(end, start)) >= 0:
        yield text[start : at + 1]
        start = at + 1
    if start < len(text):
        yield text[start:]


def _likeliest(lines: list[str]) -> str:
    """The delimiter that splits the header, and most records into as many fields as the header; a comma where none does."""
    best, best_score = ",", 0.0
    for delimiter in DELIMITERS:
        widths = list(_widths(lines, delimiter))
        if not widths or widths[0] < 2:
            continue
        agreeing = sum(1 for width in widths if width == widths[0]) / len(widths)
        _, most = Counter(widths).most_common(1)[0]
        score = agreeing + most / len(widths) / 10 + min(widths[0], 20) / 1000
        if score > best_score:
            best, best_score = delimiter, score
    return best


def _widths(lines: list[str], delimiter: str) -> Iterator[int]:
    reader = csv.reader(iter(lines), delimiter=delimiter)
    for _ in range(_RECORDS_SAMPLED):
        try:
            fields = next(reader)
        except csv.Error:
            continue
        except StopIteration:
            return
        if fields:
            yield len(fields)
