"""Who answers in a run: a plan's targets opened, with their setup scripts and the way conversations are replayed; the code
they would run, and whether the user has allowed it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ragtui import trust
from ragtui.datasets.dataset import Dataset, Role
from ragtui.experiments.case_inputs import SETUP
from ragtui.experiments.pinned_metrics import code_of_metrics
from ragtui.experiments.plan import Plan, Side
from ragtui.metrics.own.files import FOLDER as METRICS
from ragtui.targets import open_target
from ragtui.targets.conversation import WholeConversation
from ragtui.targets.recorded import Recorded
from ragtui.targets.setup_script import FOLDER, with_setups
from ragtui.targets.spec import is_live, meaning
from ragtui.targets.target import Target, TargetError
from ragtui.workspace import Workspace

if TYPE_CHECKING:
    from ragtui.experiments.recorder import Recorder


class NotAllowed(TargetError):
    """A run would start code that the user has not allowed; ``codes`` are the files and texts to be asked about."""

    def __init__(self, codes: tuple[Path | str, ...], workspace: Workspace) -> None:
        named = ", ".join(trust.shown(workspace, each) for each in codes)
        metrics = any(isinstance(each, Path) and each.parent.name == METRICS for each in codes)
        how = " (a metric: A in Metric Groups, or `ragtui metrics trust NAME`)" if metrics else ""
        super().__init__(f"this would run code that you have not allowed yet: {named}; look at it, then say --yes{how}")
        self.codes = codes


def open_targets(plan: Plan, dataset: Dataset, workspace: Workspace) -> dict[Side, Target]:
    """Each side's target, ready to answer; nothing is started or sent yet.

    Raises:
        TargetError: one cannot be used at all.
    """
    return {side: _opened(spec, plan, dataset, workspace) for side, spec in plan.sides}


async def close_target(target: Target, side: Side, recorder: Recorder) -> None:
    """Ends a target and keeps what has to be said of its answers with the experiment."""
    await target.close()
    said: tuple[str, ...] = getattr(target, "remarks", tuple)()
    if said:
        recorder.remark(side, said)


def _opened(spec: str, plan: Plan, dataset: Dataset, workspace: Workspace) -> Target:
    target = open_target(spec, dataset, workspace)
    if target.replays:
        if plan.limit is not None and isinstance(target, Recorded):
            return replace(target, strays="")  # of some cases only: the answers to others are no strays
        return target
    if plan.replay == "conversation":
        target = WholeConversation(target)
    return with_setups(target, setups_of(dataset, workspace), plan.setup, workspace)


def setups_of(dataset: Dataset, workspace: Workspace) -> list[str]:
    """The setup scripts that the dataset's own rows name; none where the workspace has no scripts, since then a column of
    that name is something else."""
    named = dataset.cases is not None and SETUP in dataset.cases.columns
    if not named or SETUP in dataset.columns_with(Role.EXPECTED) or not (workspace.root / FOLDER).is_dir():
        return []
    assert dataset.cases is not None
    return [each for each in dataset.cases[SETUP].drop_nulls().unique(maintain_order=True).to_list() if each]


def code_of(plan: Plan, dataset: Dataset, workspace: Workspace) -> tuple[Path | str, ...]:
    """The files and texts that a run of this plan would start, each once: of targets, setup scripts and code metrics."""
    live = (spec for _, spec in plan.sides if plan.responses_of is None and is_live(spec, workspace))
    targets = (_opened(spec, plan, dataset, workspace) for spec in live)
    answering = [each for target in targets for each in getattr(target, "code", ())]
    return tuple(dict.fromkeys((*answering, *code_of_metrics(plan, workspace))))


def check_allowed(plan: Plan, dataset: Dataset, workspace: Workspace) -> None:
    """Makes sure that the user has allowed all code that a run would start.

    Raises:
        NotAllowed: some of it is not. TargetError: a target cannot be used.
    """
    left = trust.untrusted(workspace, code_of(plan, dataset, workspace))
    if left:
        raise NotAllowed(left, workspace)


def typed_code(specs: Iterable[str | None], dataset: Dataset, workspace: Workspace) -> tuple[Path | str, ...]:
    """The code of targets that are written out where they are named (``python:bot:answer``): whoever types that allows
    it. A name of ``ragtui.toml`` is not among them, since someone else may have written what it stands for."""
    named = workspace.table("targets")
    typed = (spec for spec in specs if spec is not None and spec not in named and is_live(spec, workspace))
    return tuple(each for spec in typed for each in getattr(open_target(spec, dataset, workspace), "code", ()))


def pin(spec: str, dataset: Dataset, workspace: Workspace) -> str | None:
    """What a live target is made of, as one short text: what its name stands for, and the files it runs; ``None`` where
    the spec alone says all that can be known."""
    if not is_live(spec, workspace):
        return None
    meant, options = meaning(spec, workspace)
    code = getattr(open_target(spec, dataset, workspace), "code", ())
    files = [each for each in code if isinstance(each, Path)]
    if meant == spec and not files:
        return None
    digest = hashlib.blake2b(json.dumps([meant, options], sort_keys=True, default=str).encode(), digest_size=8)
    for path in files:
        digest.update(path.read_bytes())
    return digest.hexdigest()


def asks_anyone(plan: Plan, workspace: Workspace) -> bool:
    """Whether a run of this plan asks a live target for answers."""
    return plan.responses_of is None and any(is_live(spec, workspace) for _, spec in plan.sides)
