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
    a.c a.d a.m b.c b.f c.i.a c.o.d d.c d.h e.l e.m f.b.i f.g g.d g.k h.c j.c j.j j.k j.p j.r k l.a l.p m.b.a m.d
    m.j n.c n.d n.h n.j n.m n.y p.m r.h r.i r.j r.k r.t s.a s.c s.g t.j u.k u.n u.s u.s.a u.s.s.r v.i w.c w.r w.va
    adm ala ariz ave bros calif capt cie cmdr co col colo comdr conn corp del dept dr fla fri ga gen gov ill inc ind
    jr kan ky lt ltd maj mass messrs mg mich minn mo mr mrs ms mt nev nov oct okla ore pa ph.d ph prof reps rep rev
    rt s sen sens sep sept sgt sr st sun tenn tex tues u va vs wash wed wis
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
_STARTERS: Final = frozenset(
    "i it he she we they the this that these those in on but and if when there".split()  # noqa: SIM905
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
    if not word.endswith("."):
        return True
    if word.endswith(".."):
        return following[:1].isupper() and not following.isupper()
    bare = word[:-1].lower().lstrip("(['\"`")
    initial = len(bare) == 1 and bare.isalpha() and bare != "a"
    if initial or bare in _ABBREVIATIONS or bare.rsplit("-", 1)[-1] in _ABBREVIATIONS:
        return following.istitle() and following.lower() in _STARTERS
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
