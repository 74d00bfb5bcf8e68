"""Recorded responses: ``recorded`` (the dataset's own), ``recorded:COLUMN``, ``recorded:FILE`` (joined by case id)."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ragtui.datasets.case_ids import CASE_ID
from ragtui.datasets.dataset import Dataset, Role, Shape
from ragtui.datasets.findings import Level, Report
from ragtui.datasets.list_cells import printed_list
from ragtui.datasets.mapping import Resolution, column_of, inputs_frame, unresolved
from ragtui.datasets.references import DATA, MappingError, is_reference, parse_reference
from ragtui.metrics.score import State
from ragtui.targets.files import find_file
from ragtui.targets.output import MOST
from ragtui.targets.target import Case, Response, TargetError
from ragtui.workspace import Workspace

if TYPE_CHECKING:
    import polars as pl

KIND: Final = "recorded"
_NAMED: Final = 3  # ids that a line names

_TEXTS: Final = ("response", "answer", "output")
_CONTEXTS: Final = ("context", "contexts", "retrieved_contexts", "retrieved_context", "retrieval_context")
_MEASURED: Final = {
    "latency_ms": (("latency_ms", 1.0), ("latency_s", 1000.0), ("latency_seconds", 1000.0), ("duration_s", 1000.0)),
    "prompt_tokens": (("prompt_tokens", 1.0), ("input_tokens", 1.0)),
    "completion_tokens": (("completion_tokens", 1.0), ("output_tokens", 1.0)),
    "cost": (("cost", 1.0), ("cost_usd", 1.0)),
}


def open_kind(rest: str, dataset: Dataset, workspace: Workspace) -> Recorded:
    """Opens the dataset's own responses, one of its columns, or another file's responses."""
    if dataset.shape is not Shape.CASES or dataset.cases is None:
        raise TargetError(f"{dataset.path} holds judged documents, no responses; use run:FILE or bm25")
    if not rest:
        return _opened("recorded", dataset, _only_response(dataset))
    if rest in _names(dataset):
        return _opened(f"recorded:{rest}", dataset, rest)
    if is_reference(rest):
        return _at(rest, dataset)
    return _from_file(rest, dataset, workspace)


@dataclass(frozen=True)
class Recorded:
    """Looks responses up by case id. ``columns`` are the answers' fields, ``extra`` all others of the recorded row."""

    spec: str
    source: str
    rows: Mapping[str, int]
    columns: Mapping[str, Sequence[Any]]
    extra: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    replays: bool = True
    host: str | None = None
    notes: tuple[str, ...] = ()  # remarks for the preflight, one line each
    strays: str = ""  # a line about rows of no case

    async def respond(self, cases: Sequence[Case]) -> AsyncIterator[Response]:
        """Each case's recorded response; ``pending`` where none was recorded."""
        for case in cases:
            yield self._response(case.case_id)

    @property
    def gives(self) -> frozenset[str]:
        """The metric inputs that at least one recorded answer brings."""
        named = {"text": "response", "contexts": "context"}
        own = {named.get(name, name): column for name, column in self.columns.items()}
        return frozenset(name for name, column in {**self.extra, **own}.items() if any(map(_is_filled, column)))

    def remarks(self) -> tuple[str, ...]:
        """What has to be said of the answers beside the figures."""
        return (self.strays,) if self.strays else ()

    async def close(self) -> None:
        """Nothing is open."""

    def _response(self, case_id: str) -> Response:
        row = self.rows.get(case_id)
        if row is None or self.columns["text"][row] is None:
            return Response(case_id, State.PENDING, message=f"no response recorded in {self.source}")
        values = {name: column[row] for name, column in self.columns.items()}
        extra = {name: column[row] for name, column in self.extra.items() if column[row] is not None}
        return Response(case_id, **values, extra=extra)


def _at(reference: str, dataset: Dataset) -> Recorded:
    """Responses inside a column's objects, as ``${data.output.text}``.

    Raises:
        TargetError: the reference leads nowhere in the dataset.
    """
    try:
        found = parse_reference(reference)
        missing = unresolved(dataset, found)
    except MappingError as error:
        raise TargetError(f"recorded:{reference}: {error}") from error
    if missing is not None or found.source != DATA:
        raise TargetError(f"recorded:{reference}: {missing or 'a response cannot come from the target it replaces'}")
    texts = inputs_frame(dataset, Resolution({"response": found}))["response"].to_list()
    column, _ = column_of(dataset, found)
    assert column is not None
    opened = _opened(f"recorded:{reference}", dataset, column)
    return replace(opened, source=f"{dataset.path}, {reference}", columns={**opened.columns, "text": texts})


def own_responses(dataset: Dataset) -> tuple[str, ...]:
    """The columns of a dataset that hold responses; ``recorded`` alone stands for the only one."""
    return tuple(_responses(dataset)) if dataset.shape is Shape.CASES else ()


def _names(dataset: Dataset) -> list[str]:
    return [column.name for column in dataset.columns]


def _responses(dataset: Dataset) -> list[str]:
    """Columns that hold responses, not the contexts of one of several versions."""
    if "response" in dataset.fields:
        return [dataset.fields["response"]]
    return [name for name in dataset.columns_with(Role.RESPONSE) if not name.lower().startswith("context")]


def _only_response(dataset: Dataset) -> str:
    found = _responses(dataset)
    if not found:
        raise TargetError(
            f"{dataset.path} has no recorded responses; name who answers, as recorded:FILE or recorded:COLUMN"
        )
    if len(found) > 1:
        names = ", ".join(f"recorded:{name}" for name in found[:8])
        raise TargetError(f"{dataset.path} has {len(found)} columns of responses; name one of {names}")
    return found[0]


def _from_file(name: str, dataset: Dataset, workspace: Workspace) -> Recorded:
    """Responses of another file for this dataset's cases.

    Raises:
        TargetError: it is not there, holds no responses, or none of its case ids is one of the dataset's.
    """
    columns = ", ".join(_responses(dataset)) or "none"
    path = find_file(name, dataset, workspace, f"column of responses ({columns}) or file")
    other, report = _answers_in(path, name)
    if other.cases is None or dataset.cases is None:
        raise TargetError(f"recorded:{name}: holds judged documents, no responses; a run is used as run:{name}")
    known = set(dataset.cases[CASE_ID])
    if not any(case_id in known for case_id in other.cases[CASE_ID]):
        theirs, ours = other.cases[CASE_ID][:1].to_list(), dataset.cases[CASE_ID][:1].to_list()
        raise TargetError(
            f"recorded:{name}: none of its case ids is in {dataset.path} (it has {', '.join(theirs) or 'none'}, the "
            f"dataset {', '.join(ours) or 'none'}); both need the same id column"
        )
    column = _response_of_file(other, name)
    notes = list(_faults(report, name))
    if column not in _responses(other):
        notes.append(f"recorded:{name}: column {column} is taken for the response, as there is no other")
    strays = _strays(name, other.cases[CASE_ID].to_list(), known)
    return replace(_opened(f"recorded:{name}", other, column, others=True), notes=tuple(notes), strays=strays)


def _strays(name: str, theirs: Sequence[str], known: Collection[str]) -> str:
    """``recorded:v2.jsonl: 4 of its 30 answers are of no case (x-1, x-2, x-3 and 1 more)``; empty where all are of one."""
    strays = [case_id for case_id in theirs if case_id not in known]
    if not strays:
        return ""
    more = f" and {len(strays) - _NAMED:,} more" if len(strays) > _NAMED else ""
    are = "is" if len(strays) == 1 else "are"
    return (
        f"recorded:{name}: {len(strays):,} of its {len(theirs):,} answers {are} of no case here "
        f"({', '.join(strays[:_NAMED])}{more})"
    )


def _faults(report: Report, name: str) -> Iterator[str]:
    """What keeps answers of a file from being read, as one line; it need not be a dataset as a whole."""
    errors = [finding for finding in report.findings if finding.level is Level.ERROR and finding.line]
    if errors:
        first = min(errors, key=lambda each: each.line)
        more = f" (and {len(errors) - 1} more: see `ragtui check`)" if len(errors) > 1 else ""
        yield f"recorded:{name}:{first.line}: {first.code} {first.message}{more}"


def _answers_in(path: Path, name: str) -> tuple[Dataset, Report]:
    """A file of answers with what its check says: any dataset, else any table, since answers need no question beside them.

    Raises:
        TargetError: it is neither.
    """
    from ragtui.datasets.check import CannotOpen, open_dataset

    try:
        return open_dataset(str(path))
    except CannotOpen as error:
        refused = TargetError(f"recorded:{name}: {error}")
    try:
        found, report = open_dataset(str(path), "table")
    except CannotOpen:
        raise refused from None
    if not found.columns_with(Role.ID) and not found.columns_with(Role.INPUT):
        columns = ", ".join(_names(found)[:8])
        raise TargetError(f"recorded:{name}: no column holds case ids; call it id (its columns are {columns})")
    return found, report


def _response_of_file(other: Dataset, name: str) -> str:
    """The column of a file of answers that holds them: by its name, else the only column that could.

    Raises:
        TargetError: none does, or several do.
    """
    found = _responses(other)
    if not found and not other.columns_with(Role.INPUT):
        known = {*_CONTEXTS, *(each for names in _MEASURED.values() for each, _ in names)}
        unnamed = [column for column in other.columns_with(Role.IGNORED) if column.lower() not in known]
        found = unnamed if len(unnamed) == 1 else []
    if len(found) == 1:
        return found[0]
    columns = ", ".join((found or _names(other))[:8])
    said = f"has {len(found)} columns of responses" if found else "has no recorded responses"
    raise TargetError(f"recorded:{name}: {said}; call the one to use response (its columns are {columns})")


def _opened(spec: str, dataset: Dataset, response: str, others: bool = False) -> Recorded:
    frame = dataset.cases
    assert frame is not None
    used = {"text": response} | _beside(dataset, response)
    shapes: dict[str, Callable[[Any], Any]] = {"text": _text, "contexts": _contexts}
    columns = {
        name: [shapes[name](value) for value in frame[column].to_list()]
        if name in shapes
        else _numbers(frame, column, _scale(name, column), dataset.path)
        for name, column in used.items()
    }
    rest = [name for name in _names(dataset) if others and name not in used.values()]
    return Recorded(
        spec,
        f"{dataset.path}, column {response}",
        {case_id: row for row, case_id in enumerate(frame[CASE_ID])},
        columns,
        {name: frame[name].to_list() for name in rest if name in frame.columns},
    )


def _beside(dataset: Dataset, response: str) -> dict[str, str]:
    """The columns that belong to a column of responses: contexts and measures with the same ending (``response_v1``,
    ``contexts_v1``), else those without an ending of their own."""
    names = {name.lower(): name for name in _names(dataset)}
    stem = next((stem for stem in _TEXTS if response.lower().startswith(stem)), None)
    ending = response.lower().removeprefix(stem) if stem else ""
    found: dict[str, str] = {}
    wanted = {"contexts": _CONTEXTS} | {name: tuple(each for each, _ in known) for name, known in _MEASURED.items()}
    for name, stems in wanted.items():
        for each in (*(stem + ending for stem in stems), *stems):
            if each in names:
                found[name] = names[each]
                break
    if "contexts" not in found:
        context = dataset.fields.get("context") or next(iter(dataset.columns_with(Role.CONTEXT)), None)
        found |= {"contexts": context} if context else {}
    return found


def _scale(name: str, column: str) -> float:
    return next((scale for stem, scale in _MEASURED[name] if column.lower().startswith(stem)), 1.0)


def _is_filled(value: Any) -> bool:
    return value is not None and not (isinstance(value, (str, list, tuple)) and not value)


def _text(value: Any) -> str | None:
    return "\n".join(value) if isinstance(value, list) else value


def _contexts(value: Any) -> tuple[str, ...] | None:
    """Chunks in rank order; a cell that prints a list (JSON, Python) is its items, any other text is one chunk."""
    if isinstance(value, str) and (cell := printed_list(value)) is not None and cell.how == "python":
        return cell.items
    if isinstance(value, str) and value.lstrip().startswith("["):
        try:
            parsed = json.loads(value)
        except (ValueError, RecursionError):
            parsed = None
        if isinstance(parsed, list):
            value = [each if isinstance(each, str) else json.dumps(each, ensure_ascii=False) for each in parsed]
    if isinstance(value, str):
        return (value,) if value.strip() else ()
    return None if value is None else tuple(value)


def _numbers(frame: pl.DataFrame, column: str, scale: float, shown: str) -> list[float | int | None]:
    """A measured column as numbers.

    Raises:
        TargetError: a cell is none; the message names the case.
    """
    out: list[float | int | None] = []
    for case_id, cell in zip(frame[CASE_ID], frame[column].to_list(), strict=True):
        text = str(cell).strip() if cell is not None else ""
        try:
            number = float(text) * scale if text else None
        except ValueError:
            number = float("nan")
        if number is not None and not 0 <= number <= MOST:
            raise TargetError(f"{shown}: {column} of case {case_id} is {text!r}, which is no number of that kind")
        out.append(int(number) if number is not None and column.lower().find("token") >= 0 else number)
    return out
