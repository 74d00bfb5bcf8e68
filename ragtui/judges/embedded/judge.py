"""The embedded judge behind the interface of every judge."""

from __future__ import annotations

from typing import Final

from ragtui.judges.judge import Question, Verdict
from ragtui.metrics.score import State

NEEDS_MODEL: Final = "needs a model judge: the embedded judge only compares words"
_JUDGES: Final = ("groundedness", "relevance", "retrieval", "similarity", "response_completeness", "facts")


class EmbeddedJudge:
    """Judges without a model, a key or a network. The same question always gets the same verdict, at no cost.

    It is a heuristic: it compares words, their usual synonyms and opposites, numbers with units, names and negations. It
    does not reason, and outside English it only has stems and numbers.
    """

    name = "embedded"
    strategy = "heuristic"
    host: str | None = None

    def refuses(self, question: str) -> str | None:
        return None if question in _JUDGES else NEEDS_MODEL

    def cache_key(self, question: Question) -> str | None:
        return None

    async def ask(self, question: Question) -> Verdict:
        return self.judge(question)

    def judge(self, question: Question) -> Verdict:
        """The verdict, without a detour over an event loop."""
        from ragtui.judges.embedded.questions import answer

        refusal = self.refuses(question.name)
        if refusal is not None:
            return Verdict(State.NOT_APPLICABLE, reason=refusal)
        return answer(question)

    async def close(self) -> None:
        return None
