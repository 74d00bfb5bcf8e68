"""How soon the first rows of large datasets are on screen, how long the screen ever stands still while the rest is read, and
how soon reading stops when it is told to.

    python benchmarks/first_rows.py [--documents 1000000] [--megabytes 200] [--runs 3]

Makes a BEIR folder and a CSV in a temporary folder, then starts the app on each in a fresh interpreter, without a terminal
but otherwise whole, and looks at its screen. Times count from the start of the interpreter. *Still* is the longest time the
app took to come round to a task that asks for 10 ms.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from check_beir import make as make_beir
from check_csv import make as make_csv

LIMIT = 1.0
DRIVER = """
import asyncio, os, sys, time
from pathlib import Path
BEGUN = float(os.environ["BEGUN"])
from ragtui.tui.app import RagtuiApp
from ragtui.tui.workbench import Workbench
from ragtui.workspace import Workspace

def shown(app):
    strips = app.screen._compositor.render_strips(app.size)
    return "".join(segment.text for strip in strips for segment in strip)

async def still(longest):
    while True:
        before = time.perf_counter()
        await asyncio.sleep(0.01)
        longest[0] = max(longest[0], time.perf_counter() - before - 0.01)

async def main(path, wanted, stop):
    app = RagtuiApp(Workbench(Workspace.open(Path(path).parent / "empty"), [path]))
    longest = [0.0]
    async with app.run_test(size=(120, 40)) as pilot:
        watching = asyncio.create_task(still(longest))
        while not app.workbench.datasets or wanted not in shown(app):  # looking at the screen takes its time, too
            await asyncio.sleep(0.02)
        first, used = time.time() - BEGUN, time.process_time()
        reading = any(each.reading for each in app.workbench.datasets)
        if stop:
            await asyncio.sleep(0.3)
            asked = time.perf_counter()
            await pilot.press("X")
        while not app.workbench.datasets or any(each.reading for each in app.workbench.datasets):
            await asyncio.sleep(0.01)
        whole = time.perf_counter() - asked if stop else time.time() - BEGUN
        watching.cancel()
        for worker in list(app.workers):
            worker.cancel()
    print(first, used, whole, longest[0], int(reading))

asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3] == "stop"))
"""


def run(path: Path, wanted: str, stop: bool) -> tuple[float, ...]:
    """Seconds to the first rows, of the app's CPU until then, to the whole (or from the key that stops it to the end), of
    standing still; 1 if the rest was still being read when the first rows were there."""
    import time

    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = str(Path(tempfile.gettempdir()) / "ragtui-benchmark-bytecode")
    root = Path(__file__).resolve().parent.parent
    told = subprocess.run(
        [sys.executable, "-c", DRIVER, str(path), wanted, "stop" if stop else "go"],
        check=True, capture_output=True, text=True, cwd=root, env={**environment, "BEGUN": str(time.time())},
    )  # fmt: skip
    return tuple(map(float, told.stdout.split()[-5:]))


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--documents", type=int, default=1_000_000)
    options.add_argument("--megabytes", type=int, default=200)
    options.add_argument("--runs", type=int, default=3)
    asked = options.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder, table = Path(name) / "large", Path(name) / "large.csv"
        folder.mkdir()
        (Path(name) / "empty").mkdir()
        make_beir(folder, asked.documents, asked.documents // 10, asked.documents // 2, faulty=False)
        make_csv(table, asked.megabytes * 1_000_000)
        for path, wanted in ((folder, "q000003"), (table, "number 3?")):
            times = [run(path, wanted, stop=False) for _ in range(asked.runs)]
            first, used, whole, still, early = (min(each) for each in zip(*times, strict=True))
            stopped = min(run(path, wanted, stop=True)[2] for _ in range(asked.runs))
            print(
                f"{path.name:10} first rows after {first:.2f} s (wanted: under {LIMIT:.0f}), {used:.2f} s of CPU, all after {whole:.2f} s, "
                f"still for {1000 * still:.0f} ms, stopped in {1000 * stopped:.0f} ms"
                + ("" if early else ", NOT early")
            )
    print(f"{os.cpu_count()} CPUs, load {os.getloadavg()[0]:.0f}; best of {asked.runs}")


if __name__ == "__main__":
    main()
