"""Every format of cases: sound files of any text are silent, and one fault in a sound file is named at its own line.

A format is given here by how one sound record of it looks; what is done to a record is the same for all.
"""

from __future__ import annotations

import csv
import io
import json
import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtui.datasets.check import Opened, open_datasets
from ragtui.datasets.findings import Finding, Level
from ragtui.datasets.formats import formats

Row = dict[str, Any]
ROWS: Final = 8
# Words of many scripts, with what syntaxes are made of: quotes, commas, braces, backslashes, line feeds.
WORDS: Final = st.text(
    st.one_of(
        st.characters(categories=["Lu", "Ll", "Lo", "Nd", "Po", "Sm", "So"], exclude_characters="\x7f\ufffd"),
        st.sampled_from(" ,;\t\"'{}[]:|\\/\n#éß漢字"),
    ),
    min_size=1,
    max_size=20,
)


@dataclass(frozen=True)
class Form:
    """A format as one writes it. In ``record`` %n stands for the number of the record and %t for its text; ``question`` and
    ``own_id`` are columns of it. Where a record is more than that, ``make`` makes it."""

    format: str
    question: str
    record: Row
    own_id: str | None = None
    make: Callable[[int, str], Row] | None = None

    def rows(self, texts: list[str]) -> list[Row]:
        return [(self.make or partial(filled, self.record))(number, text) for number, text in enumerate(texts)]


def filled(value: Any, number: int, text: str) -> Any:
    if isinstance(value, dict):
        return {key: filled(each, number, text) for key, each in value.items()}
    if isinstance(value, list):
        return [filled(each, number, text) for each in value]
    return value.replace("%n", str(number)).replace("%t", text) if isinstance(value, str) else value


def deepset_qa(number: int, text: str) -> Row:
    context = f"Before it: x{text}.\nAfter it."
    start = context.index("x")
    end = start + 1 + len(text)
    return {
        "question": f"Which {number}?", "text": context[start:end], "context": context, "file_name": "a.txt",
        "answer_start": str(start), "answer_end": str(end), "filters": "",
    }  # fmt: skip


DEEPSET: Final = dict.fromkeys(
    ["question", "text", "context", "file_name", "answer_start", "answer_end", "filters"], ""
)
PINECONE: Final = {"question": "Which %n?", "answer": "a %t", "ground_truth_answer": "g %t"}
HAYSTACK: Final = {"questions": "Which %n?", "contexts": ["c %t"], "true_answers": "t %t", "predicted_answers": "p %t"}
TABLE: Final = {"id": "c%n", "prompt": "Which %n?", "city": "x%t", "expected_answer": "e %t"}
RAGAS: Final = {"user_input": "Which %n?", "retrieved_contexts": ["c %t", "d"], "response": "r %t", "reference": "g %t"}
DEEPEVAL: Final = {
    "input": "Which %n?",
    "actual_output": "a %t",
    "expected_output": "e %t",
    "retrieval_context": ["c %t"],
}
LANGFUSE: Final = {
    "id": "i%n",
    "input": "Which %n?",
    "expectedOutput": "e %t",
    "metadata": {"n": 1},
    "status": "ACTIVE",
}
RESULTS: Final = {
    "inputs.query": "%n? %t",
    "inputs.response": "r %t",
    "outputs.f1.f1_score": 1,
    "outputs.f1.f1_result": "pass",
}
HISTORY: Final = {
    "query_id": "q%n",
    "query": "Which %n?",
    "status": "success",
    "haystack_trace": {"traces": [{"component": "llm", "tags": {"outputs": {"replies": ["r %t"]}}}]},
}
LINES: Final = (
    Form("azure", "query", {"query": "Which %n?", "context": "c %t", "response": "r %t", "ground_truth": "g %t"}),
    Form("pinecone", "question", PINECONE),
    Form("ragas", "user_input", RAGAS),
    Form("deepeval", "input", DEEPEVAL),
    Form("langfuse", "input", LANGFUSE, "id"),
    Form("phoenix", "input", {"id": "e%n", "input": {"q": "%n? %t"}, "output": {"a": "a %t"}, "metadata": {}}, "id"),
    Form("inspect", "input", {"id": "s%n", "input": "Which %n?", "target": "t %t", "choices": ["a", "b"]}, "id"),
    Form("haystack", "questions", HAYSTACK),
    Form(
        "ragchecker", "query", {"query_id": "%n", "query": "%n?", "gt_answer": "g %t", "response": "r %t"}, "query_id"
    ),
    Form("promptfoo", "vars", {"vars": {"question": "%n? %t"}, "assert": [{"type": "equals", "value": "v %t"}]}),
    Form("table", "prompt", TABLE, "id"),
    Form("results", "inputs.query", RESULTS),
    Form("deepset-history", "query", HISTORY),
)
TABLES: Final = (
    Form("deepset-qa", "question", {}, make=deepset_qa),
    Form("deepset-retrieval", "question", {**DEEPSET, "question": "%n?", "context": "It is %t.", "file_name": "a.txt"}),
    Form("deepset-rag", "question", {**DEEPSET, "question": "%n? %t", "filters": '{"language": "en"}'}),
    Form("pinecone", "question", PINECONE),
    Form("haystack", "questions", {**HAYSTACK, "contexts": '["c", "d"]'}),
    Form("promptfoo", "question", {"question": "Which %n?", "topic": "x%t", "__expected": "equals: e %t"}),
    Form("table", "prompt", TABLE, "id"),
)
ANSWERED: Final = {"results"}  # asked of nobody any more, so a question may be missing
RETRIEVAL: Final = {"beir", "trec"}  # held by test_retrieval_damage.py


def ids(forms: tuple[Form, ...]) -> list[Any]:
    return [pytest.param(form, id=form.format) for form in forms]


def test_no_format_is_left_out() -> None:
    assert {form.format for form in (*LINES, *TABLES)} | RETRIEVAL | {"archive"} == set(formats())


@pytest.fixture(scope="module")
def tmp(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("damage")


def opened(path: Path, data: bytes) -> Opened:
    path.write_bytes(data)
    return open_datasets([str(path)])


def found(result: Opened, worst: Level = Level.WARNING) -> list[Finding]:
    """Findings at a level or above; notes such as "read as a list" do not count."""
    return [each for each in result.findings() if each.level.rank <= worst.rank]


def lines_of(rows: list[Row], ascii: bool = False) -> list[str]:
    return [json.dumps(row, ensure_ascii=ascii) for row in rows]


def cells_of(rows: list[Row], quoting: Any = csv.QUOTE_ALL) -> list[str]:
    """The header and the records as CSV, without their line ends."""
    out = []
    for values in ([*rows[0]], *(row.values() for row in rows)):
        stream = io.StringIO()
        csv.writer(stream, quoting=quoting, lineterminator="\n").writerow(values)
        out.append(stream.getvalue()[:-1])
    return out


class TestSound:
    """Whatever the texts are, a file as its own tools write it has no error, and nothing of it is lost."""

    @pytest.mark.parametrize("form", ids(LINES))
    @given(texts=st.lists(WORDS, min_size=2, max_size=ROWS), ascii=st.booleans(), end=st.sampled_from(["\n", "\r\n"]))
    @settings(max_examples=15, deadline=None)
    def test_json_lines(self, tmp: Path, form: Form, texts: list[str], ascii: bool, end: str) -> None:
        rows = form.rows(texts)
        result = opened(tmp / "sound.jsonl", "".join(line + end for line in lines_of(rows, ascii)).encode())
        self.is_silent_and_whole(form, result, rows)

    @pytest.mark.parametrize("form", ids(LINES[1:]))  # Azure takes JSON lines only
    @given(texts=st.lists(WORDS, min_size=2, max_size=ROWS), indent=st.sampled_from([None, 0, 2]))
    @settings(max_examples=10, deadline=None)
    def test_a_json_list(self, tmp: Path, form: Form, texts: list[str], indent: int | None) -> None:
        rows = form.rows(texts)
        result = opened(tmp / "sound.json", json.dumps(rows, indent=indent).encode())
        self.is_silent_and_whole(form, result, rows)

    @pytest.mark.parametrize("form", ids(TABLES))
    @given(
        texts=st.lists(WORDS, min_size=2, max_size=ROWS),
        quoting=st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]),
        end=st.sampled_from(["\n", "\r\n"]),
        encoding=st.sampled_from(["utf-8", "utf-8-sig"]),
    )
    @settings(max_examples=15, deadline=None)
    def test_csv(self, tmp: Path, form: Form, texts: list[str], quoting: Any, end: str, encoding: str) -> None:
        rows = form.rows(texts)
        result = opened(tmp / "sound.csv", "".join(each + end for each in cells_of(rows, quoting)).encode(encoding))
        self.is_silent_and_whole(form, result, rows)

    def is_silent_and_whole(self, form: Form, result: Opened, rows: list[Row]) -> None:
        assert found(result, Level.ERROR) == []
        [dataset] = result.datasets
        assert dataset.format == form.format
        assert dataset.cases is not None
        asked = [row[form.question] for row in rows]
        texts = [each if isinstance(each, str) else json.dumps(each, ensure_ascii=False) for each in asked]
        assert dataset.cases[form.question].to_list() == texts


SOUND: Final = [f'Größe {number}, "quoted" \\ and {{braces}}' for number in range(ROWS)]


def drop_quote(line: str, rng: random.Random) -> str:
    """Without one of the quotes that are syntax."""
    places = [n for n, char in enumerate(line) if char == '"' and not (n and line[n - 1] == "\\")]
    place = rng.choice(places)
    return line[:place] + line[place + 1 :]


def cut(line: str, rng: random.Random) -> str:
    return line[: rng.randrange(1, len(line))]


SYNTAX: Final[dict[str, Callable[[str, random.Random], str]]] = {
    "cut": cut,
    "a quote less": drop_quote,
    "a comma too many": lambda line, rng: line[:-1] + ",}",
    "a comma less": lambda line, rng: re.sub('([]"}]), "', r'\1 "', line, count=1),
    "a colon less": lambda line, rng: line.replace('": ', '" ', 1),
    "single quotes": lambda line, rng: line.replace('"', "'"),
    "two records": lambda line, rng: line + line,
    "a list": lambda line, rng: f"[{line}]",
    "a number": lambda line, rng: "7",
    "a text": lambda line, rng: json.dumps(line),
    "a raw control character": lambda line, rng: line.replace("Größe", "Gr\x01ße", 1),
    "half a character": lambda line, rng: line.replace("Größe", "\\ud83d", 1),
    "NaN": lambda line, rng: line[:-1] + ', "extra": NaN}',
    "a key twice": lambda line, rng: line[:-1] + ", " + line[1 : line.index(": ") + 2] + '"again"}',
    "nested without end": lambda line, rng: line[:-1] + ', "extra": ' + "[" * 100_000,
    "a control character": lambda line, rng: line.replace("Größe", "Gr\\u001b[31m", 1),
    "a lost letter": lambda line, rng: line.replace("ß", "\ufffd", 1),
    "encoded twice": lambda line, rng: line.replace("ö", "Ã¶", 1),
}  # fmt: skip
BYTES: Final[dict[str, Callable[[bytes], bytes]]] = {
    "a byte of another encoding": lambda line: line.replace("ö".encode(), b"\xf6", 1),
    "half a letter": lambda line: line.replace("ö".encode(), b"\xc3", 1),
}


class TestDamagedLines:
    """One fault in one line: a finding at that line, and none at any other."""

    @pytest.mark.parametrize("form", ids(LINES))
    @given(place=st.integers(0, ROWS - 1), fault=st.sampled_from(sorted(SYNTAX)), seed=st.integers(0, 999))
    @settings(max_examples=30, deadline=None)
    def test_syntax_and_text(self, tmp: Path, form: Form, place: int, fault: str, seed: int) -> None:
        lines = lines_of(form.rows(SOUND))
        lines[place] = SYNTAX[fault](lines[place], random.Random(seed))
        result = opened(tmp / "damaged.jsonl", "".join(f"{line}\n" for line in lines).encode())
        assert {each.line for each in found(result)} == {place + 1}, fault

    @pytest.mark.parametrize("form", ids(LINES))
    @pytest.mark.parametrize("fault", BYTES)
    @pytest.mark.parametrize("place", [0, 3, ROWS - 1])
    def test_bytes(self, tmp: Path, form: Form, fault: str, place: int) -> None:
        lines = [line.encode() for line in lines_of(form.rows(SOUND))]
        lines[place] = BYTES[fault](lines[place])
        result = opened(tmp / "damaged.jsonl", b"".join(line + b"\n" for line in lines))
        assert {(each.line, each.level) for each in found(result)} == {(place + 1, Level.ERROR)}

    @pytest.mark.parametrize("form", ids(tuple(form for form in LINES if form.format not in ANSWERED)))
    @given(place=st.integers(1, ROWS - 1), what=st.sampled_from(["absent", "null", "empty", "number", "boolean"]))
    @settings(max_examples=20, deadline=None)
    def test_a_question_that_is_none(self, tmp: Path, form: Form, place: int, what: str) -> None:
        rows = form.rows(SOUND)
        values = {"null": None, "empty": "", "number": 42, "boolean": True}
        rows[place] = {key: values.get(what) if key == form.question else value for key, value in rows[place].items()}
        if what == "absent":
            del rows[place][form.question]
        result = opened(tmp / "damaged.jsonl", "".join(f"{line}\n" for line in lines_of(rows)).encode())
        assert {each.line for each in found(result)} == {place + 1}

    @pytest.mark.parametrize("form", ids(tuple(form for form in LINES if form.own_id)))
    @given(place=st.integers(1, ROWS - 1))
    @settings(max_examples=10, deadline=None)
    def test_an_id_given_twice(self, tmp: Path, form: Form, place: int) -> None:
        rows = form.rows(SOUND)
        rows[place][str(form.own_id)] = rows[0][str(form.own_id)]
        result = opened(tmp / "damaged.jsonl", "".join(f"{line}\n" for line in lines_of(rows)).encode())
        assert [(each.line, each.level) for each in found(result)] == [(place + 1, Level.ERROR)]

    @pytest.mark.parametrize("form", ids(LINES))
    @given(place=st.integers(1, ROWS))
    @settings(max_examples=10, deadline=None)
    def test_a_record_given_twice(self, tmp: Path, form: Form, place: int) -> None:
        lines = lines_of(form.rows(SOUND))
        lines.insert(place, lines[0])
        result = opened(tmp / "damaged.jsonl", "".join(f"{line}\n" for line in lines).encode())
        assert {each.line for each in found(result)} == {place + 1}


CELLS: Final[dict[str, Callable[[str, random.Random], str]]] = {
    "a field too many": lambda record, rng: record + ',"more"',
    "a field too few": lambda record, rng: record[: record.rindex(',"')],
    "text after a quote": lambda record, rng: record.replace('","', '"x,"', 1),
    "a quote inside": lambda record, rng: record.replace("Größe", 'Gr"öße', 1),
    "a first quote less": lambda record, rng: record[1:].replace("?", "?,", 1),
    "a control character": lambda record, rng: record.replace("Größe", "Gr\x1b[31m", 1),
    "a NUL": lambda record, rng: record.replace("Größe", "Gr\0", 1),
    "a lost letter": lambda record, rng: record.replace("ß", "\ufffd", 1),
    "encoded twice": lambda record, rng: record.replace("ö", "Ã¶", 1),
}  # fmt: skip


class TestDamagedTables:
    """The same for CSV, where a record may be several lines long: the finding stands on one of its own."""

    def lines(self, records: list[str], place: int) -> range:
        """The lines of a record; the header is the first."""
        first = 1 + sum(record.count("\n") + 1 for record in records[:place])
        return range(first, first + records[place].count("\n") + 1)

    @pytest.mark.parametrize("form", ids(TABLES))
    @given(place=st.integers(1, ROWS), fault=st.sampled_from(sorted(CELLS)), seed=st.integers(0, 999))
    @settings(max_examples=30, deadline=None)
    def test_syntax_and_text(self, tmp: Path, form: Form, place: int, fault: str, seed: int) -> None:
        records = cells_of(form.rows(SOUND))
        records[place] = CELLS[fault](records[place], random.Random(seed))
        result = opened(tmp / "damaged.csv", "".join(f"{record}\n" for record in records).encode())
        named = {each.line for each in found(result)}
        assert named, fault
        assert named <= set(self.lines(records, place)), fault

    @pytest.mark.parametrize("form", ids(TABLES))
    @given(place=st.integers(1, ROWS))
    @settings(max_examples=10, deadline=None)
    def test_a_quote_that_is_never_closed(self, tmp: Path, form: Form, place: int) -> None:
        """It swallows what follows; the line where it opens is named, and what stands before it is read."""
        records = cells_of(form.rows(SOUND), csv.QUOTE_MINIMAL)
        records[place] = '"' + records[place].replace('"', "")
        records[place + 1 :] = [record.replace('"', "") for record in records[place + 1 :]]
        result = opened(tmp / "damaged.csv", "".join(f"{record}\n" for record in records).encode())
        assert {(each.code, each.line) for each in found(result, Level.ERROR)} == {
            ("CSV007", self.lines(records, place)[0])
        }

    @pytest.mark.parametrize("form", ids(TABLES))
    @pytest.mark.parametrize("fault", BYTES)
    @pytest.mark.parametrize("place", [1, 4, ROWS])
    def test_bytes(self, tmp: Path, form: Form, fault: str, place: int) -> None:
        records = [record.encode() for record in cells_of(form.rows(SOUND))]
        records[place] = BYTES[fault](records[place])
        result = opened(tmp / "damaged.csv", b"".join(record + b"\n" for record in records))
        lines = self.lines([record.decode("latin-1") for record in records], place)
        assert {each.level for each in found(result)} == {Level.ERROR}
        assert {each.line for each in found(result)} <= set(lines)

    @pytest.mark.parametrize("form", ids(TABLES))
    @given(place=st.integers(1, ROWS), blank=st.sampled_from(["", " "]))
    @settings(max_examples=10, deadline=None)
    def test_a_question_that_is_empty(self, tmp: Path, form: Form, place: int, blank: str) -> None:
        rows = form.rows(SOUND)
        rows[place - 1][form.question] = blank
        records = cells_of(rows)
        result = opened(tmp / "damaged.csv", "".join(f"{record}\n" for record in records).encode())
        assert {each.line for each in found(result)} == {self.lines(records, place)[0]}

    @pytest.mark.parametrize("form", ids(tuple(form for form in TABLES if form.own_id)))
    @given(place=st.integers(2, ROWS))
    @settings(max_examples=10, deadline=None)
    def test_an_id_given_twice(self, tmp: Path, form: Form, place: int) -> None:
        rows = form.rows(SOUND)
        rows[place - 1][str(form.own_id)] = rows[0][str(form.own_id)]
        records = cells_of(rows)
        result = opened(tmp / "damaged.csv", "".join(f"{record}\n" for record in records).encode())
        assert [(each.line, each.level) for each in found(result)] == [(self.lines(records, place)[0], Level.ERROR)]
