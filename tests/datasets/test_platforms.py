"""What ``--for PLATFORM`` refuses: each of these was tried on the platform's own loader (``benchmarks/consumers``)."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from ragtui.datasets.check import open_datasets
from ragtui.datasets.findings import Level
from ragtui.datasets.formats import ReadOptions

Row = dict[str, Any]
DOCUMENTS = [{"_id": f"d{n}", "title": f"Title {n}", "text": f"Text {n}."} for n in range(1, 13)]
QUERIES = [{"_id": "q1", "text": "Which?"}, {"_id": "q2", "text": "Where?"}]
JUDGMENTS = [{"query-id": "q1", "corpus-id": "d1", "score": 1}, {"query-id": "q2", "corpus-id": "d2", "score": 2}]
TSV = "query-id\tcorpus-id\tscore\nq1\td1\t1\nq2\td2\t2\n"
AZURE = [{"query": f"Which {n}?", "context": "c", "response": "This.", "ground_truth": "That."} for n in range(4)]
RAGAS = [
    {"user_input": f"Which {n}?", "retrieved_contexts": ["c"], "response": "This.", "reference": "That."}
    for n in range(4)
]
DEEPEVAL = [
    {"input": f"Which {n}?", "actual_output": "This.", "expected_output": "That.", "retrieval_context": ["c"]}
    for n in range(4)
]


def jsonl(rows: list[Row]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def table(rows: list[Row]) -> str:
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(rows[0])
    writer.writerows(row.values() for row in rows)
    return out.getvalue()


def at(rows: list[Row], place: int, **values: Any) -> list[Row]:
    """The rows with one of them changed; ``...`` takes a key out."""
    changed = {key: value for key, value in {**rows[place], **values}.items() if value is not ...}
    return [*rows[:place], changed, *rows[place + 1 :]]


def everywhere(rows: list[Row], **values: Any) -> list[Row]:
    for place in range(len(rows)):
        rows = at(rows, place, **values)
    return rows


def errors(path: Path, platform: str | None) -> list[tuple[str, int]]:
    """Code and line of every error, with the advice left out that is not asked for."""
    opened = open_datasets([str(path)], ReadOptions(platform=platform))
    return sorted((each.code, each.line) for each in opened.findings() if each.level is Level.ERROR)


def retrieval_set(
    folder: Path, corpus: list[Row] = DOCUMENTS, qrels: str | None = None, tsv: str | None = None
) -> Path:
    (folder / "corpus.jsonl").write_text(jsonl(corpus))
    (folder / "queries.jsonl").write_text(jsonl(QUERIES))
    if qrels is not None:
        (folder / "qrels.jsonl").write_text(qrels)
    if tsv is not None:
        (folder / "qrels").mkdir()
        (folder / "qrels" / "test.tsv").write_bytes(tsv.encode())
    return folder


class TestRetrieval:
    @pytest.mark.parametrize(
        ("there", "ready"),
        [({"qrels"}, {"evalscope", "mteb"}), ({"tsv"}, {"beir"}), ({"qrels", "tsv"}, {"beir", "evalscope", "mteb"})],
    )
    def test_each_looks_for_judgments_in_its_own_form(self, tmp_path: Path, there: set[str], ready: set[str]) -> None:
        written = {"qrels": jsonl(JUDGMENTS), "tsv": TSV}
        folder = retrieval_set(tmp_path, **{name: written[name] for name in there})
        found = {platform: errors(folder, platform) for platform in ("beir", "evalscope", "mteb")}
        assert {platform for platform, faults in found.items() if not faults} == ready
        assert {code for faults in found.values() for code, _ in faults} <= {"BEIR005"}
        assert errors(folder, None) == []

    def test_of_both_forms_the_one_the_platform_reads_is_judged(self, tmp_path: Path) -> None:
        folder = retrieval_set(tmp_path, qrels=jsonl(JUDGMENTS), tsv=TSV.replace("q2\t", "q9\t"))
        assert errors(folder, "evalscope") == []
        assert errors(folder, "beir") == [("BEIR203", 3)]

    @pytest.mark.parametrize(
        ("untitled", "refused"),
        [([], set()), ([2], {"beir", "mteb"}), (range(12), {"beir"})],
        ids=["none", "one", "all"],
    )
    @pytest.mark.parametrize("title", [..., None])
    def test_documents_without_a_title(
        self, tmp_path: Path, untitled: list[int], refused: set[str], title: object
    ) -> None:
        corpus = DOCUMENTS
        for place in untitled:
            corpus = at(corpus, place, title=title)
        folder = retrieval_set(tmp_path, corpus, jsonl(JUDGMENTS), TSV)
        found = {platform: errors(folder, platform) for platform in ("beir", "evalscope", "mteb", None)}
        line = next(iter(untitled), 0) + 1
        assert {name: faults for name, faults in found.items() if faults} == {
            name: [("BEIR113", line)] for name in refused
        }

    def test_an_empty_title_is_one(self, tmp_path: Path) -> None:
        assert errors(retrieval_set(tmp_path, everywhere(DOCUMENTS, title=""), tsv=TSV), "beir") == []

    def test_a_grade_of_beir_is_written_in_digits(self, tmp_path: Path) -> None:
        folder = retrieval_set(tmp_path, qrels=jsonl(JUDGMENTS), tsv=TSV.replace("\t2\n", "\t2.0\n"))
        assert errors(folder, "beir") == [("BEIR219", 3)]
        assert errors(folder, None) == []

    def test_trec_columns_below_a_header_are_trec_columns(self, tmp_path: Path) -> None:
        tsv = "query-id\t0\tcorpus-id\tscore\nq1\t0\td1\t1\nq2\t0\td2\t2\n"
        assert errors(retrieval_set(tmp_path, tsv=tsv), "beir") == [("BEIR213", 1)]

    @pytest.mark.parametrize("platform", ["beir", "mteb"])
    def test_utf_16_is_read_here_and_refused_there(self, tmp_path: Path, platform: str) -> None:
        folder = retrieval_set(tmp_path, qrels=jsonl(JUDGMENTS), tsv=TSV)
        (folder / "corpus.jsonl").write_bytes(jsonl(DOCUMENTS).encode("utf-16"))
        assert ("TEXT002", 1) in errors(folder, platform)
        assert errors(folder, None) == []

    def test_a_key_twice_stops_mteb_alone(self, tmp_path: Path) -> None:
        folder = retrieval_set(tmp_path, qrels=jsonl(JUDGMENTS), tsv=TSV)
        text = jsonl(DOCUMENTS).replace('"_id": "d2"', '"_id": "d0", "_id": "d2"')
        (folder / "corpus.jsonl").write_text(text)
        found = {platform: errors(folder, platform) for platform in ("beir", "evalscope", "mteb", None)}
        assert found == {"beir": [], "evalscope": [], "mteb": [("JSON004", 2)], None: []}


def stored(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


class TestAzure:
    @pytest.mark.parametrize(
        ("name", "text", "found"),
        [
            ("rows.jsonl", jsonl(AZURE), []),
            ("rows.csv", table(AZURE), []),
            ("rows.txt", jsonl(AZURE), []),
            ("rows.txt", table(AZURE), [("AZ115", 0)]),
            ("rows.jsonl", jsonl(at(AZURE, 2, ground_truth=...)), [("AZ104", 3)]),
            ("rows.jsonl", jsonl(at(AZURE, 2, context=None)), [("AZ105", 3)]),
            ("rows.jsonl", jsonl(at(AZURE, 1, response=["a", "b"])), [("AZ106", 2)]),
            ("rows.jsonl", jsonl(at(AZURE, 1, response={"text": "a"})), [("AZ106", 2)]),
            ("rows.jsonl", jsonl(at(AZURE, 1, response=[{"role": "assistant", "content": "a"}])), []),
            ("rows.csv", table(at(AZURE, 1, response="NA")), [("AZ114", 3)]),
            ("rows.csv", table(at(AZURE, 1, ground_truth="")), [("AZ114", 3)]),
            ("rows.csv", table(at(AZURE, 1, response="nah")), []),
            ("rows.csv", table(everywhere(AZURE, response="007")), []),
            ("rows.csv", table(AZURE).replace(",", ";"), [("CSV002", 1)]),
            ("rows.jsonl", jsonl(everywhere(AZURE, DateTime="2024-05-01")), [("AZ110", 1)]),
            ("rows.jsonl", jsonl(everywhere(AZURE, updated_at=1714521600)), [("AZ110", 1)]),
            ("rows.jsonl", jsonl(everywhere(AZURE, date=20240501)), []),
            ("rows.jsonl", jsonl(at(everywhere(AZURE, date=20240501), 1, date=None)), [("AZ110", 1)]),
            ("rows.jsonl", jsonl(everywhere(AZURE, run_time=12.5)), []),
            ("rows.jsonl", jsonl(everywhere(AZURE, date_of_issue="2024-05-01")), []),
            ("talk.jsonl", jsonl([{"conversation": [{"role": "user", "content": "Hi"}]}]), [("AZ108", 1)]),
            (
                "hits.jsonl",
                jsonl([{"query": "q", "retrieval_ground_truth": [{"document_id": "d", "query_relevance_label": 7}]}]),
                [("AZ116", 1)],
            ),
        ],
    )  # fmt: skip
    def test_what_its_loader_loses_or_refuses(
        self, tmp_path: Path, name: str, text: str, found: list[tuple[str, int]]
    ) -> None:
        assert errors(stored(tmp_path, name, text), "azure") == found


Write = Callable[[list[Row]], str]


class TestRagas:
    @pytest.mark.parametrize(
        ("name", "text", "found"),
        [
            ("rows.jsonl", jsonl(RAGAS), []),
            ("rows.json", json.dumps(RAGAS), []),
            ("rows.jsonl", "\ufeff" + jsonl(RAGAS), [("JSON013", 1)]),
            ("rows.jsonl", jsonl(RAGAS[:2]) + "\n" + jsonl(RAGAS[2:]), [("EV406", 3)]),
            ("rows.jsonl", jsonl(RAGAS) + "\n", [("EV406", 5)]),
            ("rows.jsonl", jsonl(at(RAGAS, 0, reference=...)), [("EV404", 1)]),
            ("rows.jsonl", jsonl(at(RAGAS, 0, reference=None)), [("EV404", 1)]),
            ("rows.jsonl", jsonl(at(RAGAS, 2, reference=...)), []),
            ("rows.jsonl", jsonl(at(RAGAS, 1, user_input=None)), [("EV103", 2)]),
            ("rows.jsonl", jsonl(at(RAGAS, 1, retrieved_contexts=["a", 7])), [("EV112", 2)]),
            ("rows.jsonl", jsonl(at(RAGAS, 1, retrieved_contexts=["a", None])), [("EV112", 2)]),
            ("rows.jsonl", jsonl(at(RAGAS, 1, retrieved_contexts=[{"text": "a"}])), [("EV112", 2)]),
            ("rows.jsonl", jsonl(at(RAGAS, 1, reference=["That."])), [("EV113", 2)]),
            ("rows.jsonl", jsonl(everywhere(RAGAS, reference=["That."])), [("EV113", 1)]),
            ("rows.csv", table(RAGAS), [("EV105", 2)]),
            ("rows.csv", table(everywhere(RAGAS, retrieved_contexts='["c"]')), [("EV403", 2)]),
            ("rows.csv", table(everywhere(RAGAS, retrieved_contexts=...)), []),
            ("rows.csv", table(at(everywhere(RAGAS, retrieved_contexts=...), 1, response="NA")), [("EV401", 3)]),
            ("rows.csv", table(at(everywhere(RAGAS, retrieved_contexts=...), 1, response="")), [("EV401", 3)]),
            ("rows.csv", table(everywhere(RAGAS, retrieved_contexts=..., response="007")), [("EV402", 2)]),
            ("rows.csv", table(everywhere(RAGAS, retrieved_contexts=...)).replace(",", ";"), [("CSV002", 1)]),
        ],
    )  # fmt: skip
    def test_what_its_dataset_loses_or_refuses(
        self, tmp_path: Path, name: str, text: str, found: list[tuple[str, int]]
    ) -> None:
        assert errors(stored(tmp_path, name, text), "ragas") == found

    OLDER: Final = [
        {"question": row["user_input"], "answer": row["response"], "contexts": ["c"], "ground_truth": "That."}
        for row in RAGAS
    ]

    @pytest.mark.parametrize(
        ("name", "text", "found"),
        [
            ("rows.jsonl", jsonl(RAGAS), []),
            ("rows.json", json.dumps(RAGAS), []),
            ("rows.json", json.dumps(OLDER), []),
            ("rows.jsonl", jsonl(OLDER), [("EV407", 0)]),
            ("rows.json", jsonl(RAGAS), [("EV407", 0)]),
            ("rows.csv", table(everywhere(RAGAS, retrieved_contexts=...)), [("EV407", 0)]),
            ("rows.json", json.dumps(at(RAGAS, 1, retrieved_contexts="c")), []),
            ("rows.jsonl", jsonl(at(RAGAS, 1, retrieved_contexts="c")), [("EV407", 0)]),
            ("rows.json", json.dumps(at(RAGAS, 1, reference=...)), [("EV405", 1)]),
            ("rows.json", json.dumps(at(RAGAS, 1, reference=None)), []),
            ("rows.json", json.dumps(at(RAGAS, 1, retrieved_contexts=None)), [("EV405", 1)]),
            ("rows.json", json.dumps({"samples": RAGAS}), [("EV409", 1)]),
            ("rows.json", json.dumps(RAGAS[0]), []),
        ],
    )  # fmt: skip
    def test_evalscope_reads_the_same_files_otherwise(
        self, tmp_path: Path, name: str, text: str, found: list[tuple[str, int]]
    ) -> None:
        assert errors(stored(tmp_path, name, text), "evalscope") == found


class TestDeepEval:
    JOINED = everywhere(DEEPEVAL, retrieval_context="a|b")
    CAMEL: Final = [{"input": "q", "actualOutput": "a", "expectedOutput": "b"}] * 2

    @pytest.mark.parametrize(
        ("name", "text", "found"),
        [
            ("goldens.json", json.dumps(DEEPEVAL), []),
            ("goldens.jsonl", jsonl(DEEPEVAL), []),
            ("goldens.jsonl", jsonl(JOINED), []),
            ("goldens.csv", table(JOINED), []),
            ("goldens.json", json.dumps(JOINED), [("EV106", 1)] * 4),
            ("goldens.jsonl", "\ufeff" + jsonl(DEEPEVAL), [("JSON013", 1)]),
            ("goldens.json", json.dumps({"goldens": DEEPEVAL}), [("EV409", 1)]),
            ("goldens.json", json.dumps(DEEPEVAL[0]), [("EV409", 1)]),
            ("goldens.json", jsonl(DEEPEVAL), [("EV409", 1)]),
            ("goldens.json", json.dumps(at(DEEPEVAL, 1, input=None)), [("EV103", 1)]),
            ("goldens.json", json.dumps(at(DEEPEVAL, 1, retrieval_context=["a", 7])), [("EV112", 1)]),
            ("goldens.json", json.dumps(at(DEEPEVAL, 1, retrieval_context=[{"context": "a", "source": "b"}])), []),
            ("goldens.csv", table(everywhere(DEEPEVAL, retrieval_context='["a", "b"]')), [("EV403", 2)]),
            ("goldens.csv", table(at(JOINED, 1, actual_output="None")), [("EV401", 3)]),
            ("goldens.csv", table(at(JOINED, 1, expected_output="")), []),
            ("goldens.csv", table(everywhere(JOINED, actual_output="true")), [("EV402", 2)]),
            ("goldens.csv", table(at(JOINED, 1, actual_output="true")), []),
        ],
    )  # fmt: skip
    def test_what_its_dataset_loses_or_refuses(
        self, tmp_path: Path, name: str, text: str, found: list[tuple[str, int]]
    ) -> None:
        assert errors(stored(tmp_path, name, text), "deepeval") == found

    def test_names_of_the_other_dialect(self, tmp_path: Path) -> None:
        path = stored(tmp_path, "goldens.jsonl", jsonl(self.CAMEL))
        assert {code for code, _ in errors(path, "deepeval")} == {"EV101"}
        assert errors(path, None) == []
