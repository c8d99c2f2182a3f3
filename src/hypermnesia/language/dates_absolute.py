"""Rules for dates of the calendar: 7 May 2023, May 2023, summer of 2021, the 90s, Christmas."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

from hypermnesia.language import dates_words as words
from hypermnesia.language.dates_calendar import (
    Span,
    between,
    day_span,
    easter,
    months,
    nth_weekday,
    quarter,
    season,
    year_span,
    years,
)
from hypermnesia.language.dates_reading import Reading, Source

_TO = ("-", "--", "to", "through", "until", "till")


def written_date(src: Source, i: int, _cued: bool) -> Reading | None:
    """``2023-05-07``, ``5/7/2023``, ``2023-05``."""
    token = src.token(i)
    if token.kind == "day":
        year = int(token.word[:4])
        return Reading(lambda _: day_span(date.fromisoformat(token.word)), i + 1, year)
    if token.kind == "month":
        year, month = map(int, token.word.split("-"))
        return Reading(lambda year: months(year, month, 1, "month"), i + 1, year)
    return None


def day_month(src: Source, i: int, _cued: bool) -> Reading | None:
    """``7 May``, ``the 3rd of May, 2023``, ``5-7 May``, ``7-May-2023``."""
    at = src.skip(i, "the")
    low = high = src.day(at)
    if not low:
        return None
    end = at + 1
    if src.word(end) in _TO and src.day(end + 1):
        high, end = src.day(end + 1), end + 2
    named = src.skip(end, "of", "-")
    month = src.month(named)
    certain = src.token(at).kind == "ordinal" or src.word(i - 1) == "on"
    if not month:
        return None
    return _certain(src, named, certain, _with_year(src, named + 1, _days(month, low, high)))


def month_day(src: Source, i: int, _cued: bool) -> Reading | None:
    """``May 7``, ``May 3rd, 2023``, ``May 5 to 7``."""
    month, at = src.month(i), src.skip(i + 1, "the", "-")
    low = high = src.day(at)
    if not month or not low or src.word(at + 1) in words.UNITS:
        return None
    end = at + 1
    if src.word(end) in _TO and src.day(end + 1) and not src.month(end + 2):
        high, end = src.day(end + 1), end + 2
    certain = src.token(at).kind == "ordinal" or src.word(i - 1) == "on"
    return _certain(src, i, certain, _with_year(src, end, _days(month, low, high)))


def _days(month: int, low: int, high: int) -> Callable[[int], Span]:
    if low == high:
        return lambda year: day_span(date(year, month, low))
    return lambda year: between(date(year, month, low), date(year, month, high))


def _with_year(src: Source, end: int, build: Callable[[int], Span]) -> Reading:
    """A year may follow: ``May 7, 2023``, ``May of 2023``, ``7-May-2023``, ``May last year``."""
    at = src.skip(end, ",", "of", "-")
    if year := src.year(at):
        return Reading(build, at + 1, year)
    if (year := relative_year(src, at)) is not None:
        return Reading(build, at + 2, year, explicit=False)
    return Reading(build, end)


def relative_year(src: Source, i: int) -> int | None:
    """The year that ``last year``, ``this year`` or ``next year`` means."""
    step = {"last": -1, "this": 0, "next": 1}.get(src.word(i))
    if src.anchor is None or step is None or src.word(i + 1) != "year":
        return None
    return src.anchor.year + step


def _certain(src: Source, named: int, certain: bool, reading: Reading) -> Reading | None:
    """In lower case "may" and "march" are months only beside something else that says so."""
    token = src.token(named)
    doubtful = token.word in words.AMBIGUOUS_MONTHS and not token.capital
    return None if doubtful and not certain and reading.year is None else reading


def weekday_date(src: Source, i: int, cued: bool) -> Reading | None:
    """``Friday, 7 May 2023``: the weekday adds nothing to the date beside it."""
    if src.token(i).word not in words.WEEKDAYS:
        return None
    at = src.skip(i + 1, ",")
    at = src.skip(at, "the")
    found = day_month(src, at, cued) or month_day(src, at, cued) or written_date(src, at, cued)
    return found if src.word(at) not in words.WEEKDAYS else None


def month_alone(src: Source, i: int, cued: bool) -> Reading | None:
    """``May 2023``; without a year only after a word such as "in" or "since"."""
    at = src.follow(i, "the", "month", "of")
    at = i if at < 0 else at
    month = src.month(at)
    if not month:
        return None
    reading = _with_year(src, at + 1, lambda year: months(year, month, 1, "month"))
    if reading.year is not None:
        return reading
    cue = src.cue(at)
    if not cued and cue not in words.MONTH_CUES:
        return None
    return _certain(src, at, cue in words.STRONG_MONTH_CUES, reading)


def year_alone(src: Source, i: int, cued: bool) -> Reading | None:
    """``2023`` after a word such as "in"; round numbers before a plural count something."""
    at = src.skip(i, "year")
    year = src.year(at)
    counted = year % 50 == 0 and src.word(at + 1).endswith("s")
    if not year or counted or not (cued or src.cue(i) in words.YEAR_CUES or at > i):
        return None
    return Reading(year_span, at + 1, year)


def season_of_year(src: Source, i: int, cued: bool) -> Reading | None:
    """``summer 2022``, ``the summer of 2021``; "the summer" after "in", "over" or "during"."""
    at = src.skip(i, "the")
    month = words.SEASONS.get(src.word(at), 0)
    if not month:
        return None
    reading = _with_year(src, at + 1, lambda year: season(year, month))
    if reading.year is not None:
        return reading
    announced = (at > i or src.word(i - 1) == "the") and src.cue(at) in words.SEASON_CUES
    return reading if cued or (announced and src.tense(i) != "habit") else None


def quarter_of_year(src: Source, i: int, _cued: bool) -> Reading | None:
    """``Q2 2023``, ``Q2``, ``the second quarter of 2023``."""
    at = src.skip(i, "the")
    token = src.token(at)
    if token.kind == "quarter":
        return _with_year(src, at + 1, lambda year: quarter(year, token.number))
    if token.kind == "ordinal" and src.word(at + 1) == "quarter":
        reading = _with_year(src, at + 2, lambda year: quarter(year, token.number))
        return reading if reading.year is not None and token.number <= 4 else None  # noqa: PLR2004
    return None


def decade(src: Source, i: int, cued: bool) -> Reading | None:
    """``the 1990s``, ``the 90s``, ``the nineties``; not ``in his 90s``."""
    at = src.skip(i, "the")
    token = src.token(at)
    if token.kind != "decade":
        return None
    full = token.word[:4].isdigit()
    if not (full or at > i or cued or src.word(i - 1) in {"the", *words.PARTS, "-"}):
        return None
    return Reading(lambda year: years(year, year + 9), at + 1, token.number)


def holiday(src: Source, i: int, cued: bool) -> Reading | None:
    """``Christmas 2022``, ``Easter of 2024``; without a year only after a word such as "on"."""
    build, end = holiday_name(src, i)
    if build is None:
        return None
    reading = _with_year(src, end, build)
    announced = src.cue(i) in words.HOLIDAY_CUES and src.tense(i) != "habit"
    return reading if reading.year is not None or cued or announced else None


def holiday_name(src: Source, i: int) -> tuple[Callable[[int], Span] | None, int]:
    """The longest name of a holiday at an index, as its day by year, and the index past it."""
    for count in range(words.HOLIDAY_WORDS, 0, -1):
        name = " ".join(src.word(i + k) for k in range(count))
        if (build := _holiday(name)) is not None:
            return build, i + count
    return None, i


def _holiday(name: str) -> Callable[[int], Span] | None:
    if fixed := words.MONTH_DAY_HOLIDAYS.get(name):
        return lambda year: day_span(date(year, *fixed))
    if moving := words.WEEKDAY_HOLIDAYS.get(name):
        month, weekday, number, later = moving
        return lambda year: day_span(
            nth_weekday(months(year, month, 1, "month"), weekday, number) + timedelta(later)
        )
    if (days := words.EASTER_HOLIDAYS.get(name)) is not None:
        return lambda year: day_span(easter(year) + timedelta(days))
    return None


def recurring(src: Source, i: int) -> tuple[Callable[[int], Span] | None, int]:
    """A month, season or holiday that comes every year, and the index past it.

    "May", "March" and the like count in upper case only: "this may" asks, "the last march" walked.
    """
    token = src.token(i)
    if month := src.month(i):
        if token.word in words.AMBIGUOUS_MONTHS and not token.capital:
            return None, i
        return lambda year: months(year, month, 1, "month"), i + 1
    if first := words.SEASONS.get(token.word):
        return lambda year: season(year, first), i + 1
    return holiday_name(src, i)


RULES = (
    written_date, day_month, month_day, weekday_date, month_alone, year_alone, season_of_year,
    quarter_of_year, decade, holiday,
)  # fmt: skip
