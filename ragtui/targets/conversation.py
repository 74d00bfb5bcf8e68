"""Replays a whole conversation: each of the user's turns is asked in order, with the target's own answers before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ragtui.metrics.score import State
from ragtui.targets.around import Around
from ragtui.targets.calling import only
from ragtui.targets.target import Case, Response


class WholeConversation(Around):
    """A case with a history is answered turn by turn and has the answer to the last one; what was said on the way stands
    in ``extra`` under ``turns``. Time, tokens and cost are of all its turns."""

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
