"""English dates in a text, resolved against the moment it was said.

"I went yesterday", said on 8 May 2023, speaks of 7 May 2023. The grammar is small and declines what
it cannot place: "recently", "a while ago", "at 7 pm", "3/5", "you may". Where English leaves a
choice, ``dates_relative`` states the one taken. Time grows linearly with the text, whatever is in
it, and no text makes it fail.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import cache
from itertools import zip_longest

from hypermnesia.language.dates_calendar import Grain, Span, period
from hypermnesia.language.dates_lexer import Token, lex
from hypermnesia.language.dates_phrases import (
    is_temporal,
    may_be_inside,
    names_a_time,
    openings,
    phrases,
)
from hypermnesia.language.dates_reading import Reading, Source, Tense, tenses
from hypermnesia.language.dates_words import DEADLINE_CUES, MONTH_NAMES, SEASONS

NO_YEAR = 2000
"""Year of the days of a mention whose year is unknown; a leap year, so that 29 February exists."""
_AGAINST_TENSE = 345
"""Days that a date against the tense counts as further off. Verbs mislead: "waiting for what was
promised on 10 June", said on 3 June, means this June. More than ten days away the tense decides."""
_REACH = 12
"""Tokens before the word that names a time in which its phrase may begin: more than any needs."""
_CALENDARS = 28
"""Years after which the weekdays of the Julian and Gregorian calendars return (1901 to 2099)."""
_NEAR = 4
"""Years to either side in which a date without a year is looked for; 29 February needs four."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A date that a text names.

    Attributes:
        phrase: the words, as written.
        start: offset of their first character.
        end: offset past their last.
        first: first day meant.
        last: last day meant, inclusive.
        grain: kind of period; ``range`` is any other stretch of days.
        explicit: a date of the calendar ("7 May"), not one counted from the anchor ("yesterday").
        year_known: whether the year is stated or follows from the anchor. If not, ``first`` is in
            the year :data:`NO_YEAR`, and only months and days mean something.
        about: the words are approximate ("around Christmas", "a few days ago").
    """

    phrase: str
    start: int
    end: int
    first: date
    last: date
    grain: Grain
    explicit: bool
    year_known: bool
    about: bool

    @property
    def text(self) -> str:
        """The date in fixed words: ``7 May 2023``, ``week of 1 May 2023``, ``about 2022``."""
        words = _in_words(Span(self.first, self.last, self.grain), known=self.year_known)
        return f"about {words}" if self.about else words


def mentions(text: str, anchor: datetime | None) -> list[Mention]:
    """The dates in a text, from left to right, the longest reading at each place.

    Args:
        text: what was said; any length, any content.
        anchor: the moment it was said, in the speaker's own time zone. Without it nothing relative
            is found, and a date without a year keeps its year unknown. With it such a date is the
            latest one in a clause about the past, the coming one in a clause about the future (but
            one up to ten days off in any case), and the nearest one otherwise.

    Returns:
        Mentions that do not overlap; days outside the years 1 to 9999 are left out.
    """
    return _read(text, anchor, resolve=True)


def question_dates(text: str, anchor: datetime | None = None) -> list[Mention]:
    """The dates in a question: as :func:`mentions`, but a year that is not stated stays unknown.

    "What did she do in May?" may be asked years later: any May may be meant.
    """
    return _read(text, anchor, resolve=False)


def annotate(text: str, anchor: datetime | None) -> str:
    """The text with each date that it leaves to the anchor written out behind its phrase.

    "I went yesterday" becomes "I went yesterday (7 May 2023)"; dates stated in full, or with a date
    in brackets behind them, stay as they are. Annotating twice changes nothing more, for dates of
    the years 1900 to 2099.
    """
    found = mentions(text, anchor)
    out: list[str] = []
    place = 0
    for mention, after in zip_longest(found, found[1:]):
        note = f" ({mention.text})"
        stated = mention.explicit and str(mention.first.year) in mention.phrase
        behind = "" if after is None else text[mention.end : after.start]
        noted = behind in {" (", " (about "} or text.startswith(note, mention.end)
        if mention.year_known and not stated and not noted:
            out += [text[place : mention.end], note]
            place = mention.end
    return "".join(out) + text[place:]


def _read(text: str, anchor: datetime | None, *, resolve: bool) -> list[Mention]:
    if not names_a_time(text):
        return []
    tokens = lex(text)
    within_reach = _within_reach(tokens)
    if not within_reach:
        return []
    day = None if anchor is None else anchor.date()
    src = Source(tokens, cache(lambda: tenses(tokens)), day, openings(tokens))
    out: list[Mention] = []
    i = 0
    while i < len(tokens):
        found = _settled(src, i, resolve=resolve) if i in within_reach else None
        if found is None:
            i += 1
            continue
        reading, span, known = found
        start, end = tokens[i].start, tokens[reading.end - 1].end
        out.append(
            Mention(
                text[start:end], start, end, span.first, span.last, span.grain,
                reading.explicit, known, reading.about,
            )
        )  # fmt: skip
        src = replace(src, previous=span if known else None, taken=reading.end)
        i = reading.end
    return out


def _within_reach(tokens: Sequence[Token]) -> set[int]:
    """Indices from which a phrase may lead to a word that names a time, which each has one of."""
    found = set[int]()
    for core in (i for i, token in enumerate(tokens) if is_temporal(token)):
        found.add(core)
        for i in range(core - 1, max(core - _REACH, 0) - 1, -1):
            if not may_be_inside(tokens[i]):
                break
            found.add(i)
    return found


def _settled(src: Source, i: int, *, resolve: bool) -> tuple[Reading, Span, bool] | None:
    """The longest phrase at an index that names days which exist, and whether its year is known."""
    for reading in phrases(src, i):
        with suppress(ValueError, OverflowError):
            if reading.year is not None:
                return reading, reading.build(reading.year), True
            if resolve and src.anchor is not None:
                tense = "" if src.cue(i) in DEADLINE_CUES else src.tense(i)
                return reading, _nearest(reading, src.anchor, tense), True
            return reading, _yearless(reading), False
    return None


def _nearest(reading: Reading, anchor: date, tense: Tense) -> Span:
    """The nearest year to the anchor that agrees with the tense, or nearly does.

    Raises:
        ValueError: if there is none.
    """

    def distance(span: Span) -> int:
        ahead, behind = (span.first - anchor).days, (anchor - span.last).days
        against = (tense == "past" and ahead > 0) or (tense == "future" and behind > 0)
        return max(ahead, behind, 0) + _AGAINST_TENSE * against

    return min(_built(reading, range(anchor.year - _NEAR, anchor.year + _NEAR + 1)), key=distance)


def _yearless(reading: Reading) -> Span:
    """The days in the year :data:`NO_YEAR`; what moves from year to year covers all its places."""
    spans = _built(reading, range(NO_YEAR, NO_YEAR + _CALENDARS))
    firsts = [_in_year(s.first, NO_YEAR) for s in spans]
    lasts = [_in_year(s.last, NO_YEAR + s.last.year - s.first.year) for s in spans]
    moves = min(firsts) != max(firsts)
    return Span(min(firsts), max(lasts), "range" if moves else spans[0].grain)


def _in_year(day: date, year: int) -> date:
    """The same month and day of another year, 29 February being the 28th where there is none."""
    try:
        return day.replace(year=year)
    except ValueError:
        return day.replace(year=year, day=28)


def _built(reading: Reading, candidates: Iterable[int]) -> list[Span]:
    """What a reading means in each year in which it means something."""
    out: list[Span] = []
    for year in candidates:
        with suppress(ValueError, OverflowError):
            out.append(reading.build(year))
    return out


def _in_words(span: Span, *, known: bool) -> str:
    first, last, year = span.first, span.last, f" {span.first.year}" if known else ""
    match span.grain:
        case "day":
            return _day(first, known=known)
        case "weekend" | "week" if span == period(first, span.grain):
            return f"{span.grain} of {_day(first, known=known)}"
        case "month":
            return MONTH_NAMES[first.month - 1] + year
        case "season":
            name = next(name for name, month in SEASONS.items() if month == first.month)
            return name + year
        case "quarter":
            return f"Q{(first.month + 2) // 3}{year}"
        case _:
            return _stretch(first, last, known=known)


def _stretch(first: date, last: date, *, known: bool) -> str:
    if first == last:
        return _day(first, known=known)
    if known and (first.month, first.day, last.month, last.day) == (1, 1, 12, 31):
        return f"{first.year} to {last.year}" if first.year < last.year else str(first.year)
    if first.day == 1 and last == period(last, "month").last:
        names = [_month(day, known=known) for day in (first, last)]
        return names[0] if names[0] == names[1] else " to ".join(names)
    return f"{_day(first, known=known)} to {_day(last, known=known)}"


def _day(day: date, *, known: bool) -> str:
    return f"{day.day} {_month(day, known=known)}"


def _month(day: date, *, known: bool) -> str:
    return MONTH_NAMES[day.month - 1] + (f" {day.year}" if known else "")
