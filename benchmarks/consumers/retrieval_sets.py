"""Retrieval sets for BEIR, EvalScope and MTEB: sound ones, and one for every way in which they go wrong."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from trial import Trial

DOCUMENTS: Final = {
    "d1": ("Ferry", "Boats run every hour from eight to six."),
    "d2": ("Fares", "A single costs 4.20, a return 7.00."),
    "d3": ("Bicycles", "Bicycles travel free outside rush hour."),
    "d4": ("Café", "The café on the upper deck takes cards."),
    "d5": ("Storms", "Above force eight no boat leaves the harbour."),
    "d6": ("Dogs", "Dogs on a lead are welcome, \u201cbig\u201d ones too.\u2028They stay on deck."),
    "d7": ("Lost", "Lost things are kept for thirty days."),
    "d8": ("Winter", "From November to March the last boat leaves at four."),
}
QUERIES: Final = {
    "q1": "How often does the ferry run?",
    "q2": "What does a ticket cost?",
    "q3": "May I bring my dog?",
    "q4": "Is there a boat in a storm?",
}
JUDGMENTS: Final = {"q1": {"d1": 2, "d8": 1}, "q2": {"d2": 2, "d4": 0}, "q3": {"d6": 1}, "q4": {"d5": 1, "d1": 0}}
INTENDED: Final = {
    "documents": {name: f"{title} {text}" for name, (title, text) in DOCUMENTS.items()},
    "queries": QUERIES,
    "judgments": JUDGMENTS,
}
SPACED: Final = {
    **INTENDED,
    "documents": {" d2" if name == "d2" else name: text for name, text in INTENDED["documents"].items()},
    "judgments": {**JUDGMENTS, "q2": {" d2": 2, "d4": 0}},
}
ALL: Final = ("beir", "evalscope", "mteb")
_REPAIRED: Final = {"evalscope": "its documentation asks for strings without spaces, its code happens to repair them"}
_CAST: Final = _REPAIRED | {"mteb": "ids are strings in its own schema, a cast happens to repair them"}
_OTHERS: Final = {"mteb": "BEIR and EvalScope, which read the same files, do not take it"}
_DOUBTFUL: Final = dict.fromkeys(ALL, "which of the two was meant nobody can tell")
CASES: Final = {
    "43-numeric-and-text-ids-collide": _CAST,
    "47-duplicate-judgments-conflict": _DOUBTFUL,
    "29-json-array-named-jsonl": _OTHERS,
}

Lines = list[str]


@dataclass(frozen=True)
class Damage:
    """What is done to the lines of one part (``corpus``, ``queries``, ``jsonl`` or ``tsv`` judgments) or to its bytes."""

    name: str
    part: str
    lines: Callable[[Lines], Lines] = lambda lines: lines
    data: Callable[[bytes], bytes] = lambda data: data
    intended: Any = field(default_factory=lambda: INTENDED)
    stricter: Mapping[str, str] = field(
        default_factory=dict
    )  # by platform that loads it, why it is refused all the same
    also: Mapping[str, Callable[[Lines], Lines]] = field(default_factory=dict)  # what is done to other parts


def record(**values: Any) -> str:
    return json.dumps({key.replace("__", "-"): value for key, value in values.items()}, ensure_ascii=False)


def corpus_lines() -> Lines:
    return [record(_id=name, title=title, text=text) for name, (title, text) in DOCUMENTS.items()]


def query_lines() -> Lines:
    return [record(_id=name, text=text) for name, text in QUERIES.items()]


def judged() -> Iterator[tuple[str, str, int]]:
    return ((query, document, grade) for query, row in JUDGMENTS.items() for document, grade in row.items())


def jsonl_lines() -> Lines:
    return [record(query__id=query, corpus__id=document, score=grade) for query, document, grade in judged()]


def tsv_lines() -> Lines:
    return ["query-id\tcorpus-id\tscore", *(f"{query}\t{document}\t{grade}" for query, document, grade in judged())]


PARTS: Final = {
    "corpus": ("corpus.jsonl", corpus_lines),
    "queries": ("queries.jsonl", query_lines),
    "jsonl": ("qrels.jsonl", jsonl_lines),
    "tsv": ("qrels/test.tsv", tsv_lines),
}


def put(place: int, line: str) -> Callable[[Lines], Lines]:
    """``line`` instead of the one at ``place``."""
    return lambda lines: [*lines[:place], line, *lines[place + 1 :]]


def add(line: str, place: int | None = None) -> Callable[[Lines], Lines]:
    """``line`` before the one at ``place``, or at the end."""
    return lambda lines: [*lines, line] if place is None else [*lines[:place], line, *lines[place:]]


def change(old: str, new: str, only: int | None = None) -> Callable[[Lines], Lines]:
    """``new`` for ``old`` in every line, or in one."""
    return lambda lines: [line.replace(old, new) if only in (None, place) else line for place, line in enumerate(lines)]


def without(key: str, only: int | None = None) -> Callable[[Lines], Lines]:
    """The records without a key."""

    def strip(line: str) -> str:
        return json.dumps({name: value for name, value in json.loads(line).items() if name != key}, ensure_ascii=False)

    return lambda lines: [strip(line) if only in (None, place) else line for place, line in enumerate(lines)]


def renumbered(part: str) -> Lines:
    """A part whose ids are numbers, without quotes."""
    number = {name: int(name[1:]) for name in DOCUMENTS} | {name: int(name[1:]) + 100 for name in QUERIES}
    rows = [json.loads(line) for line in PARTS[part][1]()]
    ids = ("_id", "query-id", "corpus-id")
    return [json.dumps({key: number[value] if key in ids else value for key, value in row.items()}) for row in rows]


def untitled(lines: Lines) -> dict[str, Any]:
    documents = INTENDED["documents"] | {name: DOCUMENTS[name][1] for name in lines}
    return {**INTENDED, "documents": documents}


def more(part: str, name: str, content: Any) -> dict[str, Any]:
    return {**INTENDED, part: {**INTENDED[part], name: content}}


DAMAGES: Final = (
    Damage(
        "a number for one document's id",
        "corpus",
        change('"_id": "d2"', '"_id": 2', 1),
        intended=more("documents", "2", "?"),
    ),
    Damage("a document without _id", "corpus", without("_id", 1)),
    Damage("id for _id", "corpus", change('"_id"', '"id"'), stricter=_OTHERS),
    Damage("_id null", "corpus", change('"_id": "d2"', '"_id": null', 1)),
    Damage("_id empty", "corpus", change('"_id": "d2"', '"_id": ""', 1)),
    Damage("a space before a document's id", "corpus", change('"_id": "d2"', '"_id": " d2"', 1), stricter=_REPAIRED),
    Damage(
        "a space before a document's id, also in its judgment",
        "corpus",
        change('"_id": "d2"', '"_id": " d2"', 1),
        also={"jsonl": change('"d2"', '" d2"'), "tsv": change("\td2", "\t d2")},
        intended=SPACED,
    ),
    Damage(
        "a document's id twice",
        "corpus",
        add(record(_id="d2", title="Refunds", text="None after boarding.")),
        intended=more("documents", "d9", "Refunds None after boarding."),
    ),
    Damage("text missing", "corpus", without("text", 1)),
    Damage("text null", "corpus", change(json.dumps(DOCUMENTS["d2"][1]), "null", 1)),
    Damage("text a number", "corpus", change(json.dumps(DOCUMENTS["d2"][1]), "420", 1)),
    Damage("title missing in one document", "corpus", without("title", 1), intended=untitled(["d2"])),
    Damage("title null in one document", "corpus", change('"Fares"', "null", 1), intended=untitled(["d2"])),
    Damage("no titles at all", "corpus", without("title"), intended=untitled(list(DOCUMENTS))),
    Damage(
        "empty titles",
        "corpus",
        lambda lines: [json.dumps({**json.loads(line), "title": ""}) for line in lines],
        intended=untitled(list(DOCUMENTS)),
    ),
    Damage(
        "further keys",
        "corpus",
        lambda lines: [json.dumps({**json.loads(line), "metadata": {"n": 1}}) for line in lines],
    ),
    Damage(
        "a further key of mixed types",
        "corpus",
        lambda lines: [
            json.dumps({**json.loads(line), "page": place if place % 2 else str(place)})
            for place, line in enumerate(lines)
        ],
    ),
    Damage("a blank line", "corpus", add("", 3)),
    Damage("a blank last line", "corpus", add("")),
    Damage("a line of spaces", "queries", add("  ", 2)),
    Damage("a broken line", "corpus", put(2, '{"_id": "d3", "title": "Bicycles", "text": "Bicycles')),
    Damage("two records on a line", "corpus", lambda lines: [lines[0] + lines[1], *lines[2:]], stricter=_OTHERS),
    Damage("a list of records in one line", "corpus", lambda lines: ["[" + ", ".join(lines) + "]"], stricter=_OTHERS),
    Damage(
        "a list of records, pretty",
        "corpus",
        lambda lines: json.dumps([json.loads(line) for line in lines], indent=1).split("\n"),
        stricter=_OTHERS,
    ),
    Damage("a key twice", "corpus", change('"_id": "d2"', '"_id": "x", "_id": "d2"', 1)),
    Damage("byte order mark", "corpus", data=lambda data: b"\xef\xbb\xbf" + data),
    Damage("UTF-16", "corpus", data=lambda data: data.decode().encode("utf-16")),
    Damage("CP1252", "corpus", data=lambda data: data.decode().replace("\u2028", " ").encode("cp1252")),
    Damage("CRLF", "corpus", data=lambda data: data.replace(b"\n", b"\r\n")),
    Damage("no line feed at the end", "corpus", data=lambda data: data.rstrip(b"\n")),
    Damage("NaN for a text", "corpus", change(json.dumps(DOCUMENTS["d2"][1]), "NaN", 1)),
    Damage("half of a surrogate pair", "corpus", change("4.20", "\\ud83d", 1)),
    Damage(
        "a NUL in an id",
        "corpus",
        change('"_id": "d7"', '"_id": "d7\\u0000"', 6),
        intended={
            **INTENDED,
            "documents": {
                **{k: v for k, v in INTENDED["documents"].items() if k != "d7"},
                "d7\0": INTENDED["documents"]["d7"],
            },
        },
    ),
    Damage("an empty query", "queries", change(json.dumps(QUERIES["q2"]), '""', 1)),
    Damage("query for text", "queries", change('"text"', '"query"')),
    Damage(
        "a query's id twice",
        "queries",
        add(record(_id="q2", text="And for a child?")),
        intended=more("queries", "q5", "And for a child?") | {"judgments": {**JUDGMENTS, "q5": {"d2": 1}}},
    ),
    Damage("a query nobody judged", "queries", add(record(_id="q5", text="And for a child?"))),
    Damage("a missing query", "queries", lambda lines: lines[:-1]),
    Damage("a number for a query's id", "queries", change('"_id": "q2"', '"_id": 2', 1)),
    Damage("no queries", "queries", lambda lines: []),
    Damage("query_id for query-id", "jsonl", change('"query-id"', '"query_id"')),
    Damage("a score missing", "jsonl", without("score", 0)),
    Damage("scores missing", "jsonl", without("score")),
    Damage("score 0.5", "jsonl", change('"score": 1', '"score": 0.5')),
    Damage("score 2.0", "jsonl", change('"score": 2', '"score": 2.0')),
    Damage(
        "score in quotes",
        "jsonl",
        lambda lines: [json.dumps({**json.loads(line), "score": str(json.loads(line)["score"])}) for line in lines],
    ),
    Damage("one score in quotes", "jsonl", change('"score": 2', '"score": "2"', 0)),
    Damage("a word for a score", "jsonl", change('"score": 2', '"score": "high"', 0)),
    Damage("score null", "jsonl", change('"score": 2', '"score": null', 0)),
    Damage(
        "score true",
        "jsonl",
        change('"score": 1', '"score": true', 1),
        stricter={"evalscope": "true is no grade, its code happens to count it as 1"},
    ),
    Damage(
        "score -1",
        "jsonl",
        change('"score": 0', '"score": -1', 3),
        intended={**INTENDED, "judgments": {**JUDGMENTS, "q2": {"d2": 2, "d4": -1}}},
    ),
    Damage("a time for a score", "jsonl", change('"score": 1', '"score": 1699999999999', 1)),
    Damage("an unknown document", "jsonl", change('"d8"', '"D8"')),
    Damage("an unknown query", "jsonl", change('"q3"', '"q33"')),
    Damage("a judgment twice", "jsonl", lambda lines: [*lines, lines[0]]),
    Damage("a judgment twice, otherwise", "jsonl", lambda lines: [*lines, lines[0].replace(": 2}", ": 0}")]),
    Damage("a number for a judgment's document", "jsonl", change('"d8"', "8")),
    Damage("a broken line", "jsonl", put(2, '{"query-id": "q2", "corpus-id": "d2"')),
    Damage("a blank line", "jsonl", add("", 2)),
    Damage("no judgment", "jsonl", lambda lines: []),
    Damage("no header", "tsv", lambda lines: lines[1:]),
    Damage(
        "TREC columns",
        "tsv",
        lambda lines: ["\t".join([q, "0", d, s]) for q, d, s in (line.split("\t") for line in lines[1:])],
    ),
    Damage(
        "TREC columns and a header",
        "tsv",
        lambda lines: [lines[0], *("\t".join([q, "0", d, s]) for q, d, s in (line.split("\t") for line in lines[1:]))],
    ),
    Damage("spaces for tabs", "tsv", change("\t", " ")),
    Damage("commas for tabs", "tsv", change("\t", ",")),
    Damage("other names in the header", "tsv", put(0, "qid\tdocid\trel")),
    Damage("a blank last line", "tsv", add("")),
    Damage("a blank line", "tsv", add("", 2)),
    Damage("score 0.5", "tsv", change("\t1", "\t0.5")),
    Damage("score 2.0", "tsv", change("\t2", "\t2.0")),
    Damage("a word for a score", "tsv", change("\t2", "\thigh", 1)),
    Damage("a score missing", "tsv", put(1, "q1\td1")),
    Damage("spaces around a score", "tsv", change("\t2", "\t 2 ", 1)),
    Damage("spaces around ids", "tsv", put(1, "q1 \td1\t2")),
    Damage("a field in quotes", "tsv", put(1, '"q1"\t"d1"\t2')),
    Damage("a quote that opens", "tsv", put(1, 'q1\t"d1\t2')),
    Damage("an unknown document", "tsv", change("\td8", "\tD8")),
    Damage("an unknown query", "tsv", change("q3", "q33")),
    Damage("a judgment twice", "tsv", lambda lines: [*lines, lines[1]]),
    Damage("a judgment twice, otherwise", "tsv", lambda lines: [*lines, "q1\td1\t0"]),
    Damage("CRLF", "tsv", data=lambda data: data.replace(b"\n", b"\r\n")),
    Damage("byte order mark", "tsv", data=lambda data: b"\xef\xbb\xbf" + data),
    Damage("UTF-16", "tsv", data=lambda data: data.decode().encode("utf-16")),
    Damage("no judgment", "tsv", lambda lines: lines[:1]),
)


def trials(root: Path, repository: Path) -> Iterator[Trial]:
    """Every set for every platform that could read its judgments. Sound ones first, then damaged ones, then the product's own."""
    for name, parts in (
        ("sound", ("jsonl", "tsv")),
        ("sound, qrels.jsonl", ("jsonl",)),
        ("sound, qrels/test.tsv", ("tsv",)),
    ):
        folder = root / name
        for part in ("corpus", "queries", *parts):
            write(folder, part, PARTS[part][1]())
        yield from (Trial(name, platform, folder, INTENDED) for platform in ALL)
    yield from _whole_sets(root)
    for number, damage in enumerate(DAMAGES):
        folder = root / f"damage-{number}"
        judgments = [damage.part] if damage.part in ("jsonl", "tsv") else ["jsonl", "tsv"]
        for part in ("corpus", "queries", *judgments):
            is_damaged = part == damage.part
            edit = damage.lines if is_damaged else damage.also.get(part, lambda lines: lines)
            lines = edit(PARTS[part][1]())
            write(folder, part, lines, damage.data if is_damaged else lambda data: data)
        platforms = {"jsonl": ("evalscope", "mteb"), "tsv": ("beir", "mteb")}.get(damage.part, ALL)
        for platform in platforms:
            name = f"{PARTS[damage.part][0]}: {damage.name}"
            yield Trial(name, platform, folder, damage.intended, damage.stricter.get(platform))
    for path in (repository / "sample_data" / "beir", repository / "sample_data" / "broken" / "beir"):
        yield from (Trial(path.relative_to(repository).as_posix(), platform, path) for platform in ALL)
    for path in sorted((repository / "tests" / "cases").iterdir()):
        if (path / "corpus.jsonl").exists():
            for platform in ALL:
                yield Trial(f"case {path.name}", platform, path, None, CASES.get(path.name, {}).get(platform))


def _whole_sets(root: Path) -> Iterator[Trial]:
    """Faults that are in all parts at once, or in how the parts lie together."""
    folder = root / "numbers"
    for part in ("corpus", "queries", "jsonl"):
        write(folder, part, renumbered(part))
    numbers = {name: name[1:] for name in DOCUMENTS} | {name: str(int(name[1:]) + 100) for name in QUERIES}
    intended = {
        "documents": {numbers[name]: text for name, text in INTENDED["documents"].items()},
        "queries": {numbers[name]: text for name, text in QUERIES.items()},
        "judgments": {
            numbers[query]: {numbers[name]: grade for name, grade in row.items()} for query, row in JUDGMENTS.items()
        },
    }
    for platform in ("evalscope", "mteb"):
        yield Trial("all ids are numbers", platform, folder, intended, _CAST[platform])

    for name, digits in (
        ("zeros before digits", "00{}"),
        ("digits", "{}"),
        ("exponents", "{}e5"),
        ("words like NA", "N{}"),
    ):
        folder = root / name
        new = {old: digits.format(old[1:]) for old in DOCUMENTS} | {
            old: digits.format(int(old[1:]) + 100) for old in QUERIES
        }
        if name == "words like NA":
            new |= {"d1": "NA", "d5": "null", "d6": "None"}

        def renamed(lines: Lines, new: dict[str, str] = new) -> Lines:
            def swap(line: str) -> str:
                if not line.startswith("{"):
                    return "\t".join(new.get(cell, cell) for cell in line.split("\t"))
                row = json.loads(line)
                ids = ("_id", "query-id", "corpus-id")
                return record(**{key: new[value] if key in ids else value for key, value in row.items()})

            return [swap(line) for line in lines]

        intended = {
            "documents": {new[old]: text for old, text in INTENDED["documents"].items()},
            "queries": {new[old]: text for old, text in QUERIES.items()},
            "judgments": {
                new[query]: {new[old]: grade for old, grade in row.items()} for query, row in JUDGMENTS.items()
            },
        }
        for judgments, platforms in (("jsonl", ("evalscope", "mteb")), ("tsv", ("beir", "mteb"))):
            place = folder / judgments
            for part in ("corpus", "queries", judgments):
                write(place, part, renamed(PARTS[part][1]()))
            for platform in platforms:
                yield Trial(f"ids are {name}, {PARTS[judgments][0]}", platform, place, intended)

    folder = root / "two judgments"
    for part in ("corpus", "queries", "jsonl"):
        write(folder, part, PARTS[part][1]())
    write(folder, "tsv", change("q3", "q33")(tsv_lines()))
    yield from (Trial("qrels.jsonl sound, qrels/test.tsv not", platform, folder, INTENDED) for platform in ALL)

    folder = root / "dev only"
    for part in ("corpus", "queries"):
        write(folder, part, PARTS[part][1]())
    write(folder, "tsv", tsv_lines())
    (folder / "qrels" / "test.tsv").rename(folder / "qrels" / "dev.tsv")
    yield from (Trial("qrels/dev.tsv only", platform, folder, INTENDED) for platform in ("beir", "mteb"))

    for missing in ("corpus", "queries", "jsonl"):
        folder = root / f"no {missing}"
        for part in {"corpus", "queries", "jsonl", "tsv"} - {missing} - ({"tsv"} if missing == "jsonl" else set()):
            write(folder, part, PARTS[part][1]())
        yield from (Trial(f"no {PARTS[missing][0]}", platform, folder, INTENDED) for platform in ALL)


def write(folder: Path, part: str, lines: Lines, data: Callable[[bytes], bytes] = lambda data: data) -> None:
    path = folder / PARTS[part][0]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data("".join(f"{line}\n" for line in lines).encode()))
