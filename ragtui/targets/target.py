"""The one interface of everything that answers for a case."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from ragtui.metrics.score import State

if TYPE_CHECKING:
    import polars as pl


class TargetError(Exception):
    """A target cannot be used at all (no such column, file, module); the message is one line with the remedy."""


@dataclass(frozen=True, slots=True)
class Case:
    """A test case as a target may see it. Expected values are not here, on purpose.

    ``query`` is what is asked: the ``query`` among the inputs, else the first of them. ``contexts`` are those that the
    dataset brings for answering with, ``history`` the messages (``role``, ``content``) before the last one of the user.
    """

    case_id: str
    inputs: Mapping[str, str]
    filters: Mapping[str, object] = field(default_factory=dict)
    contexts: tuple[str, ...] = ()
    history: tuple[Mapping[str, str], ...] = ()
    setup: str | None = None  # the case's own setup script, by its name

    @property
    def query(self) -> str:
        return self.inputs.get("query") or next(iter(self.inputs.values()), "")

    def question(self, with_contexts: bool = False) -> dict[str, Any]:
        """The case as programs and servers get it: ``query``, ``inputs``, ``filters``, and ``history`` where there is one."""
        found: dict[str, Any] = {"query": self.query, "inputs": dict(self.inputs), "filters": dict(self.filters)}
        if self.history:
            found["history"] = [dict(each) for each in self.history]
        if with_contexts:
            found["contexts"] = list(self.contexts)
        return found


@dataclass(frozen=True, slots=True)
class Response:
    """What a target gave for one case. ``state`` is ``scored`` for an answer (also an empty one), ``target_error`` with
    its cause, or ``pending`` where nothing was recorded. ``ranking`` is ``(document id, score)``, best first.

    ``extra`` are further fields of a target's output, for ``${target.x}``.
    """

    case_id: str
    state: State = State.SCORED
    cause: str | None = None
    message: str = ""
    text: str | None = None
    contexts: tuple[str, ...] | None = None
    ranking: tuple[tuple[str, float], ...] | None = None
    latency_ms: float | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost: float | None = None
    extra: Mapping[str, object] = field(default_factory=dict)


class Ranker(Protocol):
    """A target that has all rankings at once, so that a hundred thousand queries need not become objects."""

    async def rankings(self) -> pl.DataFrame:
        """``query_id, doc_id, score``, each pair once, for the dataset's queries; one without hits has no row."""
        ...


class Target(Protocol):
    """Who answers. ``replays`` is true where responses are only looked up, so that asking again is free.

    A target that runs code of the workspace also has ``code``: the files and texts that the user must have allowed
    (``ragtui.trust``) before ``respond`` is called. Opening one runs nothing. One whose answers may come with something
    to be said of them all (answers too many) also has ``remarks()``, a line each, once it is closed.
    """

    @property
    def spec(self) -> str: ...

    @property
    def replays(self) -> bool: ...

    @property
    def host(self) -> str | None: ...

    def respond(self, cases: Sequence[Case]) -> AsyncIterator[Response]:
        """Answers each case once, in any order, as answers come. One case's failure is its response, never an
        exception."""
        ...

    async def close(self) -> None: ...
