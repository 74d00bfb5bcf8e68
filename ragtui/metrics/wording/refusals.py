"""Answers that say there is no answer, in several languages. What matched is said, so that nobody has to guess."""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import Any, Final

_APOSTROPHES: Final = str.maketrans({"’": "'", "‘": "'", "ʼ": "'"})

_PHRASES: Final = {
    "English": (
        r"(?:i|we)(?:'m| am|'re| are)? (?:do(?:n't| not)|can(?:'t|not| not)|could(?:n't| not)|did(?:n't| not)|was(?:n't| not) "
        r"able to|(?:am |are )?unable to|not able to) (?:\w+ ){0,2}?(?:know|answer|find|see|locate|determine|say|tell|have (?:any |enough "
        r"|sufficient |the )?(?:information|context|data|answer))",
        r"(?:i'm|i am|we're|we are) (?:not sure|unable to \w+|not able to \w+)",
        r"(?:no|not enough|insufficient) (?:\w+ ){0,2}?information (?:\w+ ){0,3}?(?:available|found|provided|given|in|on|about|to)",
        r"(?:the|this|these|your|provided|given|available) (?:\w+ ){0,3}?(?:contexts?|documents?|sources?|texts?|passages?|articles?"
        r"|information) (?:\w+ )?(?:do(?:es)?n't|do(?:es)? not|did(?:n't| not)) (?:\w+ )?(?:contain|mention|say|state|include"
        r"|provide|specify|answer|have|cover|give|address)",
        r"(?:is|are|was|were)(?:n't| not) (?:\w+ )?(?:mentioned|stated|specified|provided|given|covered|contained|included|described)"
        r" in (?:the|this|these|my|your|any)",
        r"no (?:relevant )?(?:answer|result|results|document|documents|match) (?:\w+ ){0,2}?(?:found|available)",
        r"(?:cannot|can't|can not|could not|couldn't) be (?:answered|determined|found)",
        r"the (?:answer|information) is not (?:available|known)",
        r"there is no (?:\w+ )?(?:information|answer|mention)",
    ),
    "German": (
        r"(?:ich|wir) (?:weiß|weiss|wissen) (?:\w+ ){0,3}?nicht",
        r"(?:kann|konnte|können|konnten) (?:ich|wir)? ?(?:\w+ ){0,6}?(?:nicht|keine?\w*) (?:\w+ ){0,4}?(?:beantworten|finden|sagen|gefunden"
        r"|entnehmen|ermitteln)",
        r"(?:keine?\w*) (?:\w+ ){0,3}?(?:informationen?|angaben?|antwort\w*|treffer|ergebnisse?|dokumente?|hinweise?) "
        r"(?:\w+ ){0,6}?(?:gefunden|vorhanden|enthalten|verfügbar|finden|zu|über|dazu)",
        r"(?:nicht|keine?\w*) (?:\w+ ){0,4}?(?:im|in den|in dem|aus dem|aus den) (?:\w+ ){0,2}?(?:kontext|dokument\w*|text\w*|quellen?) "
        r"(?:\w+ ){0,2}?(?:enthalten|erwähnt|genannt|angegeben|hervor)",
        r"(?:dokument\w*|kontext|quellen?|texte?) (?:enthält|enthalten|geben|gibt|nennt|nennen) (?:\w+ ){0,3}?(?:keine?\w*|nicht)",
    ),
    "French": (
        r"je ne (?:sais|peux|trouve|dispose|suis) (?:\w+ ){0,3}?pas",
        r"je n'ai (?:pas|aucune) (?:\w+ ){0,3}?(?:trouvé|information|réponse)",
        r"aucune? (?:\w+ ){0,2}?(?:information|réponse|résultat|document|mention)",
        r"(?:documents?|contexte|sources?|textes?) (?:fournis? |donnés? )?ne (?:contien\w+|mentionn\w+|précis\w+|fourni\w+) pas",
        r"n'est pas (?:\w+ )?(?:mentionnée?|précisée?|indiquée?|fournie?) dans",
    ),
    "Spanish": (
        r"no (?:lo )?(?:sé|puedo (?:responder|encontrar|determinar)|encuentro|encontré|dispongo|tengo (?:\w+ ){0,2}?(?:información|datos))",
        r"no (?:hay|existe|se encontró|se encontraron|se menciona|se especifica|se proporciona|contiene[n]?) "
        r"(?:\w+ ){0,3}?(?:información|respuesta|resultados?|datos|documentos?|en el|en los)",
        r"(?:documentos?|contexto|textos?|fuentes?) (?:\w+ ){0,2}?no (?:contiene[n]?|menciona[n]?|proporciona[n]?|incluye[n]?)",
    ),
    "Italian": (
        r"non (?:lo )?(?:so|posso (?:rispondere|trovare)|trovo|ho (?:trovato|informazioni|abbastanza|la risposta))",
        r"non (?:ci sono|è disponibile|sono disponibili|è menzionat\w|è specificat\w) (?:\w+ ){0,3}?(?:informazioni|risposta|nel|nei)?",
        r"(?:documenti|documento|contesto|testo) (?:\w+ ){0,2}?non (?:contien\w+|contengono|menziona\w*|fornis\w+)",
        r"nessuna (?:informazione|risposta|menzione)",
    ),
    "Portuguese": (
        r"não (?:sei|posso responder|consigo (?:responder|encontrar)|encontrei|encontro|tenho (?:\w+ ){0,2}?(?:informaç|dados))",
        r"não (?:há|existe|foi encontrad\w|é mencionad\w|consta[m]?|contém|contêm) (?:\w+ ){0,3}?(?:informaç|resposta|resultado|no|nos)",
    ),
    "Dutch": (
        r"ik (?:weet|kan|kon|heb) (?:\w+ ){0,4}?(?:niet|geen) (?:\w+ ){0,3}?(?:beantwoorden|vinden|gevonden|informatie|antwoord)?",
        r"(?:geen|onvoldoende) (?:\w+ ){0,2}?(?:informatie|antwoord|resultaten) (?:\w+ ){0,3}?(?:gevonden|beschikbaar|over|in)",
    ),
    "Polish": (r"nie (?:wiem|mogę (?:\w+ )?odpowiedzieć|znalazłe[mś]|znaleziono|ma (?:\w+ )?informacji|posiadam informacji)",),
    "Russian": (
        r"(?:я )?не (?:знаю|могу (?:\w+ )?ответить|нашёл|нашел|нашла|найден\w*|располагаю)",
        r"нет (?:\w+ ){0,2}?(?:информации|ответа|данных|сведений)",
        r"(?:документ\w*|контекст\w*) (?:\w+ ){0,2}?не содерж\w+",
    ),
    "Turkish": (r"(?:bilmiyorum|bulamadım|cevap veremiyorum|bilgi (?:yok|bulunmuyor|bulunamadı))",),
    "Chinese": (
        r"(?:我|我们)?(?:不知道|无法(?:回答|确定|找到|提供)|無法(?:回答|確定|找到|提供)|不清楚|没有找到|沒有找到|未找到|找不到)",
        r"(?:没有|沒有|未|并未|並未)(?:提供|提到|提及|包含|说明|說明|足够|足夠)(?:的|任何|相关|相關|足够|足夠)*(?:信息|資訊|资料|資料|答案|内容|內容)?",
    ),
    "Japanese": (
        r"(?:わかりません|分かりません|お答えできません|回答できません|見つかりません|見つけられません|記載(?:が|は)?(?:ありません|されていません)"
        r"|情報(?:が|は)(?:ありません|見つかりません|含まれていません|不足))",
    ),
    "Korean": (
        r"(?:모르겠습니다|알 수 없습니다|답변할 수 없습니다|찾을 수 없습니다"
        r"|정보가 없습니다|언급되어 있지 않습니다|포함되어 있지 않습니다)",
    ),
    "Arabic": (r"(?:لا أعرف|لا أعلم|لا يمكنني الإجابة|لم أجد|لا توجد معلومات|لا تتوفر معلومات)",),
}  # fmt: skip
_SPACELESS: Final = frozenset(("Chinese", "Japanese"))
LANGUAGES: Final = tuple(_PHRASES)


def refusal(text: str) -> tuple[str, str] | None:
    """What in a text says that there is no answer, and in which language; ``None`` where nothing does.

    Only the first sentences count: an answer that ends by naming what it leaves open is still an answer.
    """
    head = " ".join(unicodedata.normalize("NFKC", text).translate(_APOSTROPHES).split())[:_HEAD]
    for language, pattern in _patterns().items():
        found = pattern.search(head)
        if found is not None:
            return found[0].strip(), language
    return None


_HEAD: Final = 240  # characters in which a refusal is looked for


@cache
def _patterns() -> dict[str, Any]:
    import regex

    found = {}
    for language, phrases in _PHRASES.items():
        body = "|".join(phrases)
        whole = body if language in _SPACELESS else rf"(?<!\w)(?:{body})"
        found[language] = regex.compile(whole, regex.IGNORECASE)
    return found
