"""How the table and the text pane feel with a million rows: time to the first screen, CPU a key, sort and filter, memory.

    python benchmarks/triage_table.py [--rows 1000000]

Drives the real widgets without a terminal. Prints each figure beside its limit and exits 1 if one is missed. CPU a key is
compared with that at 10,000 rows. Linux only (it reads /proc).
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections.abc import Callable

import polars as pl
from textual import events
from textual.app import App, ComposeResult

from ragtui.tui.widgets.passage import Passage
from ragtui.tui.widgets.prompt_line import PromptLine
from ragtui.tui.widgets.table_column import TableColumn
from ragtui.tui.widgets.virtual_table import VirtualTable
from ragtui.tui.widgets.wrapped_text import WrappedText

SCORES = tuple(f"metric_{n}" for n in range(8))
KEYS = 60
missed: list[str] = []


class Desk(App[None]):
    def __init__(self) -> None:
        super().__init__()
        self.animation_level = "none"

    def compose(self) -> ComposeResult:
        yield VirtualTable(cells=True)
        yield WrappedText()
        yield PromptLine()

    @property
    def table(self) -> VirtualTable:
        return self.query_one(VirtualTable)

    async def drawn(self) -> None:
        """Returns when everything that waits has been handled and the screen has been drawn."""
        done = asyncio.Event()
        self.screen.call_after_refresh(done.set)
        await done.wait()

    async def press(self, key: str) -> float:
        started = time.perf_counter()
        self.post_message(events.Key(key, key if len(key) == 1 else None))
        before = self.table.position
        for _ in range(4000):
            await asyncio.sleep(0)
            if self.table.position != before:
                break
        await self.drawn()
        return time.perf_counter() - started


def rows(count: int) -> pl.DataFrame:
    number = pl.int_range(count, eager=True)
    text = "Open My security, choose VPN token and press Reset. The code expires after ten minutes. " * 3
    scores = [((number * (7 + n)) % 5 + 1).cast(pl.Float64).alias(name) for n, name in enumerate(SCORES)]
    return pl.DataFrame(
        [
            ("case-" + number.cast(pl.String)).alias("case_id"),
            *scores,
            (number.cast(pl.String) + " " + text).alias("name"),
        ]
    )


def memory() -> float:
    """Resident megabytes of this process."""
    with open("/proc/self/status") as stream:
        return next(int(line.split()[1]) for line in stream if line.startswith("VmRSS")) / 1024


def say(what: str, value: float, limit: float, unit: str) -> None:
    print(f"  {what:<58}{value:>9,.1f} {unit:<4} limit {limit:,.0f}")
    if value > limit:
        missed.append(what)


async def key_cost(app: Desk) -> tuple[float, float]:
    """CPU milliseconds a key, and the longest it took to be drawn."""
    for _ in range(5):
        await app.press("j")
    cpu, worst = time.process_time(), 0.0
    for _ in range(KEYS):
        worst = max(worst, await app.press("j"))
    return (time.process_time() - cpu) / KEYS * 1000, worst * 1000


async def while_at_work(app: Desk, start: Callable[[], object], ended: Callable[[], bool]) -> tuple[float, float]:
    """Milliseconds until the work has ended, and the longest that a key pressed meanwhile took to be drawn."""
    began, worst = time.perf_counter(), 0.0
    start()
    while not ended():
        worst = max(worst, await app.press("j" if app.table.position % 2 == 0 else "k"))
        if time.perf_counter() - began > 30:
            raise SystemExit("never ended")
    return (time.perf_counter() - began) * 1000, worst * 1000


async def table(count: int) -> float:
    frame = rows(count)
    columns = [TableColumn(name, name) for name in ("case_id", *SCORES)] + [TableColumn("name", "question", grow=True)]
    app = Desk()
    async with app.run_test(size=(160, 45)):
        app.table.focus()
        await app.drawn()
        before, began = memory(), time.perf_counter()
        app.table.show(frame, columns)
        await app.drawn()
        opened = (time.perf_counter() - began) * 1000
        cpu, drawn = await key_cost(app)
        if count <= 10_000:
            return cpu
        say(f"{count:,} rows × {len(SCORES)} scores on the screen", opened, 1000, "ms")
        say("memory over the frame", memory() - before, 50, "MB")
        say("CPU a key", cpu, 15, "ms")
        say("longest until a key is drawn", drawn, 50, "ms")
        say("to the end", await app.press("G") * 1000, 50, "ms")
        await app.press("g")
        table = app.table
        for what, start, ended in (
            ("sort by a score", lambda: table.sort("metric_3"), lambda: table.sorted_by == "metric_3"),
            ("sort by a text", lambda: table.sort("name"), lambda: table.sorted_by == "name"),
            (
                "filter by an SQL condition",
                lambda: table.do_filter("metric_1 < 2 and metric_2 > 3"),
                lambda: bool(table.condition),
            ),
        ):
            took, worst = await while_at_work(app, start, ended)
            say(what, took, 400, "ms")
            say("  longest key meanwhile", worst, 50, "ms")
    return cpu


async def long_text() -> None:
    app = Desk()
    async with app.run_test(size=(160, 45)):
        text = app.query_one(WrappedText)
        text.focus()
        for size, limit in ((200_000, 80), (1_000_000, 80)):
            passage = Passage()
            passage.text("The quick brown fox does not jump over the lazy dog at all. " * (size // 60))
            began = time.perf_counter()
            text.show(passage)
            await app.drawn()
            say(f"{size:,} characters of text on the screen", (time.perf_counter() - began) * 1000, limit, "ms")
            began, worst = time.perf_counter(), 0.0
            while time.perf_counter() - began < 1.0:
                pressed = time.perf_counter()
                app.post_message(events.Key("j", "j"))
                await asyncio.sleep(0.005)
                await app.drawn()
                worst = max(worst, time.perf_counter() - pressed)
            say("  longest key meanwhile", worst * 1000, 50, "ms")


async def main(count: int) -> None:
    small = await table(10_000)
    cpu = await table(count)
    print(f"  CPU a key at 10,000 rows {small:.1f} ms: {cpu / small:.2f} × at {count:,}")
    await long_text()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1_000_000)
    asyncio.run(main(parser.parse_args().rows))
    if missed:
        print(f"missed: {', '.join(missed)}")
    sys.exit(1 if missed else 0)
