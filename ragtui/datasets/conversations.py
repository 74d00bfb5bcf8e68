"""Recorded conversations: their messages, what was said before an answer, and one case a turn instead of one a conversation."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from ragtui.datasets.case_ids import CASE_ID, NAME
from ragtui.datasets.containers.json_text import value_of
from ragtui.datasets.dataset import Dataset, Role

if TYPE_CHECKING:
    import polars as pl

USER: Final = "user"
ASSISTANT: Final = "assistant"


def messages_of(cell: object) -> list[dict[str, Any]]:
    """The messages of a conversation cell, empty where it holds none (as a list of texts does)."""
    if not isinstance(cell, str) or cell.lstrip()[:1] not in ("{", "["):
        return []
    try:
        value = value_of(cell)
    except (ValueError, RecursionError):
        return []
    messages = value.get("messages") if isinstance(value, dict) else value
    return [each for each in messages if isinstance(each, dict)] if isinstance(messages, list) else []


def last_said(messages: Sequence[Mapping[str, Any]], role: str, key: str = "content") -> str | None:
    """The text of the last message of ``role``; ``key`` may name what lies beside it, as ``context``."""
    value = next(
        (each.get(key) for each in reversed(messages) if each.get("role") == role and each.get(key) is not None), None
    )
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(part, dict) and isinstance(part.get("text"), str) for part in value):
        return "\n".join(part["text"] for part in value)
    return json.dumps(value, ensure_ascii=False)


def before_the_answer(inputs: Mapping[str, str]) -> tuple[dict[str, str], tuple[dict[str, str], ...]]:
    """Inputs in which no conversation goes on beyond its last question, and the messages before that question: what a
    target may know that answers the last turn anew."""
    out: dict[str, str] = {}
    history: tuple[dict[str, str], ...] = ()
    for name, text in inputs.items():
        messages = messages_of(text)
        last = max((at for at, each in enumerate(messages) if each.get("role") == USER), default=None)
        if last is None:
            out[name] = text
            continue
        asked = [{key: each[key] for key in ("role", "content") if key in each} for each in messages[: last + 1]]
        out[name] = json.dumps({"messages": asked} if text.lstrip().startswith("{") else asked, ensure_ascii=False)
        history = tuple(_plain(each) for each in messages[:last])
    return out, history


def _plain(message: Mapping[str, Any]) -> dict[str, str]:
    return {"role": str(message.get("role", "")), "content": last_said([message], str(message.get("role"))) or ""}


def conversation_column(dataset: Dataset) -> str | None:
    """The input column whose cells are conversations; ``None`` where there is none."""
    if dataset.cases is None:
        return None
    for name in dataset.columns_with(Role.INPUT):
        column = dataset.cases[name] if name in dataset.cases.columns else None
        if column is not None and str(column.dtype) == "String" and any(map(_is_conversation, column.head(20))):
            return name
    return None


def _is_conversation(cell: str | None) -> bool:
    return any(each.get("role") == USER for each in messages_of(cell))


def per_turn(dataset: Dataset) -> Dataset:
    """The dataset with a case for each answered turn of its conversations, ``ID#1``, ``ID#2``, …: question, response and
    context are those of the turn. Expected values belong to the last turn only. Cases without turns stay as they are."""
    import polars as pl

    column = conversation_column(dataset)
    if column is None or dataset.cases is None:
        return dataset
    frame = dataset.cases
    rows: list[int] = []
    cells: list[str | None] = []
    numbers: list[int] = []
    for row, cell in enumerate(frame[column]):
        turns = _turns(cell)
        rows += [row] * max(1, len(turns))
        cells += turns or [cell]
        numbers += [*range(len(turns), 0, -1)][::-1] or [0]
    last = pl.Series([at + 1 == len(rows) or rows[at + 1] != row for at, row in enumerate(rows)])
    out = frame[rows].with_columns(pl.Series(column, cells, dtype=pl.String))
    ids = [f"{each}#{n}" if n else each for each, n in zip(out[CASE_ID], numbers, strict=True)]
    out = out.with_columns(pl.Series(CASE_ID, ids, dtype=pl.String))
    out = _said_then(out, dataset, cells, numbers)
    expected = [name for name in dataset.columns_with(Role.EXPECTED) if name in out.columns]
    return replace(dataset, cases=out.with_columns(pl.when(last).then(pl.col(expected)) if expected else []))


def _turns(cell: str | None) -> list[str]:
    """A conversation as it was after each of its answers."""
    messages = messages_of(cell)
    whole = (cell or "").lstrip().startswith("{")
    ends = [
        at
        for at, each in enumerate(messages)
        if each.get("role") == ASSISTANT
        and any(before.get("role") == USER for before in messages[:at])
        and (at + 1 == len(messages) or messages[at + 1].get("role") == USER)
    ]
    parts = (messages[: end + 1] for end in ends)
    return [json.dumps({"messages": part} if whole else part, ensure_ascii=False) for part in parts]


def _said_then(frame: pl.DataFrame, dataset: Dataset, cells: list[str | None], numbers: list[int]) -> pl.DataFrame:
    """Question, response and context of each turn, in the columns that hold those of the last one."""
    import polars as pl

    for wanted, role, key in (
        ("query", USER, "content"),
        ("response", ASSISTANT, "content"),
        ("context", ASSISTANT, "context"),
    ):
        name = dataset.fields.get(wanted)
        if name is None or name not in frame.columns or frame[name].dtype != pl.String:
            continue
        said = [last_said(messages_of(cell), role, key) if n else None for cell, n in zip(cells, numbers, strict=True)]
        turned = pl.Series([n > 0 for n in numbers])
        frame = frame.with_columns(
            pl.when(turned).then(pl.Series(said, dtype=pl.String)).otherwise(pl.col(name)).alias(name)
        )
        if wanted == "query" and NAME in frame.columns:
            frame = frame.with_columns(pl.col(name).fill_null("").alias(NAME))
    return frame
