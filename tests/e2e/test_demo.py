"""``ragtui demo`` as a newcomer sees it: it opens on its results, in a workspace of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.terminal import LARGE, RAGTUI, SMALL, Terminal, needs_tmux

pytestmark = needs_tmux


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["80x24", "160x45"])
def test_the_demo_opens_on_its_results_and_finds_a_label_again(tmp_path: Path, size: tuple[int, int]) -> None:
    here, home = tmp_path / "here", tmp_path / "home"
    here.mkdir()
    with Terminal([*RAGTUI, "demo"], cwd=here, home=home, size=size) as app:
        app.wait("worst first: groundedness", 60)
        app.wait(r"▌ +desk-\d{3} .*1✗")
        app.press("m")
        app.wait("✎ model")
        app.press("q")
        assert app.status() == 0
        left = app.scrollback()
        assert "groundedness" in left
        assert f"The demo's workspace is {home}" in left
    with Terminal([*RAGTUI, "demo"], cwd=here, home=home, size=size) as app:
        app.wait("worst first: groundedness", 60)
        app.wait("✎ model")
        app.press("q")
        assert app.status() == 0
    assert list(here.iterdir()) == []
