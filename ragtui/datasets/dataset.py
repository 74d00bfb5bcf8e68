"""What a dataset is: test cases in a frame, or corpus, queries, judgments and runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from ragtui.text import storable

if TYPE_CHECKING:
    import polars as pl


class Role(StrEnum):
    """What a column of test cases is for. ``EXPECTED`` values never reach a target, in any form."""

    INPUT = "input"
    EXPECTED = "expected"
    RESPONSE = "response"
    CONTEXT = "context"
    RETRIEVED_IDS = "retrieved_ids"
    ID = "id"
    IGNORED = "ignored"


class Shape(StrEnum):
    CASES = "cases"
    RETRIEVAL = "retrieval"


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a dataset of cases: its header as written, its role, and how many rows fill it."""

    name: str
    role: Role
    position: int
    filled: int = 0


@dataclass(frozen=True)
class Dataset:
    """One dataset as read. Frames hold text as the file says it; nothing is guessed or converted.

    ``cases`` (shape ``cases``), one row a case: ``_case_id``, ``_line`` (physical line, or sheet row), ``_name``, then
    the file's columns by header: ``String``, or ``List(String)`` where every filled cell is a list of texts; any other
    JSON value is its JSON text.

    Shape ``retrieval``: ``corpus`` is ``doc_id, line, offset`` (texts are fetched by ``texts.documents``), ``queries`` is
    ``query_id, text, line``, ``qrels`` is ``query_id, doc_id, grade, line`` with the last of repeated pairs, and ``runs``
    maps a run's file name to ``query_id, doc_id, score``.

    ``fields`` maps a metric input (``query``, ``response``, ``context``, ``ground_truth``, …) to the column the format
    itself defines for it; a column found only by a usual synonym is not in it. ``said`` are roles that the user gave.
    ``labels`` are the file's rows where several became one case, with ``_case``, the position of that case.
    """

    name: str
    path: str
    location: Path
    format: str
    why: str
    shape: Shape
    cases: pl.DataFrame | None = None
    columns: tuple[Column, ...] = ()
    fields: Mapping[str, str] = field(default_factory=dict)
    corpus: pl.DataFrame | None = None
    queries: pl.DataFrame | None = None
    qrels: pl.DataFrame | None = None
    runs: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    corpus_path: Path | None = None
    encoding: str | None = None
    delimiter: str | None = None
    header_line: int | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    said: Mapping[str, Role] = field(default_factory=dict)
    labels: pl.DataFrame | None = None

    def __post_init__(self) -> None:
        # A file's name need not be text; what it is called here must be.
        object.__setattr__(self, "name", storable(self.name))
        object.__setattr__(self, "runs", {storable(name): run for name, run in self.runs.items()})

    @property
    def rows(self) -> int:
        """Test cases, or queries."""
        frame = self.cases if self.shape is Shape.CASES else self.queries
        return 0 if frame is None else frame.height

    def columns_with(self, role: Role) -> list[str]:
        return [column.name for column in self.columns if column.role is role]
