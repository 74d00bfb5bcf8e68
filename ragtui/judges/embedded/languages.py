"""Which language a text seems to be in, and the few word lists that matter per language."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Final


@dataclass(frozen=True)
class Language:
    """``code`` is ISO 639-1. ``functions`` are words without content; ``negations`` turn what follows them round."""

    code: str
    name: str
    stemmer: str | None
    functions: frozenset[str]
    negations: frozenset[str]


_ROWS: Final = {
    "en": (
        "English", "english",
        "a an the of in on at to for with from by about as into onto through during over under between among per via "
        "upon toward towards across within against and or but nor so yet if then than that which who whom whose what "
        "when where why how this these those there here it its he she they them his her their we us our you your i me my "
        "is are was were be been being am do does did done doing have has had having will would shall should can could "
        "may might must also too very quite rather just even still already such other another both either neither own "
        "not no never none nobody nothing cannot can't don't doesn't didn't isn't aren't wasn't weren't won't wouldn't "
        "shouldn't couldn't hasn't haven't hadn't mustn't n't without only any each some several up down out again once "
        "because while although though unless until since "
        "however therefore thus hence etc e.g i.e whether instead well let itself themselves himself herself yourself",
        "not no never none nobody nothing neither nor without cannot hardly barely scarcely can't",
    ),
    "de": (
        "German", "german",
        "der die das den dem des ein eine einen einem einer eines und oder aber auch als wie in im an am auf aus bei mit "
        "nach seit von vom zu zum zur für über unter um durch gegen ohne bis ist sind war waren sein wird werden wurde "
        "wurden hat haben hatte kann können muss müssen darf dürfen soll sollen es er sie wir ihr ich sich man nur noch "
        "schon sehr so dass wenn weil ob da dann nicht kein keine keinen keinem keiner nie niemals nichts niemand",
        "nicht kein keine keinen keinem keiner nie niemals nichts niemand ohne",
    ),
    "fr": (
        "French", "french",
        "le la les l un une des de du d et ou mais aussi en dans sur sous à au aux avec par pour sans chez est sont était "
        "étaient être a ont avait avoir peut peuvent doit doivent il elle ils elles on nous vous je se s qui que qu ce "
        "cette ces son sa ses leur leurs ne n pas jamais rien aucun aucune plus très si comme",
        "ne pas jamais rien aucun aucune sans n",
    ),
    "es": (
        "Spanish", "spanish",
        "el la los las un una unos unas de del y o pero también en a al con por para sin sobre entre es son era eran ser "
        "está están ha han había tiene tienen puede pueden debe deben se que lo le les su sus este esta estos estas no ni "
        "nunca nada nadie ningún ninguna muy más como si ya",
        "no ni nunca nada nadie ningún ninguna sin",
    ),
    "it": (
        "Italian", "italian",
        "il lo la i gli le un uno una di del della dei delle e o ma anche in a al alla con per da su tra è sono era erano "
        "essere ha hanno aveva può possono deve devono si che ci non mai niente nessuno nessuna senza molto più come se",
        "non mai niente nessuno nessuna senza né",
    ),
    "pt": (
        "Portuguese", "portuguese",
        "o a os as um uma de do da dos das e ou mas também em no na nos nas com por para sem é são era eram ser está "
        "estão tem têm pode podem deve devem se que não nunca nada ninguém nenhum nenhuma muito mais como",
        "não nunca nada ninguém nenhum nenhuma sem",
    ),
    "nl": (
        "Dutch", "dutch",
        "de het een en of maar ook in op aan met van voor door naar bij uit tot is zijn was waren wordt worden werd heeft "
        "hebben had kan kunnen moet moeten mag er dat die dit deze niet geen nooit niets niemand zonder zeer meer als",
        "niet geen nooit niets niemand zonder",
    ),
    "ru": (
        "Russian", "russian",
        "и в во на с со к по из у за о об от до для при не ни но а или что это как он она они мы вы я его её их был была "
        "были есть будет может если то же бы только нет никогда ничего никто без",
        "не ни нет никогда ничего никто без",
    ),
}  # fmt: skip

LANGUAGES: Final[Mapping[str, Language]] = MappingProxyType(
    {
        code: Language(code, name, stemmer, frozenset(functions.split()), frozenset(negations.split()))
        for code, (name, stemmer, functions, negations) in _ROWS.items()
    }
)
ENGLISH: Final = LANGUAGES["en"]
_OTHER: Final = Language("xx", "a language it has no word lists for", None, frozenset(), frozenset())
_CHINESE: Final = Language("zh", "Chinese", None, frozenset(), frozenset("不 没 沒 非 无 無".split()))
_JAPANESE: Final = Language("ja", "Japanese", None, frozenset(), frozenset("ない ません なし".split()))
_KOREAN: Final = Language("ko", "Korean", None, frozenset(), frozenset("않 없 아니".split()))

_SCRIPTS: Final = (
    (re.compile("[\u3040-\u30ff]"), _JAPANESE),
    (re.compile("[\uac00-\ud7af]"), _KOREAN),
    (re.compile("[\u4e00-\u9fff]"), _CHINESE),
)
_WORDS: Final = re.compile(r"[^\W\d_]+")
_SAMPLE: Final = 400


@lru_cache(maxsize=4096)
def language_of(text: str) -> Language:
    """The language by script, else by its function words; text without any (names, numbers) counts as English."""
    sample = text[:_SAMPLE]
    for script, language in _SCRIPTS:
        if len(script.findall(sample)) * 5 > len(sample.replace(" ", "")):
            return language
    words = [word.lower() for word in _WORDS.findall(sample)]
    if not words:
        return ENGLISH
    hits = {code: sum(word in each.functions for word in words) for code, each in LANGUAGES.items()}
    best = max(hits, key=lambda code: (hits[code], code == "en"))
    if hits[best] > hits["en"] and hits[best] >= 2:
        return LANGUAGES[best]
    foreign = sum(not word.isascii() for word in words)
    return _OTHER if foreign * 2 > len(words) else ENGLISH


@cache
def stem_in(stemmer: str | None) -> Callable[[str], str]:
    """A remembering stemmer; without one, words stay as they are."""
    if stemmer is None:
        return lambda word: word
    from snowballstemmer import stemmer as snowball

    stem: Callable[[str], str] = lru_cache(maxsize=65536)(snowball(stemmer).stemWord)
    return stem
