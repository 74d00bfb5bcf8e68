"""Damage in files that are one piece: JSON documents, workbooks, archives. What is wrong is named at its own record; an
archive is read as it was, or refused."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Final

import openpyxl
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from ragtui.datasets.archive import export
from ragtui.datasets.check import CannotOpen, open_dataset, open_datasets
from ragtui.datasets.findings import Level
from tests.datasets.test_damage import LINES, ROWS, SOUND, SYNTAX, TABLES, Form, Row, found, ids, opened

QUICK: Final = (Phase.explicit, Phase.generate)  # what fails is small enough as it is
DOCUMENTS: Final = LINES[1:]  # Azure takes JSON lines only
WITHIN: Final = (
    "a quote less", "a comma less", "a colon less", "single quotes", "a number", "a text", "a raw control character",
    "half a character", "NaN", "a key twice", "a control character", "a lost letter", "encoded twice", "two records",
)  # fmt: skip
STOPPING: Final = {
    "a quote less",
    "a comma less",
    "a colon less",
    "single quotes",
    "a raw control character",
    "two records",
}
XLSX: Final = tuple(form for form in TABLES if form.format in ("table", "pinecone", "haystack", "deepset-rag"))


@pytest.fixture(scope="module")
def tmp(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("document")


class TestDocuments:
    """Records one under the other in a JSON list."""

    @pytest.mark.parametrize("form", ids(DOCUMENTS))
    @given(place=st.integers(1, ROWS - 1), fault=st.sampled_from(WITHIN), seed=st.integers(0, 999))
    @settings(max_examples=8, deadline=None, phases=QUICK)
    def test_syntax_and_text(self, tmp: Path, form: Form, place: int, fault: str, seed: int) -> None:
        lines = [json.dumps(row, ensure_ascii=False) for row in form.rows(SOUND)]
        lines[place] = SYNTAX[fault](lines[place], random.Random(seed))
        result = opened(tmp / "damaged.json", ("[\n" + ",\n".join(lines) + "\n]\n").encode())
        assert {each.line for each in found(result)} == {place + 2}, fault
        read = sum(dataset.rows for dataset in result.datasets)
        stops = place + (fault == "two records")  # where they stand side by side the first is read
        assert read == (stops if fault in STOPPING else ROWS - (fault in ("a number", "a text")))

    @pytest.mark.parametrize("form", ids(tuple(form for form in DOCUMENTS if form.format != "results")))
    @given(place=st.integers(0, ROWS - 1), indent=st.sampled_from([0, 2]), value=st.sampled_from([None, "", 7]))
    @settings(max_examples=8, deadline=None, phases=QUICK)
    def test_a_question_of_another_kind(self, tmp: Path, form: Form, place: int, indent: int, value: object) -> None:
        if value == 7 and form.format in (
            "phoenix",
            "langfuse",
            "promptfoo",
            "inspect",
            "table",
            "haystack",
            "ragchecker",
        ):
            value = None  # there it may be a number
        rows = form.rows(SOUND)
        rows[place] = {**rows[place], form.question: value}
        text = json.dumps(rows, indent=indent)
        result = opened(tmp / "kind.json", text.encode())
        starts = _starts(text, rows)
        named = {each.line for each in found(result)}
        assert named
        assert all(starts[place] <= line < starts[place + 1] for line in named)


def _starts(text: str, rows: list[Row]) -> list[int]:
    """The line each record of a list begins on, and the one after the last."""
    decoder, position, starts = json.JSONDecoder(), text.index("{"), []
    for _ in rows:
        position = text.index("{", position)
        starts.append(text.count("\n", 0, position) + 1)
        position = decoder.raw_decode(text, position)[1]
    return [*starts, text.count("\n") + 2]


class TestWorkbooks:
    @pytest.mark.parametrize("form", ids(XLSX))
    @given(place=st.integers(0, ROWS - 1), fault=st.sampled_from(["#REF!", "=A1&B1", "", "Gr\ufffdße", "CafÃ©"]))
    @settings(max_examples=6, deadline=None, phases=QUICK)
    def test_the_row_is_named(self, tmp: Path, form: Form, place: int, fault: str) -> None:
        book = openpyxl.Workbook()
        sheet = book.active
        assert sheet is not None
        rows = form.rows(SOUND)
        names = list(rows[0])
        sheet.append(names)
        for row in rows:
            sheet.append([value if isinstance(value, str) else json.dumps(value) for value in row.values()])
        sheet.cell(place + 2, names.index(form.question) + 1).value = fault or None
        book.save(tmp / "damaged.xlsx")
        result = open_datasets([str(tmp / "damaged.xlsx")])
        cells = {(each.line, each.field) for each in found(result) if each.line > 1}
        assert cells == {(place + 2, form.question)}


class TestArchives:
    @given(data=st.data())
    @settings(max_examples=40, deadline=None, phases=QUICK, suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_it_is_read_as_it_was_or_refused(self, tmp: Path, data: st.DataObject) -> None:
        form = next(form for form in LINES if form.format == "table")
        sound = tmp / "sound.zip"
        if not sound.exists():
            opened(tmp / "cases.jsonl", "".join(json.dumps(row) + "\n" for row in form.rows(SOUND)).encode())
            export(open_dataset(str(tmp / "cases.jsonl"))[0], sound)
        whole = sound.read_bytes()
        damaged = bytearray(whole)
        for _ in range(data.draw(st.integers(1, 3))):
            place = data.draw(st.integers(0, len(whole) - 1))
            damaged[place] ^= data.draw(st.integers(1, 255))
        if data.draw(st.booleans()):
            damaged = damaged[: data.draw(st.integers(1, len(damaged)))]
        (tmp / "damaged.zip").write_bytes(damaged)
        before = open_dataset(str(sound))[0].cases
        assert before is not None
        try:
            result = open_datasets([str(tmp / "damaged.zip")])
        except CannotOpen as error:
            refused = str(error)
        else:
            refused = next((each.message for each in result.findings() if each.level is Level.ERROR), "")
            after = result.datasets[0].cases if result.datasets else None
            assert refused or (after is not None and after.equals(before))
        assert "\n" not in refused
