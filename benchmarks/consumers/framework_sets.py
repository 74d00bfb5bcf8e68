"""Test cases for Ragas, DeepEval and EvalScope's RAG evaluation, sound and damaged."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from files import (
    ANSWERS,
    ASKS_NOTHING,
    CONTEXTS,
    QUESTIONS,
    TRUTHS,
    Fault,
    Row,
    at,
    bytes_of,
    jsonl,
    less,
    lines_of,
    pretty,
    renamed,
    table,
)


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
        why = ASKS_NOTHING if name == "user_input" else None
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
    yield from bytes_of("jsonl", "rows.jsonl", jsonl(rows), rows)
    yield from lines_of(rows)
    yield from _ragas_faults("rows.jsonl", jsonl)
    yield from bytes_of("json", "rows.json", pretty(rows), rows)
    yield Fault("NaN", jsonl(rows).replace(b'"4.20"', b"NaN"), "rows.jsonl", rows)
    ids = [{**row, "retrieved_context_ids": ["d1", 2], "reference_context_ids": ["d1"]} for row in rows]
    yield Fault("ids of contexts", jsonl(ids), "rows.jsonl", ids)
    gold = [{**row, "reference_contexts": ["a", "b"]} for row in rows]
    yield Fault("reference contexts", jsonl(gold), "rows.jsonl", gold)
    plain = less(rows, "retrieved_contexts")
    yield from bytes_of("csv", "rows.csv", table(plain), plain)
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
    yield from bytes_of("json", "rows.json", pretty(rows), rows)
    yield from _ragas_faults("rows.json", pretty)
    yield from bytes_of("jsonl", "rows.jsonl", jsonl(rows), rows)
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
    yield from bytes_of("json", "goldens.json", pretty(rows), rows)
    yield from bytes_of("jsonl", "goldens.jsonl", jsonl(rows), rows)
    yield from lines_of(rows, "goldens.jsonl")
    yield from bytes_of("csv", "goldens.csv", table(joined), rows)
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
        yield Fault("input empty", write(at(rows, 1, input="")), file, at(rows, 1, input=""), ASKS_NOTHING)
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
