"""Rules about text itself: encodings, control characters, text that was decoded wrongly once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from ragtui.datasets.containers.table import Table, short
from ragtui.datasets.findings import Edit, Finding, Level, More
from ragtui.datasets.rules import rule

_UTF8_ONLY: Final = (
    "deepset", "deepset-dataset", "beir", "evalscope", "mteb", "azure", "pinecone", "ragas", "deepeval",
)  # fmt: skip


@rule(
    "TEXT001",
    "byte-order-mark",
    Level.INFO,
    fix="safe",
    example="EF BB BF at the start of the file",
    remedy="remove the three bytes",
)
def byte_order_mark(fix: tuple[Edit, ...]) -> Finding:
    """A UTF-8 byte order mark is skipped here. Readers that decode plain UTF-8 keep it inside the first header or key,
    which then seems to be missing."""
    return Finding("TEXT001", Level.INFO, "UTF-8 byte order mark skipped", line=1, fix=fix)


@rule(
    "TEXT002",
    "utf-16",
    Level.WARNING,
    fix="safe",
    example="a spreadsheet's 'Unicode text' export",
    remedy="save as UTF-8",
    platforms=_UTF8_ONLY,
)
def wide_encoding(encoding: str, marked: bool, fix: tuple[Edit, ...], also: str = "") -> Finding:
    """The file is in UTF-16 or UTF-32. It is read here, but evaluation platforms and most tools expect UTF-8 and see a NUL
    after every letter."""
    how = "" if marked else " (without byte order mark, known by its NUL bytes)"
    name = encoding.replace("utf-16-", "UTF-16").replace("utf-32-", "UTF-32").replace("le", "LE").replace("be", "BE")
    wanted = "UTF-8 comma CSV" if also else "UTF-8"
    return Finding("TEXT002", Level.WARNING, f"the file is {name}{how}{also}, not {wanted}", line=1, fix=fix)


@rule("TEXT003", "legacy-encoding", Level.ERROR, fix="unsafe", example="é as the byte E9", remedy="save as UTF-8")
def legacy_encoding(encoding: str, line: int, column: int, byte: int, count: int, fix: tuple[Edit, ...]) -> Finding:
    """The file is not UTF-8 but in an older one-byte encoding. Nothing in the file says which; the likeliest was taken to
    show the text. Tools that expect UTF-8 stop here or replace letters."""
    places = "" if count == 1 else f", the first of {count:,} such bytes"
    return Finding(
        "TEXT003",
        Level.ERROR,
        f"not UTF-8: byte {byte:02X}{places}; read as {encoding}",
        line=line,
        column=column,
        fix=fix,
    )


@rule(
    "TEXT004",
    "broken-utf8",
    Level.ERROR,
    fix="unsafe",
    example="one byte E9 in a file that else is UTF-8",
    remedy="type the letter again",
)
def not_utf8(line: int, column: int, byte: int, fix: tuple[Edit, ...]) -> Finding:
    """A file in UTF-8 has bytes that are none, as when lines from an older file were pasted in. They are shown as what they
    mean in Windows-1252."""
    meant = bytes([byte]).decode("cp1252", "replace")
    message = f'byte {byte:02X} is not UTF-8; it is "{meant}" in Windows-1252'
    return Finding("TEXT004", Level.ERROR, message, line=line, column=column, fix=fix)


def broken_bytes(encoding: str, line: int) -> Finding:
    """Bytes that are no text of the encoding the file says it is in."""
    return Finding("TEXT004", Level.ERROR, f"bytes that are no {encoding} text, as if the file was cut", line=line)


# Â, Ã, â and their like, followed by what the bytes 80 to BF are in Windows-1252: UTF-8 that was read as Windows-1252.
_HIGH: Final = "".join(bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in range(0x80, 0xC0))
DOUBLE: Final = re.compile(f"[\u00c2-\u00df][{_HIGH}]|[\u00e0-\u00ef][{_HIGH}]{{2}}|[\u00f0-\u00f4][{_HIGH}]{{3}}")
_PUNCTUATION: Final = frozenset("\u00a0\u2013\u2014\u2018\u2019\u201c\u201d\u2026«»¿¡")
_TO_BYTE: Final = {
    char: byte for byte in range(0x80, 0x100) for char in bytes([byte]).decode("cp1252", "ignore") or chr(byte)
}


def undouble(text: str) -> str | None:
    """``text`` with what was encoded twice put right, ``None`` where nothing looks so: ``CafÃ©`` becomes ``Café``."""
    found = False

    def repair(match: re.Match[str]) -> str:
        nonlocal found
        part = match.group()
        before, after = text[match.start() - 1 : match.start()], text[match.end() : match.end() + 1]
        if before.isupper() and len(part) == 2 and part[1] in _PUNCTUATION and not after.isalpha():
            return part  # a word in capitals may end in Ã or Â
        try:
            right = bytes(_TO_BYTE[char] for char in part).decode("utf-8")
        except UnicodeDecodeError:
            return part
        found = True
        return right

    repaired = DOUBLE.sub(repair, text)
    return repaired if found else None


@rule(
    "TEXT005",
    "double-encoded",
    Level.WARNING,
    fix="unsafe",
    example="CafÃ© for Café",
    remedy="put the repaired text in",
    on=Table,
)
def double_encoded(table: Table) -> Iterator[Finding | More]:
    """UTF-8 text was once read as Windows-1252 and saved again, so that é became Ã©. A judge and a retriever see the
    garbled letters; the text is loaded as it stands, never rewritten in silence."""
    import polars as pl

    for name in table.names if table.may_hold("doubled") else ():
        whole = table.frame.schema[name] == pl.String
        hits = table.rows_where(table.text(name).str.contains(DOUBLE.pattern), name)
        repaired = ((index, undouble(text)) for index, text in hits)
        found = ((index, right) for index, right in repaired if right is not None)
        mended = (lambda right: right) if whole else None
        yield from table.findings("TEXT005", Level.WARNING, name, found, double_encoded_message, mended, safe=False)


def double_encoded_message(right: str) -> str:
    return f'text looks like UTF-8 read as Windows-1252; it should be "{short(right)}"'


@rule(
    "TEXT006",
    "control-character",
    Level.WARNING,
    fix="unsafe",
    example="an ESC or NUL inside a text",
    remedy="remove it",
    on=Table,
)
def control_characters(table: Table) -> Iterator[Finding | More]:
    """Control characters come from broken exports and from terminals' escape sequences. They are shown as pictures here;
    a judge is sent them as they are, and some databases and XML writers refuse them."""
    import polars as pl

    for header, name in zip(table.headers, table.names, strict=True):
        if _CONTROLS.search(header):
            yield table.header_finding(
                "TEXT006", Level.WARNING, _control_message(header).replace("text", "header"), name
            )
    for name in table.names if table.may_hold("controls") else ():
        odd = table.text(name).str.contains(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u0080-\u0084\u0086-\u009f]")
        if name in table.kinds:  # lists and objects are here as JSON, in which control characters are escaped
            inside = pl.lit(table.kinds[name].cast(pl.String).is_in(["list", "object"]))
            odd |= inside & table.text(name).str.contains(_ESCAPED)
        hits = table.rows_where(odd, name)
        mended = _without_controls if table.frame.schema[name] == pl.String else None
        yield from table.findings("TEXT006", Level.WARNING, name, hits, _control_message, mended, safe=False)


_ESCAPED: Final = r"(?:^|[^\\])(?:\\\\)*\\(?:u00[01][0-9a-f]|[bf])"


_CONTROLS: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u0080-\u0084\u0086-\u009f]")


def _without_controls(text: str) -> str:
    return _CONTROLS.sub("", text)


def _control_message(text: str) -> str:
    codes = sorted(
        {f"U+{ord(char):04X}" for char in text if (ord(char) < 32 and char not in "\t\n\r") or 127 <= ord(char) < 160}
    )
    return f"control character{'s' if len(codes) > 1 else ''} {', '.join(codes[:5]) or 'in escaped form'} in the text"


@rule(
    "TEXT007",
    "replacement-character",
    Level.WARNING,
    example="Caf\ufffd",
    remedy="take the text from its source again",
    on=Table,
)
def replacement_characters(table: Table) -> Iterator[Finding | More]:
    """U+FFFD stands where a letter was lost when somebody read the text in a wrong encoding. What it was is not in the file
    any more."""
    for name in table.names if table.may_hold("lost") else ():
        hits = table.rows_where(table.text(name).str.contains("\ufffd", literal=True), name)
        yield from table.findings("TEXT007", Level.WARNING, name, hits, _lost_message)


def _lost_message(text: str) -> str:
    at = text.index("\ufffd")
    return f'a letter was lost in "{short(text[max(0, at - 20) : at + 20])}"'
