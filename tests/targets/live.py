"""Targets that are asked: small programs on disk, and what they answer to questions."""

from __future__ import annotations

import asyncio
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ragtui.datasets.dataset import Dataset
from ragtui.targets.target import Case, Response

from .making import cases, opened


def program(folder: Path, name: str, code: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(textwrap.dedent(code), "utf-8")
    return path


def some_cases(folder: Path) -> Dataset:
    return cases(folder, [{"id": "a", "query": "q", "lang": "en", "ground_truth": "g"}])


def asked(folder: Path, spec: str, questions: Sequence[str], **case: Any) -> dict[str, Response]:
    """Each question's response, by the question."""
    return ask(folder, spec, {each: Case(f"id {each}", {"query": each}, **case) for each in questions})


def ask(folder: Path, spec: str, wanted: Mapping[str, Case]) -> dict[str, Response]:
    async def all_of_them() -> list[Response]:
        target = opened(spec, some_cases(folder), folder)
        try:
            return [each async for each in target.respond(list(wanted.values()))]
        finally:
            await target.close()

    found = {each.case_id: each for each in asyncio.run(all_of_them())}
    assert len(found) == len(wanted), "every case is answered once"
    return {name: found[case.case_id] for name, case in wanted.items()}


def states(found: Mapping[str, Response]) -> dict[str, str]:
    """``scored``, or the cause of a failure."""
    return {name: each.cause or each.state.value for name, each in found.items()}
