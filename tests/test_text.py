"""The one door for untrusted text: what goes through it can neither move the cursor nor hide."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtui.text import block, cell

ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()))
NEVER_SHOWN = {"Cc", "Cs", "Zl", "Zp"}
REORDERS = {*map(chr, range(0x202A, 0x202F)), *map(chr, range(0x2066, 0x206A)), "\u200e", "\u200f", "\u061c"}


@given(ANY_TEXT)
def test_a_cell_is_one_line_without_a_control_character(text: str) -> None:
    shown = cell(text)
    assert not [c for c in shown if unicodedata.category(c) in NEVER_SHOWN or c in REORDERS]
    shown.encode("utf-8")


@given(ANY_TEXT)
def test_a_block_keeps_line_feeds_and_no_other_control(text: str) -> None:
    shown = block(text)
    assert not [c for c in shown if c != "\n" and (unicodedata.category(c) in NEVER_SHOWN or c in REORDERS)]
    shown.encode("utf-8")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b]52;c;aGk=\x07", "␛]52;c;aGk=␇"),
        ("a\u202eb", "a·b"),
        ("a\x9b31mb", "a\ufffd31mb"),
        ("one\ntwo", "one⏎two"),
        ("one\r\ntwo", "one⏎two"),
        ("[red]x[/red] [/x]", "[red]x[/red] [/x]"),
        ("tab\there", "tab here"),
        ("👩\u200d🔬", "👩🔬"),
        ("日本語", "日本語"),
        ("\ud800", "\ufffd"),
        (None, ""),
        (3.5, "3.5"),
    ],
)
def test_what_a_cell_shows(text: object, shown: str) -> None:
    assert cell(text) == shown


def test_a_long_cell_is_cut_and_says_so() -> None:
    assert cell("x" * 10, limit=4) == "xxxx…"


def test_a_block_keeps_joined_characters_and_expands_tabs() -> None:
    assert block("a\tb\r\nc\rd 👩\u200d🔬") == "a    b\nc\nd 👩\u200d🔬"
