"""Words alone tell whom a question is about, and what a turn is."""

from __future__ import annotations

from datetime import date

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.read.dialogue_signals import (
    BRIEF,
    NAMES,
    READ,
    Period,
    address,
    nearness,
    style,
)

PAIR = ("Ana", "Ben")


@pytest.mark.parametrize(
    ("question", "speaker", "text"),
    [
        ("What is Ana's dog called?", "Ana", "What is my dog called?"),
        ("Where did Ben leave his bike?", "Ben", "Where did I leave my bike?"),
        ("What does Ana think of Ben's plan?", "Ana", "What does I think of your plan?"),
        ("What did Ben tell Ana?", "Ben", "What did I tell you?"),
        ("What do Ana and Ben share?", None, "What do we share?"),
        ("What is Ana and Ben's plan?", None, "What is our plan?"),
        ("Where did both Ana and Ben meet their friends?", None, "Where did we meet our friends?"),
        ("Who won the race?", None, "Who won the race?"),
        ("What did Anabel say?", None, "What did Anabel say?"),
        ("what is ana's dog called?", "Ana", "what is my dog called?"),
    ],
)
def test_a_question_is_put_in_the_words_of_whom_it_is_about(
    question: str, speaker: str | None, text: str
) -> None:
    """The named person's turns say "I" and "my"."""
    found = address(question, PAIR)
    assert (found.speaker, found.text) == (speaker, text)


def test_a_first_name_stands_for_the_whole_name() -> None:
    """Unless two have it."""
    assert address("Where is Eva?", ["Eva Stein", "Max Roth"]).speaker == "Eva Stein"
    assert address("Where is Eva?", ["Eva Stein", "Eva Roth"]).speaker is None
    assert address("Where is Eva Roth?", ["Eva Stein", "Eva Roth"]).speaker == "Eva Roth"


def test_a_name_that_is_a_word_needs_its_capital() -> None:
    """In a question without capitals "will" is a verb."""
    assert address("will it rain?", ["Will", "Ana"]).speaker is None
    assert address("What does Will want?", ["Will", "Ana"]).speaker == "Will"


@pytest.mark.parametrize(
    ("question", "speaker"),
    [
        ("What did I say about my boat?", "user"),
        ("Which hotel did you recommend to me?", None),
        ("Remind me of your earlier suggestion", None),
        ("What is a boat?", None),
        ("Which roles may the user have in my app?", "user"),
    ],
)
def test_in_a_chat_with_an_assistant_i_am_the_user(question: str, speaker: str | None) -> None:
    """Except where the assistant's own words are asked for."""
    assert address(question, ["assistant", "user"]).speaker == speaker


def test_between_people_no_one_is_i() -> None:
    """Who asks is unknown."""
    assert address("What did I say?", PAIR).speaker is None


@given(st.text(max_size=60), st.lists(st.text(max_size=8), max_size=4))
def test_any_question_has_an_address(question: str, participants: list[str]) -> None:
    """No text and no name fails, and only a participant is found."""
    assert address(question, participants).speaker in {None, *participants}


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    """Every reading stays in its bounds."""
    told = style(text)
    assert 0 < told.brevity <= 1
    assert 0 <= told.news(()) <= NAMES
    assert isinstance(told.asks, bool)
    assert isinstance(told.says_when, bool)


def test_brevity_falls_with_length() -> None:
    """Full up to the bound, half at twice of it."""
    assert style("a" * BRIEF).brevity == 1
    assert style("a" * (2 * BRIEF)).brevity == 0.5


@pytest.mark.parametrize("text", ["Is it?", "Is it? ", '"Is it?"', "是吗？"])
def test_a_question_ends_with_its_mark(text: str) -> None:
    """Also inside quotes and in full width."""
    assert style(text).asks
    assert not style(text + " Yes.").asks


def test_a_name_stands_inside_a_sentence() -> None:
    """The capital of a first word says nothing, nor does a known name."""
    assert style("We went to Lisbon. It rained").news(()) == 1
    assert style("We met Ben").news({"ben"}) == 0
    assert style("x " * READ + "to Lisbon").news(()) == 0


@pytest.mark.parametrize("text", ["I just got back", "two weeks", "on Friday", "Last year"])
def test_time_words_place_a_turn(text: str) -> None:
    """Whole words only."""
    assert style(text).says_when


def test_justice_is_no_time() -> None:
    """Whole words only."""
    assert not style("justice and nowhere").says_when


def test_nearness_grades_a_day_a_month_and_a_year() -> None:
    """Inside is best, a few days off nearly so, and a long period tells least."""
    days = np.array(
        [date(2024, 5, d).toordinal() for d in (7, 9, 30)] + [date(2024, 6, 1).toordinal(), 0]
    )
    day = Period(date(2024, 5, 7), date(2024, 5, 7))
    month = Period(date(2024, 5, 1), date(2024, 5, 31))
    year = Period(date(2024, 1, 1), date(2024, 12, 31))
    assert nearness([day], days).tolist() == pytest.approx([1, 0.7, 0.3, 0, 0])
    assert nearness([month], days).tolist() == [1, 1, 1, 0, 0]
    assert nearness([year], days).tolist() == [0.5, 0.5, 0.5, 0.5, 0]
    assert nearness([year, day], days).tolist() == pytest.approx([1, 0.7, 0.5, 0.5, 0])
    assert not nearness([], days).any()


def test_a_day_without_a_year_is_that_day_of_any_year() -> None:
    """The 29th of February too."""
    leap = Period(date(2000, 2, 29), date(2000, 2, 29), yearly=True)
    days = np.array([date(2023, 2, 28).toordinal(), date(2024, 2, 29).toordinal()])
    assert nearness([leap], days).tolist() == pytest.approx([1, 1])


@given(
    st.lists(st.tuples(st.dates(), st.integers(0, 400), st.booleans()), max_size=3),
    st.lists(st.integers(0, date.max.toordinal()), max_size=6),
)
def test_nearness_is_a_share(periods: list[tuple[date, int, bool]], days: list[int]) -> None:
    """Any calendar day can be asked for, to the last one."""
    asked = [
        Period(first, date.fromordinal(min(first.toordinal() + length, date.max.toordinal())), any_)
        for first, length, any_ in periods
    ]
    found = nearness(asked, np.array(days, np.int64))
    assert found.shape == (len(days),)
    assert ((found >= 0) & (found <= 1)).all()
