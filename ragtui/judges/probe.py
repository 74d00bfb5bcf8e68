"""One tiny question to an endpoint: does it answer, in which formats, how fast, and what does it refuse?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ragtui.judges.concurrency import Concurrency
from ragtui.judges.endpoint import CallFailed, Endpoint, Usage
from ragtui.judges.judge import JudgeStopped
from ragtui.judges.profile import Profile
from ragtui.judges.prompts import claim_messages
from ragtui.judges.reply import ReplyError, read_choice
from ragtui.judges.retry import Patience

_TEXT: Final = "The gate opens at nine."
_HASTY: Final = Patience(times={"rate_limit": 3, "connection": 1, "timeout": 1})


@dataclass(frozen=True, slots=True)
class Probe:
    """``fault`` is what is wrong, in one line, empty where the endpoint answers; ``note`` is what is odd about its answer.
    ``answer_format`` is ``json_schema``, ``json_object`` or ``plain``; ``refused`` are parameters no longer sent."""

    fault: str = ""
    note: str = ""
    answer_format: str = ""
    refused: tuple[str, ...] = ()
    latency_ms: float | None = None

    @property
    def works(self) -> bool:
        return not self.fault


async def probe(profile: Profile, key: str) -> Probe:
    """Asks whether "The gate opens at nine." says so; needs a working endpoint for a second or less of its time."""
    endpoint = Endpoint(profile, key, Concurrency(1), _HASTY)
    usage = Usage()
    messages, schema = claim_messages("TEXT", [_TEXT], _TEXT)
    note = ""
    try:
        reply = await endpoint.send(messages, schema, usage)
        if read_choice(reply.text, reply.finish, "answer", {"yes": "yes", "no": "no"})[0] != "yes":
            note = "said no to a statement that stands in the text"
    except (CallFailed, JudgeStopped) as failure:
        return Probe(str(failure), refused=_refused(endpoint))
    except ReplyError as failure:
        note = f"does not answer as asked: {failure}"
    finally:
        await endpoint.close()
    return Probe("", note, _format(endpoint), _refused(endpoint), usage.seconds * 1000 / usage.attempts)


def _format(endpoint: Endpoint) -> str:
    return endpoint.learned.formats[0] if endpoint.learned.formats else "plain"


def _refused(endpoint: Endpoint) -> tuple[str, ...]:
    learned = endpoint.learned
    found = [] if learned.temperature else ["temperature"]
    if learned.limit_name != "max_tokens":
        found.append("max_tokens")
    return (*found, *(each for each in ("json_schema", "json_object") if each not in learned.formats))
