"""A corpus with the texts of its documents, which datasets leave in their files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import polars as pl

    from ragtui.tui.opened import OpenDataset

_AT_ONCE: Final = 20_000  # documents


def with_texts(opened: OpenDataset, part: str, frame: pl.DataFrame) -> pl.DataFrame:
    """A corpus with its documents' texts beside their ids, as far as they can be had at once; another part as it is."""
    if part != "corpus" or opened.dataset is None or frame.height > _AT_ONCE:
        return frame
    import polars as pl

    from ragtui.datasets.texts import documents

    found = documents(opened.dataset, frame["doc_id"].to_list())
    titles = [found[doc_id].title if doc_id in found else None for doc_id in frame["doc_id"]]
    texts = [found[doc_id].text if doc_id in found else None for doc_id in frame["doc_id"]]
    shown = frame.with_columns(pl.Series("text", texts, dtype=pl.String))
    return shown.with_columns(pl.Series("title", titles, dtype=pl.String)) if any(titles) else shown


def with_text_of(opened: OpenDataset, frame: pl.DataFrame, row: int) -> pl.DataFrame:
    """One document of a corpus too large to be shown with its texts, with its text; of anything else the frame itself."""
    if opened.dataset is None or frame is not opened.dataset.corpus:
        return frame
    return with_texts(opened, "corpus", frame[row])
