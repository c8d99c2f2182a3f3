"""Calendar arithmetic for the date grammar: periods, their parts, and steps between them.

Days are proleptic Gregorian. Every function raises :class:`ValueError` or :class:`OverflowError`
for a day that does not exist or lies outside the years 1 to 9999; the grammar drops such readings.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

Grain = Literal["day", "weekend", "week", "month", "season", "quarter", "year", "range"]
"""The kind of period a mention names."""

_DAYS = {"day": 1, "week": 7, "weekend": 7, "fortnight": 14}
_MONTHS = {"month": 1, "quarter": 3, "year": 12, "decade": 120}
_SATURDAY = 5
_WEEK = 7
_YEAR = 12

PARTS: dict[str, dict[str, tuple[int, int]]] = {
    "week": {"early": (0, 2), "mid": (2, 4), "late": (4, 7), "start": (0, 2), "end": (4, 7)},
    "month": {"early": (0, 10), "mid": (10, 20), "late": (20, 31), "start": (0, 7),
              "end": (-7, 31), "half 1": (0, 15), "half 2": (15, 31)},
    "three months": {"early": (0, 1), "mid": (1, 2), "late": (2, 3), "start": (0, 1),
                     "end": (2, 3)},
    "year": {"early": (0, 4), "mid": (4, 8), "late": (8, 12), "start": (0, 2), "end": (10, 12),
             "half 1": (0, 6), "half 2": (6, 12)},
    "decade": {"early": (0, 4), "mid": (4, 7), "late": (7, 10), "start": (0, 2), "end": (8, 10)},
}  # fmt: skip
"""Parts of a period as first and one past the last: days of a week or month (negative: from its
end), months of a season, quarter or year, years of a decade. Thirds where no usage says more."""


@dataclass(frozen=True, slots=True)
class Span:
    """An inclusive range of days and the kind of period it is."""

    first: date
    last: date
    grain: Grain


def day_span(day: date) -> Span:
    """The one day."""
    return Span(day, day, "day")


def between(first: date, last: date) -> Span:
    """The days of a range.

    Raises:
        ValueError: if ``last`` is before ``first``.
    """
    if last < first:
        raise ValueError("a range ends before it begins")
    return Span(first, last, "range")


def months(year: int, month: int, count: int, grain: Grain) -> Span:
    """``count`` calendar months from a month on; ``month`` may lie outside 1 to 12."""
    first = add_months(date(year, 1, 1), month - 1)
    return Span(first, add_months(first, count) - timedelta(1), grain)


def year_span(year: int) -> Span:
    """The calendar year."""
    return Span(date(year, 1, 1), date(year, 12, 31), "year")


def years(first: int, last: int) -> Span:
    """The calendar years from the first to the last."""
    return between(date(first, 1, 1), date(last, 12, 31))


def season(year: int, first_month: int) -> Span:
    """The season that begins in a month of the year: the winter of 2022 ends in February 2023."""
    return months(year, first_month, 3, "season")


def add_months(day: date, count: int) -> date:
    """The same day of another month, or that month's last day."""
    year, month = divmod(day.year * _YEAR + day.month - 1 + count, _YEAR)
    for back in range(4):
        try:
            return date(year, month + 1, day.day - back)
        except ValueError:
            continue
    raise ValueError("no such month")


def shift(day: date, count: int, unit: str) -> date:
    """The day ``count`` units later (earlier if negative)."""
    if unit in _DAYS:
        return day + timedelta(count * _DAYS[unit])
    return add_months(day, count * _MONTHS[unit])


def period(day: date, unit: str) -> Span:
    """The calendar period that holds a day; weeks begin on Monday (ISO 8601).

    The weekend is that of the day's week.
    """
    monday = day - timedelta(day.weekday())
    match unit:
        case "day":
            return day_span(day)
        case "week" | "fortnight" | "weekend":
            week = Span(monday, monday + timedelta(6), "week")
            return weekend(monday + timedelta(_SATURDAY)) if unit == "weekend" else week
        case "month":
            return months(day.year, day.month, 1, "month")
        case "quarter":
            return quarter(day.year, (day.month + 2) // 3)
        case "decade":
            return years(day.year // 10 * 10, day.year // 10 * 10 + 9)
        case _:
            return year_span(day.year)


def quarter(year: int, number: int) -> Span:
    """A quarter of the calendar year, 1 to 4."""
    return months(year, number * 3 - 2, 3, "quarter")


def weekend(saturday: date) -> Span:
    """The Saturday and the Sunday after it."""
    return Span(saturday, saturday + timedelta(1), "weekend")


def weekend_of(span: Span) -> Span:
    """The weekend nearest to the first day of a span: before a Monday or a Tuesday, else after."""
    return period(span.first - timedelta(2), "weekend")


def weekday_before(day: date, weekday: int, count: int = 1) -> date:
    """The ``count``-th such weekday strictly before a day."""
    return day - timedelta((day.weekday() - weekday - 1) % _WEEK + 1 + _WEEK * (count - 1))


def weekday_after(day: date, weekday: int, count: int = 1) -> date:
    """The ``count``-th such weekday strictly after a day."""
    return day + timedelta((weekday - day.weekday() - 1) % _WEEK + 1 + _WEEK * (count - 1))


def nth_weekday(span: Span, weekday: int, number: int) -> date:
    """The ``number``-th such weekday of a span, -1 for the last.

    Raises:
        ValueError: if the span has fewer.
    """
    if number < 0:
        found = weekday_before(span.last + timedelta(1), weekday)
    else:
        found = weekday_after(span.first - timedelta(1), weekday, number)
    if not span.first <= found <= span.last:
        raise ValueError("the period has no such weekday")
    return found


def nth_week(span: Span, number: int) -> Span:
    """Seven days of a longer span: its days 1 to 7 are the first week, its last 7 days week -1."""
    first = span.last - timedelta(6) if number < 0 else span.first + timedelta(_WEEK * (number - 1))
    if not span.first <= first <= span.last:
        raise ValueError("the period has no such week")
    return Span(first, min(first + timedelta(6), span.last), "week")


def nth_weekend(span: Span, number: int) -> Span:
    """The weekend of the ``number``-th Saturday of a span."""
    return weekend(nth_weekday(span, _SATURDAY, number))


def part(span: Span, name: str) -> Span:
    """A part of a period: ``early``, ``mid``, ``late``, ``start``, ``end``, ``half 1``, ``half 2``.

    Raises:
        ValueError: if such a period is not spoken of in such parts.
    """
    kind = "three months" if span.grain in {"season", "quarter"} else span.grain
    if span == period(span.first, "decade"):
        kind = "decade"
    low, high = PARTS.get(kind, {}).get(name, (0, 0))
    if low == high:
        raise ValueError("the period has no such part")
    if kind in {"week", "month"}:
        start = span.last + timedelta(1) if low < 0 else span.first
        return between(start + timedelta(low), min(span.first + timedelta(high - 1), span.last))
    unit = "year" if kind == "decade" else "month"
    return between(shift(span.first, low, unit), shift(span.first, high, unit) - timedelta(1))


def neighbour(span: Span, unit: str, direction: int) -> Span:
    """The unit just before (-1) or after (1) a span: "the week before 9 June" is 2 to 8 June.

    Days, and weeks beside something else than a week, touch the span; other units are calendar
    periods: "the month before 9 June" is May.
    """
    edge = span.first if direction < 0 else span.last
    if unit == "week" and span.grain != "week":
        ends = edge + timedelta(direction), edge + timedelta(direction * _WEEK)
        return Span(min(ends), max(ends), "week")
    if unit == "weekend":
        saturday = (
            weekday_before(edge - timedelta(1), _SATURDAY)
            if direction < 0
            else weekday_after(edge, _SATURDAY)
        )
        return weekend(saturday)
    return period(shift(edge, direction, unit), unit)


def easter(year: int) -> date:
    """Easter Sunday: the anonymous Gregorian algorithm (Meeus, Astronomical Algorithms, ch. 8)."""
    a, (b, c) = year % 19, divmod(year, 100)
    d, e = divmod(b, 4)
    g = (8 * b + 13) // 25
    h = (19 * a + b - d - g + 15) % 30
    i, k = divmod(c, 4)
    ell = (32 + 2 * e + 2 * i - h - k) % 7
    m = (a + 11 * h + 19 * ell) // 433
    month = (h + ell - 7 * m + 90) // 25
    return date(year, month, (h + ell - 7 * m + 33 * month + 19) % 32)


def finished(build: Callable[[int], Span], today: date, count: int) -> Span:
    """The ``count``-th latest of a yearly period that ended before today."""
    year = today.year
    while build(year).last >= today:
        year -= 1
    return build(year - count + 1)


def upcoming(build: Callable[[int], Span], today: date, count: int) -> Span:
    """The ``count``-th next of a yearly period that begins after today."""
    year = today.year - 1
    while build(year).first <= today:
        year += 1
    return build(year + count - 1)
