"""Reads a judge's reply: the one JSON object that fits, repaired where a slip is harmless, never guessed, never clamped."""

from __future__ import annotations

import ast
import json
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

UNPARSABLE: Final = "unparsable"
TRUNCATED: Final = "truncated"
OUT_OF_RANGE: Final = "out_of_range"
REFUSED: Final = "refused"
CONTENT_FILTER: Final = "content_filter"

_SHOWN: Final = 60
_NEAR: Final = 40


class ReplyError(Exception):
    """A reply cannot be used. ``cause`` is the cause of the cell's ``judge_error``; the message names the fault."""

    def __init__(self, cause: str, fault: str) -> None:
        super().__init__(fault)
        self.cause = cause


@dataclass(frozen=True, slots=True)
class Score:
    """``value`` is ``None`` where the judge says that there is nothing to score."""

    value: float | None
    reason: str
    repaired: bool


@dataclass(frozen=True, slots=True)
class Found:
    """The object of a reply, and whether it had to be repaired or dug out."""

    fields: Mapping[str, Any]
    repaired: bool


def read_score(text: str | None, finish: str | None, low: float, high: float, *, whole: bool = True) -> Score:
    """The score and reason of a rubric reply.

    Raises:
        ReplyError: with the cause ``unparsable``, ``truncated``, ``out_of_range`` or ``content_filter``.
    """
    found = read_object(text, finish, "score")
    reason = found.fields.get("reason")
    said = reason if isinstance(reason, str) else "" if reason is None else json.dumps(reason, ensure_ascii=False)
    value = found.fields["score"]
    if value is None or found.fields.get("status") == "skipped":
        return Score(None, said or "the judge gave no score", found.repaired)
    number, tidy = _number(value)
    _check_range(value, number, low, high, whole)
    return Score(number, said, found.repaired or not tidy)


def read_choice(text: str | None, finish: str | None, key: str, choices: Mapping[str, str]) -> tuple[str, bool]:
    """The choice under ``key``, by its folded text, and whether the reply was repaired.

    Raises:
        ReplyError: as for ``read_score``, but never ``out_of_range``.
    """
    found = read_object(text, finish, key)
    value = found.fields[key]
    if isinstance(value, bool) and {"yes", "no"} <= set(choices):
        return choices["yes" if value else "no"], True
    folded = value.strip().strip(".").lower().replace("_", " ") if isinstance(value, str) else ""
    if folded not in choices:
        raise ReplyError(UNPARSABLE, f"{key} is {_shown(value)}, not one of {', '.join(dict.fromkeys(choices))}")
    return choices[folded], found.repaired


def read_object(text: str | None, finish: str | None, key: str) -> Found:
    """The one object with ``key`` in a reply.

    Raises:
        ReplyError: there is none (``truncated`` where the reply was cut off), or more than one.
    """
    if finish == "content_filter":
        raise ReplyError(CONTENT_FILTER, "the provider's content filter stopped the reply")
    body = _without_reasoning(text or "")
    if not body.strip():
        if finish == "length":
            raise ReplyError(TRUNCATED, _CUT_OFF)
        raise ReplyError(UNPARSABLE, "the reply is empty")
    regions = list(_objects(body))
    fitting = [each for each in regions if each.fields is not None and _key_of(each.fields, key) is not None]
    unreadable = [
        each for each in regions if each.fields is None and re.search(rf"\b{key}\b", each.text, re.IGNORECASE)
    ]
    if finish == "length" and (not fitting or unreadable):
        raise ReplyError(TRUNCATED, _CUT_OFF)
    if len(fitting) + len(unreadable) > 1:
        raise ReplyError(UNPARSABLE, f"{len(fitting) + len(unreadable)} objects with a {key} in one reply")
    if not fitting:
        raise ReplyError(UNPARSABLE, _why_none(regions, key))
    return _named(fitting[0], key)


_CUT_OFF: Final = "the reply was cut off at the output limit; raise max_tokens"


def _why_none(regions: list[_Region], key: str) -> str:
    seen = [each.fields for each in regions if each.fields is not None]
    if seen:
        keys = ", ".join(_shown(name) for name in list(seen[0])[:6])
        return f'no key "{key}"; ' + (f"the keys are {keys}" if keys else "the object is empty")
    return "an object that is not JSON" if regions else "no JSON object in the reply"


def _named(region: _Region, key: str) -> Found:
    assert region.fields is not None
    name = _key_of(region.fields, key)
    assert name is not None
    folded = {str(each).strip().lower(): value for each, value in region.fields.items()}
    return Found(folded | {key: region.fields[name]}, region.repaired or name != key)


def _key_of(fields: Mapping[str, Any], key: str) -> str | None:
    return next((name for name in fields if name == key), None) or next(
        (name for name in fields if str(name).strip().lower() == key), None
    )


_THOUGHT: Final = re.compile(r"^\s*<(think|thinking|reasoning|thought)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_THOUGHT_END: Final = re.compile(r"</(?:think|thinking|reasoning|thought)>", re.IGNORECASE)
_THOUGHT_OPEN: Final = re.compile(r"^\s*<(?:think|thinking|reasoning|thought)>", re.IGNORECASE)


def _without_reasoning(text: str) -> str:
    """What follows a leading reasoning block. Some servers swallow the opening tag; a block never closed is all there is."""
    rest = _THOUGHT.sub("", text, count=1)
    if rest != text:
        return rest
    if _THOUGHT_OPEN.match(text):
        return ""
    head = _THOUGHT_END.search(text)
    return text[head.end() :] if head is not None and '"' not in text[: head.start()].rsplit("\n", 1)[-1] else text


@dataclass(frozen=True, slots=True)
class _Region:
    """A piece of the reply from a brace to its partner; ``fields`` is ``None`` where it cannot be read."""

    text: str
    fields: Mapping[str, Any] | None
    repaired: bool


class _Twice(ValueError):
    """One object gives a key twice."""


def _pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(items)
    if len(found) < len(items):
        raise _Twice
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


_STRICT: Final = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_no_constant)
_LOOSE: Final = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_no_constant, strict=False)


def _objects(text: str) -> Iterator[_Region]:
    """The outermost objects of the text, in order. One that holds only an inner object is read as the inner one."""
    at = text.find("{")
    while at >= 0:
        try:
            value, end = _STRICT.raw_decode(text, at)
            yield _unwrapped(text[at:end], value)
        except RecursionError:
            yield _Region(text[at:], None, False)
            return
        except ValueError:
            end = _partner(text, at)
            piece = text[at:end]
            fields = _repaired(piece)
            yield _Region(piece, fields, True)
        at = text.find("{", end)


def _unwrapped(piece: str, value: dict[str, Any]) -> _Region:
    inner = next(iter(value.values())) if len(value) == 1 else None
    return _Region(piece, inner, True) if isinstance(inner, dict) else _Region(piece, value, False)


def _partner(text: str, at: int) -> int:
    """The end of the object that opens at ``at``, braces in strings aside; the end of the text if it never closes."""
    depth, quote, skip = 0, "", False
    for place in range(at, len(text)):
        character = text[place]
        if skip:
            skip = False
        elif character == "\\":
            skip = True
        elif quote:
            quote = "" if character == quote and _closes(text, place) else quote
        elif character == '"' or (character == "'" and _opens(text, place)):
            quote = character
        elif character == "{":
            depth += 1
        elif character == "}":
            depth -= 1
            if not depth:
                return place + 1
    return len(text)


def _opens(text: str, place: int) -> bool:
    return text[max(0, place - _NEAR) : place].rstrip()[-1:] in "{[,:"


def _closes(text: str, place: int) -> bool:
    return text[place] == '"' or text[place + 1 : place + _NEAR].lstrip()[:1] in ("}", "]", ",", ":", "")


_TRAILING_COMMA: Final = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', re.DOTALL)


def _repaired(piece: str) -> Mapping[str, Any] | None:
    """The object after harmless repairs: raw line feeds in strings, a comma too many, quotes of another kind."""
    if not piece.endswith("}"):
        return None
    attempts: tuple[Callable[[], Any], ...] = (
        lambda: _LOOSE.decode(piece),
        lambda: _LOOSE.decode(_TRAILING_COMMA.sub(lambda match: match[1] or "", piece)),
        lambda: _LOOSE.decode(piece.replace("“", '"').replace("”", '"')),
        lambda: _python(piece),
    )
    for attempt in attempts:
        try:
            value = attempt()
        except _Twice:
            return None
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        if isinstance(value, dict):
            return value
    return None


def _python(piece: str) -> object:
    """An object written as Python writes it: single quotes, ``None``."""
    tree = ast.parse(piece.strip(), mode="eval").body
    if not isinstance(tree, ast.Dict) or any(key is None for key in tree.keys):
        raise ValueError
    value: dict[object, object] = ast.literal_eval(tree)
    if len(value) < len(tree.keys):
        raise _Twice
    return {str(key): each for key, each in value.items()}


_PLAIN: Final = re.compile(r"[+-]?\d+(?:\.\d+)?")
_COMMA: Final = re.compile(r"[+-]?\d+,\d+")
_WITH_UNIT: Final = re.compile(
    r"(?P<n>[+-]?\d+(?:\.\d+)?)\s*(?:分|点|點|점|/\s*\d+|out\s+of\s+\d+|von\s+\d+|sur\s+\d+|de\s+\d+|points?|punkte?|puntos?|★+|stars?)\.?",
    re.IGNORECASE,
)


def _number(value: object) -> tuple[float, bool]:
    """The number that a score's value writes, and whether it was written as one is asked to."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ReplyError(UNPARSABLE, f"the score is {_shown(value)}, not a number")
    if not isinstance(value, str):
        return _finite(value), True
    plain = value.strip()
    tidy = plain.isascii()
    if not tidy:
        plain = "".join(str(unicodedata.decimal(each, each)) for each in plain).replace("．", ".").replace("／", "/")
    if _PLAIN.fullmatch(plain):
        return _finite(float(plain)), tidy
    if _COMMA.fullmatch(plain):
        return float(plain.replace(",", ".")), False
    unit = _WITH_UNIT.fullmatch(plain)
    if unit is None:
        raise ReplyError(UNPARSABLE, f"the score is {_shown(value)}, not a number")
    return float(unit["n"]), False


def _finite(value: int | float) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf")


def _check_range(raw: object, number: float, low: float, high: float, whole: bool) -> None:
    if not low <= number <= high:
        hint = "; it looks like a scale of 0 to 1" if 0 < number < low else ""
        raise ReplyError(OUT_OF_RANGE, f"the score {_shown(raw)} is out of range {low:g} to {high:g}{hint}")
    if whole and number != int(number):
        raise ReplyError(OUT_OF_RANGE, f"the score {_shown(raw)} is not a whole number from {low:g} to {high:g}")


def _shown(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    text = text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
    return f'"{text}"' if isinstance(value, str) else text
