"""What numbers of the command line may be."""

from __future__ import annotations

import math
from typing import Final

import typer

MOST: Final = 1_000_000_000  # of anything that is counted: far above any use, and no library counts further for sure


def finite(value: float | None) -> float | None:
    """A callback for options: ``nan`` is in no range, and every comparison with it is quietly false.

    Raises:
        typer.BadParameter: it is no number, or has no end.
    """
    if value is not None and not math.isfinite(value):
        raise typer.BadParameter(f"{value} is not a number")
    return value
