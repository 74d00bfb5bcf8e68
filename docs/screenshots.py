"""Draws the pictures of the README from the app itself, on the demo's data.

usage: python docs/screenshots.py        writes docs/results.svg and docs/findings.svg
"""

from __future__ import annotations

import asyncio
import os
import re
import tempfile
from collections.abc import Callable
from pathlib import Path

from ragtui.experiments.demo import prepare, run_demo
from ragtui.tui.app import RagtuiApp
from ragtui.tui.workbench import Workbench
from ragtui.workspace import Workspace

HERE = Path(__file__).parent
SIZE = (132, 38)


async def picture(make: Callable[[], RagtuiApp], wait_for: str, keys: list[str], name: str) -> None:
    """Runs the app until ``wait_for`` is on its screen, presses ``keys``, and writes what it shows as SVG."""
    app = make()
    async with app.run_test(size=SIZE) as pilot:
        for _ in range(200):
            await pilot.pause(0.1)
            if wait_for in app.export_screenshot():
                break
        else:
            raise SystemExit(f"{name}: the screen never showed {wait_for!r}")
        await pilot.press(*keys)
        await pilot.pause(1.0)
        (HERE / f"{name}.svg").write_text(without_remote_fonts(app.export_screenshot(title="ragtui")), "utf-8")


def without_remote_fonts(svg: str) -> str:
    """The picture with the reader's own monospaced font, so that it loads nothing from anywhere."""
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)
    return svg.replace("Fira Code", "ui-monospace, Menlo, Consolas, DejaVu Sans Mono")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "demo"
        workspace = prepare(root)
        experiment = run_demo(workspace)
        os.chdir(root)

        def results() -> RagtuiApp:
            return RagtuiApp(Workbench(Workspace.open("."), ["."]), experiment=experiment)

        def findings() -> RagtuiApp:
            return RagtuiApp(Workbench(Workspace.open("."), ["broken/deepset-qa.csv"]))

        asyncio.run(picture(results, "desk-030", [], "results"))
        asyncio.run(picture(findings, "DS301", [], "findings"))
        os.chdir(HERE)


if __name__ == "__main__":
    main()
