"""What a program, a function or a server gave back, as a response: a text, or an object with an answer and what belongs
to it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from ragtui.metrics.score import State
from ragtui.targets.target import Response

EXCEPTION: Final = "exception"
TIMEOUT: Final = "timeout"
CONNECTION: Final = "connection"
BAD_OUTPUT: Final = "bad_output"

TEXTS: Final = (
    "response",
    "answer",
    "output",
    "output_text",
    "text",
    "result",
    "content",
    "completion",
    "generated_text",
)
CONTEXTS: Final = (
    "contexts",
    "context",
    "retrieved_contexts",
    "retrieval_context",
    "documents",
    "docs",
    "chunks",
    "sources",
)
MOST: Final = 1e15  # of tokens, milliseconds or dollars: what is more was not measured
MARKERS: Final = {"_exception": EXCEPTION, "_bad_output": BAD_OUTPUT}
"""What ``function_process`` says of a call that gave no answer."""

_PASSAGE: Final = ("content", "text", "page_content", "context", "body")
_DOCUMENT_ID: Final = ("id", "_id", "doc_id", "document_id")
_LONGEST: Final = 300  # characters of an output that are quoted when it cannot be used
_MEASURES: Final = {
    "latency_ms": ("latency_ms",),
    "prompt_tokens": ("prompt_tokens", "input_tokens"),
    "completion_tokens": ("completion_tokens", "output_tokens"),
    "cost": ("cost", "cost_usd"),
}


class BadOutput(ValueError):
    """An output that cannot be read as an answer; the message says what it is."""


def failed(case_id: str, cause: str, message: str) -> Response:
    """A case whose target gave no answer, with the reason."""
    return Response(case_id, State.TARGET_ERROR, cause, message)


def shown(value: object, limit: int = _LONGEST) -> str:
    """An output as it is quoted in a message: one line, not too long."""
    text = " ".join(str(value).split())
    return text if len(text) <= limit else text[:limit] + "…"


def response_from(case_id: str, value: Any) -> Response:
    """An output as a response. A text is the answer; an object holds it under ``response`` (or a usual name for that),
    with ``contexts``, ``ranking`` or ``retrieved_ids``, ``latency_ms``, tokens and ``cost`` beside it; what else is in it
    is kept for ``${target.x}``. An ``error`` without an answer is a failure of the target, told in its own words.
    """
    try:
        return _answer(case_id, value)
    except BadOutput as error:
        return failed(case_id, BAD_OUTPUT, str(error))


def _answer(case_id: str, value: Any) -> Response:
    if isinstance(value, str):
        return Response(case_id, text=value)
    if not isinstance(value, Mapping):
        raise BadOutput(f"gave {_kind(value)} instead of a text or an object: {shown(value)}")
    for marker, cause in MARKERS.items():
        if marker in value:
            return failed(case_id, cause, shown(value[marker]))
    value = _chat(value)
    name = next((each for each in TEXTS if value.get(each) is not None), None)
    text = None if name is None else _text(name, value[name])
    contexts_name = next((each for each in CONTEXTS if value.get(each) is not None), None)
    passages = None if contexts_name is None else _list(contexts_name, value[contexts_name])
    ranking = _ranking(value, passages)
    if text is None and ranking is None:
        if (error := value.get("error")) is not None:
            return failed(
                case_id, EXCEPTION, shown(error.get("message", error) if isinstance(error, Mapping) else error)
            )
        raise BadOutput(f"gave no response; call it response (there is {', '.join(map(str, value)) or 'nothing'})")
    measured = {name: _measure(value, name) for name in _MEASURES}
    known = {name, contexts_name, "id", "case_id", "ranking", "retrieved_ids", "usage"}
    known |= {key for keys in _MEASURES.values() for key in keys}
    return Response(
        case_id,
        text=text,
        contexts=None if passages is None else tuple(_passage(each) for each in passages),
        ranking=ranking,
        latency_ms=measured["latency_ms"],
        prompt_tokens=_whole(measured["prompt_tokens"]),
        completion_tokens=_whole(measured["completion_tokens"]),
        cost=measured["cost"],
        extra={str(key): each for key, each in value.items() if key not in known},
    )


def _chat(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """A reply of OpenAI's chat protocol, with its message as the response."""
    choices = value.get("choices")
    if not (isinstance(choices, Sequence) and choices and isinstance(choices[0], Mapping)):
        return value
    message = choices[0].get("message")
    if not isinstance(message, Mapping):
        return value
    rest = {key: each for key, each in value.items() if key not in ("choices", "id", "object", "created")}
    if message.get("refusal") and message.get("content") is None:
        message = {**message, "content": message["refusal"]}
    beside = {
        key: each for key, each in message.items() if key not in ("role", "content", "refusal") and each is not None
    }
    return {**rest, **beside, "response": message.get("content")}


def _text(name: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, Sequence) and value and all(isinstance(each, str) for each in value):
        return "\n".join(value)
    raise BadOutput(f"{name} is {_kind(value)}, not a text: {shown(value)}")


def _list(name: str, value: Any) -> Sequence[Any]:
    if isinstance(value, str):
        return (value,) if value.strip() else ()
    if isinstance(value, Mapping) and isinstance(value.get("citations"), Sequence):  # as Azure's chat apps give it
        value = value["citations"]
    if isinstance(value, Sequence):
        return value
    raise BadOutput(f"{name} is {_kind(value)}, not a list of texts: {shown(value)}")


def _passage(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        for name in _PASSAGE:
            if isinstance(value.get(name), str):
                return str(value[name])
    raise BadOutput(f"a context is {_kind(value)} without a text: {shown(value)}")


def _ranking(value: Mapping[str, Any], passages: Sequence[Any] | None) -> tuple[tuple[str, float], ...] | None:
    """Documents with their scores, best first: stated as such, else those of contexts that all have an id."""
    stated = value.get("ranking", value.get("retrieved_ids"))
    if stated is None:
        documents = [each for each in passages or () if isinstance(each, Mapping)]
        ids = [next((each[name] for name in _DOCUMENT_ID if name in each), None) for each in documents]
        if not documents or len(documents) != len(passages or ()) or not all(isinstance(each, str) for each in ids):
            return None
        stated = [[found, each.get("score")] for found, each in zip(ids, documents, strict=True)]
    if isinstance(stated, Mapping):
        stated = sorted(stated.items(), key=lambda pair: -_number("a document's score", pair[1]))
    if not isinstance(stated, Sequence) or isinstance(stated, str):
        raise BadOutput(f"the ranking is {_kind(stated)}, not a list: {shown(stated)}")
    first: dict[str, tuple[str, float]] = {}
    for at, each in enumerate(stated):
        doc, score = _hit(each, len(stated) - at)
        first.setdefault(doc, (doc, score))
    return tuple(first.values())


def _hit(value: Any, place: int) -> tuple[str, float]:
    """One document with its score; by its place in the list where it has none."""
    if isinstance(value, str):
        return value, float(place)
    if isinstance(value, Mapping):
        value = [next((value[name] for name in _DOCUMENT_ID if name in value), None), value.get("score")]
    if isinstance(value, Sequence) and len(value) == 2 and isinstance(value[0], str):
        return value[0], float(place) if value[1] is None else _number("a document's score", value[1])
    raise BadOutput(f"a hit of the ranking is {shown(value)}; it must be an id, or an id with a score")


def _measure(value: Mapping[str, Any], name: str) -> float | None:
    usage = value.get("usage")
    for place in (value, usage if isinstance(usage, Mapping) else {}):
        for key in _MEASURES[name]:
            if place.get(key) is not None:
                found = _number(key, place[key])
                if not 0 <= found <= MOST:
                    raise BadOutput(f"{key} is {found:g}, which no measure of that kind can be")
                return found
    return None


def _number(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadOutput(f"{name} is {shown(value)}, not a number")
    try:
        found = float(value)
    except OverflowError:
        found = math.inf
    if not math.isfinite(found):
        raise BadOutput(f"{name} is {shown(value, 40)}, not a number that can be")
    return found


def _whole(value: float | None) -> int | None:
    return None if value is None else int(value)


def _kind(value: object) -> str:
    if value is None:
        return "nothing (null)"
    names = {
        bool: "true or false",
        int: "a number",
        float: "a number",
        str: "a text",
        list: "a list",
        dict: "an object",
    }
    return names.get(type(value), f"a {type(value).__name__}")
