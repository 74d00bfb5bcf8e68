"""Test cases for the platforms that read such: made ones, and the product's own samples and cases."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from azure_sets import azure
from files import ASKS_NOTHING
from framework_sets import deepeval, evalscope, ragas
from trial import Trial

_CASES: Final = {"27-u2028-inside-strings": ASKS_NOTHING}


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
