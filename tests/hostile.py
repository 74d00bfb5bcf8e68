"""Data that attacks whoever shows it: markup, escape sequences, bidi overrides, control characters, lone surrogates.

One dataset per format, every field of it poisoned, names of files and columns too; and the judgement whether anything of
it came through.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

MARKUP: Final = "[/x] [red] [@click=app.quit]x[/] [/] [b"
OSC_52: Final = "\x1b]52;c;cHduZWQ=\x07\x1b]52;c;cHduZWQ=\x1b\\"
SEQUENCES: Final = f"{OSC_52} \x1b[2J\x1b[31m \x1b]0;title\x07 \x9b31m \x9d52;c;cHduZWQ=\x9c \x90q\x9c"
BIDI: Final = "\u202egnp.exe\u202c \u2066a\u2069 \u200f\u200b\ufeff\U000e0041"
CONTROLS: Final = "\x07\x08\x0b\x0c\x7f\x85\u2028"
FORMULA: Final = "=HYPERLINK(1)"
TAGS: Final = "<script>alert(1)</script> <img src=x onerror=y> | `b` ]]> &amp; -->"

TEXT: Final = f"{MARKUP} {SEQUENCES} {BIDI} {CONTROLS} {TAGS}"
NUL: Final = "\x00"
LONE: Final = "\ud800\udfff\udc80"
WORD: Final = re.sub(r"\s", "", f"{MARKUP}{SEQUENCES}{BIDI}")
"""Poison without white space, for ids of formats that are split there."""

NAME: Final = "[red]n[@click=app.quit]\x1b]52;c;cHduZWQ=\x07\x9b31m\u202eb"
"""Poison that a file's name can hold."""

_RAW: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f\x80-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_OURS: Final = re.compile(r"\x1b\[[0-9;]*m|\x1b\[\?25[hl]|\x1b\[[0-9]*[AK]|\x1b\[[0-9]*G|\r")


def came_through(data: bytes | str, *, ours: bool = False) -> list[str]:
    """What of the poison is raw in an output, with its surroundings. ``ours``: colours and a redrawn line are allowed,
    as they are at a terminal."""
    text = data.decode("utf-8", "surrogateescape") if isinstance(data, bytes) else data
    if ours:
        text = _OURS.sub("", text)
    return [f"{text[max(0, m.start() - 30) : m.end() + 30]!r}" for m in _RAW.finditer(text)]


def answers(poison: str = TEXT) -> list[dict[str, str]]:
    """Some cases as a support desk has them, each field poisoned: good, ungrounded, refused."""
    context = f"A temporary pass is valid for 4 hours and can be used once. {poison}"
    pairs = [
        ("How long is a temporary pass valid?", "A temporary pass is valid for 4 hours."),
        ("Can it be used twice?", "A temporary pass can be used 30 times and costs 12 euros."),
        ("Who issues it?", "I am sorry, I cannot answer that."),
    ]
    return [
        {
            "query": f"{question} {poison}",
            "response": f"{answer} {poison}",
            "context": context,
            "ground_truth": f"It is valid for 4 hours. {poison}",
        }
        for question, answer in pairs
    ]


def write_all(folder: Path) -> dict[str, Path]:
    """One poisoned dataset per format, by format; the paths are poisoned as well."""
    folder.mkdir(parents=True, exist_ok=True)
    place = folder / f"{NAME}["  # a path below it holds "[/x]"
    place.mkdir()
    return {
        "deepset-qa": _deepset_qa(place / f"x]qa {NAME}.csv"),
        "deepset-rag": _deepset_rag(place / "x]rag.csv"),
        "deepset-retrieval": _deepset_retrieval(place / "x]retrieval.csv"),
        "azure": _azure(place / f"x]azure {NAME}.jsonl"),
        "answers": _answers(place / "x]answers.jsonl"),
        "pinecone": _pinecone(place / "x]pinecone.json"),
        "table": _table(place / "x]table.csv"),
        "xlsx": _xlsx(place / "x]book.xlsx"),
        "beir": _beir(place / f"x]beir {NAME}"),
        "run": _run(place / f"x]beir {NAME}" / f"run-{NAME}.trec"),
    }


def write_names_that_are_no_text(folder: Path) -> tuple[Path, Path]:
    """Sound datasets, a file and a folder, whose names are not UTF-8."""
    path = folder / os.fsdecode(b"\xff\x9b31m.jsonl")
    path.write_text(_lines([{"query": "a", "response": "b", "context": "c"}]))
    beir = folder / os.fsdecode(b"beir \xff\x9b31m")
    beir.mkdir()
    (beir / "corpus.jsonl").write_text(_lines([{"_id": "d1", "text": "a"}]))
    (beir / "queries.jsonl").write_text(_lines([{"_id": "q1", "text": "a"}]))
    (beir / "qrels.jsonl").write_text(_lines([{"query-id": "q1", "corpus-id": "d1", "score": 1}]))
    (beir / os.fsdecode(b"run \xff.trec")).write_text("q1 Q0 d1 1 0.5 x\n")
    return path, beir


def _csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[str]]) -> Path:
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer)
    writer.writerow(header)
    writer.writerows(rows)
    path.write_text(buffer.getvalue(), "utf-8", newline="")
    return path


def _deepset_qa(path: Path) -> Path:
    rows = []
    for each in answers(TEXT + NUL):
        text, context = "4 hours", each["context"]
        start = context.index(text)
        filters = json.dumps({f"{TEXT}": [TEXT]})
        rows.append((each["query"], text, context, f"file {TEXT}.md", str(start), str(start + len(text)), filters))
    rows.append((TEXT, TEXT, TEXT, TEXT, TEXT, TEXT, TEXT))  # offsets and filters that are nonsense
    return _csv(path, ("question", "text", "context", "file_name", "answer_start", "answer_end", "filters"), rows)


def _deepset_rag(path: Path) -> Path:
    return _csv(path, ("question",), [(each["query"] + NUL,) for each in answers()])


def _deepset_retrieval(path: Path) -> Path:
    rows = [(each["query"], "", each["context"], f"{NAME}.md") for each in answers()]
    return _csv(path, ("question", "text", "context", "file_name"), rows)


def _lines(records: Iterable[object]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def _azure(path: Path) -> Path:
    records = [
        {"id": f"{number} {TEXT}{NUL}{LONE}", **each, f"extra {TEXT}": {TEXT: [TEXT, LONE]}}
        for number, each in enumerate(answers(TEXT + NUL + LONE))
    ]
    bad = "{" + TEXT.replace("\n", "") + "\n"
    path.write_bytes((_lines(records) + bad).encode() + b'{"query": "\x1b]52;c;cHduZWQ=\x07 raw", "response": 7}\n')
    return path


def _answers(path: Path) -> Path:
    """Another version's answers to the cases of the azure set."""
    records = [
        {"id": f"{number} {TEXT}{NUL}{LONE}", "query": each["query"], "response": f"It is valid for 9 hours. {TEXT}{LONE}",
         "context": each["context"]}
        for number, each in enumerate(answers(TEXT + NUL + LONE))
    ]  # fmt: skip
    path.write_text(_lines(records))
    return path


def _pinecone(path: Path) -> Path:
    records = [
        {"question": each["query"], "answer": each["response"], "ground_truth_answer": each["ground_truth"], TEXT: TEXT}
        for each in answers(TEXT + NUL + LONE)
    ]
    path.write_text(json.dumps(records))
    return path


def _table(path: Path) -> Path:
    header = ("query", f"input {TEXT}", "expected_answer", FORMULA, "id")
    rows = [
        (each["query"], TEXT, each["ground_truth"], FORMULA, f"{number}{TEXT}{NUL}")
        for number, each in enumerate(answers())
    ]
    return _csv(path, header, [*rows, (TEXT,)])


def _xlsx(path: Path) -> Path:
    import xlsxwriter

    text = TEXT + NUL
    with xlsxwriter.Workbook(str(path), {"strings_to_formulas": False}) as book:
        sheet = book.add_worksheet(f"n\x1b\x9b31m\u202e{'@click'}"[:31])
        for column, title in enumerate(("query", f"expected_answer {MARKUP}", f"more {text}")):
            sheet.write_string(0, column, title)
        for row, each in enumerate(answers(text), 1):
            for column, value in enumerate((each["query"], each["ground_truth"], text)):
                sheet.write_string(row, column, value)
        sheet.write_formula(5, 0, f'="{MARKUP}"', value=text)
    return path


def _beir(folder: Path) -> Path:
    folder.mkdir()
    poison = TEXT + NUL + LONE
    documents = [
        {"_id": f"d{n}{WORD}", "title": f"{n} {poison}", "text": f"{n} a temporary pass {poison}", TEXT: poison}
        for n in range(4)
    ]
    queries = [
        {"_id": f"q{n}{WORD}", "text": f"{n} temporary pass valid {poison}", "metadata": {poison: poison}}
        for n in range(3)
    ]
    judgments = [
        {"query-id": f"q{n}{WORD}", "corpus-id": f"d{m}{WORD}", "score": 1} for n, m in ((0, 0), (1, 1), (2, 9))
    ]
    judgments += [{"query-id": TEXT, "corpus-id": LONE, "score": TEXT}]
    (folder / "corpus.jsonl").write_text(_lines([*documents, {"_id": 7, "text": poison}]))
    (folder / "queries.jsonl").write_text(_lines(queries))
    (folder / "qrels.jsonl").write_text(_lines(judgments))
    return folder


def _run(path: Path) -> Path:
    lines = [f"q{q}{WORD} Q0 d{d}{WORD} {d + 1} {9 - d} {WORD}\n" for q in range(3) for d in (1, 0, 3)]
    path.write_text("".join(lines), "utf-8")
    return path


def write_workspace(folder: Path, extra: Mapping[str, str] | None = None) -> None:
    """A ``ragtui.toml`` whose groups, judges, keys and theme are poisoned."""
    escaped = json.dumps(NAME)[1:-1].replace("\\u202e", "\u202e")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "ragtui.toml").write_text(
        f'[app]\ntheme = "{escaped}"\n\n[keys]\n"{escaped}" = "x"\n\n'
        f'[groups."g {escaped}"]\nmetrics = ["groundedness", "f1"]\n\n[groups."bad {escaped}"]\nmetrics = ["{escaped}"]\n\n'
        f'[judges."j {escaped}"]\nmodel = "{escaped}"\nbase_url = "http://127.0.0.1:1/{escaped}"\n'
        + "".join(f"{name} = {value}\n" for name, value in (extra or {}).items())
    )


_PIECES: Final = (
    *MARKUP.split(" "), OSC_52, "\x1b[2J", "\x1b[31m", "\x1b]0;title\x07", "\x1bP+q544e\x1b\\", "\x1b", "\x9b31m", "\x9d52;c;cA==\x9c",
    "\x1b[?1049l", "\x1b[6n", "\x1bc", "\u202egnp.exe\u202c", "\u2066a\u2069", "\u200f", "\u200b", "\ufeff", "\u2060",
    "\U000e0041", "\u00ad", "\ud800", "\udfff", "\udc80\ud800", NUL, *CONTROLS, "\t", "\t\t", "\r", "\r\n", "\n", "\n\n",
    "👩\u200d👩\u200d👧\u200d👦", "🏳\ufe0f\u200d🌈", "👍🏽", "🇩🇪", "🇩", "1\ufe0f\u20e3", "❤\ufe0f", "☎\ufe0e", "\u200d", "\ufe0f",
    "e\u0301", "\u0301", "a" + "\u0316\u0301" * 20, "각", "\u1100\u1161\u11a8", "क्षि", "ไม่เป็นไร", "漢字", "ｶﾞ", "Ａ", "ﷺ", "𒐫", "\u3164",
    "עברית", "العربية", "ё", "½", "─│▌", "\ue000", "\U0010ffff", "\ufffe", " ", "  ",
    "word", "a longer run of words", "x" * 50, "[@click=app.bell]x[/]", "${jndi:ldap://x}", TAGS, FORMULA,
)  # fmt: skip


def strings(count: int, seed: int = 0, longest: int = 1_000_000) -> list[str]:
    """Hostile strings, the same for a seed: single pieces, runs of them, any characters at all, and one in a thousand a
    line of ``longest`` characters."""
    import random

    chance = random.Random(seed)
    found: list[str] = list(_PIECES[:count])
    while len(found) < count:
        kind = len(found) % 1000
        if kind == 150:
            piece = chance.choice(_PIECES)
            found.append((piece * (longest // len(piece) + 1))[:longest])
        elif kind % 4 == 0:
            found.append(
                "".join(chr(chance.choice((chance.randrange(0x300), chance.randrange(0x110000)))) for _ in range(20))
            )
        else:
            found.append("".join(chance.choice(_PIECES) for _ in range(chance.randrange(1, 30))))
    return found
