"""A model behind an OpenAI-compatible or Azure endpoint as a judge, by either strategy."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final, TypeVar

from ragtui.judges.applicability import texts_of, why_nothing
from ragtui.judges.claims import ONE_REFERENCE, ask_by_claims, counted, first_calls
from ragtui.judges.concurrency import Concurrency
from ragtui.judges.consistency import contradiction
from ragtui.judges.endpoint import CallFailed, Endpoint, Reply, Usage
from ragtui.judges.judge import Question, Verdict
from ragtui.judges.profile import Profile
from ragtui.judges.prompts import VERSION, Messages, Schema, facts_messages, rubric_messages, with_fault
from ragtui.judges.reply import OUT_OF_RANGE, REFUSED, TRUNCATED, UNPARSABLE, ReplyError, Score, read_object, read_score
from ragtui.judges.retry import Patience
from ragtui.metrics.judged import OWN, RUBRICS, Rubric
from ragtui.metrics.score import Evidence, State

T = TypeVar("T")

_LONGER: Final = 4
_BETWEEN: Final = "\n\n――― next call ―――\n\n"


@dataclass(slots=True)
class Interview:
    """The calls made for one question, for its record and its price."""

    usage: Usage = field(default_factory=Usage)
    prompts: list[str] = field(default_factory=list)
    replies: list[str] = field(default_factory=list)
    repaired: bool = False


class OpenAIJudge:
    """One model. ``ask`` handles everything about one case; ``concurrency`` is shared by all that are asked at once."""

    def __init__(self, profile: Profile, key: str, *, patience: Patience | None = None) -> None:
        self.profile = profile
        self.name = profile.name
        self.strategy = profile.chosen_strategy
        self.host = profile.host
        self._endpoint = Endpoint(profile, key, _concurrency(profile), patience)

    @property
    def concurrency(self) -> Concurrency:
        return self._endpoint.concurrency

    @concurrency.setter
    def concurrency(self, shared: Concurrency) -> None:
        self._endpoint.concurrency = shared

    @property
    def notes(self) -> tuple[str, ...]:
        """What the endpoint refused in this run and what follows from it."""
        return self._endpoint.learned.notes

    def refuses(self, question: str) -> str | None:
        known = question in RUBRICS or question == "facts" or question.startswith(OWN)
        return None if known else f"there is no rubric for {question!r}"

    def cache_key(self, question: Question) -> str | None:
        asked = [call for each in self._by_reference(question) for call in self._first_calls(each)]
        profile = self.profile
        decoding = (profile.temperature, profile.max_tokens)
        whole = [VERSION, profile.base_url, profile.api_version, profile.model, decoding, self.strategy, question.name]
        text = json.dumps([*whole, question.version, question.repeat, asked], ensure_ascii=False)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

    async def ask(self, question: Question) -> Verdict:
        nothing = why_nothing(question)
        if nothing is not None:
            return Verdict(State.NOT_APPLICABLE, reason=nothing)
        interview = Interview()
        try:
            verdict = await self._best(question, interview)
        except (CallFailed, ReplyError) as failure:
            verdict = Verdict(State.JUDGE_ERROR, cause=failure.cause, reason=str(failure))
        return self._recorded(verdict, interview)

    async def close(self) -> None:
        await self._endpoint.close()

    def _by_reference(self, question: Question) -> list[Question]:
        """One question a reference where each is judged for itself; a rubric is shown all of them at once."""
        references = texts_of(question.inputs, "ground_truth")
        alone = question.name == "facts" or (self.strategy == "claims" and question.name in ONE_REFERENCE)
        if not alone or len(references) < 2:
            return [question]
        return [replace(question, inputs={**question.inputs, "ground_truth": (each,)}) for each in references]

    def _first_calls(self, question: Question) -> list[tuple[Messages, Schema]]:
        calls = first_calls(question) if self.strategy == "claims" else None
        if calls is not None:
            return calls
        if question.name == "facts":
            return [facts_messages(question.inputs)]
        return [rubric_messages(_rubric_of(question), question.inputs)]

    async def _best(self, question: Question, interview: Interview) -> Verdict:
        """The verdict against the reference that it is best for; none is asked for after a perfect one."""
        best: Verdict | None = None
        for each in self._by_reference(question):
            verdict = await self._one_reference(each, interview)
            if best is None or _goodness(verdict) > _goodness(best):
                best = verdict
            if _goodness(best) >= 1:
                break
        assert best is not None
        return best

    async def _one_reference(self, question: Question, interview: Interview) -> Verdict:
        verdict = await ask_by_claims(self, question, interview) if self.strategy == "claims" else None
        if verdict is not None:
            return verdict
        return await (self._facts if question.name == "facts" else self._rubric)(question, interview)

    async def put(
        self, messages: Messages, schema: Schema, read: Callable[[str | None, str | None], T], interview: Interview
    ) -> T:
        """Asks and reads; once more with the fault named, or with a larger limit after a reply that was cut off.

        Raises:
            CallFailed: no reply.
            ReplyError: no usable reply.
            JudgeStopped: asking on is pointless.
        """
        try:
            return await self._put_once(messages, schema, read, interview)
        except ReplyError as fault:
            if fault.cause == TRUNCATED:
                return await self._put_once(messages, schema, read, interview, longer=_LONGER)
            if fault.cause not in (UNPARSABLE, OUT_OF_RANGE):
                raise
            again = with_fault(messages, interview.replies[-1], str(fault))
            return await self._put_once(again, schema, read, interview)

    async def _put_once(
        self,
        messages: Messages,
        schema: Schema,
        read: Callable[[str | None, str | None], T],
        interview: Interview,
        *,
        longer: int = 1,
    ) -> T:
        interview.prompts.append(_rendered(messages))
        reply = await self._endpoint.send(messages, schema, interview.usage, longer=longer)
        interview.replies.append(_raw(reply))
        if reply.refusal and not reply.text:
            raise ReplyError(REFUSED, "the model refused: " + " ".join(reply.refusal.split())[:200])
        value = read(reply.text, reply.finish)
        if longer > 1:
            self._endpoint.learned.output_factor = longer  # this model needs the room: give it from now on
        return value

    async def _rubric(self, question: Question, interview: Interview) -> Verdict:
        rubric = _rubric_of(question)
        messages, schema = rubric_messages(rubric, question.inputs)

        def read(text: str | None, finish: str | None) -> Score:
            return read_score(text, finish, rubric.low, rubric.high)

        found = await self.put(messages, schema, read, interview)
        interview.repaired |= found.repaired
        if found.value is None:
            return Verdict(State.NOT_APPLICABLE, reason=found.reason)
        doubt = "" if question.rubric else contradiction(found.value, found.reason, (), rubric.low, rubric.high)
        return Verdict(State.SCORED, found.value, reason=f"{found.reason} [{doubt}]" if doubt else found.reason)

    async def _facts(self, question: Question, interview: Interview) -> Verdict:
        messages, schema = facts_messages(question.inputs)
        evidence, repaired = await self.put(messages, schema, _read_facts, interview)
        interview.repaired |= repaired
        if not evidence:
            return Verdict(State.NOT_APPLICABLE, reason="the ground truth states no facts")
        return Verdict(State.SCORED, None, reason=counted(evidence), evidence=evidence)

    def _recorded(self, verdict: Verdict, interview: Interview) -> Verdict:
        usage, profile = interview.usage, self.profile
        return Verdict(
            verdict.state,
            verdict.score,
            verdict.cause,
            verdict.reason,
            verdict.evidence,
            prompt=_BETWEEN.join(interview.prompts) or None,
            reply=_BETWEEN.join(interview.replies) if interview.replies else None,
            repaired=interview.repaired,
            attempts=usage.attempts,
            prompt_tokens=usage.prompt_tokens,
            completion_tokens=usage.completion_tokens,
            cost=price(profile, usage.prompt_tokens, usage.completion_tokens),
            latency_ms=usage.seconds * 1000 if usage.attempts else None,
        )


def price(profile: Profile, prompt_tokens: int | None, completion_tokens: int | None) -> float | None:
    """USD; ``None`` where a price or a token count is unknown."""
    if profile.price_in is None or profile.price_out is None or prompt_tokens is None or completion_tokens is None:
        return None
    return (prompt_tokens * profile.price_in + completion_tokens * profile.price_out) / 1e6


def _rubric_of(question: Question) -> Rubric:
    return RUBRICS[question.name] if question.rubric is None else question.rubric


def _concurrency(profile: Profile) -> Concurrency:
    return Concurrency(
        profile.concurrency,
        requests_per_minute=profile.requests_per_minute,
        tokens_per_minute=profile.tokens_per_minute,
    )


def _goodness(verdict: Verdict) -> float:
    """0 to 1: the score on its scale, or the share of facts that the answer states; -1 without a verdict."""
    if verdict.state is not State.SCORED:
        return -1.0
    if verdict.score is not None:
        return (verdict.score - 1) / 4
    return sum(each.verdict == "entailed" for each in verdict.evidence) / max(len(verdict.evidence), 1)


def _rendered(messages: Messages) -> str:
    return "\n\n".join(f"[{each['role']}]\n{each['content']}" for each in messages)


def _raw(reply: Reply) -> str:
    return reply.text or reply.refusal or ""


def _read_facts(text: str | None, finish: str | None) -> tuple[tuple[Evidence, ...], bool]:
    found = read_object(text, finish, "facts")
    rows = found.fields["facts"]
    if not isinstance(rows, list):
        raise ReplyError(UNPARSABLE, "facts is not a list")
    evidence = []
    for row in rows:
        claim = row.get("fact") if isinstance(row, dict) else None
        verdict = (
            str(row.get("verdict") or row.get("entailment") or "").strip().lower() if isinstance(row, dict) else ""
        )
        if not isinstance(claim, str) or verdict not in ("entailed", "contradicted", "neutral"):
            raise ReplyError(UNPARSABLE, "a fact lacks its text or one of entailed, contradicted, neutral")
        evidence.append(Evidence(claim, verdict))
    return tuple(evidence), found.repaired
