"""Answers that decline, and sentences that state nothing."""

from __future__ import annotations

import re
from typing import Final

_VERBS: Final = "find|answer|help|know|locate|see|have|provide|determine|say|sure|assist|access|give|tell"
_SOURCES: Final = "context|documents?|information|sources?|articles?|passages?|knowledge base|materials?|texts?|files?"
_SAY: Final = "contain|say|mention|include|specify|provide|state|cover|describe|give|list|answer|explain|indicate|address|discuss|tell|hold"
_ANSWER: Final = "information|mention|details?|answers?|data|references?|hints?|entry|statement"
_TOLD: Final = "mentioned|stated|specified|provided|covered|described|contained"
_WORDS: Final = r"(?:[\w']+ ){0,3}?"

# What declines, with the words of which one must be there: most sentences hold none, and are done with sooner.
_DECLINING: Final = {
    ("sorry", "afraid", "unable", "not"): (
        r"\bi(?: am|'m) (?:sorry|afraid|unable|not able|not sure)\b",
        r"\bunable to (?:find|answer|help|locate|provide|determine)\b",
    ),
    ("not", "n't"): (
        rf"\bi (?:cannot|can't|can not|couldn't|could not|don't|do not|didn't|did not|wasn't|was not) {_WORDS}(?:{_VERBS}|able)\b",
        rf"\b(?:the|these|this|my|provided|given) {_WORDS}(?:{_SOURCES}) {_WORDS}"
        rf"(?:do(?:es)? not|don't|doesn't|did not|didn't) (?:\w+ ){{0,2}}?(?:{_SAY})\b",
        rf"\b(?:is|are|was|were)(?: not|n't) (?:{_TOLD}) {_WORDS}(?:in|by) (?:the|this|these|my)\b",
        r"\b(?:cannot|can't|can not) be (?:answered|determined|found)\b",
    ),
    ("no ", "not enough ", "insufficient "): (
        rf"\b(?:the|these|this|my|provided|given) {_WORDS}(?:{_SOURCES}) {_WORDS}"
        rf"(?:has|have|holds?|contains?|gives?|provides?) no (?:\w+ )?(?:{_ANSWER})\b",
        rf"\b(?:no|not enough|insufficient) {_WORDS}information {_WORDS}(?:available|found|provided|in|about|on|to)\b",
        r"\bno (?:answer|relevant \w+|matching \w+) (?:was |were |could be )?found\b",
        r"\bno (?:puedo|pude|encontré|encuentro|tengo|sé|dispongo|cuento con)\b",
        r"\bno (?:se )?(?:he|ha|hemos|han) (?:podido |logrado )?(?:encontr|hall|localiz)(?:ado|ar)\b",
        r"\bno se (?:encontr(?:ó|aron)|encuentran?|mencionan?|especifican?|indican?)\b",
        r"\bno (?:hay|existe|aparece) (?:ningun[ao] )?(?:información|datos|mención|referencias?|detalles)\b",
        rf"\b(?:el|los|la|las|estos?|este) {_WORDS}(?:documentos?|contexto|textos?|artículos?|fuentes?|pasajes?) {_WORDS}no "
        r"(?:mencionan?|contienen?|indican?|dicen?|especifican?|hablan|habla|incluyen?|proporcionan?)\b",
    ),
    ("nicht", "kein", "leid"): (
        r"\bich (?:kann|konnte|habe|weiß|weiss) (?:\w+ ){0,4}?(?:nichts?|keine?n?)\b",
        r"\b(?:sagen|steht|stehen|enthalten|enthält|nennen|finden sich|gibt es) (?:\w+ ){0,5}?"
        r"(?:nichts|keine?n? (?:angaben|informationen|hinweise?))\b",
        r"\b(?:leider nicht|tut mir leid)\b",
        r"\b(?:konnte|konnten|wurde|wurden) (?:\w+ ){0,5}?nicht (?:gefunden|finden|erwähnt|genannt)\b",
        r"\b(?:wird|werden|ist|sind) (?:\w+ ){0,5}?nicht (?:erwähnt|genannt|angegeben)\b",
    ),
    ("je n", "désol", "aucune", "pas d", "n'est pas "): (
        r"\bje (?:ne |n')(?:\w+ ){0,3}?(?:pas|trouve)\b",
        r"\bdésolée?\b",
        r"\b(?:aucune|pas d['e ]) ?(?:information|mention|réponse)\b",
        r"\bn'est pas (?:mentionnée?|indiquée?|précisée?)\b",
    ),
    ("lo siento", "mi dispiace", "non ", "não "): (
        r"\b(?:lo siento|mi dispiace)\b",
        r"\bnon (?:è|sono) (?:menzionat|indicat|specificat)[oaie]\b",
        r"\bnon (?:ho|posso|so|trovo|riesco)\b",
        r"\bnão (?:encontrei|consegui encontrar|há informaç(?:ão|ões)|sei|posso)\b",
    ),
    ("抱歉", "对不起", "無法", "无法", "没有找到", "找不到", "未找到", "申し訳", "見つかりません", "わかりません", "죄송", "찾을 수 없"): (
        "抱歉|对不起|無法|无法(?:回答|找到|提供)|没有找到|找不到|未找到|申し訳|見つかりません|わかりません|죄송|찾을 수 없",
    ),
}  # fmt: skip
_EMPTY_TALK: Final = (
    r"(?:i )?hope (?:this|that|it)\b.*",
    r"(?:please )?(?:let me know|feel free|do not hesitate|don't hesitate|contact us if)\b.*",
    r"(?:sure|certainly|of course|great question|good question)\b[ ,.!]*(?:here (?:is|are|you)\b.*)?",
    r"(?:ja|nein|oui|non|sí|si|não|はい|いいえ|是的?|不是?)",
    r"(?:hello|hi|thanks?(?: you)?|yes|no|ok(?:ay)?)\b[ ,.!]*(?:here (?:is|are|you)\b.*)?",
    r"here (?:is|are)\b[^.]*:?",
    r"is there anything else\b.*",
    r"you(?:'re| are) welcome\b.*",
    r"(?:sources?|references?) ?:.*",
)
_REFUSALS: Final = {words: re.compile("|".join(known), re.IGNORECASE) for words, known in _DECLINING.items()}
_SMALL_TALK: Final = re.compile(rf"\W*(?:{'|'.join(_EMPTY_TALK)})\W*", re.IGNORECASE)


def declines(sentence: str) -> bool:
    """Whether a sentence only says that there is no answer."""
    flat = _flat(sentence)
    lowered = flat.casefold()
    for words, pattern in _REFUSALS.items():
        for word in words:
            if word in lowered:
                if pattern.search(flat):
                    return True
                break
    return False


def states_nothing(sentence: str) -> bool:
    """Questions, greetings and offers of help: nothing that could be true or false."""
    flat = _flat(sentence)
    return flat.endswith(("?", "？")) or bool(_SMALL_TALK.fullmatch(flat))


def _flat(sentence: str) -> str:
    return " ".join(sentence.replace("’", "'").split())
