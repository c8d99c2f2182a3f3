"""Reading the values that statements give, and how they present them."""

from __future__ import annotations

import math
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.judge import features_values
from hypermnesia.judge.features_updates import is_goal, manner
from hypermnesia.judge.features_values import LARGEST, spoken, values


def read(text: str) -> list[tuple[str, str, str]]:
    """Kind, value and unit of each value."""
    return [(v.kind, v.value, v.unit) for v in values(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I've sold 1,250 raffle tickets", [("count", "1250", "ticket")]),
        ("we own seven goats and two ponies", [("count", "7", "goat"), ("count", "2", "pony")]),
        ("it answers in 90ms", [("count", "90", "ms")]),
        ("a walk of 25 minutes", [("count", "25", "minut")]),
        ("I scanned 140 of my aunt's slides", [("count", "140", "slid")]),
        ("we swim twice a week", [("count", "2", "tim")]),
        ("40 calls/minute", [("count", "40", "call")]),
        ("15k followers", [("count", "15000", "follower")]),
        ("coverage is 65 percent, then 7.5%", [("percent", "65%", ""), ("percent", "7.5%", "")]),
        ("rent is $1,200 or 900 euros", [("money", "$1200", ""), ("money", "900euros", "")]),
        ("due on the 3rd of May, 2026 at 4 PM", [("date", "3 may", ""), ("clock", "4pm", "")]),
        ("moved to September 12th", [("date", "12 sep", "")]),
        ("starts on Friday", [("date", "friday", "")]),
    ],
)
def test_values_are_read_with_their_units(text: str, expected: list[tuple[str, str, str]]) -> None:
    """Counts in digits and words, measures, shares, prices, dates and times of day."""
    assert read(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "we are in sprint 2",
        "it runs on Python 3.11 and v2.4",
        "ticket #118 is open",
        "the app listens on port 5000",
        "I met her in 2014",
        "read pages 10-20",
        "I got 7/10 right",
        "sales rose by 12%",
        "three more guests",
        "a 5% increase",
        "n = 12",
        "run `retry 5 times`",
        "see https://example.org/7/items",
        "one of us",
    ],
)
def test_numbers_that_name_or_compare_are_no_values(text: str) -> None:
    """Identifiers, versions, years, ranges, ratios, differences, formulas, code and addresses."""
    assert read(text) == []


def test_the_value_before_a_change_is_told_from_the_one_after() -> None:
    """Of "from 8 to 12" the 12 stands, and remembers the 8."""
    (value,) = values("I went from 8 to 12 lessons")
    assert (value.value, value.former) == ("12", 8.0)
    assert read("instead of 3 lessons") == []


def test_who_speaks_is_no_part_of_what_is_said() -> None:
    """A label opens a turn; other colons do not."""
    assert spoken("Ana Maria: 3 eggs") == ("ana maria", "3 eggs")
    assert spoken("we need this: 3 eggs") == ("", "we need this: 3 eggs")
    assert "ana" not in values("Ana: I have 3 eggs")[0].near


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the group has grown to 40 members", "up"),
        ("the price dropped to 30 euros", "down"),
        ("response time recently improved to 90 ms", "new"),
        ("so I have a total of 12 cards", "new"),
        ("the new limit of 500 requests", "new"),
        ("we meet three times a week now", "new"),
        ("I've already finished 9 chapters", "tally"),
        ("Mei has translated 34 pages", "tally"),
        ("the shop has received 300 orders", "tally"),
        ("the deadline was extended to May 17", "new"),
        ("the launch is now 4 June", "new"),
        ("we moved the call to Monday at 11 am", "new"),
        ("I met her on March 3", ""),
        ("a new site launched on May 8", ""),
        ("it's now July 20", ""),
        ("I switched to another editor on May 5", ""),
        ("what are the odds of drawing 2 aces?", ""),
        ("it takes 9 minutes", ""),
    ],
)
def test_news_is_told_from_values_in_passing(text: str, expected: str) -> None:
    """Announced as risen, fallen or different, a tally, or none of these."""
    assert manner(values(text)[0]) == expected


@pytest.mark.parametrize(
    ("text", "goal"),
    [
        ("I want to reach 80% coverage", True),
        ("I'd like to have 20 lessons", True),
        ("suppose the box holds 18 eggs", True),
        ("we reached 80% coverage", False),
    ],
)
def test_goals_are_told_from_results(text: str, goal: bool) -> None:
    """What is wished for or supposed is not the case."""
    assert is_goal(values(text)[0]) == goal


PIECES = st.lists(
    st.sampled_from([
        "12", "1,000", "5%", "$3k", "May 3", "at 4 pm", "from", "to", "'", "\u2019", "up", "new",
        "I've", " ", ", ", "finished", "\u0663", "9" * 400, "cards", "/", "-", "=", "now", "Ana: ",
    ])
).map("".join)  # fmt: skip


@given(st.text() | PIECES)
def test_any_text_is_read(text: str) -> None:
    """Numbers are finite and bounded, and every value can be placed."""
    for value in values(text):
        assert 0 <= value.number <= LARGEST
        assert value.former is None or math.isfinite(value.former)
        assert manner(value) in {"up", "down", "new", "tally", ""}
        assert is_goal(value) in {True, False}


@pytest.mark.parametrize(
    "unit", ["'", "a'", "up to ", "now ", "1 ", "from 1 to ", "I've had ", "."]
)
def test_a_monotonous_text_is_read(unit: str) -> None:
    """The worst cases of backtracking end."""
    for value in values(unit * 500 + "12 cards"):
        manner(value)


PARTS = (
    *("six", "Twice", "FRI", "day", "one", "ten", "7", "\u0663", "%", "$", "k", "may", "am", ":"),
    *("f\u0131ve", "\u017fix", "S\u0130X", "\u0345", "\u00df", "x", " ", " ", ",", "-", "."),
)


@given(st.lists(st.sampled_from(PARTS), max_size=8).map("".join))
def test_a_text_that_is_passed_over_holds_no_value(text: str) -> None:
    """Whatever stands for a letter where case does not count."""
    with patch.object(features_values, "_may_hold", return_value=True):
        found = values.__wrapped__(text)
    assert values.__wrapped__(text) == found
