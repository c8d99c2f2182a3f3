"""Whole phrases: a date, or the stretch between two.

phrase := date | between date and date | from date to date | date - date | since date
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from hypermnesia.language import dates_words as words
from hypermnesia.language.dates_absolute import day_month
from hypermnesia.language.dates_calendar import Span, between
from hypermnesia.language.dates_grammar import date, rules_at
from hypermnesia.language.dates_lexer import Token
from hypermnesia.language.dates_reading import FIRST_YEAR, LAST_YEAR, Reading, Source, joined

_UNTIL = frozenset({"to", "until", "till", "through", "-", "--"})
_LEAP_YEAR = 366
_CUES = words.MONTH_CUES | words.YEAR_CUES | words.WEEKDAY_CUES


def phrases(src: Source, i: int) -> Iterator[Reading]:
    """Every reading of a whole phrase at an index, longest first."""
    if not starts(src, i):
        return
    ranges = _RANGES if i in src.openings else (between_and, since)
    rules = (*ranges, *rules_at(src, i))
    found = [r for rule in rules if (r := rule(src, i, False)) is not None]
    yield from sorted(found, key=lambda r: -r.end)


def starts(src: Source, i: int) -> bool:
    """Whether a phrase may start here: a word of the grammar, not behind "every" or a hyphen."""
    token = src.token(i)
    if token.kind in {"mark", "opaque"} or (token.kind == "word" and token.word not in _STARTERS):
        return False
    before = src.token(i - 1)
    return before.word not in words.HABIT and before.word != "-"


def is_temporal(token: Token) -> bool:
    """Whether a token names a time by itself: every phrase holds at least one that does."""
    if token.kind == "word":
        return token.word in _TEMPORAL
    if token.kind == "number":
        return FIRST_YEAR <= token.number <= LAST_YEAR
    return token.kind in {"decade", "quarter", "day", "month"}


def may_be_inside(token: Token) -> bool:
    """Whether a phrase can go on over a token: no rule accepts any other word or mark."""
    match token.kind:
        case "word":
            return token.word in _GRAMMAR
        case "mark":
            return token.word in _JOINING
        case kind:
            return kind != "opaque"


def openings(tokens: Sequence[Token]) -> set[int]:
    """Indices at which a stretch can begin: behind its first date a word leads to another one.

    Most dates have none behind them, and to find that out by reading would be to read each twice.
    """
    found, leads = set[int](), False
    for i in range(len(tokens) - 1, -1, -1):
        if leads:
            found.add(i)
        leads = tokens[i].word in _UNTIL or (leads and may_be_inside(tokens[i]))
    return found


def names_a_time(text: str) -> bool:
    """Whether a text may hold a token that names a time; a cheap look before it is cut up.

    It holds a word of :data:`_TEMPORAL`, or digits as in a year, a date or the name of a quarter.
    """
    return not _TEMPORAL.isdisjoint(_LETTERS.findall(text.lower())) or bool(_FIGURES.search(text))


def between_and(src: Source, i: int, _cued: bool) -> Reading | None:
    """``between May and July 2023``, ``between 5 and 7 May``, ``between May 5 and 7``."""
    if src.word(i) != "between":
        return None
    if src.day(i + 1) and src.word(i + 2) == "and":
        day = src.day(i + 1)
        right = day_month(src, i + 3, True)
        return (
            None
            if right is None
            else right.then(lambda span: between(span.first.replace(day=day), span.last))
        )
    left = date(src.deeper(), i + 1)
    if left is None or src.word(left.end) != "and":
        return None
    right = date(src.deeper(), left.end + 1)
    if right is not None:
        return joined(left, right)
    return _to_day_of_month(src, left)


def _to_day_of_month(src: Source, left: Reading) -> Reading | None:
    """The right side of ``between May 5 and 7``, and a year behind it."""
    day, end = src.day(left.end + 1), left.end + 2
    if not day or left.year is not None:
        return None
    year = src.year(src.skip(end, ","))
    reading = left.then(lambda span: between(span.first, span.last.replace(day=day)))
    if year:
        return replace(reading, end=src.skip(end, ",") + 1, year=year)
    return replace(reading, end=end)


def from_to(src: Source, i: int, _cued: bool) -> Reading | None:
    """``from May to July 2023``, ``from last Friday until yesterday``.

    "I work from Monday to Friday" is a habit.
    """
    left = date(src.deeper(), i + 1) if src.word(i) == "from" else None
    if left is None or src.word(left.end) not in _UNTIL:
        return None
    right = date(src.deeper(), left.end + 1)
    if right is None:
        return None
    weekdays = src.word(i + 1) in words.WEEKDAYS and src.word(left.end + 1) in words.WEEKDAYS
    habit = weekdays and src.tense(i) in {"", "present"}
    return None if habit else joined(left, right)


def date_to_date(src: Source, i: int, _cued: bool) -> Reading | None:
    """``May to July 2023``, ``5 May - 7 June``, ``in 2019-2021``; calendar dates only."""
    left = date(src.deeper(), i)
    if left is None or not left.explicit or src.word(left.end) not in _UNTIL:
        return None
    right = date(src.deeper(), left.end + 1)
    if right is None or not right.explicit or (left.year is None and src.year(left.end + 1)):
        return None
    shared = left.year is None and right.year is not None
    return joined(left, right) if shared or left.end - i > 1 or src.cue(i) in _CUES else None


def since(src: Source, i: int, _cued: bool) -> Reading | None:
    """``since 2016``: up to the anchor; without one only the date itself is read."""
    found = date(src.deeper(), i + 1) if src.word(i) == "since" else None
    if found is None or src.anchor is None:
        return None
    anchor, open_year = src.anchor, found.year is None

    def until_anchor(span: Span) -> Span:
        if open_year and (anchor - span.first).days >= _LEAP_YEAR:
            raise ValueError("a date without a year lies within the last one")
        return between(span.first, anchor)

    return found.then(until_anchor)


_RANGES = (between_and, from_to, date_to_date, since)
_STARTERS = frozenset(
    {*words.MONTHS, *words.WEEKDAYS, *words.SEASONS, *words.UNITS, *words.PARTS_OF_DAY}
    | {*words.VAGUE_COUNTS, *words.APPROXIMATE, *words.PARTS, "over", "a", "an", "the", "this"}
    | {"these", "last", "past", "next", "coming", "upcoming", "in", "between", "from", "since"}
    | {"today", "tonight", "yesterday", "tomorrow", "earlier", "later", "very"}
    | {
        name.split()[0]
        for table in (words.MONTH_DAY_HOLIDAYS, words.WEEKDAY_HOLIDAYS, words.EASTER_HOLIDAYS)
        for name in table
    }
)
_TEMPORAL = frozenset(
    {*words.MONTHS, *words.WEEKDAYS, *words.PLURAL_WEEKDAYS, *words.SEASONS, *words.PLURAL_SEASONS}
    | {*words.UNITS, *words.PARTS_OF_DAY, *words.DECADES}
    | {"today", "tonight", "yesterday", "tomorrow"}
    | {
        word
        for table in (words.MONTH_DAY_HOLIDAYS, words.WEEKDAY_HOLIDAYS, words.EASTER_HOLIDAYS)
        for name in table
        for word in name.split()
    }
)
_JOINING = frozenset({",", "-", "--"})
_GRAMMAR = (
    _TEMPORAL
    | _STARTERS
    | _UNTIL
    | words.PARTS_WITH_OF
    | words.word_set(
        "ago after and at back before first following for from half last late later month now of on"
        " or other over prior rest second so then time too two week within"
    )
)
_LETTERS = re.compile(r"[^\W\d_]+")
_FIGURES = re.compile(
    r"[0-9]{4}|[0-9]/[0-9]|0['\u2019]?s|q[1-4]|['\u2018\u2019~][0-9]{2}", re.IGNORECASE
)
