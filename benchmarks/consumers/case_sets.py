"""Test cases for Azure AI evaluation, Ragas, DeepEval and EvalScope's RAG evaluation: sound ones, and damaged ones."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from trial import Trial

Row = dict[str, Any]
QUESTIONS: Final = (
    "How often does the ferry run?",
    "What does a single cost?",
    "May I bring my dog?",
    "And in a storm?",
)
ANSWERS: Final = (
    "Every hour.",
    "A single is 4.20, \u201ccash only\u201d.",
    "Yes,\non a lead.",
    "No boat leaves the harbour.",
)
TRUTHS: Final = ("Hourly, from eight to six.", "4.20", "Dogs on a lead are welcome.", "None above force eight.")
CONTEXTS: Final = (
    ("Boats run every hour from eight to six.", "The last boat leaves at six."),
    ("A single costs 4.20, a return 7.00.",),
    ("Dogs on a lead are welcome.", "They stay on deck; \u2028cats too."),
    ("Above force eight no boat leaves.",),
)


_ASKS_NOTHING: Final = "the row asks nothing; it is judged all the same"
_CASES: Final = {"27-u2028-inside-strings": _ASKS_NOTHING}


@dataclass(frozen=True)
class Fault:
    """A file of a platform's own format, and the rows that were meant."""

    name: str
    data: bytes
    file: str
    intended: Any
    stricter: str | None = None


def jsonl(rows: Sequence[Any]) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def pretty(rows: Sequence[Any]) -> bytes:
    return json.dumps(rows, ensure_ascii=False, indent=2).encode()


def table(rows: Sequence[Row], delimiter: str = ",", cell: Callable[[Any], Any] = lambda value: value) -> bytes:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    writer.writerow(rows[0])
    writer.writerows([[cell(value) for value in row.values()] for row in rows])
    return out.getvalue().encode()


def at(rows: Sequence[Row], place: int, **values: Any) -> list[Row]:
    """The rows with other values in one."""
    return [{**row, **values} if number == place else dict(row) for number, row in enumerate(rows)]


def less(rows: Sequence[Row], name: str, *places: int) -> list[Row]:
    """The rows without a key, all or some."""
    drop = places or tuple(range(len(rows)))
    return [{k: v for k, v in row.items() if k != name or number not in drop} for number, row in enumerate(rows)]


def renamed(rows: Sequence[Row], **names: str) -> list[Row]:
    return [{names.get(name, name): value for name, value in row.items()} for row in rows]


def trials(root: Path, repository: Path) -> Iterator[Trial]:
    for platform, faults in (
        ("azure", azure()),
        ("ragas", ragas()),
        ("deepeval", deepeval()),
        ("evalscope-rag", evalscope()),
    ):
        for number, fault in enumerate(faults):
            path = root / f"{platform}-{number}" / fault.file
            path.parent.mkdir(parents=True)
            path.write_bytes(fault.data)
            yield Trial(f"{fault.file}: {fault.name}", platform, path, fault.intended, fault.stricter)
    yield Trial("sample_data/azure.jsonl", "azure", repository / "sample_data" / "azure.jsonl")
    yield Trial("sample_data/broken/azure.jsonl", "azure", repository / "sample_data" / "broken" / "azure.jsonl")
    cases = {"azure-jsonl": "azure", "ragas": "ragas"}
    for folder in sorted((repository / "tests" / "cases").iterdir()):
        told = (folder / "case.toml").read_text(encoding="utf-8")
        profile = next((line.split('"')[1] for line in told.splitlines() if line.startswith("profile")), "")
        for path in sorted(folder.glob("*.*")) if profile in cases else ():
            if path.suffix in (".jsonl", ".csv"):
                yield Trial(f"case {folder.name}/{path.name}", cases[profile], path, None, _CASES.get(folder.name))


def _bytes_of(name: str, file: str, data: bytes, rows: Sequence[Any]) -> Iterator[Fault]:
    """What can befall any text file on its way."""
    text = data.decode()
    yield Fault("sound", data, file, rows)
    yield Fault("CRLF", text.replace("\n", "\r\n").encode(), file, _crlf(rows) if name == "csv" else rows)
    yield Fault("no line feed at the end", data.rstrip(b"\n"), file, rows)
    yield Fault("byte order mark", b"\xef\xbb\xbf" + data, file, rows)
    yield Fault("UTF-16", text.encode("utf-16"), file, rows)
    yield Fault(
        "CP1252",
        text.replace("\u2028", " ").encode("cp1252"),
        file,
        json.loads(json.dumps(rows).replace("\\u2028", " ")),
    )
    yield Fault("empty", b"", file, rows)
    if name != "json":
        yield Fault("a blank line", _spliced(text, 1, "\n").encode(), file, rows)
        yield Fault("a blank last line", data + b"\n", file, rows)


def _crlf(rows: Sequence[Row]) -> list[Row]:
    """In CSV the line feeds inside cells are replaced as well."""
    return json.loads(json.dumps(rows).replace("\\n", "\\r\\n"))  # type: ignore[no-any-return]


def _spliced(text: str, line: int, more: str) -> str:
    lines = text.splitlines(keepends=True) if "\u2028" not in text else [each + "\n" for each in text.split("\n")[:-1]]
    return "".join([*lines[:line], more, *lines[line:]])


def _lines_of(rows: Sequence[Row], file: str = "rows.jsonl") -> Iterator[Fault]:
    """What can befall JSON lines."""
    lines = jsonl(rows).decode().split("\n")[:-1]
    yield Fault("a broken line", "\n".join([*lines[:1], lines[1][:-9], *lines[2:]]).encode(), file, rows)
    yield Fault("cut off", "\n".join(lines)[:-9].encode(), file, rows)
    yield Fault("a list in one line", ("[" + ", ".join(lines) + "]").encode(), file, rows)
    yield Fault("a pretty list", pretty(rows), file, rows)
    yield Fault("pretty objects", "\n".join(json.dumps(row, indent=1) for row in rows).encode(), file, rows)
    yield Fault("two objects on a line", ("".join(lines[:2]) + "\n" + "\n".join(lines[2:])).encode(), file, rows)
    yield Fault("a number on a line", "\n".join([*lines, "7", ""]).encode(), file, rows)
    twice = lines[1][:-1] + ', "' + next(iter(rows[0])) + '": ' + json.dumps(next(iter(rows[1].values()))) + "}"
    yield Fault("a key twice, the same", "\n".join([lines[0], twice, *lines[2:]]).encode(), file, rows)
    half = lines[1].replace("4.20", "\\ud83d", 1)
    yield Fault("half of a surrogate pair", "\n".join([lines[0], half, *lines[2:]]).encode(), file, rows)


def azure() -> Iterator[Fault]:
    rows: list[Row] = [
        {"query": q, "context": "\n".join(c), "response": a, "ground_truth": t}
        for q, c, a, t in zip(QUESTIONS, CONTEXTS, ANSWERS, TRUTHS, strict=True)
    ]
    yield from _bytes_of("jsonl", "rows.jsonl", jsonl(rows), rows)
    yield from _lines_of(rows)
    for name in ("query", "context", "response", "ground_truth"):
        yield Fault(f"{name} missing in a row", jsonl(less(rows, name, 2)), "rows.jsonl", less(rows, name, 2))
        yield Fault(f"{name} null in a row", jsonl(at(rows, 2, **{name: None})), "rows.jsonl", less(rows, name, 2))
        yield Fault(f"{name} missing in all", jsonl(less(rows, name)), "rows.jsonl", less(rows, name))
    for name, value in (("a number", 42), ("a boolean", True), ("a list", ["a", "b"]), ("an object", {"text": "a"})):
        changed = at(rows, 1, response=value)
        yield Fault(f"response is {name}", jsonl(changed), "rows.jsonl", changed)
    said = less(at(rows, 1, response=[{"role": "assistant", "content": "Yes."}]), "ground_truth")
    yield Fault("response is a list of messages", jsonl(said), "rows.jsonl", said)
    yield Fault("query is empty", jsonl(at(rows, 1, query="")), "rows.jsonl", at(rows, 1, query=""), _ASKS_NOTHING)
    yield Fault("response is empty", jsonl(at(rows, 1, response="")), "rows.jsonl", at(rows, 1, response=""))
    lists = [{**row, "context": list(c)} for row, c in zip(rows, CONTEXTS, strict=True)]
    yield Fault("contexts are lists", jsonl(lists), "rows.jsonl", lists)
    yield Fault("NaN", jsonl(rows).replace(b'"4.20"', b"NaN"), "rows.jsonl", rows)
    for name, value in (("extra", {"a": 1}), ("two words", "x"), ("huge", 2**70), ("page", 3), ("none", None)):
        yield Fault(f"a further column, {name}", jsonl([{**row, name: value} for row in rows]), "rows.jsonl", rows)
    for name, value in (
        ("created_at", "2024-05-01"),
        ("date", 20240501),
        ("timestamp", 1714521600),
        ("created_at", "last week"),
        ("modified", "2024-05-01T08:00:00Z"),
        ("DateTime", "2024-05-01"),
        ("updated_at", 1714521600000),
        ("date_of_issue", "2024-05-01"),
        ("run_time", 12.5),
    ):
        yield Fault(f"{name}: {value}", jsonl([{**row, name: value} for row in rows]), "rows.jsonl", rows)
    yield Fault("question, answer", jsonl(renamed(rows, query="question", response="answer")), "rows.jsonl", rows)
    yield Fault("Query, Response", jsonl(renamed(rows, query="Query", response="Response")), "rows.jsonl", rows)
    yield from _azure_tables(rows)
    yield from _azure_conversations(rows)
    yield from _azure_documents()


def _azure_tables(rows: list[Row]) -> Iterator[Fault]:
    yield from _bytes_of("csv", "rows.csv", table(rows), rows)
    yield Fault("semicolons", table(rows, ";"), "rows.csv", rows)
    yield Fault("tabs", table(rows, "\t"), "rows.csv", rows)
    yield Fault("spaces in a header", table(rows).replace(b",response", b", response", 1), "rows.csv", rows)
    yield Fault("a header twice", table(rows).replace(b"context,response", b"response,response", 1), "rows.csv", rows)
    yield Fault(
        "a field too many", table(rows) + b"a,b,c,d,e\n", "rows.csv", [*rows, dict(zip(rows[0], "abcd", strict=True))]
    )
    yield Fault(
        "a field too few", table(rows) + b"a,b,c\n", "rows.csv", [*rows, dict(zip(rows[0], "abc", strict=False))]
    )
    yield Fault(
        "a quote not closed", table(rows) + b'a,b,c,"d\n', "rows.csv", [*rows, dict(zip(rows[0], "abcd", strict=True))]
    )
    for word in ("NA", "None", "null", "nan", "N/A", "n/a", "true", "007", "1e5"):
        changed = at(rows, 1, response=word)
        yield Fault(f"the answer is {word}", table(changed), "rows.csv", changed)
    yield Fault("an empty cell", table(at(rows, 1, context="")), "rows.csv", at(rows, 1, context=""))
    yield Fault("an empty ground truth", table(at(rows, 1, ground_truth="")), "rows.csv", at(rows, 1, ground_truth=""))
    yield Fault("CSV called .txt", table(rows), "rows.txt", rows)
    yield Fault("JSON lines called .json", jsonl(rows), "rows.json", rows)
    yield Fault("TSV", table(rows, "\t"), "rows.tsv", rows)


def _azure_conversations(rows: list[Row]) -> Iterator[Fault]:
    def talk(row: Row, **more: Any) -> Row:
        said = [{"role": "user", "content": row["query"]}, {"role": "assistant", "content": row["response"], **more}]
        return {"conversation": {"messages": said}}

    sound = [talk(row, context="Boats.") for row in rows]
    yield Fault("conversations", jsonl(sound), "talks.jsonl", sound)
    for name, value in (
        ("a text", "Hi"),
        ("a list of messages", sound[1]["conversation"]["messages"]),
        ("no messages", {"messages": []}),
        ("no role", {"messages": [{"content": "Hi"}]}),
        ("an unknown role", {"messages": [{"role": "human", "content": "Hi"}]}),
        ("no answer", {"messages": [{"role": "user", "content": "Hi"}]}),
    ):
        yield Fault(f"conversation: {name}", jsonl(at(sound, 1, conversation=value)), "talks.jsonl", sound)
    both = [{**talk(row), "query": row["query"], "response": row["response"]} for row in rows]
    yield Fault("conversation and query", jsonl(both), "talks.jsonl", both)


def _azure_documents() -> Iterator[Fault]:
    truth = [{"document_id": "d1", "query_relevance_label": 3}, {"document_id": "d2", "query_relevance_label": 0}]
    hits = [{"document_id": "d2", "relevance_score": 0.9}, {"document_id": "d1", "relevance_score": 0.4}]
    row = {"query": "q", "retrieval_ground_truth": truth, "retrieved_documents": hits}
    yield Fault("documents", jsonl([row]), "hits.jsonl", [row])
    for name, changed in (
        ("no hits", {"retrieved_documents": []}),
        ("no truth", {"retrieval_ground_truth": []}),
        ("a label in quotes", {"retrieval_ground_truth": [{"document_id": "d1", "query_relevance_label": "3"}]}),
        ("a label 0.5", {"retrieval_ground_truth": [{"document_id": "d1", "query_relevance_label": 0.5}]}),
        ("a label of 7", {"retrieval_ground_truth": [{"document_id": "d1", "query_relevance_label": 7}]}),
        ("a score in quotes", {"retrieved_documents": [{"document_id": "d1", "relevance_score": "0.5"}]}),
        ("no score", {"retrieved_documents": [{"document_id": "d1"}]}),
        ("names only", {"retrieved_documents": ["d1", "d2"]}),
    ):
        yield Fault(f"documents: {name}", jsonl([row, {**row, **changed}]), "hits.jsonl", [row, {**row, **changed}])


def _ragas_rows() -> list[Row]:
    return [
        {"user_input": q, "retrieved_contexts": list(c), "response": a, "reference": t}
        for q, c, a, t in zip(QUESTIONS, CONTEXTS, ANSWERS, TRUTHS, strict=True)
    ]


_OLD: Final = {
    "user_input": "question",
    "retrieved_contexts": "contexts",
    "response": "answer",
    "reference": "ground_truth",
}


def _ragas_faults(file: str, write: Callable[[Sequence[Row]], bytes]) -> Iterator[Fault]:
    rows = _ragas_rows()
    yield Fault("older names", write(renamed(rows, **_OLD)), file, rows)
    yield Fault("a misspelt name", write(renamed(rows, retrieved_contexts="retreived_contexts")), file, rows)
    for name in ("user_input", "retrieved_contexts", "response", "reference"):
        why = _ASKS_NOTHING if name == "user_input" else None
        yield Fault(f"{name} missing in the first row", write(less(rows, name, 0)), file, less(rows, name, 0), why)
        yield Fault(f"{name} missing in the third row", write(less(rows, name, 2)), file, less(rows, name, 2), why)
        yield Fault(f"{name} missing in all", write(less(rows, name)), file, less(rows, name), why)
        yield Fault(f"{name} null in the first row", write(at(rows, 0, **{name: None})), file, less(rows, name, 0), why)
        yield Fault(f"{name} null in the third row", write(at(rows, 2, **{name: None})), file, less(rows, name, 2), why)
    yield Fault("an empty reference", write(at(rows, 1, reference="")), file, at(rows, 1, reference=""))
    yield Fault(
        "contexts a text", write(at(rows, 1, retrieved_contexts="One.")), file, at(rows, 1, retrieved_contexts=["One."])
    )
    yield Fault(
        "contexts a text in all",
        write([{**row, "retrieved_contexts": "One."} for row in rows]),
        file,
        [{**row, "retrieved_contexts": ["One."]} for row in rows],
    )
    yield Fault(
        "contexts a printed list",
        write(at(rows, 1, retrieved_contexts="['a', 'b']")),
        file,
        at(rows, 1, retrieved_contexts=["a", "b"]),
    )
    yield Fault(
        "contexts with a number",
        write(at(rows, 1, retrieved_contexts=["a", 7])),
        file,
        at(rows, 1, retrieved_contexts=["a", "7"]),
    )
    yield Fault(
        "contexts with a null",
        write(at(rows, 1, retrieved_contexts=["a", None])),
        file,
        at(rows, 1, retrieved_contexts=["a"]),
    )
    yield Fault(
        "contexts of objects",
        write(at(rows, 1, retrieved_contexts=[{"text": "a"}])),
        file,
        at(rows, 1, retrieved_contexts=["a"]),
    )
    yield Fault("no contexts", write(at(rows, 1, retrieved_contexts=[])), file, at(rows, 1, retrieved_contexts=[]))
    yield Fault("response a number", write(at(rows, 1, response=42)), file, at(rows, 1, response="42"))
    yield Fault("reference a number", write(at(rows, 1, reference=42)), file, at(rows, 1, reference="42"))
    yield Fault("reference a list of one", write(at(rows, 1, reference=["4.20"])), file, rows)
    yield Fault("reference a list of two", write(at(rows, 1, reference=["4.20", "4.2"])), file, rows)
    yield Fault("a further column", write([{**row, "page": 3} for row in rows]), file, rows)


def ragas() -> Iterator[Fault]:
    rows = _ragas_rows()
    yield from _bytes_of("jsonl", "rows.jsonl", jsonl(rows), rows)
    yield from _lines_of(rows)
    yield from _ragas_faults("rows.jsonl", jsonl)
    yield from _bytes_of("json", "rows.json", pretty(rows), rows)
    yield Fault("NaN", jsonl(rows).replace(b'"4.20"', b"NaN"), "rows.jsonl", rows)
    ids = [{**row, "retrieved_context_ids": ["d1", 2], "reference_context_ids": ["d1"]} for row in rows]
    yield Fault("ids of contexts", jsonl(ids), "rows.jsonl", ids)
    gold = [{**row, "reference_contexts": ["a", "b"]} for row in rows]
    yield Fault("reference contexts", jsonl(gold), "rows.jsonl", gold)
    plain = less(rows, "retrieved_contexts")
    yield from _bytes_of("csv", "rows.csv", table(plain), plain)
    yield Fault("printed lists", table(rows), "rows.csv", rows)
    yield Fault(
        "JSON lists",
        table(rows, cell=lambda value: json.dumps(value) if isinstance(value, list) else value),
        "rows.csv",
        rows,
    )
    yield Fault("semicolons", table(plain, ";"), "rows.csv", plain)
    yield Fault("an empty cell", table(at(plain, 1, reference="")), "rows.csv", at(plain, 1, reference=""))
    for word in ("NA", "None", "007", "4.20"):
        changed = at(plain, 1, response=word)
        yield Fault(f"the answer is {word}", table(changed), "rows.csv", changed)
    numbers = [{**row, "response": f"00{place}"} for place, row in enumerate(plain)]
    yield Fault("all answers are digits", table(numbers), "rows.csv", numbers)


def evalscope() -> Iterator[Fault]:
    rows = _ragas_rows()
    yield from _bytes_of("json", "rows.json", pretty(rows), rows)
    yield from _ragas_faults("rows.json", pretty)
    yield from _bytes_of("jsonl", "rows.jsonl", jsonl(rows), rows)
    yield Fault("older names", jsonl(renamed(rows, **_OLD)), "rows.jsonl", rows)
    yield Fault(
        "contexts a text",
        jsonl(at(rows, 1, retrieved_contexts="One.")),
        "rows.jsonl",
        at(rows, 1, retrieved_contexts=["One."]),
    )
    yield Fault(
        "reference missing in the third row",
        jsonl(less(rows, "reference", 2)),
        "rows.jsonl",
        less(rows, "reference", 2),
    )
    yield Fault("JSON lines called .json", jsonl(rows), "rows.json", rows)
    yield Fault("a list under a key", json.dumps({"samples": rows}).encode(), "rows.json", rows)
    yield Fault("one object", json.dumps(rows[0]).encode(), "rows.json", rows[:1])
    yield Fault("printed lists", table(rows), "rows.csv", rows)
    plain = less(rows, "retrieved_contexts")
    yield Fault("no lists", table(plain), "rows.csv", plain)


def deepeval() -> Iterator[Fault]:
    rows: list[Row] = [
        {"input": q, "actual_output": a, "expected_output": t, "retrieval_context": list(c), "context": [c[0]]}
        for q, c, a, t in zip(QUESTIONS, CONTEXTS, ANSWERS, TRUTHS, strict=True)
    ]
    joined = [{k: "|".join(v) if isinstance(v, list) else v for k, v in row.items()} for row in rows]
    yield from _bytes_of("json", "goldens.json", pretty(rows), rows)
    yield from _bytes_of("jsonl", "goldens.jsonl", jsonl(rows), rows)
    yield from _lines_of(rows, "goldens.jsonl")
    yield from _bytes_of("csv", "goldens.csv", table(joined), rows)
    yield Fault("joined lists", jsonl(joined), "goldens.jsonl", rows)
    yield Fault("joined lists", pretty(joined), "goldens.json", rows)
    yield Fault("a list under a key", json.dumps({"goldens": rows}).encode(), "goldens.json", rows)
    yield Fault("one object", json.dumps(rows[0]).encode(), "goldens.json", rows[:1])
    yield Fault("JSON lines called .json", jsonl(rows), "goldens.json", rows)
    sources = [{**row, "retrieval_context": [{"context": "a", "source": "b"}]} for row in rows]
    shown = [{**row, "retrieval_context": ["b: a"]} for row in rows]  # as DeepEval itself prints them
    yield Fault("contexts with their sources", pretty(sources), "goldens.json", shown)
    yield Fault("printed lists", table(rows), "goldens.csv", rows)
    yield Fault(
        "JSON lists",
        table(rows, cell=lambda value: json.dumps(value) if isinstance(value, list) else value),
        "goldens.csv",
        rows,
    )
    yield Fault("semicolons", table(joined, ";"), "goldens.csv", rows)
    camel = {
        "actual_output": "actualOutput",
        "expected_output": "expectedOutput",
        "retrieval_context": "retrievalContext",
    }
    for file, write in (("goldens.json", pretty), ("goldens.jsonl", jsonl)):
        yield Fault("camelCase", write(renamed(rows, **camel)), file, rows)
        yield Fault("a misspelt name", write(renamed(rows, actual_output="actual_ouput")), file, rows)
        for name in ("input", "actual_output", "expected_output", "retrieval_context"):
            yield Fault(f"{name} missing in a row", write(less(rows, name, 2)), file, less(rows, name, 2))
            yield Fault(f"{name} null", write(at(rows, 2, **{name: None})), file, less(rows, name, 2))
        yield Fault("input empty", write(at(rows, 1, input="")), file, at(rows, 1, input=""), _ASKS_NOTHING)
        yield Fault("input a number", write(at(rows, 1, input=7)), file, at(rows, 1, input="7"))
        yield Fault("actual_output a number", write(at(rows, 1, actual_output=7)), file, at(rows, 1, actual_output="7"))
        yield Fault(
            "retrieval_context a text",
            write(at(rows, 1, retrieval_context="One.")),
            file,
            at(rows, 1, retrieval_context=["One."]),
        )
        yield Fault("context a text", write(at(rows, 1, context="One.")), file, at(rows, 1, context=["One."]))
        yield Fault(
            "retrieval_context with a number",
            write(at(rows, 1, retrieval_context=["a", 7])),
            file,
            at(rows, 1, retrieval_context=["a", "7"]),
        )
        yield Fault("a further key", write([{**row, "page": 3} for row in rows]), file, rows)
    for word in ("NA", "None", "007", "4.20", "true"):
        changed = at(joined, 1, actual_output=word)
        yield Fault(f"the answer is {word}", table(changed), "goldens.csv", at(rows, 1, actual_output=word))
    numbers = [{**row, "actual_output": f"00{place}"} for place, row in enumerate(joined)]
    yield Fault(
        "all answers are digits",
        table(numbers),
        "goldens.csv",
        [{**row, "actual_output": f"00{n}"} for n, row in enumerate(rows)],
    )
    yield Fault(
        "an empty cell", table(at(joined, 1, expected_output="")), "goldens.csv", less(rows, "expected_output", 1)
    )
    yield Fault("camelCase", table(renamed(joined, **camel)), "goldens.csv", rows)
