"""Replays a whole conversation: each of the user's turns is asked in order, with the target's own answers before it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace

from ragtui.metrics.score import State
from ragtui.targets.calling import Limits, answers, only
from ragtui.targets.target import Case, Response, Target


@dataclass(eq=False)
class WholeConversation:
    """A case with a history is answered turn by turn and has the answer to the last one; what was said on the way stands
    in ``extra`` under ``turns``. Time, tokens and cost are of all its turns."""

    target: Target

    @property
    def spec(self) -> str:
        return self.target.spec

    @property
    def replays(self) -> bool:
        return self.target.replays

    @property
    def host(self) -> str | None:
        return self.target.host

    @property
    def code(self) -> object:
        return getattr(self.target, "code", ())

    @property
    def limits(self) -> Limits:
        found: Limits = getattr(self.target, "limits", Limits())
        return found

    def respond(self, cases: Sequence[Case]) -> AsyncIterator[Response]:
        """Each case's last answer as it comes."""
        return answers(cases, self._ask, Limits(self.limits.concurrency, 86_400.0, 0))

    async def close(self) -> None:
        await self.target.close()

    async def _ask(self, case: Case) -> Response:
        asked = [each["content"] for each in case.history if each["role"] == "user"]
        said: list[dict[str, str]] = [dict(each) for each in case.history if each["role"] == "system"]
        given: list[Response] = []
        for place, query in enumerate([*asked, case.query], start=1):
            turn = replace(case, inputs={**case.inputs, "query": query}, history=tuple(said))
            found = await only(self.target.respond([turn]))
            if found.state is not State.SCORED:
                return replace(found, message=f"turn {place} of {len(asked) + 1}: {found.message}")
            given.append(found)
            said += [{"role": "user", "content": query}, {"role": "assistant", "content": found.text or ""}]
        return _summed(given, said[:-2]) if asked else given[-1]


def _summed(given: Sequence[Response], turns: Sequence[dict[str, str]]) -> Response:
    def whole(name: str) -> float | None:
        values = [getattr(each, name) for each in given]
        return None if any(each is None for each in values) else sum(values)

    read, written = whole("prompt_tokens"), whole("completion_tokens")
    return replace(
        given[-1],
        latency_ms=whole("latency_ms"),
        cost=whole("cost"),
        prompt_tokens=None if read is None else int(read),
        completion_tokens=None if written is None else int(written),
        extra={**given[-1].extra, "turns": list(turns)},
    )
