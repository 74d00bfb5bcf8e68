"""What is sent keeps lines straight where terminals disagree about widths, and is otherwise sent as it is."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.drivers.linux_driver import LinuxDriver

from ragtui.tui.app import RagtuiApp
from ragtui.tui.steady_lines import steady
from ragtui.tui.workbench import Workbench
from ragtui.workspace import Workspace

COLOUR = "\x1b[38;2;1;2;3m"
HELD = re.compile("\x1b\\[\\?7l\x1b7( *)\x1b8([^\x1b]+)\x1b8(?:\x1b\\[\\d+C)?\x1b\\[\\?7h")


@pytest.mark.parametrize(
    "text", ["plain", "─│▌ é ё Ａ 漢字 각 ไม่ 👩 ✓", "e\u0301", COLOUR + "x\x1b[0m\n\x1b]22;default\x07"]
)
def test_what_terminals_agree_about_is_sent_as_it_is(text: str) -> None:
    assert steady(text) == text


@pytest.mark.parametrize(
    ("letter", "cells"),
    [("👩\u200d👦", 2), ("❤\ufe0f", 2), ("क्षि", 2), ("🇩🇪", 2), ("👍🏽", 2), ("\ue000", 1), ("🫨", 2)],
)
def test_a_letter_of_doubtful_width_is_held_in_its_cells(letter: str, cells: int) -> None:
    sent = steady(f"{COLOUR}a {letter} b\x1b[0m")
    held = HELD.findall(sent)
    assert "".join(text for _, text in held) == letter
    assert sum(len(blanks) for blanks, _ in held) == cells
    assert sent.startswith(f"{COLOUR}a ")
    assert sent.endswith(" b\x1b[0m")


@given(
    st.lists(st.sampled_from([COLOUR, "\x1b[3;4H", "\x1b7", "\n", "a", " ", "क", "ि", "\u200d", "👩", "\ufe0f", "漢"]))
)
def test_only_cells_and_marks_are_added(parts: list[str]) -> None:
    sent = "".join(parts)
    assert HELD.sub(lambda found: found[2], steady(sent)) == sent


def test_the_app_sends_steady_lines(tmp_path: pytest.TempPathFactory) -> None:
    driver = RagtuiApp(Workbench(Workspace.open(str(tmp_path)))).driver_class
    assert issubclass(driver, LinuxDriver)
    assert driver.write is not LinuxDriver.write
