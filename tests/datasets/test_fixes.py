"""Fixes, rule by rule: mended is clean, mended again is equal, and no byte is touched that need not be."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragtui.datasets.check import open_datasets
from ragtui.datasets.findings import SHOWN_PER_RULE, Edit, Finding, Level
from ragtui.datasets.fixes.edits import apply, compatible
from ragtui.datasets.fixes.passes import Mended, mend
from ragtui.datasets.formats import ReadOptions
from ragtui.datasets.rules import rules

CASES = Path(__file__).parent.parent / "cases"
BROKEN = Path(__file__).parents[2] / "sample_data" / "broken"

DOC = b'{"_id": "d1", "title": "", "text": "One."}\n'
QUERY = b'{"_id": "q1", "text": "Which?"}\n'
JUDGED = b'{"query-id": "q1", "corpus-id": "d1", "score": 1}\n'
QA = b"question,text,context,file_name,answer_start,answer_end,filters\n"


def qa(row: bytes) -> dict[str, bytes]:
    return {"qa.csv": QA + b"What?,ab,xx ab y,f.md,3,5,\n" + row + b"\n"}


def beir(**files: bytes) -> dict[str, bytes]:
    parts = {"corpus.jsonl": DOC, "queries.jsonl": QUERY, "qrels.jsonl": JUDGED}
    named = {name.replace("__", "/").replace("_", "."): data for name, data in files.items()}
    if any(name.startswith("qrels/") for name in named):
        del parts["qrels.jsonl"]
    return parts | named


# code: (files, what --for says, whether the fix is unsafe, what the changed file is afterwards)
FAULTS: dict[str, tuple[dict[str, bytes], str | None, bool, bytes]] = {
    "BEIR102": (beir(corpus_jsonl=b'{"_id": 7,"text":"x", "title": ""}\n'), None, False,
                b'{"_id": "7","text":"x", "title": ""}\n'),
    "BEIR105": (beir(qrels_jsonl=b'{"query_id": "q1", "corpus-id": "d1", "score": 1}\n'), None, False, JUDGED),
    "BEIR110": (beir(corpus_jsonl=DOC + b" \r\n\n" + DOC.replace(b"d1", b"d2")), None, False,
                DOC + DOC.replace(b"d1", b"d2")),
    "BEIR201": (beir(qrels_jsonl=JUDGED.replace(b'"d1"', b"1")), None, False, JUDGED.replace(b'"d1"', b'"1"')),
    "BEIR210": (beir(qrels_jsonl=JUDGED.replace(b"1}", b'" +1_0.0 "}')), None, False, JUDGED.replace(b"1}", b"10}")),
    "BEIR211": (beir(qrels__test_tsv=b"q1\td1\t1\n"), None, False, b"query-id\tcorpus-id\tscore\nq1\td1\t1\n"),
    "BEIR213": (beir(qrels__test_tsv=b"q1 0 d1 1\nq1 0 d\xc3\xa9 0\r\n"), None, False,
                "query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\tdé\t0\r\n".encode()),
    "BEIR215": (beir(qrels__test_tsv=b"query-id corpus-id score\nq1 d1 1\n"), None, False,
                b"query-id\tcorpus-id\tscore\nq1\td1\t1\n"),
    "BEIR216": (beir(qrels__test_tsv=b'query-id\tcorpus-id\tscore\n"q1"\t"d1"\t"1"\n'), None, False,
                b"query-id\tcorpus-id\tscore\nq1\td1\t1\n"),
    "BEIR219": (beir(qrels__test_tsv=b"query-id\tcorpus-id\tscore\nq1\td1\t2.0\n"), "beir", False,
                b"query-id\tcorpus-id\tscore\nq1\td1\t2\n"),
    "CSV002": ({"a.csv": b"query;expected_answer\n007;\"a;b\"\n"}, None, False,
               b"query,expected_answer\n007,a;b\n"),
    "CSV008": ({"a.csv": b'query,expected_answer\na 5" pipe,b\nc,d\n'}, None, False,
               b'query,expected_answer\n"a 5"" pipe",b\nc,d\n'),
    "JSON003": ({"a.jsonl": b'[{"query": "a",\n "response": "b [\\n]"},\n{"query":"c", "response": "\xc3\xa9"}]'}, None, False,
                b'{"query": "a", "response": "b [\\n]"}\n{"query":"c", "response": "\xc3\xa9"}\n'),
    "JSON005": ({"a.jsonl": b'{"query": "NaN", "response": "b", "x": [NaN, "NaN", -Infinity]}\n'}, None, False,
                b'{"query": "NaN", "response": "b", "x": [null, "NaN", null]}\n'),
    "JSON006": ({"a.jsonl": b'{"query": "\\\\ud83d \\ud83d\\ude00 \\ud83d.", "response": "\\uDE00"}\n'}, None, True,
                b'{"query": "\\\\ud83d \\ud83d\\ude00 \\ufffd.", "response": "\\ufffd"}\n'),
    "JSON009": ({"a.jsonl": b'{"query": "123456789012345678901", "response": "b", "n": 123456789012345678901}\n'}, None, True,
                b'{"query": "123456789012345678901", "response": "b", "n": "123456789012345678901"}\n'),
    "JSON007": ({"a.jsonl": b'{"query": "a", "response": "b"}{"query": "c", "response": "d"}{"query": "e", "response": "f"}\n'},
                None, False,
                b'{"query": "a", "response": "b"}\n{"query": "c", "response": "d"}\n{"query": "e", "response": "f"}\n'),
    "JSON010": ({"a.jsonl": b'{\n  "query": "a",\n  "response": "b"\n}\n{\n  "query": "c",\n  "response": "d"\n}\n'}, None, False,
                b'{ "query": "a", "response": "b" }\n{ "query": "c", "response": "d" }\n'),
    "JSON014": ({"a.json": b'{"query": "\xc3\xa9",\n "response": "b"}\n\n{"query": "c", "response": "d"} {"query":"e","response":"f"}\n'},
                None, False,
                b'[{"query": "\xc3\xa9",\n "response": "b"}\n\n,{"query": "c", "response": "d"} ,{"query":"e","response":"f"}]\n'),
    "JSON013": ({"a.jsonl": b'\xef\xbb\xbf{"query": "a", "response": "b"}\n'}, None, False,
                b'{"query": "a", "response": "b"}\n'),
    "TEXT001": ({"a.csv": b"\xef\xbb\xbfquery,response\na,b\n"}, None, False, b"query,response\na,b\n"),
    "TEXT002": ({"a.csv": "query,response\na,é\n".encode("utf-16")}, None, False, "query,response\na,é\n".encode()),
    "TEXT003": ({"a.csv": b"query,response\na,caf\xe9\n"}, None, True, "query,response\na,café\n".encode()),
    "TEXT004": ({"a.csv": "query,response\nä ö,ü ß\n".encode() + b'b "c",caf\xe9\n'}, None, True,
                'query,response\nä ö,ü ß\n"b ""c""",café\n'.encode()),
    "TEXT005": ({"a.csv": "query,response\na,CafÃ©\n".encode()}, None, True, "query,response\na,Café\n".encode()),
    "TEXT006": ({"a.csv": b"query,response\na,b\x1b[1m\n"}, None, True, b"query,response\na,b[1m\n"),
    "DS102": ({"qa.csv": QA.replace(b"answer_start", b" Answer Start ") + b"What?,ab,xx ab y,f.md,3,5,\n"}, None, False,
              QA + b"What?,ab,xx ab y,f.md,3,5,\n"),
    "DS301": (qa(b'Who?,cd,"xx cd, y",f.md,4,6,'), None, False, qa(b'Who?,cd,"xx cd, y",f.md,3,5,')["qa.csv"]),
    "DS303": (qa(b"Who?,cd,xx cd y,f.md,3.0,5.0,"), None, False, qa(b"Who?,cd,xx cd y,f.md,3,5,")["qa.csv"]),
    "DS402": (qa(b'Who?,cd,xx cd y,f.md,3,5,"{""a"": ""\xc3\xa9"", ""a"": 2}"'), None, False,
              qa(b'Who?,cd,xx cd y,f.md,3,5,"{""a"": [""\xc3\xa9"", 2]}"')["qa.csv"]),
    "FILE101": (qa("Who?,cd,xx cd y,Gebühr.md,3,5,".replace("ü", "u\u0308").encode()), None, False,
                qa("Who?,cd,xx cd y,Gebühr.md,3,5,".encode())["qa.csv"]),
    "FILE102": (qa(b"Who?,cd,xx cd y,F.md,3,5,"), None, True, qa(b"Who?,cd,xx cd y,f.md,3,5,")["qa.csv"]),
    "EV101": ({"a.jsonl": b'{"question": "a", "answer": "b", "contexts": ["c"], "ground_truth": "d"}\n'}, "ragas", True,
              b'{"user_input": "a", "response": "b", "retrieved_contexts": ["c"], "reference": "d"}\n'),
    "EV102": ({"a.jsonl": b'{"user_input": "a", "response": "b", "Retrieved-Contexts": ["c"], "reference": "d"}\n'}, None, False,
              b'{"user_input": "a", "response": "b", "retrieved_contexts": ["c"], "reference": "d"}\n'),
    "EV105": ({"a.csv": b"user_input,response,retrieved_contexts,reference\na,b,\"['c', \"\"d'e\"\"]\",d\n"}, None, False,
              b'user_input,response,retrieved_contexts,reference\na,b,"[""c"", ""d\'e""]",d\n'),
    "EV111": ({"a.jsonl": b'{"user_input": "a", "response": 7, "retrieved_contexts": ["c"], "reference": "d"}\n'}, None, False,
              b'{"user_input": "a", "response": "7", "retrieved_contexts": ["c"], "reference": "d"}\n'),
    "EV406": ({"a.jsonl": b'{"user_input": "a", "response": "b", "retrieved_contexts": ["c"]}\n\n \n'
               b'{"user_input": "e", "response": "b", "retrieved_contexts": ["c"]}\n\n'}, "ragas", False,
              b'{"user_input": "a", "response": "b", "retrieved_contexts": ["c"]}\n'
              b'{"user_input": "e", "response": "b", "retrieved_contexts": ["c"]}\n'),
    "PC103": ({"a.json": b'[{"question": "a", "answer": 1.50, "ground_truth_answer": "c"}]'}, None, False,
              b'[{"question": "a", "answer": "1.5", "ground_truth_answer": "c"}]'),
    "PC104": ({"a.json": b'[{"question": "a", "answer": "b", "Ground Truth Answer": "c"}]'}, None, False,
              b'[{"question": "a", "answer": "b", "ground_truth_answer": "c"}]'),
    "TBL105": ({"a.csv": b'query," expected_answer "\na,b\n'}, None, False, b"query,expected_answer\na,b\n"),
    "TBL106": ({"a.csv": b"query,expected_answer,context\na,b,\"['c', 'd']\"\n"}, None, False,
               b'query,expected_answer,context\na,b,"[""c"", ""d""]"\n'),
    "TBL108": ({"a.json": b'[{"query": 42, "expected_answer": "b", "topic": "x"}]'}, None, False,
               b'[{"query": "42", "expected_answer": "b", "topic": "x"}]'),
    "AZ106": ({"a.jsonl": b'{"query": "a", "response": 42, "context": "c"}\n'}, None, False,
              b'{"query": "a", "response": "42", "context": "c"}\n'),
    "EV201": ({"a.csv": b'id,input,expected_output,metadata\n1,"{""input"": ""a""}","{""expected_output"": ""b""}",{}\n'}, None, False,
              b"id,input,expected_output,metadata\n1,a,b,{}\n"),
}  # fmt: skip


def test_every_rule_that_says_it_has_a_fix_is_tried_here() -> None:
    assert set(FAULTS) == {code for code, rule in rules().items() if rule.fix}


@pytest.mark.parametrize("code", FAULTS)
def test_a_fault_is_mended_and_nothing_else_is_touched(code: str, tmp_path: Path) -> None:
    files, platform, unsafe, wanted = FAULTS[code]
    folder = tmp_path / "in"
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    typed = str(folder if len(files) > 1 else folder / next(iter(files)))
    options = ReadOptions(platform=platform, files=("f.md", "Gebühr.md"))
    found = [each for each in open_datasets([typed], options).findings() if each.code == code]
    assert found
    assert found[0].fixable is not unsafe
    if unsafe:
        assert not any(each.mended[code] for each in mend(typed, fresh(tmp_path), options).files), "not unasked"
    mended = mend(typed, fresh(tmp_path), options, unsafe=unsafe)
    assert [each.copy.read_bytes() for each in mended.files] == [wanted]
    assert all(each.path.read_bytes() == files[each.path.relative_to(folder).as_posix()] for each in mended.files)
    assert code not in {each.code for each in mended.left.findings() if each.fix}
    assert mended.root is not None
    assert not mend(str(mended.root), fresh(tmp_path), options, unsafe=unsafe).files, "twice changes nothing"


def fresh(tmp_path: Path) -> Path:
    folder = tmp_path / f"stage{len(list(tmp_path.iterdir()))}"
    folder.mkdir()
    return folder


@pytest.mark.parametrize("unsafe", [False, True])
def test_every_case_and_the_broken_samples_end_without_a_fix_left(unsafe: bool, tmp_path: Path) -> None:
    places = [str(folder) for folder in sorted(CASES.iterdir()) if (folder / "case.toml").is_file()]
    tried = 0
    for place in [*(places if unsafe else places[::4]), str(BROKEN)]:
        before = {path: path.read_bytes() for path in Path(place).rglob("*") if path.is_file()}
        try:
            mended = mend(place, fresh(tmp_path), unsafe=unsafe)
        except Exception as error:
            assert "nothing that ragtui can check" in str(error), place  # noqa: PT017
            continue
        assert not [each for each in mended.left.findings() if each.fix and (unsafe or each.fixable)], place
        assert before == {path: path.read_bytes() for path in before}
        tried += bool(mended.files)
    assert tried > 2


def test_more_faults_than_are_listed_are_all_mended(tmp_path: Path) -> None:
    count = 3 * SHOWN_PER_RULE
    path = tmp_path / "corpus.jsonl"
    path.write_bytes(b"".join(b'{"_id": %d, "text": "x"}\n' % number for number in range(count)))
    mended = mend(str(path), fresh(tmp_path))
    assert mended.files[0].mended == {"BEIR102": count}
    assert mended.files[0].copy.read_bytes() == b"".join(b'{"_id": "%d", "text": "x"}\n' % n for n in range(count))


ROWS = st.lists(
    st.tuples(st.text("ab ,\"\n;é\r'", max_size=6), st.sampled_from(["x", 'y"', "CafÃ©", "'z", "\x1b"])),
    min_size=1,
    max_size=6,
)


@settings(max_examples=40, deadline=None)
@given(
    rows=ROWS,
    delimiter=st.sampled_from([",", ";", "\t"]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
    end=st.sampled_from(["\n", "\r\n"]),
)
def test_values_stay_what_they_were(
    rows: list[tuple[str, str]], delimiter: str, encoding: str, end: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    def cell(text: str) -> str:
        return '"' + text.replace('"', '""') + '"' if any(c in text for c in delimiter + '"\n\r') else text

    tmp_path = tmp_path_factory.mktemp("fixes")
    lines = [
        delimiter.join(map(cell, row)) for row in [("query", " expected_answer"), *(("q" + a, b) for a, b in rows)]
    ]
    path = tmp_path / "t.csv"
    path.write_bytes("".join(line + end for line in lines).encode(encoding))
    before = open_datasets([str(path)])
    mended = mend(str(path), fresh(tmp_path))
    if not mended.files:
        return
    after = open_datasets([str(mended.files[0].copy)])
    assert not [each for each in after.findings() if each.fixable]
    one, other = before.datasets[0].cases, after.datasets[0].cases
    assert one is not None
    assert other is not None
    assert [row[3:] for row in one.iter_rows()] == [row[3:] for row in other.iter_rows()]


@given(
    st.binary(max_size=40),
    st.lists(st.tuples(st.integers(0, 40), st.integers(0, 8), st.text("ab", max_size=3)), max_size=6),
)
@settings(max_examples=80, deadline=None)
def test_edits_that_meet_wait_for_another_pass(data: bytes, wanted: list[tuple[int, int, str]]) -> None:
    findings = [
        Finding("X", Level.ERROR, "", fix=(Edit(start, min(start + size, len(data)), text),))
        for start, size, text in wanted
        if start <= len(data)
    ]
    edits, mended = compatible(findings, unsafe=False)
    assert bool(mended) == bool(findings)
    reached = -1
    for edit in edits:
        assert edit.start >= reached
        reached = edit.end
    grown = sum(len(edit.text) - (edit.end - edit.start) for edit in edits)
    assert len(apply(data, edits)) == len(data) + grown


def test_the_left_over_is_known_by_its_new_place(tmp_path: Path) -> None:
    from ragtui.datasets.fixes.written import beside

    shutil.copytree(BROKEN, tmp_path / "set")
    mended: Mended = mend(str(tmp_path / "set"), fresh(tmp_path))
    assert beside(mended) == [tmp_path / "set.fixed"]
    again = open_datasets([str(tmp_path / "set.fixed")])
    assert [(path, each.line, each.code) for path, each in mended.left.placed()] == [
        (path, each.line, each.code) for path, each in again.placed()
    ]


def test_a_full_disk_leaves_the_original_whole(tmp_path: Path) -> None:
    path = tmp_path / "corpus.jsonl"
    data = b"".join(b'{"_id": %d, "text": "%s"}\n' % (number, b"x" * 2000) for number in range(200))
    path.write_bytes(data)
    program = (
        "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "from pathlib import Path; from ragtui.datasets.fixes.passes import mend;"
        "from ragtui.datasets.fixes.written import in_place, staging\n"
        "with staging() as folder:\n"
        f"    mended = mend({str(path)!r}, folder)\n"
        "    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
        "    in_place(mended)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=os.environ, check=False)
    assert "File too large" in done.stderr
    assert path.read_bytes() == data
    assert sorted(each.name for each in tmp_path.iterdir()) == ["corpus.jsonl", "corpus.jsonl.orig"]
    assert (tmp_path / "corpus.jsonl.orig").read_bytes() == data
