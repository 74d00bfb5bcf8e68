"""A dataset's content as one short text: equal for equal content, whatever file it came from."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ragtui.datasets.dataset import Dataset, Shape

if TYPE_CHECKING:
    import polars as pl

    from ragtui.datasets.dataset import Dataset

_ROWS: Final = 50_000
_PLACES: Final = ("_line", "line", "offset")  # where a row stands in its file is not what it says


def fingerprint(dataset: Dataset, with_corpus: bool = False) -> str:
    """Sixteen hex digits of the cases, or of queries and judgments; ``with_corpus`` of the documents' texts as well.

    Raises:
        OSError: the corpus cannot be read.
    """
    digest = hashlib.blake2b(digest_size=8)
    if dataset.shape is Shape.CASES:
        _add(digest, dataset.cases)
        if dataset.said:  # other columns are sent, and other columns are kept from the target
            digest.update(repr(sorted((name, role.value) for name, role in dataset.said.items())).encode())
    else:
        _add(digest, dataset.queries)
        _add(digest, dataset.qrels)
    if with_corpus and dataset.corpus_path is not None:
        digest.update(file_fingerprint(dataset.corpus_path).encode())
    return digest.hexdigest()


def file_fingerprint(path: Path) -> str:
    """Sixteen hex digits of a file's bytes.

    Raises:
        OSError: it cannot be read.
    """
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, lambda: hashlib.blake2b(digest_size=8)).hexdigest()


def _add(digest: hashlib.blake2b, frame: pl.DataFrame | None) -> None:
    if frame is None:
        return
    shown = frame.drop([name for name in _PLACES if name in frame.columns])
    digest.update(repr(shown.columns).encode("utf-8", "surrogatepass"))
    for start in range(0, shown.height, _ROWS):
        digest.update(shown.slice(start, _ROWS).write_ndjson().encode("utf-8"))
