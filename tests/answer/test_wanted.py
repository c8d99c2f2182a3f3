"""What questions ask for, and what sentences offer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.answer.wanted import Wanted, offers, wanted


@pytest.mark.parametrize(
    ("question", "what"),
    [
        ("When did Ann move to Lisbon?", "date"),
        ("when's the release?", "date"),
        ("What date is the wedding?", "date"),
        ("In which year did she graduate?", "date"),
        ("Which exact day was it?", "date"),
        ("How many children does Ann have?", "number"),
        ("How old is Rex?", "number"),
        ("what port does staging listen on?", "number"),
        ("Who leads billing?", "person"),
        ("Whose idea was it?", "person"),
        ("Where does Ann live?", "place"),
        ("Which city did they visit?", "place"),
        ("What does Ann do when she is sad?", "anything"),
        ("What does billing use?", "anything"),
        ("", "anything"),
        ("¿Cuándo?", "anything"),
    ],
)
def test_question_words_tell_what_is_wanted(question: str, what: Wanted) -> None:
    """A subordinate "when" asks for no date."""
    assert wanted(question) == what


@pytest.mark.parametrize(
    ("what", "sentence", "other"),
    [
        ("number", "I have three cats", "I have cats"),
        ("number", "It listens on 9090", "It listens"),
        ("person", "I went with Bo", "I went alone"),
        ("person", "It was my older sister", "It was nice"),
        ("place", "We moved to Lisbon", "We moved"),
    ],
)
def test_a_sentence_offers_what_it_names(what: Wanted, sentence: str, other: str) -> None:
    """And another one does not."""
    assert offers(sentence, what, dated=False)
    assert not offers(other, what, dated=False)


@given(st.text(), st.booleans())
def test_a_date_is_offered_by_what_is_dated(text: str, dated: bool) -> None:
    """Which the date grammar decides; anything is offered by everything."""
    assert offers(text, "date", dated=dated) is dated
    assert offers(text, "anything", dated=dated)
