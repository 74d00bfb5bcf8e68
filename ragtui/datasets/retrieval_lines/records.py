"""The records of BEIR files: documents, queries, judgments, hits; and what is wrong with one that is not as it should be."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from json.decoder import JSONDecodeError
from typing import Annotated, Any, Final, TypeAlias

import msgspec

from ragtui.datasets.containers.json_text import (
    Member,
    Parsed,
    Passage,
    kind_of,
    parse,
    passage_of,
    skip_space,
    syntax_fault,
    without_end,
)
from ragtui.datasets.findings import Edit, Finding, Report
from ragtui.datasets.rules import beir as rules
from ragtui.datasets.rules import json as json_rules

Filled: TypeAlias = Annotated[str, msgspec.Meta(min_length=1)]


class Document(msgspec.Struct, gc=False, rename={"id": "_id"}):
    """One line of ``corpus.jsonl``. As declared here only a sound one decodes; all else goes to ``repair``."""

    id: Filled
    text: Filled
    title: str | None = None


class Query(msgspec.Struct, gc=False, rename={"id": "_id"}):
    """One line of ``queries.jsonl``."""

    id: Filled
    text: Filled


class Judgment(msgspec.Struct, gc=False, rename={"query": "query-id", "document": "corpus-id"}):
    """One line of ``qrels.jsonl``."""

    query: Filled
    document: Filled
    score: float


class Hit(msgspec.Struct, gc=False, rename={"query": "query-id", "document": "corpus-id"}):
    """One line of a run, one hit a line."""

    query: Filled
    document: Filled
    score: float


class Ranking(msgspec.Struct, gc=False, rename={"query": "query-id"}):
    """One line of a run, one query a line: document ids, best first."""

    query: Filled
    ranking: list[Filled]


class DocumentAlone(Document, gc=False, forbid_unknown_fields=True):
    """A document that has no other keys: nothing of its line goes unread. So the two below."""


class JudgmentAlone(Judgment, gc=False, forbid_unknown_fields=True):
    pass


class HitAlone(Hit, gc=False, forbid_unknown_fields=True):
    pass


Record: TypeAlias = Document | Query | Judgment | Hit | Ranking


@dataclass(frozen=True)
class Field:
    """One key of a record: the name a struct has for it, what it must hold, and what people also call it."""

    key: str
    holds: str  # "id", "text", "title", "grade", "score", "ranking"
    attribute: str
    known_as: tuple[str, ...] = ()


@dataclass(frozen=True)
class Kind:
    """One kind of BEIR file: its records, their fields, and what one is called in messages. ``alone`` is a record that has no
    other keys, where it pays to look for those first."""

    record: type[Record]
    noun: str
    fields: tuple[Field, ...]
    references: bool = False  # whether its ids point at other files
    alone: type[Record] | None = None


_QUERY_ID: Final = Field("query-id", "id", "query", ("query_id", "qid", "queryid", "query", "topic", "q_id"))
_CORPUS_ID: Final = Field(
    "corpus-id",
    "id",
    "document",
    ("corpus_id", "doc_id", "docid", "doc-id", "document_id", "corpusid", "pid", "passage_id", "did"),
)
_DOCUMENT_ID: Final = Field(
    "_id", "id", "id", ("id", "doc_id", "docid", "doc-id", "document_id", "corpus-id", "corpus_id", "pid")
)

KINDS: Final = {
    "corpus": Kind(
        Document,
        "documents",
        (
            _DOCUMENT_ID,
            Field("text", "text", "text", ("contents", "content", "body", "document", "passage", "context")),
            Field("title", "title", "title"),
        ),
        alone=DocumentAlone,
    ),
    "queries": Kind(
        Query,
        "queries",
        (
            Field("_id", "id", "id", ("id", "qid", "query_id", "query-id", "queryid", "question_id")),
            Field("text", "text", "text", ("query", "question", "content", "contents")),
        ),
    ),
    "qrels": Kind(
        Judgment,
        "judgments",
        (_QUERY_ID, _CORPUS_ID, Field("score", "grade", "score", ("relevance", "rel", "grade", "label", "judgment"))),
        references=True,
        alone=JudgmentAlone,
    ),
    "hits": Kind(
        Hit,
        "hits",
        (_QUERY_ID, _CORPUS_ID, Field("score", "score", "score", ("relevance_score", "similarity", "sim"))),
        references=True,
        alone=HitAlone,
    ),
    "rankings": Kind(
        Ranking,
        "rankings",
        (_QUERY_ID, Field("ranking", "ranking", "ranking", ("results", "hits", "docs"))),
        references=True,
    ),
}


def repair(name: str, raw: bytes, line: int, byte: int, report: Report, before: int = 0) -> list[Any]:
    """What can be read of a line that did not decode, with all its faults reported. ``name`` is the kind of file; ``before``
    are the characters that stand before it on its line."""
    if not raw.strip():
        report.add(rules.blank_line(line, (Edit(byte, byte + len(raw), ""),)))
        return []
    passage = passage_of(without_end(raw), line, byte, report, before)
    final = not raw.endswith(b"\n")
    made = []
    for parsed in _objects(passage, final, report):
        report.extend(parsed.faults)
        if parsed.is_object:
            record = check(KINDS[name], parsed, passage, report.add)
            if record is not None:
                made.append(record)
        else:
            report.add(json_rules.not_an_object(*passage.at(parsed.start), kind_of(parsed.value)))
    return made


def check(kind: Kind, parsed: Parsed, passage: Passage, add: Callable[[Finding], None]) -> Record | None:
    """The record an object stands for, ``None`` where it lacks an id; every fault of its fields is added."""
    values: dict[str, Any] = {}
    lacks = False
    members = parsed.members
    for field in kind.fields:
        member = members.get(field.key)
        if member is None and field.known_as:
            member = members.get(near_miss(field, kind, members) or "")
            line, column = passage.at(parsed.start if member is None else member.key_start)
            if member is None:
                add(rules.missing_key(line, column, field.key, list(members)))
            else:
                fix = passage.edits(member.key_start, member.key_end, f'"{field.key}"')
                add(rules.misnamed_key(line, column, field.key, member.key, fix))
        if member is None:
            lacks = lacks or field.holds in ("id", "ranking", "score")
            continue
        value = _VALUES[field.holds](field, kind, member, passage, add)
        if value is None:
            lacks = lacks or field.holds in ("id", "grade", "score", "ranking")
        else:
            values[field.attribute] = value
    if kind.record is Judgment:
        lacks = lacks or "score" not in values
    if lacks:
        return None
    if kind.record in (Document, Query):
        values.setdefault("text", "")
        given = members.get("text")
        nothing = not values["text"].strip() and not str(values.get("title") or "").strip()
        if nothing and given is not None and isinstance(given.value, str):
            add(rules.empty_text(*passage.at(given.start), kind.record is Query))
    return kind.record(**values)


def _objects(passage: Passage, final: bool, report: Report) -> Iterator[Parsed]:
    """The values on one line. More than one object is a finding, anything else after the first is a broken syntax."""
    found: list[Parsed] = []
    position = 0
    try:
        while position < len(passage.text):
            found.append(parse(passage, position))
            position = skip_space(passage.text, found[-1].end)
            if position < len(passage.text) and not (found[-1].is_object and passage.text[position] == "{"):
                raise JSONDecodeError("Extra data", passage.text, position)
    except JSONDecodeError as error:
        report.add(syntax_fault(passage, error, final))
        found = found if len(found) > 1 else []
    except RecursionError:
        report.add(json_rules.too_deep(passage.line, 1))
        return
    if len(found) > 1:
        second = found[1].start
        report.add(json_rules.several_objects(*passage.at(second), len(found), passage.edits(second, second, "\n")))
    yield from found


def near_miss(field: Field, kind: Kind, keys: Iterable[str]) -> str | None:
    """The key that was meant: one of the usual names, or the same name in other dress."""
    wanted = {each.key for each in kind.fields}
    free = [key for key in keys if key not in wanted]
    plain = {_plain(key): key for key in reversed(free)}
    for name in (field.key, *field.known_as):
        key = name if name in free else plain.get(_plain(name))
        if key is not None:
            return key
    return None


def _plain(key: str) -> str:
    return "".join(char for char in key.casefold() if char.isalnum())


def _is_constant(member: Member, passage: Passage) -> bool:
    """Whether the value is NaN or Infinity, which has been reported already."""
    return member.value is None and passage.text[member.start] != "n"


def _id(field: Field, kind: Kind, member: Member, passage: Passage, add: Callable[[Finding], None]) -> str | None:
    line, column = passage.at(member.start)
    value, source = member.value, passage.text[member.start : member.end]
    if isinstance(value, str):
        if source[:1] != '"':  # a number of so many digits that it is kept as text
            add(rules.id_not_text(line, column, field.key, kind.references, "the number " + source, source, ()))
        elif not value:
            add(rules.empty_id(line, column, field.key))
            return None
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        fix = passage.edits(member.start, member.end, f'"{source}"')
        add(rules.id_not_text(line, column, field.key, kind.references, f"the number {source}", source, fix))
        return source
    if not _is_constant(member, passage):
        add(rules.id_unusable(line, column, field.key, kind_of(value)))
    return None


def _text(field: Field, kind: Kind, member: Member, passage: Passage, add: Callable[[Finding], None]) -> str | None:
    if isinstance(member.value, str):
        return member.value
    if _is_constant(member, passage):
        return None
    add(rules.not_text(*passage.at(member.start), field.key, kind_of(member.value)))
    return None


def _title(field: Field, kind: Kind, member: Member, passage: Passage, add: Callable[[Finding], None]) -> str | None:
    return None if member.value is None else _text(field, kind, member, passage, add)


def _grade(field: Field, kind: Kind, member: Member, passage: Passage, add: Callable[[Finding], None]) -> float | None:
    line, column = passage.at(member.start)
    value = member.value
    if isinstance(value, str):
        try:
            number = float(value)
        except ValueError:
            number = None
        if number is None or number != number or number in (float("inf"), float("-inf")):
            add(rules.no_grade(line, column, field.key, f'the text "{value[:40]}"'))
            return None
        fix = passage.edits(member.start, member.end, json.dumps(int(number) if number.is_integer() else number))
        add(rules.grade_in_quotes(line, column, field.key, value, fix))
        return number
    if _is_constant(member, passage):
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        add(rules.no_grade(line, column, field.key, kind_of(value)))
        return None
    return float(value)


def _ranking(
    field: Field, kind: Kind, member: Member, passage: Passage, add: Callable[[Finding], None]
) -> list[str] | None:
    if not isinstance(member.value, list):
        add(rules.no_ranking(*passage.at(member.start), field.key, kind_of(member.value)))
        return None
    ids = []
    for each in member.value:
        if isinstance(each, str) and each:
            ids.append(each)
        elif isinstance(each, int | float) and not isinstance(each, bool):
            add(rules.id_not_text(*passage.at(member.start), field.key, True, f"the number {each}", str(each), ()))
            ids.append(str(each))
        else:
            add(rules.id_unusable(*passage.at(member.start), field.key, kind_of(each)))
    return ids


_VALUES: Final[dict[str, Callable[..., Any]]] = {
    "id": _id,
    "text": _text,
    "title": _title,
    "grade": _grade,
    "score": _grade,
    "ranking": _ranking,
}
