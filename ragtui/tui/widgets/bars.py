"""Small bars made of text: a histogram in a cell, a progress bar in a line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

_HEIGHTS: Final = " ▁▂▃▄▅▆▇█"


def bars(counts: Sequence[int]) -> str:
    """A histogram, one character a bin; a bin that is not empty is never drawn empty."""
    most = max(counts, default=0)
    if not most:
        return ""
    return "".join(_HEIGHTS[max(1, round(8 * n / most))] if n else _HEIGHTS[0] for n in counts)


def progress(done: int, total: int, width: int) -> str:
    """``█████▌░░░░``: eighths of a cell, full only when all is done."""
    if total <= 0 or width <= 0:
        return "░" * max(0, width)
    eighths = min(int(8 * width * done / total), 8 * width - (1 if done < total else 0))
    whole, rest = divmod(eighths, 8)
    part = "▏▎▍▌▋▊▉"[rest - 1] if rest else ""
    return ("█" * whole + part).ljust(width, "░")
