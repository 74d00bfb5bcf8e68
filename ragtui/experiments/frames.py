"""Frames as bytes, for what is computed in bulk and stored at once."""

from __future__ import annotations

import io
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl


def packed(frame: pl.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.write_parquet(buffer, compression="zstd", compression_level=1)
    return buffer.getvalue()


def unpacked(data: bytes) -> pl.DataFrame:
    import polars as pl

    return pl.read_parquet(io.BytesIO(data))


def kept(path: Path) -> pl.DataFrame | None:
    """A frame that was kept in a file, ``None`` where there is none or it is damaged: it can be made anew."""
    import polars as pl

    try:
        return pl.read_parquet(path, glob=False) if path.is_file() else None
    except (pl.exceptions.PolarsError, OSError):
        return None


def squeezed(text: str | None) -> bytes | None:
    """Long text as it is stored: prompts repeat whole contexts."""
    return None if text is None else zlib.compress(text.encode("utf-8", "surrogatepass"), 1)


def spread_out(data: bytes | None) -> str | None:
    return None if data is None else zlib.decompress(data).decode("utf-8", "surrogatepass")


def averaged(frame: pl.DataFrame, metric: str, average: str) -> pl.DataFrame:
    """A ranking metric's cells as ``average`` counts them: queries it leaves out are ``not_applicable``, those it counts
    without a score are 0."""
    import polars as pl

    from ragtui.metrics.rankings.averages import counted
    from ragtui.metrics.score import State

    if average == "default":
        return frame
    return frame.with_columns(metric=pl.lit(metric)).with_columns(
        pl.when(counted(average)).then(pl.col("score").fill_null(0.0)).alias("score"),
        pl.when(counted(average))
        .then(pl.lit(State.SCORED.value))
        .otherwise(pl.lit(State.NOT_APPLICABLE.value))
        .alias("state"),
    )
