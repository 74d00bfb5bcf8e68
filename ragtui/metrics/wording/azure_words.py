"""The words that Azure's BLEU, GLEU and METEOR compare: Penn Treebank words for plain ASCII, NIST's international words
for any other text. Each side of a pair is cut by its own rule.

Sentence ends follow the method of Punkt (Kiss and Strunk 2006) with a list of abbreviations instead of trained data.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final
from xml.sax.saxutils import unescape

import regex

_MARKS: Final = (
    # opening quotes become ``
    (r'^"', "``"),
    (r"(`+)", r" \1 "),
    (r"([ (\[{<])(?:\"|'')", r"\1 `` "),
    (r"(?i)(?<!\w)'(?!(?:re|ve|ll|m|t|s|d|n)\b)(?=\w)", r"' "),
    # punctuation stands alone; a full stop only at the end of the sentence, a comma or colon not before a digit
    (r"([:,])(?=\D|$)", r" \1 "),
    (r"(\.{2,}|[;@#$%&?!*\[\](){}<>]|--)", r" \1 "),
    (r"(?<=[^.])\.([\])}>\"' ]*)\s*$", r" . \1 "),
    (r"(?<=[^'])' ", " ' "),
)
_CLITICS: Final = (
    # closing quotes become '', and clitics come off
    (r"''", " '' "),
    (r'"', " '' "),
    (r"(?i)(?<=[^' ])('s|'m|'d|')(?=\s)", r" \1"),
    (r"(?i)(?<=[^' ])('ll|'re|'ve|n't)(?=\s)", r" \1"),
    (r"(?i)\b(can)(not)\b", r" \1 \2 "),
    (r"(?i)\b(d)('ye)\b", r" \1 \2 "),
    (r"(?i)\b(gim|lem)(me)\b", r" \1 \2 "),
    (r"(?i)\b(gon)(na)\b", r" \1 \2 "),
    (r"(?i)\b(wan)(na)(?=\s)", r" \1 \2 "),
    (r"(?i)\b(got)(ta)\b", r" \1 \2 "),
    (r"(?i)\b(more)('n)\b", r" \1 \2 "),
    (r"(?i) ('t)(is|was)\b", r" \1 \2 "),
)
_MARK_RULES: Final = tuple((re.compile(pattern), replacement) for pattern, replacement in _MARKS)
_CLITIC_RULES: Final = tuple((re.compile(pattern), replacement) for pattern, replacement in _CLITICS)

_END: Final = re.compile(r"(?<!\S)(\S*[.?!])(?=([?!)\";}\]*:@'({\[])|\s+(\S+))")
_SPACE: Final = re.compile(r"(\s+)")
_CLOSERS: Final = re.compile(r"(?:\s+[\])}>\"' ]+)+$")
_CLOSING: Final = re.compile(r"[\"')\]}]+(?=\s|$)")
_ABBREVIATIONS: Final = frozenset(
    """
    a.a a.c a.d a.g a.h a.m a.m.e a.s a.t b.f b.v c.i.t c.o.m.b c.v d.c d.h d.w e.f e.h e.l e.m f.g f.j g.d g.f
    g.k h.c h.f h.m i.m.s j.b j.c j.j j.k j.p j.r l.a l.f l.p m.b.a m.d.c m.j n.c n.d n.h n.j n.m n.v n.y p.a.m
    p.m ph.d r.a r.h r.i r.j r.k r.t s.a s.a.y s.c s.g s.p.a s.s t.j u.k u.n u.s u.s.a u.s.s.r w.c w.r w.va w.w
    adm ala ariz aug ave bros c calif chg cie co col colo conn corp cos ct d dec dr e f feb fla fri ft g ga gen
    h ill inc jan jr k kan ky l lt ltd m maj messrs mg mich minn mr mrs ms n nev nov oct ok okla ore p pa prof r
    rep reps s sen sep sept sr st sw t tenn tues v va vs vt w wash wed wis yr
    """.split()  # noqa: SIM905
)
_ASCII_RUN: Final = re.compile(r"([\x00-\x7f]+)")
# NIST's rules are applied with character lists that end at U+FFFF and lack Chinese characters and Korean syllables.
_NO_NUMBER: Final = (
    r"[[[\p{L}\p{M}\p{P}\p{S}]&&[\u0000-\uFFFF]]--[\u3400-\u4DBF\u4E00-\u9FFF\uAC00-\uD7A3\uF900-\uFAD9]]"
)
_PUNCTUATION: Final = r"[\p{P}&&[\u0000-\uFFFF]]"
_AFTER_NO_NUMBER: Final = regex.compile(rf"(?V1)({_NO_NUMBER})({_PUNCTUATION})")
_BEFORE_NO_NUMBER: Final = regex.compile(rf"(?V1)({_PUNCTUATION})({_NO_NUMBER})")
_SYMBOL: Final = regex.compile(r"(?V1)([\p{S}&&[\u0000-\uFFFF]])")
_XML: Final = {"&quot;": '"', "&apos;": "'"}
_NUMBER: Final = re.compile(r"-?[.,]?\d[\d,.-]*")
_STARTERS: Final = frozenset(
    """
    according although among anyone being between both but call cannot check choose copy despite does either empty enter even
    he her here however if in indeed instead into it many meanwhile moreover most need neither nevertheless nonetheless nor
    note per please same select send separately similarly since so some still such ten the them there therefore these they
    this though through thus tomorrow turn under when which while within without yes yesterday yet your
    """.split()  # noqa: SIM905
)


def azure_words(text: str) -> list[str]:
    """The words of a text as Azure's evaluators cut them."""
    if text.isascii():
        return [word for sentence in _sentences(text) for word in penn_words(sentence)]
    return international_words(text)


def penn_words(sentence: str) -> list[str]:
    """One English sentence as the Penn Treebank writes its words: ``can't`` is ``ca n't``, quotes are two backticks and
    two apostrophes."""
    pieces = _pieces(sentence)
    if len(pieces) < 4:
        return _penn_rules(sentence)
    out: list[str] = []
    for place in range(0, len(pieces), 2):
        before = pieces[place - 1] if place else ""
        after = pieces[place + 1] if place + 1 < len(pieces) else ""
        out += _penn_piece(before, pieces[place], after)
    return out


def _pieces(sentence: str) -> list[str]:
    """Words at even places, the white space between them at odd ones; marks that close the sentence stay with its last
    word, because they decide about its full stop."""
    body = sentence.strip()
    end = _CLOSERS.search(body)
    pieces = _SPACE.split(body[: end.start()] if end else body)
    if end:
        pieces[-1] += end[0]
    return pieces


@lru_cache(maxsize=200_000)
def _penn_piece(before: str, piece: str, after: str) -> tuple[str, ...]:
    """The words of one piece between its neighbours, of which only the white space matters."""
    words = _penn_rules(("x" + before if before else "") + piece + (after + "x" if after else ""))
    return tuple(words[bool(before) : len(words) - bool(after)])


def _penn_rules(sentence: str) -> list[str]:
    for pattern, replacement in _MARK_RULES:
        sentence = pattern.sub(replacement, sentence)
    sentence = f" {sentence} "
    for pattern, replacement in _CLITIC_RULES:
        sentence = pattern.sub(replacement, sentence)
    return sentence.split()


def _sentences(text: str) -> list[str]:
    """Cuts after a full stop, question or exclamation mark; not after an abbreviation, an initial or dots."""
    out, start = [], 0
    for found in _END.finditer(text):
        if found.end() < start or not _ends(found[1], found[2] or found[3] or ""):
            continue
        closing = _CLOSING.match(text, found.end())
        end = closing.end() if closing else found.end()
        out.append(text[start:end])
        start = end
    return [*out, text[start:]]


def _ends(word: str, following: str) -> bool:
    """Whether a sentence ends with ``word``, by what follows: a small letter goes on after an initial or a number, a
    capital one after an initial or an abbreviation, too, unless it begins a word that sentences begin with."""
    if not word.endswith("."):
        return True
    if word.endswith(".."):
        return following[:1].isupper() and not following.isupper()
    bare = word[:-1].lower().lstrip("(['\"`")
    starter = following.istitle() and following.lower() in _STARTERS
    if _NUMBER.fullmatch(bare):
        return not following[:1].islower()
    if len(bare) == 1 and bare.isalpha():
        return starter or not (following[:1].isalpha() or following[:1] in ";:,.!?")
    if bare in _ABBREVIATIONS or bare.rsplit("-", 1)[-1] in _ABBREVIATIONS:
        return starter
    return True


def international_words(text: str) -> list[str]:
    """NIST's international words: cut where ASCII meets other characters, around symbols, and around punctuation that
    does not stand between numbers or spaces. The five XML entities are resolved first."""
    text = unescape(text.replace("<skipped>", ""), _XML)
    return [word for piece in text.split() for word in _international_piece(piece)]


@lru_cache(maxsize=200_000)
def _international_piece(piece: str) -> tuple[str, ...]:
    piece = _ASCII_RUN.sub(r" \1 ", piece)
    piece = _AFTER_NO_NUMBER.sub(r"\1 \2 ", piece)
    piece = _BEFORE_NO_NUMBER.sub(r" \1 \2", piece)
    return tuple(_SYMBOL.sub(r" \1 ", piece).split())
