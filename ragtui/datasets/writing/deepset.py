"""deepset's evaluation CSVs. A case with several gold answers becomes as many rows, which are read back as one case."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

from ragtui.datasets.findings import counted
from ragtui.datasets.writing.cases import WrittenCases, last_turns
from ragtui.datasets.writing.files import write_csv

_HEADER: Final = ("question", "text", "context", "file_name", "answer_start", "answer_end", "filters")
Row: TypeAlias = tuple[str, str, str, Any, Any]  # text, context, file_name, answer_start, answer_end


@dataclass(frozen=True)
class Deepset:
    id: str
    title: str
    kept: tuple[str, ...]
    labels: Callable[[dict[str, Any]], Iterator[Row]]
    folders: bool = False
    endings: tuple[str, ...] = (".csv",)

    def write(self, cases: WrittenCases, path: Path) -> list[str]:
        own = cases.has("id")
        rows: list[list[Any]] = []
        lost_places = beside = 0
        places = _places(cases)
        for number, row in enumerate(cases.rows()):
            row["places"] = places[number]
            row["labels"] = cases.labels.get(number)
            labels = list(self.labels(row)) or [("", "", "", "", "")]
            beside += len(set(_contexts(row)) - {label[1] for label in labels}) if "context" in self.kept else 0
            for text, context, name, start, end in labels:
                lost_places += self.id == "deepset-qa" and start == ""
                rows.append(
                    [*([row.get("id", "")] if own else []), row.get("query", ""), text, context, name, start, end, row.get("filters", "")]
                )  # fmt: skip
        write_csv(path, [*(["id"] if own else []), *_HEADER], rows)
        offsets = ("answer_start", "answer_end") if self.id == "deepset-qa" else ()
        lost = [*cases.lost("query", "filters", *self.kept, *offsets), *last_turns(cases)]
        if "gold_context" not in cases.frame.columns and "context" in self.kept and cases.has("context"):
            lost.append("context holds what was retrieved, not what was labelled; it is written as the label's context")
        asked = [(row.get("query"), row.get("filters") or "") for row in cases.rows()]
        if again := len(asked) - len(set(asked)):
            lost.append(
                f"{counted(again, 'case')} more than questions: what asks and filters the same is one case for deepset"
            )
        if beside:
            lost.append(f"{beside:,} context{'' if beside == 1 else 's'} beside those that hold the answers")
        if lost_places:
            lost.append(f"the offsets of {counted(lost_places, 'row')}: the text does not occur in the context")
        return lost


def _places(cases: WrittenCases) -> list[tuple[int, int] | None]:
    """The offsets a deepset file gave, where both are whole numbers."""
    if not {"answer_start", "answer_end"} <= set(cases.extra.columns):
        return [None] * cases.frame.height
    found: list[tuple[int, int] | None] = []
    for start, end in cases.extra.select("answer_start", "answer_end").iter_rows():
        whole = str(start).strip().isdecimal() and str(end).strip().isdecimal()
        found.append((int(start), int(end)) if whole else None)
    return found


def _answers(row: dict[str, Any]) -> Iterator[Row]:
    """A row for each gold answer, in the context that holds it."""
    if row.get("labels"):
        for label in row["labels"]:
            yield _as_given(label)
        return
    contexts, names = _contexts(row), row.get("gold_file_name") or []
    answers = row.get("ground_truth") or []
    if not answers:
        yield from _passages(row)
    for place, answer in enumerate(answers):
        first = min(place, len(contexts) - 1)
        order = [first, *(each for each in range(len(contexts)) if each != first)] if contexts else []
        found = next((each for each in order if answer and answer in contexts[each]), None)
        name = _at(names, place if found is None else found)
        if found is None:
            yield answer, _at(contexts, place), name, "", ""
        else:
            given = row.get("places")
            start = contexts[found].index(answer)
            if given and len(answers) == 1 and contexts[found][given[0] : given[1]] == answer:
                start = given[0]  # the answer stands there several times, and somebody said which
            yield answer, contexts[found], name, start, start + len(answer)
    used = len(answers)
    for place in range(used, len(names)):  # files that are known to hold the answer, too
        if answers and names[place] not in names[:used] and len(contexts) > place:
            yield answers[-1], contexts[place], names[place], *_span(answers[-1], contexts[place])


def _as_given(label: Mapping[str, str]) -> Row:
    """A row of labels as deepset's own file has it; offsets that do not fit are found anew."""
    text, context = label.get("text", ""), label.get("context", "")
    start, end = label.get("answer_start", "").strip(), label.get("answer_end", "").strip()
    if start.isdecimal() and end.isdecimal() and context[int(start) : int(end)] == text:
        span: tuple[Any, Any] = (int(start), int(end))
    else:
        span = _span(text, context) if text else ("", "")
    return text, context, label.get("file_name", ""), *span


def _passages(row: dict[str, Any]) -> Iterator[Row]:
    """A row for each gold context."""
    if row.get("labels"):
        pairs = ((label.get("context", ""), label.get("file_name", "")) for label in row["labels"])
        yield from (("", *pair, "", "") for pair in dict.fromkeys(pairs))
        return
    names = row.get("gold_file_name") or []
    for place, context in enumerate(_contexts(row)):
        yield "", context, _at(names, place), "", ""


def _questions(row: dict[str, Any]) -> Iterator[Row]:
    """The question alone."""
    yield "", "", "", "", ""


def _contexts(row: dict[str, Any]) -> list[str]:
    return list(row.get("gold_context") or row.get("context") or [])


def _span(answer: str, context: str) -> tuple[Any, Any]:
    start = context.find(answer)
    return ("", "") if start < 0 else (start, start + len(answer))


def _at(values: list[str], place: int) -> str:
    return values[min(place, len(values) - 1)] if values else ""


WRITERS: Final = [
    Deepset(
        "deepset-qa",
        "deepset question answering",
        ("ground_truth", "gold_context", "gold_file_name", "context"),
        _answers,
    ),
    Deepset(
        "deepset-retrieval", "deepset document retrieval", ("gold_context", "gold_file_name", "context"), _passages
    ),
    Deepset("deepset-rag", "deepset RAG", (), _questions),
]
