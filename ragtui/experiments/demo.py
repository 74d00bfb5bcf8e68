"""The demo: the shipped sample data in a workspace of its own, judged and compared there.

The workspace lies where the system keeps a user's data, so that labels made in the demo are still there the next time;
the folder the demo is called from is left alone.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ragtui.datasets.dataset import Dataset
from ragtui.experiments.plan import Plan
from ragtui.experiments.progress import Progress, Status
from ragtui.workspace import STATE_NAME, Workspace, bundled, write_atomically

_COPIED: Final = "copied.json"  # what was copied, so that a newer sample replaces it but never a user's change


class DemoError(Exception):
    """The demo cannot be set up; the message is one line with the remedy."""


class Stopped(Exception):
    """The demo was cancelled before it ended; run again it goes on."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One experiment of the demo; ``path`` is the dataset's, from the workspace."""

    path: str
    group: str
    candidate: str
    baseline: str


SAMPLES: Final = (
    Sample("beir", "retrieval", "bm25", "run:run-titles.trec"),
    Sample("support-desk/support.jsonl", "support-quality", "recorded:answers_v2.jsonl", "recorded:answers_v1.jsonl"),
)
"""In the order they are run; the last is the one that is shown."""


def default_folder() -> Path:
    from platformdirs import user_data_path

    return user_data_path("ragtui", appauthor=False) / "demo"


def prepare(folder: Path) -> Workspace:
    """Copies the sample data to ``folder`` and opens it as a workspace.

    Called again, it brings the files up to date and leaves those the user changed, and all experiments and labels.

    Raises:
        DemoError: the folder holds something else, or cannot be written.
    """
    source = bundled("sample_data")
    try:
        if folder.exists() and not _is_ours(folder):
            raise DemoError(f"{folder} is not empty; name a new folder with --to")
        known = _copied_before(folder)
        if not known:
            write_atomically(_record(folder), "{}")  # an interrupted copy is still ours
        now = {}
        for path in _files(source):
            name, content = path.relative_to(source).as_posix(), path.read_bytes()
            now[name] = _digest(content)
            there = folder / name
            if not there.exists() or _digest(there.read_bytes()) == known.get(name) != now[name]:
                write_atomically(there, content)
        write_atomically(_record(folder), json.dumps(now, indent=1))
    except OSError as error:
        raise DemoError(f"{folder}: {error.strerror or error}; name another folder with --to") from error
    return Workspace.open(folder)


def run_demo(workspace: Workspace, progress: Progress | None = None) -> str:
    """Runs the demo's experiments, or finds them finished, and returns the id of the one to show.

    Raises:
        StoreError: another run holds the workspace, or it cannot be written.
        Stopped: it was cancelled.
    """
    from ragtui.experiments.run import run
    from ragtui.experiments.store import Store

    progress = progress or Progress()
    shown = ""
    with Store.open(workspace, write=True) as store:
        finished = {entry.id for entry in store.list() if entry.status is Status.FINISHED}
        for sample in SAMPLES:
            dataset, plan = plan_of(sample, workspace)
            shown = plan.id
            if shown not in finished and run(plan, dataset, workspace, store, progress) is not Status.FINISHED:
                raise Stopped(progress.message)
    return shown


def plan_of(sample: Sample, workspace: Workspace) -> tuple[Dataset, Plan]:
    from ragtui.datasets.check import open_datasets
    from ragtui.experiments.planning import make_plan

    dataset = open_datasets([str(workspace.root / sample.path)]).datasets[0]
    plan = make_plan(
        dataset, workspace, group=sample.group, candidate=sample.candidate, baseline=sample.baseline, judge="embedded"
    )
    return dataset, plan


def _files(source: Path) -> Iterator[Path]:
    for path in sorted(source.rglob("*")):
        if path.is_file() and not {STATE_NAME, "__pycache__"} & set(path.relative_to(source).parts):
            yield path


def _is_ours(folder: Path) -> bool:
    return folder.is_dir() and (_record(folder).is_file() or not any(folder.iterdir()))


def _record(folder: Path) -> Path:
    return folder / STATE_NAME / _COPIED


def _copied_before(folder: Path) -> dict[str, str]:
    """Digests of the files as they were copied the last time; empty where that cannot be read."""
    try:
        found = json.loads(_record(folder).read_text("utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
