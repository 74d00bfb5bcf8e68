"""Encodings: every text comes back, and what is wrong is told once, at its line."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtui.datasets.containers.encoding import decode, decode_head
from ragtui.datasets.findings import Finding
from ragtui.datasets.rules.text import undouble

LETTERS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"], exclude_characters="\0"), min_size=1)


def found(data: bytes) -> list[tuple[str, int, int]]:
    return [(each.code, each.line, each.column) for each in decode(data).findings if isinstance(each, Finding)]


@given(LETTERS)
@settings(max_examples=300)
def test_utf8_comes_back_as_it_was(text: str) -> None:
    text = text.lstrip("\ufeff")
    data = b"x" + text.encode()
    assert decode(data).text == "x" + text
    assert found(data) == []


@given(LETTERS, st.sampled_from(["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"]))
def test_a_byte_order_mark_tells_wide_encodings(text: str, encoding: str) -> None:
    decoded = decode(("\ufeffa" + text).encode(encoding))
    assert (decoded.text, decoded.encoding) == ("a" + text, encoding)
    assert [finding.code for finding in decoded.findings if isinstance(finding, Finding)] == ["TEXT002"]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_wide_encodings_are_known_without_a_mark(encoding: str) -> None:
    decoded = decode("query\tanswer\r\nWas kostet es?\tNichts\r\n".encode(encoding))
    assert decoded.encoding == encoding
    assert decoded.text.startswith("query")


def test_a_mark_in_front_of_utf8_is_skipped_with_a_safe_fix() -> None:
    decoded = decode(b"\xef\xbb\xbfa")
    assert decoded.text == "a"
    [finding] = decoded.findings
    assert isinstance(finding, Finding)
    assert finding.fixable


@given(
    st.lists(
        st.lists(st.sampled_from(["a", "café", "über", "– no", " "]), min_size=1).map("".join), min_size=1, max_size=8
    )
)
def test_windows_text_comes_back_and_its_first_odd_byte_is_named(lines: list[str]) -> None:
    data = "\n".join(lines).encode("cp1252")
    decoded = decode(data)
    assert decoded.text == "\n".join(lines)
    odd = next((number for number, line in enumerate(lines, 1) if not line.isascii()), None)
    assert [line for _, line, _ in found(data)] == ([] if odd is None else [odd])


def test_another_alphabet_is_recognised() -> None:
    text = "Сколько стоит билет на день? Где находится касса? Когда уходит последний корабль?\n" * 20
    decoded = decode(text.encode("cp1251"))
    assert decoded.text == text
    assert decoded.encoding == "cp1251"


def test_odd_bytes_in_a_file_that_is_utf8_are_named_line_by_line_with_edits() -> None:
    data = "ä1\n".encode() + b"\xe92\n" + "ö3ßü\n".encode() + b"a\x96b\xff\n"
    assert found(data) == [("TEXT004", 2, 1), ("TEXT004", 4, 2)]
    repaired = data
    edits = [edit for each in decode(data).findings if isinstance(each, Finding) for edit in each.fix]
    for edit in sorted(edits, key=lambda edit: -edit.start):
        repaired = repaired[: edit.start] + edit.text.encode() + repaired[edit.end :]
    assert repaired.decode() == "ä1\né2\nö3ßü\na–bÿ\n"


@given(st.binary(max_size=300))
@settings(max_examples=500)
def test_no_bytes_raise(data: bytes) -> None:
    decode(data)
    decode_head(data)


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\n", b"PK\x03\x04", b"%PDF-1.7", bytes(range(32)) * 9])
def test_binary_files_are_no_text(data: bytes) -> None:
    assert decode_head(data).text is None


class TestDoubleEncoding:
    @pytest.mark.parametrize(
        "text", ["Café – opening hours?", "Prize of £500", "naïve “quotes”", "5 €", "🚢 boat", "GRÖSSE"]
    )
    def test_text_encoded_twice_is_put_right(self, text: str) -> None:
        twice = "".join(bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in text.encode())
        assert undouble(twice) == text

    @pytest.mark.parametrize(
        "text", ["Abre de MANHÃ?", "Café", "São Paulo", "Â", "MANHÃ – tarde", "AMANHÃ“", "naïve", "日本語"]
    )
    def test_real_words_are_left_alone(self, text: str) -> None:
        assert undouble(text) is None
