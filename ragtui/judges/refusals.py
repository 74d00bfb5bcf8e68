"""Answers that decline, and sentences that state nothing."""

from __future__ import annotations

import re
from typing import Final

_REFUSAL: Final = re.compile(
    r"""\b(?:
      i\s+(?:am|'m)\s+(?:sorry|afraid|unable|not\s+able)
    | i\s+(?:could|can|did|do|was|am)\s*(?:not|n't)\s+(?:\w+\s+){0,2}?(?:find|answer|help|know|locate|see|have|provide|determine|say|able|sure|assist|access)
    | i\s+(?:cannot|can't|couldn't|don't|didn't|wasn't)\s+(?:\w+\s+){0,2}?(?:find|answer|help|know|locate|see|have|provide|determine|say|able|sure|assist|access)
    | (?:the|these|this|my|provided|given)\s+(?:\w+\s+){0,3}?(?:context|documents?|information|sources?|articles?|passages?|knowledge\s+base|materials?|texts?)\s+
      (?:\w+\s+){0,2}?(?:do(?:es)?\s+not|don't|doesn't|did\s+not|didn't|has\s+no|have\s+no|contains?\s+no|gives?\s+no|provides?\s+no)
    | (?:there\s+is\s+)?(?:no|not\s+enough|insufficient)\s+(?:\w+\s+){0,2}?information\s+(?:\w+\s+){0,4}?(?:available|found|provided|in|about|on|to)
    | (?:is|are|was|were)\s+not\s+(?:mentioned|stated|specified|provided|given|covered|described|contained)\s+(?:\w+\s+){0,2}?(?:in|by)\s+(?:the|this|these|my)
    | (?:cannot|can't|can\s+not)\s+be\s+(?:answered|determined|found)
    | no\s+(?:answer|relevant\s+\w+|matching\s+\w+)\s+(?:was\s+|were\s+|could\s+be\s+)?found
    | unable\s+to\s+(?:find|answer|help|locate|provide|determine)
    | ich\s+(?:kann|konnte|habe|weiß|weiss)\s+(?:\w+\s+){0,4}?(?:nicht|keine?n?)\b | (?:leider|tut\s+mir\s+leid)
    | je\s+(?:ne|n')\s*(?:\w+\s+){0,3}?(?:pas|trouve) | désolé
    | no\s+(?:puedo|pude|encontré|encuentro|tengo|sé)\b | lo\s+siento
    | non\s+(?:ho|posso|so|trovo|riesco)\b | mi\s+dispiace
    )""",
    re.IGNORECASE | re.VERBOSE,
)  # fmt: skip
_REFUSAL_CJK: Final = re.compile(
    "抱歉|对不起|無法|无法(?:回答|找到|提供)|没有找到|找不到|未找到|申し訳|見つかりません|わかりません|죄송|찾을 수 없"
)
_SMALL_TALK: Final = re.compile(
    r"""^\W*(?:
      (?:i\s+)?hope\s+(?:this|that|it)\b.* | (?:please\s+)?(?:let\s+me\s+know|feel\s+free|do\s+not\s+hesitate|don't\s+hesitate|contact\s+us\s+if)\b.*
    | (?:sure|certainly|of\s+course|great\s+question|good\s+question|hello|hi|thanks?(?:\s+you)?|yes|no|ok(?:ay)?)\b[\s,.!]*(?:here\s+(?:is|are|you)\b.*)?
    | here\s+(?:is|are)\b[^.]*:? | is\s+there\s+anything\s+else\b.* | (?:you(?:'re|\s+are)\s+welcome)\b.* | (?:source|sources|reference|references)\s*:.*
    )\W*$""",
    re.IGNORECASE | re.VERBOSE,
)


def declines(sentence: str) -> bool:
    """Whether a sentence only says that there is no answer."""
    flat = sentence.replace("’", "'")
    return bool(_REFUSAL.search(flat) or _REFUSAL_CJK.search(flat))


def states_nothing(sentence: str) -> bool:
    """Questions, greetings and offers of help: nothing that could be true or false."""
    flat = sentence.replace("’", "'").strip()
    return flat.endswith(("?", "？")) or bool(_SMALL_TALK.match(flat))
