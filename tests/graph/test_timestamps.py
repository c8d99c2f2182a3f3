"""When something was said."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hypermnesia.errors import InvalidInput
from hypermnesia.graph.timestamps import day_first, instant, stamp

NOON = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)


@pytest.mark.parametrize(
    "written",
    [
        "1:56 pm on 8 May, 2023",
        "8 May 2023 13:56",
        "May 8, 2023 1:56 PM",
        "Monday, May 8th, 2023 at 1:56 p.m.",
        "Mon 8 May 2023, 13:56:00",
        "2023-05-08 13:56",
        "2023-05-08T13:56Z",
        "2023/05/08, 13:56",
        "08/05/2023, 13:56",
        "8.5.23 13:56:00",
        "08/05/23, 1:56:00\u202fPM",
        "8th of May 2023 13:56 UTC",
        "May-8-2023 13:56",
        "1683554160",
        "1683554160.0",
        "1683554160000",
        1683554160,
        1683554160.0,
        1683554160000,
        NOON,
    ],
)
def test_a_moment_is_read_in_every_usual_spelling(written: object) -> None:
    """All of these are the same minute; what names no zone is UTC."""
    assert instant(written) == NOON


def test_an_offset_is_kept() -> None:
    """The instant counts, and the offset tells the speaker's own clock."""
    for text in ("2023-05-08T13:56:00-05:30", "8 May 2023 13:56 -0530"):
        found = instant(text)
        assert found == datetime(2023, 5, 8, 19, 26, tzinfo=UTC)
        assert found is not None
        assert found.utcoffset() == -timedelta(hours=5, minutes=30)


def test_no_time_is_none() -> None:
    """A missing time is no error, and midnight stands for a missing clock."""
    assert instant(None) is None
    assert instant(" ") is None
    assert instant(date(2023, 5, 8)) == instant("8 May 2023") == datetime(2023, 5, 8, tzinfo=UTC)


@pytest.mark.parametrize(
    "value",
    [
        *("yesterday", "31 February 2023", "25:00 on 8 May 2023", "13:56 pm", "10:03", "8 May"),
        *(True, [], {}, 1e300, float("nan"), float("inf"), -1e30, 10**400, "\0"),
        *("9" * 79, "9" * 5000),
    ],
)
def test_what_is_no_moment_is_named_in_the_error(value: object) -> None:
    """Numbers out of range and half dates are refused, whatever their size."""
    with pytest.raises(InvalidInput, match="timestamp"):
        instant(value)


def test_midnight_and_noon_are_read_off_a_twelve_hour_clock() -> None:
    """12 am is 0 and 12 pm is 12."""
    assert instant("12:01 am on 1 June, 2023") == datetime(2023, 6, 1, 0, 1, tzinfo=UTC)
    assert instant("12:01 pm on 1 June, 2023") == datetime(2023, 6, 1, 12, 1, tzinfo=UTC)


def test_a_clock_alone_needs_a_day() -> None:
    """Chats name the day once and then only times."""
    found = stamp("10:03 AM")
    assert found is not None
    assert found.at() is None
    assert found.at(date(2023, 5, 8)) == datetime(2023, 5, 8, 10, 3, tzinfo=UTC)


@pytest.mark.parametrize(
    ("sample", "first"),
    [
        ("5/25/23 10:00", False),
        ("25/05/23 10:00", True),
        ("05/08/23, 1:00 PM", False),
        ("05/08/23, 13:00", True),
        ("", True),
    ],
)
def test_the_order_of_day_and_month_is_told_from_the_text(sample: str, first: bool) -> None:
    """A number above 12 decides, then the clock."""
    assert day_first(sample) is first


def test_the_month_comes_first_where_the_caller_says_so() -> None:
    """The same digits are another day in the United States."""
    found = stamp("08/05/2023", day_first=False)
    assert found is not None
    assert found.day == date(2023, 8, 5)


OFFSETS = st.integers(-840, 840).map(lambda minutes: timezone(timedelta(minutes=minutes)))


@settings(deadline=None)
@given(st.datetimes(timezones=OFFSETS).filter(lambda moment: 1 < moment.year < 9999))
def test_iso_text_round_trips(moment: datetime) -> None:
    """Every aware datetime is read back from its ISO form, offset included."""
    found = instant(moment.isoformat())
    assert found == moment
    assert found is not None
    assert found.utcoffset() == moment.utcoffset()


@settings(deadline=None)
@given(st.text(max_size=100))
def test_any_text_is_a_moment_or_an_invalid_input(text: str) -> None:
    """No text raises anything else."""
    try:
        found = instant(text)
    except InvalidInput:
        return
    assert found is None or found.tzinfo is not None
