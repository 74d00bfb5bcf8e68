"""Hostile strings through the app in a real terminal: nothing raw is sent, and everything stays where it belongs.

    python benchmarks/hostile_strings.py [--strings 10000] [--size 160x45]

Writes the strings as datasets, walks every row of the table and every page of the rows shown whole, by keys, in a private
tmux. At each stop the frame's right edge must stand in the last column as tmux counts columns: a character that is wider or
narrower there than the app believes would shift it. Every byte that the app sent is kept and looked through for control
sequences it has no business with. Exits 1 if anything came through, shifted, or the app did not stay alive.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.hostile import strings  # noqa: E402

TOGETHER = 50  # strings in one row of the second dataset, which is read whole
EDGES = "│╮╯▕"
OURS = re.compile(
    rb"\x1b\[[0-9;:]*m|\x1b\[\d*;?\d*H|\x1b\[\d*[ABCDGJKXd]|\x1b\[\?[0-9;]+[hl]|\x1b\[\?\d+\$p|\x1b\[[<>=?]?\d*u"
    rb"|\x1b\[>\d*;?\d*[mq]|\x1b\[[0-9;]*r|\x1b[=>78]|\x1b\([B0]|\x1b\[c|\x1b\[\d+ q|\x1b\[22;0;0t|\x1b\[23;0;0t|\x1b\]22;[a-z-]*\x07"
)
RAW = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\U000e0000-\U000e007f]"
)


class Screen:
    """The app in a tmux of its own; ``sent`` is every byte it wrote."""

    def __init__(self, folder: Path, size: str) -> None:
        self.socket, self.sent = str(folder / "socket"), folder / "sent"
        self.width, self.height = map(int, size.split("x"))
        environment = f"env TERM=tmux-256color COLORTERM=truecolor PYTHONPATH={ROOT}"
        self.tmux("start-server", ";", "set-option", "-g", "status", "off", ";", "new-session", "-d", "-s", "t", "-x",
                  str(self.width), "-y", str(self.height), "-c", str(folder), "sh")  # fmt: skip
        self.tmux("pipe-pane", "-t", "t", f"exec cat >> {self.sent}")
        self.tmux(
            "send-keys", "-t", "t", "-l", f"exec {environment} {sys.executable} -m ragtui table.jsonl whole.jsonl"
        )
        self.tmux("send-keys", "-t", "t", "Enter")

    def tmux(self, *words: str) -> str:
        hidden = ("COLUMNS", "LINES", "NO_COLOR", "TMUX")
        environment = {k: v for k, v in os.environ.items() if k not in hidden} | {"LANG": "C.UTF-8"}
        command = ["tmux", "-S", self.socket, "-f", "/dev/null", *words]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False).stdout

    def lines(self) -> list[str]:
        return self.tmux("capture-pane", "-p", "-N", "-t", "t").split("\n")[: self.height]

    def press(self, *keys: str, after: list[str] | None = None) -> list[str]:
        """The screen once it stands still, and is another one than ``after``."""
        self.tmux("send-keys", "-t", "t", *keys)
        before: list[str] = []
        until = time.monotonic() + 10
        while (now := self.lines()) != before or (now == after and time.monotonic() < until - 9.5):
            if time.monotonic() > until:
                break
            before = now
            time.sleep(0.02)
        return now

    def wait(self, words: str) -> list[str]:
        until = time.monotonic() + 120
        while words not in (shown := "\n".join(self.lines())):
            if time.monotonic() > until:
                raise SystemExit(f"never seen: {words}\n{shown}")
            time.sleep(0.05)
        return self.lines()


def shifted(lines: list[str]) -> list[str]:
    """Lines of a screen that begin with a frame and do not end with it in the last column."""
    body = lines[2:-2]
    return [line for line in body if line.strip() and line[0] in "│╭╰" and line[-1:] not in EDGES]


def write(folder: Path, hostile: list[str]) -> None:
    with (folder / "table.jsonl").open("w") as table, (folder / "whole.jsonl").open("w") as whole:
        for number, each in enumerate(hostile):
            table.write(json.dumps({"id": f"n{number}", "query": each, "response": each[:2000], "context": "c"}) + "\n")
        for at in range(0, len(hostile), TOGETHER):
            text = "\n".join(each[:2000] for each in hostile[at : at + TOGETHER])
            whole.write(json.dumps({"id": f"w{at}", "query": text, "response": "r", "context": "c"}) + "\n")


def walk_table(screen: Screen, rows: int, faults: dict[str, str]) -> int:
    screen.wait("2 datasets")
    now = screen.press("Enter")  # to the rows
    pages = 0
    while True:
        pages += 1
        faults.update((line, "table") for line in shifted(now))
        if any(f"{rows:,} of {rows:,}" in line for line in now[-2:]):
            return pages
        now = screen.press("PageDown", after=now)


def walk_whole(screen: Screen, rows: int, faults: dict[str, str]) -> int:
    screen.press("Escape")
    screen.press("G")
    now = screen.press("Enter")
    pages = 0
    for _ in range(rows):
        now = screen.press("Enter", after=now)
        while True:
            pages += 1
            faults.update((line, "whole") for line in shifted(now))
            later = screen.press("PageDown", after=now)
            if later == now:
                break
            now = later
        screen.press("Escape", after=now)
        now = screen.press("j")
    return pages


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--strings", type=int, default=10_000)
    parser.add_argument("--size", default="160x45")
    options = parser.parse_args()
    hostile = strings(options.strings)
    faults: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, hostile)
        screen, began = Screen(folder, options.size), time.monotonic()
        try:
            pages = walk_table(screen, len(hostile), faults)
            print(f"table: {len(hostile):,} rows on {pages:,} screens, {time.monotonic() - began:.0f} s", flush=True)
            whole = walk_whole(screen, -(-len(hostile) // TOGETHER), faults)
            print(f"whole: {whole:,} screens, {time.monotonic() - began:.0f} s", flush=True)
            alive = any("2 datasets" in line for line in screen.press("Escape"))
        finally:
            screen.tmux("kill-server")
        time.sleep(0.2)
        sent = screen.sent.read_bytes()
    start = sent.index(b"\x1b[?1049h")
    left = OURS.sub(b"", sent[start:]).decode("utf-8", "replace")
    raw = sorted({left[max(0, m.start() - 20) : m.end() + 20] for m in RAW.finditer(left)})
    print(
        f"bytes sent: {len(sent):,}; control sequences that are not the app's own: {len(raw)}; lines shifted: {len(faults)}"
    )
    for each in [*map(repr, raw[:10]), *(f"{where}: {line!r}" for line, where in list(faults.items())[:10])]:
        print("  " + each)
    if not alive:
        print("  the app did not stay alive")
    return int(bool(raw or faults or not alive))


if __name__ == "__main__":
    sys.exit(main())
