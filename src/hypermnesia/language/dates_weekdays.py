"""Rules for weekdays and weekends without a date: Friday, on Sat, over the weekend.

Where English is ambiguous these rules choose:

- "Last Friday" is the latest before the anchor, "next Friday" that of the next calendar week,
  "this Friday" the coming one, or the latest one in a clause about the past.
- "Friday" alone is the coming one in a clause about the present or future, else the latest one.
- "This weekend" is that of the current week; in a clause about the past, on a weekday, the last.
"""

from __future__ import annotations

from datetime import date, timedelta

from hypermnesia.language import dates_words as words
from hypermnesia.language.dates_calendar import (
    Span,
    day_span,
    period,
    shift,
    weekday_after,
    weekday_before,
)
from hypermnesia.language.dates_reading import Reading, Source, relative

DIRECTIONS = {"last": -1, "past": -1, "this": 0, "next": 1, "coming": 1, "upcoming": 1}
"""Steps from the current period that a word asks for."""
_SATURDAY = 5
_WEDNESDAY = 2


def weekday_alone(src: Source, i: int, cued: bool) -> Reading | None:
    """``Friday``, ``on Sat``, ``Friday night``, ``Tuesday of last week``; not ``every Friday``."""
    weekday = words.WEEKDAYS.get(src.word(i))
    if src.anchor is None or weekday is None or not (cued or is_weekday(src, i)):
        return None
    end = i + 1 + (src.word(i + 1) in words.PARTS_OF_DAY)
    week = src.skip(end, "of")
    if src.word(week) in {"last", "this", "next"} and src.word(week + 1) == "week":
        steps = DIRECTIONS[src.word(week)]
        return relative(src.anchor, lambda day: _of_week(day, steps, weekday), week + 2)
    if src.token(i - 1).kind == "mark" and src.word(end) in {".", "*", "("}:
        return None  # the heading of a timetable: "- Friday: review"
    if _is_ahead(src, i):
        return relative(
            src.anchor, lambda day: day_span(weekday_after(day - timedelta(1), weekday)), end
        )
    return relative(src.anchor, lambda day: day_span(weekday_before(day, weekday)), end)


def _of_week(day: date, steps: int, weekday: int) -> Span:
    return day_span(period(shift(day, steps, "week"), "week").first + timedelta(weekday))


def _is_ahead(src: Source, i: int) -> bool:
    """Whether a weekday is the coming one: by tense, as a deadline, in "a week from Friday"."""
    counting = src.word(i - 1) == "from" and src.word(i - 2) in words.UNITS
    deadline = src.word(i - 1) in words.DEADLINE_CUES
    return counting or deadline or src.tense(i) in {"future", "present"}


def is_weekday(src: Source, i: int) -> bool:
    """Whether a day is meant: a name in full, or a short one after a word such as "on"."""
    token, before = src.token(i), src.word(i - 1)
    weekly = any(
        src.word(i + side) in {"to", "through", "-", "--"}
        and src.word(i + 2 * side) in words.WEEKDAYS
        for side in (-1, 1)
    )
    # "The fifth Friday of February" may not exist; in "July 1st Friday" the number is the date's.
    counted = src.token(i - 1).kind == "ordinal" and i > src.taken
    if before in words.HABIT or weekly or counted or src.tense(i) == "habit":
        return False
    announced = before in words.WEEKDAY_CUES or before in DIRECTIONS
    short = token.word in words.AMBIGUOUS_WEEKDAYS and not token.capital
    return token.word.endswith("day") or (announced and not short)


def spoken_weekday(src: Source, i: int, end: int) -> Reading | None:
    """``last Friday``, ``next Friday``, ``this Friday``, ``the coming Friday``."""
    word, weekday, told = src.word(i), words.WEEKDAYS[src.word(i + 1)], src.tense(i) == "past"

    def spoken(day: date) -> Span:
        if word == "this":
            near = timedelta(1)  # the day of speaking counts too
            found = (
                weekday_before(day + near, weekday) if told else weekday_after(day - near, weekday)
            )
        elif word == "next":
            return _of_week(day, 1, weekday)
        elif word in {"last", "past"}:
            found = weekday_before(day, weekday)
        else:
            found = weekday_after(day, weekday)
        return day_span(found)

    return None if src.anchor is None else relative(src.anchor, spoken, end)


def the_weekend(src: Source, i: int, _cued: bool) -> Reading | None:
    """``over the weekend``: that of this week, or the last one."""
    if src.anchor is None or src.follow(i, "the", "weekend") < 0:
        return None
    if src.word(i - 1) not in words.WEEKEND_CUES:
        return None
    step = weekend_step(src, i, "the")
    return relative(src.anchor, lambda day: period(shift(day, step, "week"), "weekend"), i + 2)


def weekend_step(src: Source, i: int, word: str) -> int:
    """Weeks to the weekend meant: "this weekend" said of the past on a weekday is the last one.

    Without a tense "over the weekend" looks back on a Monday or a Tuesday.
    """
    today = _SATURDAY if src.anchor is None else src.anchor.weekday()
    if word == "the":
        back = src.tense(i) == "past" or (not src.tense(i) and today < _WEDNESDAY)
    else:
        back = word == "this" and src.tense(i) == "past"
    if today < _SATURDAY and (back or word in {"coming", "upcoming"}):
        return -1 if back else 0
    return 0 if back else DIRECTIONS.get(word, 0)


RULES = (weekday_alone, the_weekend)
