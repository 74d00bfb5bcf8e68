"""What kind of thing a question asks for, where its words tell, and whether a text has one."""

from __future__ import annotations

import re
from typing import Final

from ragtui.judges.embedded.languages import ENGLISH, Language, language_of
from ragtui.judges.embedded.wordlists import word_class
from ragtui.judges.embedded.words import analyse
from ragtui.judges.sentences import sentences

_YES_OR_NO: Final = re.compile(
    r"^\W*(?:is|are|was|were|do|does|did|can|could|may|must|should|will|would|has|have|am)\b", re.I
)
_ASKS: Final = (
    (_YES_OR_NO, "yes or no"),
    (re.compile(r"\bhow\s+(?:many|much|long|often|far|old|big|tall|high|fast|large|deep|heavy)\b", re.I), "an amount"),
    (re.compile(r"\bwhat\s+(?:percentage|share|number)\b", re.I), "an amount"),
    (re.compile(r"(?:^|[.,;:?!]\s*|\band\s+)when\b|\bhow\s+soon\b", re.I), "a time"),
    (re.compile(r"\b(?:what|which)\s+(?:time|date|day|year|month)\b", re.I), "a time"),
    (re.compile(r"\bhow\s+(?:do|does|can|could|should|would|must|may|to)\b", re.I), "a way to do it"),
    (re.compile(r"^\W*(?:who|whom|whose)\b", re.I), "a name"),
)
_ASKS_ELSEWHERE: Final = (
    (
        re.compile(
            r"\b(?:wie\s+(?:viele?|lange|teuer|hoch|oft|weit|groß|alt)|was\s+kostet|combien|cu[aá]nt[oa]s?|quant[oi]|"
            r"hoeveel|сколько)\b|多少|几个|いくら|いくつ",
            re.I,
        ),
        "an amount",
    ),
    (
        re.compile(
            r"\b(?:wann|um\s+wie\s?viel\s+uhr|quand|à\s+quelle\s+heure|cuándo|a\s+qué\s+hora|quando|a\s+che\s+ora|"
            r"wanneer|когда)\b|什么时候|几点|何時|いつ",
            re.I,
        ),
        "a time",
    ),
    (re.compile(r"^\W*(?:wer|wem|qui|quién(?:es)?|chi|quem|кто)\b|谁|誰", re.I), "a name"),
    (
        re.compile(
            r"^\W*(?:darf|dürfen|kann|können|könnte|muss|müssen|soll|sollte|ist|sind|hat|haben|habe|gibt|gilt|wird|brauche|"
            r"bekomme|est-ce\s+qu|puis-je|peut-on|faut-il|dois-je|doit-on|y\s+a-t-il|avez-vous|posso|può|devo|bisogna|"
            r"si\s+può|pode|preciso|há|mag|kan|moet)(?:\b|(?<=qu))|吗\W*$",
            re.I,
        ),
        "yes or no",
    ),
)
_SPANISH_ASKS: Final = re.compile(r"\b(?:qué|cu[aá]l|cu[aá]nt[oa]s?|quién(?:es)?|cómo|dónde|cuándo)\b", re.I)
_TIMES: Final = frozenset(["clock", "date", "month", "year", "weekday", "time", "ordinal", "rate"])
_TIME_WORDS: Final = re.compile(
    r"\b(?:before|after|when|once|during|until|daily|weekly|monthly|yearly|always|never|today|tomorrow|immediately|soon|now|by|every|within)\b",
    re.I,
)
_NUMBERS_ELSEWHERE: Final = re.compile(
    r"\d|[一二三四五六七八九十百千半]|\b(?:zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|dos|tres|cuatro|cinco|seis|siete|ocho|"
    r"nueve|diez|deux|trois|quatre|cinq|sept|huit|neuf|dix|due|tre|quattro|cinque|sette|otto|nove|dieci|dois|três|quatro|"
    r"gratis|kostenlos|gratuit[eo]?|два|три|четыре|пять)\b",
    re.I,
)
_TIMES_ELSEWHERE: Final = re.compile(
    r"\b(?:uhr|heures?|horas?|ore|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|lunes|martes|miércoles|jueves|"
    r"viernes|sábado|domingo|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|heute|morgen|hoy|mañana|demain|"
    r"aujourd'hui|täglich|cada|chaque)\b",
    re.I,
)
_ADVICE: Final = re.compile(
    r"\b(?:you|users?|one|please|customers?|members?)\s+(?:\w+\s+)?(?:can|need|must|should|may|have\s+to|could|will|are)\b|"
    r"\bby\s+\w+ing\b|\b(?:first|then|next|step|please)\b",
    re.I,
)
_SHORT_NAME: Final = 4
_DIRECT: Final = re.compile(
    r"^\W*(?:yes|no|not|only|never|always)\b|\b(?:not|cannot|can|may|must|is|are|does|do|will|should|n't)\b", re.I
)
_DIRECT_ELSEWHERE: Final = re.compile(
    r"^\W*(?:ja|nein|doch|oui|si|non|sí|no|sì|sim|não|nee|да|нет|可以|不|是|能|はい|いいえ|네|아니)", re.I
)
_SHORT: Final = 5
_SHORT_UNSPACED: Final = 10
_TELLS: Final = re.compile(
    r"^\W*(?:i|we|you|he|she|it|they|this|that|there)\b|\b(?:is|are|was|were|has|have|had|can|cannot|could|will|would|must|may|"
    r"might|should|do|does|did|like|\w+n['’]t)\b",
    re.I,
)


def kind_of(query: str, language: Language) -> str | None:
    """What kind of thing a question asks for, where its words tell."""
    asks = _ASKS if language is ENGLISH else _ASKS_ELSEWHERE
    found = next((kind for pattern, kind in asks if pattern.search(query)), None)
    if found is None and "¿" in query and not _SPANISH_ASKS.search(query):
        return "yes or no"
    return found


def holds(kind: str, text: str, query: str, language: Language = ENGLISH) -> bool:
    """Whether a text has what kind of thing is asked for."""
    if language is not ENGLISH and _holds_elsewhere(kind, text):
        return True
    if kind == "yes or no":
        return language is ENGLISH and bool(_DIRECT.search(text))
    if kind == "a way to do it":
        return any(_instructs(sentence.text) for sentence in sentences(text, language_of(text).code))
    lines = [analyse(sentence.text, language_of(text)) for sentence in sentences(text, language_of(text).code)]
    if kind == "an amount":
        return any(line.quantities for line in lines) or bool(re.search(r"\d", text))
    if kind == "a time":
        timed = any(each.kind in _TIMES or each.kind == "count" for line in lines for each in line.quantities)
        return timed or bool(_TIME_WORDS.search(text))
    asked = query.lower()
    named = any(word.name and word.text.lower() not in asked for line in lines for word in line.words)
    return named or (len(text.split()) <= _SHORT_NAME and text[:1].isupper())


def _holds_elsewhere(kind: str, text: str) -> bool:
    if kind == "yes or no":
        found = language_of(text)
        return bool(_DIRECT_ELSEWHERE.search(text)) or not found.negations.isdisjoint(text.lower().split())
    if kind == "an amount":
        return bool(_NUMBERS_ELSEWHERE.search(text))
    return kind == "a time" and bool(_NUMBERS_ELSEWHERE.search(text) or _TIMES_ELSEWHERE.search(text))


def is_short(text: str) -> bool:
    """A few words without a verb: what people answer to "Which one?". It need not repeat the question's words."""
    flat = text.strip()
    if not any(each.isalnum() for each in flat):
        return False
    unspaced = language_of(flat).code in ("zh", "ja")
    few = len(flat) <= _SHORT_UNSPACED if unspaced else len(flat.split()) <= _SHORT
    return few and not _TELLS.search(flat)


def _instructs(sentence: str) -> bool:
    """ "Open the portal", "you need to …", "by choosing …"."""
    begins = re.findall(r"(?:^\W*|,\s*|:\s*)(\w+)", sentence.lower())
    return not word_class("instructions").isdisjoint(begins) or bool(_ADVICE.search(sentence))
