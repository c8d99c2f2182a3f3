"""Rules for dates counted from the moment of speaking: yesterday, last weekend, two summers ago.

Where English is ambiguous these rules choose, each choice being stated at its rule:

- Weeks begin on Monday. "Last week" and "next week" are calendar weeks, "the past week" is the
  seven days up to the anchor.
- "Last summer" is the latest that has ended, "next summer" the first that has not begun.
- "Two years ago" is a calendar year, "two weeks ago" a calendar week, "two days ago" a day.

Those of weekdays and weekends are in ``dates_weekdays``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date

from hypermnesia.language import dates_words as words
from hypermnesia.language.dates_absolute import recurring
from hypermnesia.language.dates_calendar import (
    Span,
    between,
    day_span,
    finished,
    period,
    season,
    shift,
    upcoming,
    weekday_before,
)
from hypermnesia.language.dates_reading import Reading, Source, relative
from hypermnesia.language.dates_weekdays import (
    DIRECTIONS,
    is_weekday,
    spoken_weekday,
    weekend_step,
)

_NAMED_DAYS = {"today": 0, "tonight": 0, "yesterday": -1, "tomorrow": 1}
_ROLLING_CUES = words.word_set("over in during for within throughout")
_ABOUT = words.APPROXIMATE | {"over"}


@dataclass(frozen=True, slots=True)
class Stretch:
    """A number of units of time.

    Attributes:
        low: fewest.
        high: most.
        unit: singular name.
        end: index past it.
        about: the number is vague, or said to be approximate.
    """

    low: int
    high: int
    unit: str
    end: int
    about: bool

    def moved(self, day: date, direction: int) -> Span:
        """The period that lies so far after (1) or before (-1) a day."""
        kind = "year" if self.unit == "decade" else self.unit
        ends = sorted(shift(day, direction * count, self.unit) for count in (self.low, self.high))
        if self.low == self.high:
            return period(ends[0], kind)
        return between(period(ends[0], kind).first, period(ends[1], kind).last)


def counted(src: Source, i: int) -> Stretch | None:
    """``two weeks``, ``a couple of days``, ``2-3 months``, ``a year or two``, ``a week or so``."""
    said = src.word(i) in _ABOUT
    at = i + said
    low, high, at = _count(src, at)
    if not low:
        return None
    if src.word(at) in {"-", "--", "or", "to"}:
        more, _, after = _count(src, at + 1)
        if more > low:
            high, at = more, after
    unit = src.word(at)
    if unit not in words.UNITS:
        return None
    if src.word(at + 1) == "or" and src.word(at + 2) in {"so", "two"}:
        high, said, at = high + (src.word(at + 2) == "two"), True, at + 2
    return Stretch(low, high, words.UNITS[unit], at + 1, said or low != high)


def _count(src: Source, i: int) -> tuple[int, int, int]:
    token = src.token(i)
    if token.kind == "number" and token.number and not src.year(i):
        return token.number, token.number, i + 1
    article = src.skip(i, "a", "an")
    if vague := words.VAGUE_COUNTS.get(src.word(article)):
        return *vague, src.skip(article + 1, "of")
    return (1, 1, article) if article > i else (0, 0, i)


def named_day(src: Source, i: int, _cued: bool) -> Reading | None:
    """``today``, ``yesterday morning``, ``tomorrow night``, ``this evening``, ``last night``."""
    at = src.skip(i, "earlier", "later", "early", "late")
    word, after = src.word(at), src.word(at + 1)
    if src.anchor is None:
        return None
    if word in _NAMED_DAYS and not _is_figurative(src, at):
        end = at + 1 + (after in words.PARTS_OF_DAY)
        return relative(src.anchor, lambda day: day_span(shift(day, _NAMED_DAYS[word], "day")), end)
    if word in {"last", "this"} and after in words.PARTS_OF_DAY:
        back = -1 if word == "last" else 0
        return relative(src.anchor, lambda day: day_span(shift(day, back, "day")), at + 2)
    return None


def _is_figurative(src: Source, i: int) -> bool:
    """``Film Analysis Today`` is a title, and "it feels like just yesterday" was long ago."""
    titled = src.token(i).capital and src.token(i - 1).capital
    before = i - (src.word(i - 1) in {"just", "only"}) - 1
    return titled or (src.word(i) == "yesterday" and src.word(before) == "like")


def other_day(src: Source, i: int, _cued: bool) -> Reading | None:
    """``the other day``: about two to seven days ago, a choice of this project."""
    end = max(src.follow(i, "the", "other", "day"), src.follow(i, "the", "other", "night"))
    if src.anchor is None or end < 0:
        return None
    return relative(
        src.anchor,
        lambda day: between(shift(day, -7, "day"), shift(day, -2, "day")),
        end,
        about=True,
    )


def directed(src: Source, i: int, _cued: bool) -> Reading | None:
    """``last week``, ``this past weekend``, ``next Friday``, ``the coming month``, ``last May``."""
    at = src.skip(i, "the", "this", "these")
    if src.word(at) not in DIRECTIONS:
        at = i
    word = src.word(at)
    if src.anchor is None or word not in DIRECTIONS or (word in {"past", "coming"} and at == i):
        return None
    target = src.word(at + 1)
    if target in words.UNITS and target in words.UNITS.values():
        return _directed_unit(src, i, at, target)
    if target in words.WEEKDAYS and is_weekday(src, at + 1):
        end = at + 2 + (src.word(at + 2) in words.PARTS_OF_DAY)
        return spoken_weekday(src, at, end)
    build, end = recurring(src, at + 1)
    if build is None:
        return None
    steps = {-1: finished, 0: _current, 1: upcoming}
    step = steps[DIRECTIONS[word]]
    return relative(src.anchor, lambda day: step(build, day, 1), end)


def _current(build: Callable[[int], Span], today: date, _count: int) -> Span:
    """That of this year, or what still lasts from the year before: in January "this winter"."""
    before = build(today.year - 1)
    return before if before.last >= today else build(today.year)


def _directed_unit(src: Source, i: int, at: int, unit: str) -> Reading | None:
    word = src.word(at)
    anchor, step = src.anchor, DIRECTIONS[word]
    if anchor is None or unit == "day":
        return None
    rolling = word == "past" or (src.word(i) == "the" and src.word(i - 1) in _ROLLING_CUES)
    if rolling and unit != "weekend":
        return _rolling(anchor, step, 1, unit, at + 2)
    if unit == "weekend":
        step = weekend_step(src, at, word)
    return relative(anchor, lambda day: period(shift(day, step, unit), unit), at + 2)


def _rolling(anchor: date, direction: int, count: int, unit: str, end: int) -> Reading:
    def days(day: date) -> Span:
        return between(*sorted((day, shift(day, direction * count, unit))))

    return relative(anchor, days, end)


def rolling(src: Source, i: int, _cued: bool) -> Reading | None:
    """``the past three months``, ``these last few weeks``, ``the next two days``."""
    at = src.skip(i, "the", "these")
    found = counted(src, at + 1) if src.word(at + 1) not in {"a", "an"} else None
    direction = DIRECTIONS.get(src.word(at), 0)
    if src.anchor is None or found is None or not direction:
        return None
    return replace(
        _rolling(src.anchor, direction, found.high, found.unit, found.end), about=found.about
    )


def ago(src: Source, i: int, _cued: bool) -> Reading | None:
    """``two weeks ago``, ``a year ago today``, ``a few days back``, ``a week from now``."""
    found = counted(src, i)
    if src.anchor is None or found is None:
        return None
    word = src.word(found.end)
    ahead = src.follow(found.end, "from", "now")
    if word not in {"ago", "back"} and ahead < 0:
        return None
    direction, end = (1, ahead) if ahead > 0 else (-1, found.end + 1)
    if src.word(end) == "today":
        return relative(
            src.anchor,
            lambda day: day_span(shift(day, direction * found.low, found.unit)),
            end + 1,
        )
    about = found.about or found.unit == "decade"
    return relative(src.anchor, lambda day: found.moved(day, direction), end, about=about)


def named_ago(src: Source, i: int, _cued: bool) -> Reading | None:
    """``two summers ago``, ``three Fridays ago``."""
    low, high, at = _count(src, i)
    if src.anchor is None or not low or low != high or src.word(at + 1) != "ago":
        return None
    if (weekday := words.PLURAL_WEEKDAYS.get(src.word(at))) is not None:
        return relative(src.anchor, lambda day: day_span(weekday_before(day, weekday, low)), at + 2)
    if not (first := words.PLURAL_SEASONS.get(src.word(at))):
        return None
    return relative(
        src.anchor, lambda day: finished(lambda year: season(year, first), day, low), at + 2
    )


def before_last(src: Source, i: int, _cued: bool) -> Reading | None:
    """``the week before last``, ``the Friday before last``, ``the weekend after next``."""
    at = src.skip(i, "the")
    step = 2 if src.follow(at + 1, "after", "next") > 0 else -2
    if src.anchor is None or (step < 0 and src.follow(at + 1, "before", "last") < 0):
        return None
    word, end = src.word(at), at + 3
    if word in words.UNITS or word == "night":
        unit = words.UNITS.get(word, "day")
        return relative(src.anchor, lambda day: period(shift(day, step, unit), unit), end)
    if word in words.WEEKDAYS and step < 0:
        weekday = words.WEEKDAYS[word]
        return relative(src.anchor, lambda day: day_span(weekday_before(day, weekday, 2)), end)
    build, _ = recurring(src, at)
    if build is None or step > 0:
        return None
    return relative(src.anchor, lambda day: finished(build, day, 2), end)


def in_units(src: Source, i: int, _cued: bool) -> Reading | None:
    """``in two weeks``, but not "finished in two weeks", and "in a week" only of the future."""
    found = counted(src, i + 1)
    if src.anchor is None or src.word(i) != "in" or found is None:
        return None
    tense = src.tense(i)
    end = src.skip(found.end, "time")
    generic = found.high == 1 and tense != "future"
    if tense in {"past", "habit"} or generic or src.word(i - 1) == "time":
        return None
    return relative(src.anchor, lambda day: found.moved(day, 1), end, about=found.about)


def later(src: Source, i: int, _cued: bool) -> Reading | None:
    """``two days later``, ``a week earlier``, ``the next day``: from the mention before."""
    previous = src.previous
    if previous is None:
        return None
    if max(src.follow(i, "the", side, "day") for side in ("next", "following")) > 0:
        told = src.tense(i) == "past"
        return (
            relative(previous.last, lambda day: day_span(shift(day, 1, "day")), i + 3)
            if told
            else None
        )
    found = counted(src, i)
    direction = {"later": 1, "earlier": -1}.get(src.word(found.end), 0) if found else 0
    if found is None or not direction:
        return None
    return relative(
        previous.first,
        lambda day: found.moved(day, direction),
        found.end + 1,
        about=found.about,
    )


RULES = (
    named_day, other_day, directed, rolling, ago, named_ago, before_last, in_units, later,
)  # fmt: skip
