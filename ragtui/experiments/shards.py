"""Shards: a run spread over machines or processes. Each takes the cases whose id falls to it, into a store of its own.

A shard's store holds the experiment under the same id as the whole, with all of its cases; only those of the shard are
answered and scored. ``merging`` brings the stores together.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ragtui.experiments.plan import Plan
from ragtui.workspace import Workspace

if TYPE_CHECKING:
    from ragtui.judges.profile import Profile

FOLDER: Final = "shards"
MOST: Final = 10_000
_FORM: Final = re.compile(r"\s*(\d+)\s*/\s*(\d+)\s*")


class ShardError(ValueError):
    """A shard cannot be used as asked for; the message is one line with the remedy."""


@dataclass(frozen=True, slots=True)
class Shard:
    """One part of ``of``; ``number`` counts from 1."""

    number: int
    of: int

    @classmethod
    def read(cls, text: str) -> Shard:
        """Reads ``2/4``.

        Raises:
            ShardError: it is not of that form.
        """
        found = _FORM.fullmatch(text)
        if found is None or not 1 <= int(found[1]) <= int(found[2]) <= MOST:
            raise ShardError(f"--shard {text!r}: write NUMBER/OF, from 1/4 to 4/4 for four shards")
        return cls(int(found[1]), int(found[2]))

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    @property
    def folder(self) -> str:
        return f"{self.number}-of-{self.of}"

    def holds(self, case_id: str) -> bool:
        """Whether a case falls to this shard: by its id alone, so that every machine comes to the same."""
        return shard_of(case_id, self.of) == self.number

    def positions(self, case_ids: Sequence[str]) -> list[int]:
        """The positions of the cases that fall to this shard, in order."""
        return [at for at, case_id in enumerate(case_ids) if self.holds(case_id)]

    def part(self, whole: int) -> int:
        """This shard's share of a number: all shards' together are the whole, none has less than 1."""
        base, rest = divmod(whole, self.of)
        return max(1, base + (1 if self.number <= rest else 0))

    def limited(self, profile: Profile) -> Profile:
        """A judge's profile with this shard's share of the requests and tokens per minute."""
        requests, tokens = profile.requests_per_minute, profile.tokens_per_minute
        return replace(
            profile,
            requests_per_minute=None if requests is None else self.part(requests),
            tokens_per_minute=None if tokens is None else self.part(tokens),
        )


def shard_of(case_id: str, of: int) -> int:
    """The number, from 1, of the shard that a case falls to among ``of``."""
    digest = hashlib.blake2b(case_id.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") % of + 1


@dataclass(frozen=True)
class _ShardWorkspace(Workspace):
    """A workspace whose state lies in the folder of one shard."""

    folder: Path = Path()

    @property
    def state(self) -> Path:
        return self.folder


def shard_folder(workspace: Workspace, plan: Plan, shard: Shard) -> Path:
    """Where the store of a shard lies: one folder each, so that processes on a shared disk do not wait for each other."""
    return workspace.state / FOLDER / plan.id / shard.folder


def at_folder(workspace: Workspace, folder: Path) -> Workspace:
    """The workspace as a shard sees it: its files and settings, with the state in ``folder``."""
    return _ShardWorkspace(workspace.root, workspace.config, folder)
