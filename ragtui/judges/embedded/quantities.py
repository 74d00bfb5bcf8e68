"""Amounts, dates and times in a token list, brought to one unit each so that "two weeks" equals "14 days"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ragtui.judges.embedded.thesaurus import base
from ragtui.judges.embedded.tokens import Token
from ragtui.judges.embedded.units import (
    CLOCKS,
    CURRENCIES,
    MONTHS,
    OFTEN,
    ORDINALS,
    PARTS,
    RATES,
    SCALES,
    SMALL,
    TENS,
    UNITS,
    WEEKDAYS,
)
from ragtui.judges.embedded.wordlists import word_class

_CLOSERS: Final = word_class("noun_ends")
_LASTING: Final = word_class("lasting")
_NUMBER_WORDS: Final = frozenset([*SMALL, *TENS])
_BEFORE_AND: Final = frozenset([*SCALES, *TENS])


@dataclass(frozen=True, slots=True)
class Quantity:
    """``value`` in the base unit of ``kind`` (seconds for ``time``, grams for ``mass``, 1 = 1 % for ``percent``, minutes of
    the day for ``clock``, …). ``number`` is the bare number as written. ``noun`` is what a ``count`` counts, by its base
    form. ``first`` and ``last`` are token indexes, ``last`` exclusive."""

    kind: str
    value: float
    number: float
    noun: str
    first: int
    last: int

    def equals(self, other: Quantity) -> bool:
        if self.kind == other.kind:
            tolerance = 0.02 if self.kind == "time" else 1e-6
            return abs(self.value - other.value) <= tolerance * max(abs(self.value), abs(other.value), 1e-9)
        if self._bare or other._bare:
            return self.number == other.number
        return {self.kind, other.kind} == {"date", "month"} and int(self.value // 100) == int(other.value // 100)

    @property
    def _bare(self) -> bool:
        """A number without a unit: it may mean any."""
        return self.kind == "year" or (self.kind == "count" and not self.noun)

    def rivals(self, other: Quantity) -> bool:
        """Whether the two could fill the same place and differ."""
        if self.kind != other.kind or self.equals(other):
            return False
        return self.kind != "count" or self.noun == other.noun or not self.noun or not other.noun


def quantities(line: Sequence[Token]) -> list[Quantity]:
    """Every quantity of a sentence, in order, none overlapping."""
    found: list[Quantity] = []
    at = 0
    while at < len(line):
        one = _quantity(line, at)
        if one is None:
            at += 1
        else:
            found.append(one)
            at = one.last
    return found


def _low(line: Sequence[Token], at: int) -> str:
    return line[at].low if 0 <= at < len(line) else ""


def _quantity(line: Sequence[Token], at: int) -> Quantity | None:
    token = line[at]
    if token.kind in "wn":
        rate = _rate(line, at)
        if rate is not None:
            return rate
    if token.kind == "w":
        special = _calendar(line, at) or _span_of_one(line, at)
        if special is not None:
            return special
    if token.kind == "u" and token.text in CURRENCIES:
        number = _number(line, at + 1)
        if number is not None:
            return Quantity("money", number[0], number[0], "", at, number[1])
    if (
        token.low in PARTS
        and _low(line, at - 1) in ("a", "one")
        and _low(line, at + 1) in ("of", "more", "less", "as", "the", "in", "from", "")
    ):
        return Quantity("percent", PARTS[token.low], PARTS[token.low], "", at, at + 1)
    if token.low in ("half", "quarter") and _low(line, at + 1) in ("of", "a", "an", "the"):
        return _half(line, at)
    if token.kind == "n" and ":" in token.text:
        hours, minutes = token.text.split(":")
        return _clock(line, float(hours) * 60 + float(minutes), at, at + 1)
    number = _number(line, at)
    if number is None:
        return _ordinal(line, at)
    return _measured(line, at, *number)


def _half(line: Sequence[Token], at: int) -> Quantity | None:
    """ "half an hour", else "half of …"."""
    part = PARTS[line[at].low]
    unit = UNITS.get(_low(line, at + 2))
    if _low(line, at + 1) in ("a", "an") and unit is not None:
        return Quantity(unit[0], part / 100 * unit[1], part / 100, "", at, at + 3)
    return Quantity("percent", part, part, "", at, at + 1)


def _number(line: Sequence[Token], at: int) -> tuple[float, int] | None:
    """A number in digits or words from ``at``: its value and the index after it."""
    if at >= len(line):
        return None
    token = line[at]
    if token.kind == "n" and token.low != "ordinal" and ":" not in token.text:
        value, after = _digits(token.text), at + 1
        scale = SCALES.get(_low(line, after))
        return (value * scale, after + 1) if scale else (value, after)
    if token.kind != "w":
        return None
    if token.low in ("a", "an") and _low(line, at + 1) in SCALES:
        return SCALES[_low(line, at + 1)], at + 2
    if token.low == "one" and (
        _low(line, at + 1) in ("of", "another", "or", "")
        or _low(line, at - 1) in ("the", "next", "this", "that", "each", "no")
    ):
        return None
    return _spelt(line, at)


def _digits(text: str) -> float:
    plain = text.replace("\u00a0", "").replace("\u202f", "").replace("'", "").replace("’", "")
    head, comma, tail = plain.rpartition(",")
    if comma and "." not in plain and len(tail) != 3 and "," not in head:
        return float(f"{head}.{tail}")
    return float(plain.replace(",", ""))


def _spelt(line: Sequence[Token], at: int) -> tuple[float, int] | None:
    total, current, start = 0.0, 0.0, at
    while at < len(line):
        low = line[at].low
        if low in SMALL:
            current += SMALL[low]
        elif low in TENS:
            current += TENS[low]
        elif low in SCALES and at > start:
            if SCALES[low] > 100:
                total, current = total + (current or 1) * SCALES[low], 0.0
            else:
                current = (current or 1) * SCALES[low]
        elif not (
            at > start
            and low in ("and", "-")
            and _low(line, at - 1) in _BEFORE_AND
            and _low(line, at + 1) in _NUMBER_WORDS
        ):
            break
        at += 1
    return (total + current, at) if at > start else None


def _measured(line: Sequence[Token], first: int, value: float, after: int) -> Quantity:
    """A number with the unit or the counted noun that follows it."""
    number = value
    if _low(line, after) == "and" and _low(line, after + 1) == "a" and _low(line, after + 2) == "half":
        value, after = value + 0.5, after + 3
    if _low(line, after) == "-":
        after += 1 if _low(line, after + 1) in UNITS or (after + 1 < len(line) and line[after + 1].kind == "w") else 0
    month = MONTHS.get(_low(line, after))
    if month and 1 <= value <= 31:
        return Quantity("date", month * 100 + value, value, "", first, after + 1)
    if _low(line, after) in ("p", "a", "pm", "am", "o'clock") and value <= 12:
        meridiem = _meridiem(line, after)
        if meridiem is not None:
            return Quantity("clock", value % 12 * 60 + meridiem[0], number, "", first, meridiem[1])
    sort = {"square": "area", "cubic": "volume", "per": "percent"}.get(_low(line, after))
    if sort and _low(line, after + 1) in (
        "metre",
        "metres",
        "meter",
        "meters",
        "cent",
        "kilometres",
        "kilometers",
        "feet",
    ):
        factor = (
            1e6 if sort == "area" and _low(line, after + 1).startswith("kilo") else 1e3 if sort == "volume" else 1.0
        )
        return Quantity(sort, value * factor, number, "", first, after + 2)
    unit = UNITS.get(_low(line, after).lower())
    if unit is not None and not (
        unit[1] in (1.0, 1e6)
        and len(_low(line, after)) == 1
        and _low(line, after) in "tsm"
        and line[after].text.isupper()
    ):
        last = after + 1
        if unit[0] == "time" and [_low(line, last + i) for i in range(3)] == ["and", "a", "half"]:
            value, last = value + 0.5, last + 3
        return Quantity(unit[0], value * unit[1], number, "", first, last)
    digits = line[first].text
    if value == number and digits.isdigit() and len(digits) == 4 and 1000 <= value <= 2100:
        return Quantity("year", value, number, "", first, after)
    return Quantity("count", value, number, _counted(line, after), first, after)


def _counted(line: Sequence[Token], at: int) -> str:
    """The base form of the noun that a number counts: the last word before one that ends the phrase."""
    noun = ""
    for token in line[at : at + 3]:
        if token.kind != "w" or token.low in _CLOSERS:
            break
        noun = token.low
    return base(noun) if noun else ""


def _meridiem(line: Sequence[Token], at: int) -> tuple[float, int] | None:
    low = _low(line, at)
    if low in ("am", "pm", "o'clock"):
        return (720.0 if low == "pm" else 0.0), at + 1
    if _low(line, at + 1) == "." and _low(line, at + 2) == "m":
        return (720.0 if low == "p" else 0.0), at + (4 if _low(line, at + 3) == "." else 3)
    return None


def _clock(line: Sequence[Token], minutes: float, first: int, after: int) -> Quantity:
    meridiem = _meridiem(line, after) if _low(line, after) in ("p", "a", "pm", "am") else None
    if meridiem is not None:
        return Quantity("clock", minutes % 720 + meridiem[0], minutes, "", first, meridiem[1])
    return Quantity("clock", minutes, minutes, "", first, after)


def _calendar(line: Sequence[Token], at: int) -> Quantity | None:
    low = line[at].low
    if low in CLOCKS:
        return Quantity("clock", CLOCKS[low], CLOCKS[low], "", at, at + 1)
    if low in ("weekend", "weekends"):
        return Quantity("weekday", 6.5, 6.5, "", at, at + 1)
    if low in WEEKDAYS:
        return Quantity("weekday", WEEKDAYS[low], WEEKDAYS[low], "", at, at + 1)
    month = MONTHS.get(low)
    if month is None or not line[at].text[0].isupper() or (low in ("may", "march") and at == 0):
        return None
    day = _number(line, at + 1)
    if day is not None and 1 <= day[0] <= 31 and line[at + 1].kind == "n":
        return Quantity("date", month * 100 + day[0], day[0], "", at, day[1])
    return Quantity("month", month * 100, month, "", at, at + 1)


def _rate(line: Sequence[Token], at: int) -> Quantity | None:
    """ "daily", "every two weeks", "twice a day", "three times per week": so many times a second."""
    low = line[at].low
    if low in RATES:
        return Quantity("rate", 1 / RATES[low], 1.0, "", at, at + 1)
    if low in ("every", "each"):
        number = _number(line, at + 1) or (1.0, at + 1)
        unit = UNITS.get(_low(line, number[1]))
        if unit is not None and unit[0] == "time":
            return Quantity("rate", 1 / (number[0] * unit[1]), number[0], "", at, number[1] + 1)
        return None
    times = (OFTEN[low], at + 1) if low in OFTEN else _number(line, at) if low not in ("a", "an") else None
    if times is None:
        return None
    after = times[1] + (low not in OFTEN and _low(line, times[1]) in ("times", "time"))
    if after == times[1] and low not in OFTEN:
        return None
    unit = UNITS.get(_low(line, after + 1))
    if _low(line, after) in ("a", "an", "per", "each", "every", "in") and unit is not None and unit[0] == "time":
        return Quantity("rate", times[0] / unit[1], times[0], "", at, after + 2)
    return None


def _span_of_one(line: Sequence[Token], at: int) -> Quantity | None:
    """ "a day" where it is a length of time, not a rate."""
    if line[at].low not in ("a", "an") or _low(line, at - 1) not in _LASTING:
        return None
    unit = UNITS.get(_low(line, at + 1))
    if unit is None or unit[0] != "time":
        return None
    value, last = 1.0, at + 2
    if [_low(line, last + i) for i in range(3)] == ["and", "a", "half"]:
        value, last = 1.5, last + 3
    return Quantity("time", value * unit[1], value, "", at, last)


def _ordinal(line: Sequence[Token], at: int) -> Quantity | None:
    token = line[at]
    if token.kind == "n" and token.low == "ordinal":
        value = float(token.text)
    elif token.low in ORDINALS and (
        token.low not in ("first", "second") or (_low(line, at - 1) == "the" and _low(line, at + 1) == "of")
    ):
        value = float(ORDINALS[token.low])
    else:
        return None
    noun = _counted(line, at + 1)
    return Quantity("ordinal", value, value, noun, at, at + 1)
