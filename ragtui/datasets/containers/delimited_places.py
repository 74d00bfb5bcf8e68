"""Where the cells of a delimited file lie in its bytes, for columns of findings and for fixes. Looked up only when asked."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ragtui.datasets.containers.delimited_records import field_spans
from ragtui.datasets.findings import Edit

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_CHUNK: Final = 1 << 12


@dataclass(frozen=True)
class DelimitedPlaces:
    """Places of a file of the given encoding whose text begins at byte ``start``."""

    path: Path
    encoding: str
    start: int
    delimiter: str

    def column(self, line: int, position: int) -> int:
        text, spans = self._record(line)
        if position >= len(spans):
            return 0
        begin = spans[position][0]
        return 0 if self._end in text[:begin] else begin + 1

    def edit(self, line: int, position: int, text: str, safe: bool = True) -> tuple[Edit, ...]:
        raw, spans = self._record(line)
        if self.encoding != "utf-8" or position >= len(spans):
            return ()
        begin, end = spans[position]
        if _is_broken(raw[begin:end]):
            return ()  # what these bytes mean is a guess, which no other fix may make on the way
        at = self.start + int(self._starts[line - 1])
        before, cell = _size(raw[:begin]), _size(raw[begin:end])
        return (Edit(at + before, at + before + cell, quoted(text, self.delimiter), safe),)

    def rename(self, line: int, position: int, text: str, safe: bool = True) -> tuple[Edit, ...]:
        return ()

    @cached_property
    def _data(self) -> bytes:
        data = self.path.read_bytes()[self.start :]
        return data if self.encoding == "utf-8" else data.decode(self.encoding, "replace").encode("utf-8", "replace")

    @cached_property
    def _end(self) -> str:
        return "\n" if b"\n" in self._data else "\r"

    @cached_property
    def _starts(self) -> npt.NDArray[np.int64]:
        import numpy as np

        codes = np.frombuffer(self._data, dtype=np.uint8)
        return np.concatenate([np.zeros(1, dtype=np.int64), np.flatnonzero(codes == ord(self._end)) + 1])

    def _record(self, line: int) -> tuple[str, list[tuple[int, int]]]:
        """The text from the start of ``line`` on, far enough to hold one record, and where its fields lie in it."""
        if not 1 <= line <= len(self._starts):
            return "", []
        begin, size = int(self._starts[line - 1]), _CHUNK
        while True:
            text = self._data[begin : begin + size].decode("utf-8", "surrogateescape")
            spans = field_spans(text, self.delimiter)
            if (spans and spans[-1][1] < len(text)) or begin + size >= len(self._data):
                return text, spans
            size *= 4


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogateescape"))


def _is_broken(text: str) -> bool:
    """Whether it holds bytes that are no UTF-8."""
    return not text.isascii() and any("\udc80" <= char <= "\udcff" for char in text)


def quoted(text: str, delimiter: str) -> str:
    """``text`` as a field: in quotes where it needs them."""
    if text.strip(' "\r\n') == text and not any(mark in text for mark in (delimiter, '"', "\n", "\r")):
        return text
    return '"' + text.replace('"', '""') + '"'
