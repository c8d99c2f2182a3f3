"""Rules for dates within and beside other dates, and the longest date of all rules.

date    := absolute | relative | around date | part | nth | of | beside
part    := (early | mid | late | the end of | the first half of ...) period
nth     := the (first | 2nd | last ...) (week | weekend | Friday | day) of date
of      := the (week | weekend | night ...) of date
beside  := [count] (week | Friday | summer ...) (before | after) date

``dates_phrases`` adds the stretches between two dates.
"""

from __future__ import annotations

from dataclasses import replace

from hypermnesia.language import dates_absolute as absolute
from hypermnesia.language import dates_weekdays as weekdays
from hypermnesia.language import dates_words as words
from hypermnesia.language.dates_calendar import (
    Span,
    between,
    day_span,
    finished,
    neighbour,
    nth_week,
    nth_weekday,
    nth_weekend,
    part,
    period,
    shift,
    upcoming,
    weekday_after,
    weekday_before,
    weekend_of,
)
from hypermnesia.language.dates_reading import Reading, Rule, Source, longest
from hypermnesia.language.dates_relative import RULES as RELATIVE_RULES
from hypermnesia.language.dates_relative import ago, counted, later, named_ago

_SIDES = {"before": -1, "after": 1, "following": 1, "from": 1}
_HALVES = {"first": "half 1", "second": "half 2"}
_NEARLY = words.APPROXIMATE - {"about"}


def date(src: Source, i: int, cued: bool = True) -> Reading | None:
    """The longest date at an index; dates nest at most as deep as the source allows."""
    if src.depth < 0:
        return None
    return longest(rule(src, i, cued) for rule in rules_at(src, i))


def rules_at(src: Source, i: int) -> tuple[Rule, ...]:
    """The rules that can accept the token at an index, or all where telling gains little."""
    return _OF_NUMBERS if src.token(i).kind == "number" else RULES


def around(src: Source, i: int, _cued: bool) -> Reading | None:
    """``around Christmas``, ``nearly two years ago``."""
    if src.word(i) not in _NEARLY:
        return None
    found = date(src.deeper(), i + 1)
    return None if found is None else replace(found, about=True)


def part_of(src: Source, i: int, _cued: bool) -> Reading | None:
    """``mid-May 2024``, ``early next week``, ``the end of the year``, ``first half of May``."""
    at = src.skip(i, "the", "very")
    if src.word(at + 1) == "half" and src.word(at + 2) == "of":
        name, at = _HALVES.get(src.word(at), ""), at + 3
    else:
        name = words.PARTS.get(src.word(at), "")
        of = src.skip(at + 1, "of", "in")
        if src.word(at) in words.PARTS_WITH_OF and of == at + 1:
            return None
        at = src.skip(of, "-")
    target = _period(src, at) if name else None
    return None if target is None else target.then(lambda span: part(span, name))


def _period(src: Source, i: int) -> Reading | None:
    """A date, or "the month" for the anchor's own."""
    own = src.word(i + 1)
    if src.anchor is not None and src.word(i) == "the" and own in {"week", "month", "year"}:
        day = src.anchor
        beside = src.word(i + 2) in _SIDES or src.word(i + 2) == "of"
        if not beside:
            return Reading(lambda _: period(day, own), i + 2, day.year, explicit=False)
    return date(src.deeper(), i)


def rest_of(src: Source, i: int, _cued: bool) -> Reading | None:
    """``earlier this week``, ``later this year``: up to the anchor, or from it on."""
    word, unit = src.word(i), src.word(i + 2)
    known = word in {"earlier", "later"} and src.word(i + 1) == "this" and unit != "day"
    if src.anchor is None or not known or unit not in words.UNITS.values():
        return None
    anchor = src.anchor

    def rest(_year: int) -> Span:
        whole = period(anchor, unit)
        ends = (whole.first, anchor) if word == "earlier" else (anchor, whole.last)
        return between(*ends)

    return Reading(rest, i + 3, anchor.year, explicit=False)


def nth_of(src: Source, i: int, _cued: bool) -> Reading | None:
    """``the first week of June``, ``last Friday of May 2023``, ``the 5th of next month``."""
    at = src.skip(i, "the")
    token, unit = src.token(at), src.word(at + 1)
    number = -1 if token.word == "last" else token.number if token.kind == "ordinal" else 0
    if token.kind == "ordinal" and unit == "of":
        month = _period(src, at + 2)
        return None if month is None else month.then(lambda span: _day_of_month(span, number))
    if not number or src.word(at + 2) not in {"of", "in"}:
        return None
    known = unit in {"week", "weekend", "day"} or unit in words.WEEKDAYS
    found = _period(src, at + 3) if known else None
    return None if found is None else found.then(lambda span: _nth(span, unit, number))


def _nth(span: Span, unit: str, number: int) -> Span:
    if span.grain in {"day", "week", "weekend"}:
        raise ValueError("too short a period to count in")
    if unit == "week":
        return nth_week(span, number)
    if unit == "weekend":
        return nth_weekend(span, number)
    if unit == "day":
        day = shift(span.first, number - 1, "day") if number > 0 else span.last
        return day_span(day)
    return day_span(nth_weekday(span, words.WEEKDAYS[unit], number))


def _day_of_month(span: Span, number: int) -> Span:
    if span.grain != "month":
        raise ValueError("days are counted in a month")
    return day_span(span.first.replace(day=number))


def year_first(src: Source, i: int, _cued: bool) -> Reading | None:
    """``last year in May``, ``next year at Easter``."""
    year, at = absolute.relative_year(src, i), i + 3
    if year is None or src.word(i + 2) not in {"in", "on", "at"}:
        return None
    found = longest(rule(src, at, True) for rule in absolute.RULES)
    if found is None or found.year is not None:
        return None
    return replace(found, year=year, explicit=False)


def of_date(src: Source, i: int, _cued: bool) -> Reading | None:
    """``the week of 23 August``, ``the weekend of June 24``, ``the night of 7 May``."""
    at = src.skip(i, "the")
    unit = src.word(at)
    known = unit in {"week", "weekend", "day"} or unit in words.PARTS_OF_DAY
    if not known or src.word(at + 1) != "of":
        return None
    found = date(src.deeper(), at + 2)
    return None if found is None else found.then(lambda span: _around_day(span, unit))


def _around_day(span: Span, unit: str) -> Span:
    if span.grain != "day":
        raise ValueError("the week of what is no day")
    if unit == "weekend":
        return weekend_of(span)
    return period(span.first, "week") if unit == "week" else span


def beside(src: Source, i: int, _cued: bool) -> Reading | None:
    """``the week before 9 June``, ``Friday after Easter``, ``the summer before 2020``."""
    at = src.skip(i, "the")
    word = src.word(at)
    build, end = absolute.recurring(src, at)
    known = word in words.UNITS.values() or word in words.WEEKDAYS or word in words.PARTS_OF_DAY
    if build is None and not known:
        return None
    direction, end = _side(src, end if build is not None else at + 1)
    found = date(src.deeper(), end) if direction else None
    if found is None or src.word(end - 1) == "from":
        return None
    if build is None:
        return found.then(lambda span: _beside(span, word, direction, 1))
    if direction < 0:
        return found.then(lambda span: finished(build, span.first, 1))
    return found.then(lambda span: upcoming(build, span.last, 1))


def counted_beside(src: Source, i: int, _cued: bool) -> Reading | None:
    """``two weeks before 11 August``, ``two weekends before 17 July``, ``a week from Friday``.

    Only "from" keeps the day: a week from Friday is a Friday.
    """
    found = counted(src, src.skip(i, "in"))
    if found is None:
        return None
    direction, end = _side(src, found.end)
    target = date(src.deeper(), end) if direction else None
    if target is None:
        return None
    exact = src.word(end - 1) == "from" and not found.about

    def step(span: Span) -> Span:
        day = span.first if direction < 0 else span.last
        if found.unit == "weekend":
            return _beside(span, "weekend", direction, found.low)
        if exact and span.grain == "day" and found.unit in {"week", "fortnight"}:
            return day_span(shift(day, found.low, found.unit))
        return found.moved(day, direction)

    return replace(target.then(step), about=target.about or found.about)


def _side(src: Source, i: int) -> tuple[int, int]:
    if src.follow(i, "prior", "to") > 0:
        return -1, i + 2
    return _SIDES.get(src.word(i), 0), i + 1


def _beside(span: Span, unit: str, direction: int, count: int) -> Span:
    if unit in words.WEEKDAYS:
        if direction < 0:
            return day_span(weekday_before(span.first, words.WEEKDAYS[unit], count))
        return day_span(weekday_after(span.last, words.WEEKDAYS[unit], count))
    unit = "day" if unit in words.PARTS_OF_DAY else unit
    near = neighbour(span, unit, direction)
    return near if count == 1 else period(shift(near.first, direction * (count - 1), unit), unit)


RULES: tuple[Rule, ...] = (
    *absolute.RULES, *RELATIVE_RULES, *weekdays.RULES, around, part_of, rest_of, nth_of, year_first,
    of_date, beside, counted_beside,
)  # fmt: skip
_OF_NUMBERS: tuple[Rule, ...] = (
    absolute.day_month, absolute.year_alone, ago, named_ago, later, counted_beside,
)  # fmt: skip
"""The rules that a number in digits or words can begin: most numbers of a text are no dates."""
