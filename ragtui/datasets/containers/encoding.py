"""Bytes to text: which encoding a file is in, what is wrong with that, and never a guess in silence."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from ragtui.datasets.containers import Head
from ragtui.datasets.findings import Edit, Finding, Level, More, shown_per_rule
from ragtui.datasets.rules import text as rules

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE: Final = 1 << 14

# Western words have single letters beyond ASCII in them; in other alphabets whole words are beyond it.
_RUNS: Final = re.compile(rb"[\x80-\xff]+")
_WORDS: Final = 20
_WORD_LENGTH: Final = 3
_BINARY_MAGIC: Final = (b"PK\x03\x04", b"\x89PNG", b"%PDF", b"\x1f\x8b", b"\xff\xd8\xff")

# Python reads a byte that is no UTF-8 as U+DC00 plus the byte; Windows-1252 says what was meant, and where it leaves a
# byte open this does what browsers do.
_ESCAPED: Final = re.compile("[\udc80-\udcff]")
_PROPER: Final = re.compile("[^\x00-\x7f\udc80-\udcff]")
_FROM_ESCAPED: Final = {
    0xDC00 + byte: chr(byte) if byte in (0x81, 0x8D, 0x8F, 0x90, 0x9D) else bytes([byte]).decode("cp1252")
    for byte in range(0x80, 0x100)
}


@dataclass(frozen=True)
class Decoded:
    """A file's text without byte order mark. ``encoding`` is what it was read as; ``findings`` what is wrong with that.

    ``start`` is where the text begins in the bytes (after the mark).
    """

    text: str
    encoding: str
    start: int = 0
    findings: tuple[Finding | More, ...] = ()


def decode(data: bytes) -> Decoded:
    """The text of ``data``; bytes that are no text of the encoding become what Windows-1252 says, with a finding."""
    mark, encoding = _mark(data)
    if encoding == "utf-8":
        return _decode_utf8(data, mark)
    body = data[len(mark) :]
    text = body.decode(encoding, "replace")
    findings = [rules.wide_encoding(encoding, bool(mark), (Edit(0, len(data), text),))]
    if text != body.decode(encoding, "ignore"):
        findings.append(rules.broken_bytes(encoding, text.count("\n", 0, text.find("\ufffd")) + 1))
    return Decoded(text, encoding, len(mark), tuple(findings))


def decode_head(data: bytes) -> Head:
    """The beginning of a file as text, ``None`` where it is binary. A character cut at the end is left out."""
    mark, encoding = _mark(data)
    body = data[len(mark) :]
    if encoding != "utf-8":
        return Head(data, body.decode(encoding, "ignore"), encoding)
    if _is_binary(body):
        return Head(data, None, None)
    text = codecs.getincrementaldecoder("utf-8")("surrogateescape").decode(body)
    return Head(data, text if text.isascii() else text.translate(_FROM_ESCAPED), encoding)


def line_end(data: bytes) -> bytes:
    """What ends a line: LF (also in CRLF); CR alone only in a file without any LF."""
    return b"\n" if b"\n" in data else b"\r"


def _mark(data: bytes) -> tuple[bytes, str]:
    """The byte order mark and the encoding it, or a NUL in every other byte, tells of."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return mark, encoding
    sample = data[:_SAMPLE]
    half = len(sample) // 2
    if half >= 4:
        even, odd = sample[0::2].count(0) / half, sample[1::2].count(0) / half
        if odd > 0.6 and even < 0.05:
            return b"", "utf-16-le"
        if even > 0.6 and odd < 0.05:
            return b"", "utf-16-be"
    return b"", "utf-8"


def _is_binary(body: bytes) -> bool:
    sample = body[:_SAMPLE]
    control = len(sample) - len(sample.translate(None, bytes([*range(9), 11, *range(14, 27), *range(28, 32)])))
    return body.startswith(_BINARY_MAGIC) or control > len(sample) * 0.1


def _decode_utf8(data: bytes, mark: bytes) -> Decoded:
    findings: list[Finding | More] = [rules.byte_order_mark((Edit(0, len(mark), ""),))] if mark else []
    body = data[len(mark) :] if mark else data
    try:
        return Decoded(body.decode("utf-8"), "utf-8", len(mark), tuple(findings))
    except UnicodeDecodeError as error:
        first = error.start
    escaped = body.decode("utf-8", "surrogateescape")
    text = escaped.translate(_FROM_ESCAPED)
    bad = sum(1 for _ in _ESCAPED.finditer(escaped))
    if sum(1 for _ in _PROPER.finditer(escaped)) > bad:
        findings.extend(_broken_lines(escaped, len(mark)))
        return Decoded(text, "utf-8", len(mark), tuple(findings))
    encoding = "cp1252"
    if bad >= _WORDS and bad > _WORD_LENGTH * len(_RUNS.findall(body)):
        encoding, text = _other_alphabet(body) or (encoding, text)
    end = line_end(data)
    line, column = body.count(end, 0, first) + 1, first - (body.rfind(end, 0, first) + 1) + 1
    findings.append(rules.legacy_encoding(encoding, line, column, body[first], bad, (Edit(0, len(data), text, False),)))
    return Decoded(text, encoding, len(mark), tuple(findings))


def _broken_lines(escaped: str, offset: int) -> Iterator[Finding | More]:
    """A finding per line that is not UTF-8 in a file that else is."""
    end = "\n" if "\n" in escaped else "\r"
    line, reached, shown, more = 1, 0, 0, 0
    for match in re.finditer(f"[^{end}]*[\udc80-\udcff][^{end}]*", escaped):
        if shown == shown_per_rule():
            more += 1
            continue
        line += escaped.count(end, reached, match.start())
        offset += len(escaped[reached : match.start()].encode("utf-8", "surrogateescape"))
        reached = match.start()
        edits = []
        for bad in _ESCAPED.finditer(match.group()):
            at = offset + len(match.group()[: bad.start()].encode("utf-8", "surrogateescape"))
            edits.append(Edit(at, at + 1, bad.group().translate(_FROM_ESCAPED), False))
        first = _ESCAPED.search(match.group())
        assert first is not None
        yield rules.not_utf8(line, first.start() + 1, ord(first.group()) - 0xDC00, tuple(edits))
        shown += 1
    if more:
        yield More("TEXT004", Level.ERROR, more)


def _other_alphabet(body: bytes) -> tuple[str, str] | None:
    """The encoding that makes most sense of bytes that are hardly Latin text, and the text."""
    from charset_normalizer import from_bytes

    best = from_bytes(body[: 1 << 16]).best()
    if best is None or best.encoding in ("utf_8", "ascii"):
        return None
    try:
        return best.encoding.replace("_", "-"), body.decode(best.encoding)
    except (UnicodeDecodeError, LookupError):
        return None
