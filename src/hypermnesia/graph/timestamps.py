"""When something was said, in the spellings that chats and their exports use.

A time without an offset is UTC, as everywhere in Hypermnesia; a given offset is kept.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone

from hypermnesia import validate
from hypermnesia.errors import InvalidInput

MILLISECONDS_FROM = 1e11
"""A Unix time this large counts milliseconds: as seconds it would be the year 5138."""
MAX_STAMP = 80
"""Characters of a written date and time; a longer text is none."""

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_YEAR = r"(?P<year>\d{4})"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_DATES = tuple(
    re.compile(form, re.IGNORECASE | re.ASCII)
    for form in (
        rf"{_YEAR}[-/.](?P<number>\d{{1,2}})[-/.](?P<day>\d{{1,2}})",
        rf"{_DAY}(?:[\s-]+|\s+of\s+){_MONTH}[\s,-]+{_YEAR}",
        rf"{_MONTH}[\s-]+{_DAY}[\s,-]+{_YEAR}",
        r"(?P<first>\d{1,2})[/.-](?P<second>\d{1,2})[/.-](?P<year>\d{4}|\d{2})",
    )
)
_CLOCK = re.compile(
    r"(?<![\d:])(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,]\d+)?)?"
    r"(?:\s*(?P<half>[ap])\.?m\b\.?)?(?:\s*(?P<zone>z|utc|gmt|[+-]\d{2}:?\d{2})(?![\d:a-z]))?",
    re.IGNORECASE,
)
_AROUND = re.compile(
    r"^(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\b)?[\s,.]*"
    r"|(?:\b(?:on|at)\b|[\s,T(|])+$|^(?:[\s,)|]|\b(?:on|at)\b)+",
    re.IGNORECASE,
)
_NUMERIC = re.compile(r"(?<!\d)(\d{1,2})[/.](\d{1,2})[/.](?:\d{4}|\d{2})(?!\d)")
_UNIX = re.compile(r"-?\d{9,}(?:\.\d+)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Stamp:
    """A date, a time of day, or both, as written."""

    day: date | None
    clock: time | None

    def at(self, day: date | None = None) -> datetime | None:
        """The instant; ``day`` stands in for a missing date, midnight for a missing time."""
        day = self.day or day
        return None if day is None else datetime.combine(day, self.clock or time(tzinfo=UTC))


def stamp(text: str, *, day_first: bool = True) -> Stamp | None:
    """The date and time that make up the whole text, or ``None``.

    Reads "2023-05-08 13:56", "1:56 pm on 8 May, 2023", "Monday, May 8th, 2023", "08/05/23,
    13:56:07" and a mere "10:03 AM".

    Args:
        text: at most :data:`MAX_STAMP` characters.
        day_first: whether "08/05/2023" is a day in May.
    """
    if len(text) > MAX_STAMP:
        return None
    found = _CLOCK.search(text)
    try:
        clock = _clock(found) if found else None
        rest = text[: found.start()] + " " + text[found.end() :] if found else text
        rest = _bare(rest)
        if not rest:
            return Stamp(None, clock) if clock else None
        for form in _DATES:
            if match := form.fullmatch(rest):
                return Stamp(_day(match, day_first), clock)
    except ValueError:
        return None  # 31 February, 25:00
    return None


def day_first(sample: str) -> bool:
    """Whether dates such as "08/05/2023" in a text begin with the day.

    A number above 12 decides; where none tells, a clock with "am" and "pm" stands for the
    month first, as in the United States, and any other for the day first.
    """
    pairs = [(int(a), int(b)) for a, b in _NUMERIC.findall(sample)]
    if any(first > len(_MONTHS) for first, _ in pairs):
        return True
    if any(second > len(_MONTHS) for _, second in pairs):
        return False
    return not re.search(r"\d\s?[AaPp]\.?[Mm]\b", sample)


def instant(value: object, what: str = "timestamp") -> datetime | None:
    """A moment from a datetime, a date, Unix seconds or milliseconds, or a text.

    Args:
        value: text may be ISO 8601, a Unix time, or what :func:`stamp` reads with a date.
        what: its name, for the error.

    Raises:
        InvalidInput: it is no moment, or one that cannot be represented.
    """
    match value:
        case None | datetime() | date():
            return validate.moment(value, what)
        case bool():
            raise InvalidInput(f"the {what} must be a date and time, not {value}")
        case int() | float():
            return _from_unix(float(value) if abs(value) < MILLISECONDS_FROM**2 else math.inf, what)
        case str():
            return _from_text(value.strip(), what)
        case _:
            raise InvalidInput(f"the {what} must be text or a number, not {type(value).__name__}")


def _from_unix(value: float, what: str) -> datetime:
    seconds = value / 1000 if abs(value) >= MILLISECONDS_FROM else value
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError, OSError):
        raise InvalidInput(f"the {what} {value:g} is no Unix time in seconds") from None


def _from_text(text: str, what: str) -> datetime | None:
    if not text:
        return None
    if len(text) <= MAX_STAMP and _UNIX.fullmatch(text):
        return _from_unix(float(text), what)
    written = stamp(text)
    if written and written.day and not _is_iso(text):
        return written.at()
    return validate.moment(text, what)


def _is_iso(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _bare(text: str) -> str:
    """A date without the weekday, the "on" and the commas around it."""
    while (shorter := _AROUND.sub("", text.strip())) != text:
        text = shorter
    return text


def _clock(match: re.Match[str]) -> time:
    hour = int(match["hour"])
    if match["half"]:
        if not 1 <= hour <= 12:  # noqa: PLR2004 - hours on a clock face
            raise ValueError(hour)
        hour = hour % 12 + (12 if match["half"].lower() == "p" else 0)
    return time(hour, int(match["minute"]), int(match["second"] or 0), tzinfo=_zone(match["zone"]))


def _zone(text: str | None) -> timezone:
    if text is None or text[0] not in "+-":
        return UTC
    hours, minutes = int(text[1:3]), int(text[-2:])
    offset = timedelta(hours=hours, minutes=minutes)
    return timezone(-offset if text[0] == "-" else offset)


def _day(match: re.Match[str], day_first: bool) -> date:
    group: Callable[[str], str | None] = match.groupdict().get
    year = int(match["year"])
    if first := group("first"):
        day, month = int(first), int(match["second"])
        if not day_first:
            day, month = month, day
        return date(year if year > 99 else 2000 + year, month, day)  # noqa: PLR2004 - two digits
    if number := group("number"):
        return date(year, int(number), int(match["day"]))
    name: str = match["month"].lower()
    return date(year, _MONTHS.index(name[:3]) + 1, int(match["day"]))
