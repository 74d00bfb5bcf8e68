"""What ragtui itself writes for the platforms: damaged sets that its fixes made ready, and the product's samples converted."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

from trial import Trial

Run = Callable[[list[list[str]]], list[int]]
"""Runs ``ragtui`` commands and gives the status of each."""

_CONVERTED: Final = (  # a sample, the format it is written as, who reads that
    ("beir", "beir", ("beir", "evalscope", "mteb")),
    ("azure.jsonl", "azure", ("azure",)),
    ("cases.csv", "azure", ("azure",)),
    ("cases.xlsx", "azure", ("azure",)),
    ("pinecone.json", "azure", ("azure",)),
    ("deepset-rag.csv", "azure", ("azure",)),
    ("azure.jsonl", "ragas", ("ragas",)),
    ("cases.csv", "ragas", ("ragas",)),
    ("deepset-rag.csv", "ragas", ("ragas",)),
)


def trials(tried: Sequence[Trial], root: Path, samples: Path, run: Run) -> Iterator[Trial]:
    yield from _fixed(tried, root / "fixed", run)
    yield from _converted(root / "converted", samples, run)


def _fixed(tried: Sequence[Trial], root: Path, run: Run) -> Iterator[Trial]:
    """A trial for each set that a fix makes ready for its platform."""
    made = []
    for number, trial in enumerate(tried):
        path = root / str(number) / trial.path.name
        path.parent.mkdir(parents=True)
        made.append((trial, path))
    fixes = [
        ["check", str(trial.path), "--for", _platform(trial), "--unsafe-fixes", "--output", str(path)]
        for trial, path in made
    ]
    for (trial, path), status in zip(made, run(fixes), strict=True):
        if status == 0 and path.exists():
            yield Trial(f"fixed: {trial.name}", trial.platform, path)


def _converted(root: Path, samples: Path, run: Run) -> Iterator[Trial]:
    conversions = []
    for number, (sample, form, _) in enumerate(_CONVERTED):
        ending = "" if form == "beir" else ".jsonl"
        path = root / str(number) / f"{Path(sample).stem}{ending}"
        path.parent.mkdir(parents=True)
        conversions.append(["convert", str(samples / sample), str(path), "--to", form])
    for command, (sample, form, platforms), status in zip(conversions, _CONVERTED, run(conversions), strict=True):
        if status:
            raise SystemExit(f"ragtui {' '.join(command)} ended with {status}")
        for platform in platforms:
            yield Trial(f"converted: {sample} to {form}", platform, Path(command[2]))


def _platform(trial: Trial) -> str:
    return trial.platform.removesuffix("-rag")


def asked(commands: list[list[str]]) -> str:
    """What ``commands.py`` reads."""
    return "".join(json.dumps(command) + "\n" for command in commands)
