"""English dates against the moment they were said."""

from __future__ import annotations

import re
import sys
from calendar import month_name
from datetime import UTC, date, datetime, timedelta, timezone
from operator import itemgetter
from types import FrameType

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from hypermnesia.language.dates import NO_YEAR, Mention, annotate, mentions, question_dates
from hypermnesia.language.dates_lexer import lex
from tests.language.date_phrases import (
    JAN_PHRASES,
    JULY_PHRASES,
    MAY_PHRASES,
    QUESTIONS,
    SILENT,
    Row,
)

MAY = datetime(2023, 5, 8, 13, 56, tzinfo=timezone(timedelta(hours=2)))
JULY = datetime(2023, 7, 14, 9, 0, tzinfo=UTC)
JAN = datetime(2024, 1, 6, 20, 0, tzinfo=UTC)
ROWS = [
    (anchor, *row)
    for anchor, rows in ((MAY, MAY_PHRASES), (JULY, JULY_PHRASES), (JAN, JAN_PHRASES))
    for row in rows
]
ANCHORS = st.datetimes()
MODERN_ANCHORS = st.datetimes(datetime(1950, 1, 1), datetime(2050, 1, 1))  # noqa: DTZ001 - local
WORDS = (
    "the a an in on at by of to from and or since between until through before after around about"
    " early mid late end start middle first second third last next this past coming other every"
    " day days week weekend month months quarter year years decade night morning ago later earlier"
    " today yesterday tomorrow tonight now two 3 5 31 1999 2023 7th 90s Q2 few couple half"
    " Monday Friday Sat Sunday May March June Feb Sept. spring summer fall winter Christmas Easter"
    " Thanksgiving New Year's Eve July 4th 2023-05-07 3/5/2023 5-7 mid-May went will usually is"
    " but . , ; ( ) - \u2013 \n we I"
)
SOUP = st.lists(st.sampled_from(WORDS.split(" ")), max_size=14).map(" ".join)


def marked(text: str) -> tuple[str, str]:
    """A text without its braces, and the phrase between them."""
    start, end = text.find("{"), text.find("}")
    return (
        (text, text)
        if start < 0
        else (text.replace("{", "").replace("}", ""), text[start + 1 : end])
    )


def days(mention: Mention) -> str:
    """The days of a mention as the table writes them."""
    first, last = mention.first.isoformat(), mention.last.isoformat()
    return first if first == last else f"{first}/{last}"


def rows_id(value: object) -> str | None:
    """The text alone names a case."""
    return None if isinstance(value, datetime) else str(value)


@pytest.mark.parametrize(("anchor", "text", "expected", "grain"), ROWS, ids=rows_id)
def test_a_phrase_means_its_days(anchor: datetime, text: str, expected: str, grain: str) -> None:
    """One mention, with the phrase as written, the right days and the right kind of period."""
    plain, phrase = marked(text)
    assert [(m.phrase, days(m), m.grain) for m in mentions(plain, anchor)] == [
        (phrase, expected, grain)
    ]


@pytest.mark.parametrize("text", SILENT)
def test_a_text_without_a_date_yields_none(text: str) -> None:
    """Verbs, identifiers, times of day, habits, durations and vague words."""
    assert mentions(text, MAY) == []


@pytest.mark.parametrize(("text", "expected", "grain", "known"), QUESTIONS)
def test_a_question_keeps_an_unstated_year_open(
    text: str, expected: str, grain: str, known: bool
) -> None:
    """Its days lie in a fixed leap year; what moves from year to year covers all its places."""
    plain, phrase = marked(text)
    for anchor in (None, MAY):
        (mention,) = question_dates(plain, anchor)
        assert (mention.phrase, days(mention), mention.grain) == (phrase, expected, grain)
        assert mention.year_known is known
        assert known or mention.first.year == NO_YEAR


@pytest.mark.parametrize(
    "row", [row for row in MAY_PHRASES if not re.search("[0-9]{4}", row[0])], ids=itemgetter(0)
)
def test_nothing_relative_is_placed_without_an_anchor(row: Row) -> None:
    """What is found names a day or month of the calendar and leaves its year open."""
    for mention in mentions(marked(row[0])[0], None):
        assert not mention.year_known
        assert mention.explicit


def test_dates_of_the_calendar_need_no_anchor() -> None:
    """The same with and without."""
    for text, expected, _ in JAN_PHRASES:
        plain, _ = marked(text)
        for mention in mentions(plain, None):
            if mention.year_known:
                assert days(mention) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We met on 20 May", "2022-05-20"),
        ("We will meet on 20 April", "2024-04-20"),
        ("20 April, a fine day", "2023-04-20"),
        ("I am waiting for the grades promised on 10 May", "2023-05-10"),
        ("I finished it by 10 May", "2023-05-10"),
        ("What is great: on Friday we sang", "2023-05-05"),
        ("The show is on Friday", "2023-05-12"),
        ("I sang a lot, but on Friday I'll rest", "2023-05-12"),
    ],
)
def test_the_tense_of_the_clause_chooses_among_years_and_weeks(text: str, expected: str) -> None:
    """Past: the latest; present or future: the coming one; a few days off: the nearest."""
    assert [days(m) for m in mentions(text, MAY)] == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I left on 7 March. Two days later I was home.", "2023-03-09"),
        ("I left on 7 March. Three days earlier I was ill.", "2023-03-04"),
        ("I left on 7 March. The next day I was home.", "2023-03-08"),
    ],
)
def test_later_counts_from_the_mention_before(text: str, expected: str) -> None:
    """Without one it is not placed at all."""
    assert [days(m) for m in mentions(text, MAY)] == ["2023-03-07", expected]


def test_the_longest_reading_wins_and_the_rest_goes_on() -> None:
    """Mentions stand in order and do not overlap."""
    text = "Last week I read; the week before 9 June, 2022 I ran, and on 3 May 2021 I slept."
    assert [m.phrase for m in mentions(text, MAY)] == [
        "Last week", "the week before 9 June, 2022", "3 May 2021",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I went yesterday", "I went yesterday (7 May 2023)"),
        ("last week's game", "last week's (week of 1 May 2023) game"),
        ("We hiked last weekend.", "We hiked last weekend (weekend of 6 May 2023)."),
        ("We moved in March", "We moved in March (March 2023)"),
        ("We met two summers ago", "We met two summers ago (summer 2021)"),
        ("We met about five years ago", "We met about five years ago (about 2018)"),
        ("the other day", "the other day (about 1 May 2023 to 6 May 2023)"),
        ("in the 90s", "in the 90s (1990 to 1999)"),
        ("the past quarter? last quarter", "the past quarter (8 February 2023 to 8 May 2023)?"
         " last quarter (Q1 2023)"),
        ("May to June", "May to June"),
        ("on 7 May 2023 and in 2022", "on 7 May 2023 and in 2022"),
        ("early in the year", "early in the year (January 2023 to April 2023)"),
        ("earlier this week", "earlier this week (8 May 2023)"),
        ("yesterday (7 May 2023, I think)", "yesterday (7 May 2023, I think)"),
        ("In Sep (September 2022). Will you?", "In Sep (September 2022). Will you?"),
        ("July 1st Monday", "July 1st (1 July 2023) Monday (1 May 2023)"),
        ("nothing here", "nothing here"),
    ],
)  # fmt: skip
def test_the_date_is_kept_beside_the_phrase(text: str, expected: str) -> None:
    """Only where the phrase leaves something to the anchor; a second time changes nothing."""
    assert annotate(text, MAY) == expected
    assert annotate(expected, MAY) == expected


def test_an_unknown_year_is_not_written_out() -> None:
    """Without an anchor there is nothing to add."""
    assert annotate("We met on 7 May, and yesterday", None) == "We met on 7 May, and yesterday"
    assert [m.text for m in mentions("on 7 May; in March; on Christmas", None)] == [
        "7 May", "March", "25 December",
    ]  # fmt: skip


def test_approximate_words_are_told() -> None:
    """Vague counts and "around" are approximate; a plain count is not."""
    text = "a few days ago; around Christmas 2022; two days ago; nearly a year ago"
    assert [m.about for m in mentions(text, MAY)] == [True, True, False, True]


@settings(deadline=None)
@given(st.text(max_size=200) | SOUP, st.none() | ANCHORS)
def test_any_text_is_read_without_failing(text: str, anchor: datetime | None) -> None:
    """At every anchor of the calendar; mentions lie in the text, in order, first day first."""
    place = 0
    for mention in mentions(text, anchor):
        assert place <= mention.start < mention.end <= len(text)
        assert text[mention.start : mention.end] == mention.phrase
        assert mention.first <= mention.last
        place = mention.end
    for mention in question_dates(text, anchor):
        assert mention.year_known or mention.first.year == NO_YEAR
        assert mention.text


@settings(deadline=None)
@given(st.text(max_size=200) | SOUP, MODERN_ANCHORS)
def test_annotating_only_adds_and_only_once(text: str, anchor: datetime) -> None:
    """The characters of the text are all there, in order; a second time nothing is added."""
    annotated = annotate(text, anchor)
    rest = iter(annotated)
    assert all(character in rest for character in text)
    assume(all(1900 <= m.first.year <= m.last.year <= 2099 for m in mentions(text, anchor)))
    assert annotate(annotated, anchor) == annotated


@settings(deadline=None)
@given(SOUP, MODERN_ANCHORS)
def test_the_written_form_reads_back_as_the_same_days(text: str, anchor: datetime) -> None:
    """So a fact that quotes it can be dated again without its anchor."""
    for mention in mentions(text, anchor):
        assume(mention.first.year >= 1900 and mention.last.year <= 2099)
        (again,) = mentions(f"in {mention.text}", None)
        assert (again.first, again.last) == (mention.first, mention.last)


@settings(deadline=None)
@given(st.dates(date(1900, 1, 1), date(2099, 12, 31)))
def test_a_day_is_read_in_every_order(day: date) -> None:
    """ISO, day first, month first."""
    name = month_name[day.month]
    written = day.isoformat(), f"{day.day} {name} {day.year}", f"{name} {day.day}, {day.year}"
    for text in written:
        (mention,) = mentions(text, None)
        assert (mention.first, mention.last, mention.grain) == (day, day, "day")


def calls(text: str) -> int:
    """How many Python functions reading a text calls."""
    count = 0

    def profile(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        mentions(text, MAY)
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize(
    "piece",
    [
        "a week before ", "the week before the week after ", "between May and ", "from 2016 to ",
        "since ", "the ", "early early ", "around around ", "the first week of ", "two or ",
        "Friday to ", "7 May ", "2023-05-07 ", "1,200,", "mid-", "-a", "5-", ".", "\n", "x", "(",
    ],
)  # fmt: skip
def test_work_grows_no_faster_than_the_text(piece: str) -> None:
    """The third part costs about as many calls as the second: nesting is bounded."""
    once, twice, thrice = (calls(piece * 40 * k) for k in (1, 2, 3))
    assert thrice - twice <= 1.05 * (twice - once) + 1


@pytest.mark.parametrize("piece", ["early early ", "a week before ", "1,200,", "-a", "x"])
def test_a_long_hostile_text_is_read_to_its_end(piece: str) -> None:
    """64,000 characters: no deep recursion, no more tokens than characters."""
    text = (piece * 64_000)[:63_980] + " on 7 May 2023 it ends"
    assert len(lex(text)) <= len(text)
    assert mentions(text, MAY)[-1].phrase.endswith("7 May 2023")
