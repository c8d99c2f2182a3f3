"""Facts taken from turns."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.graph.local import LocalConstructor
from hypermnesia.graph.local.settings import DEFAULT, Thresholds
from hypermnesia.graph.model import FactText, Turn
from tests.graph.local.talks import ASSISTED, NOTES, OFFICE, POTTERY, chat, talk, turn

CONSTRUCTOR = LocalConstructor()


def contents(turns: list[Turn]) -> list[str]:
    """What the facts of some turns say."""
    return [fact.content for fact in CONSTRUCTOR.facts(turns)]


def only(text: str) -> FactText:
    """The single fact of a turn of Ann's."""
    (fact,) = CONSTRUCTOR.facts([turn("Ann", text)])
    return fact


def test_facts_name_their_speaker_and_resolve_the_first_person() -> None:
    """Two people talk; what each says of themselves is said of them by name."""
    said = contents(talk(*POTTERY))
    assert "Ann made a clay bowl for Ann's sister." in said
    assert "Bo's pottery bowls always crack in the kiln, because the clay is too wet." in said
    assert "Ann's teacher dries the clay for two weeks before the kiln." in said


def test_a_statement_about_others_is_told_by_its_speaker() -> None:
    """The name stands before it, as nothing in it can be replaced."""
    assert only("The museum in Porto opens at 9.").content == "Ann: The museum in Porto opens at 9."


def test_a_doubtful_person_keeps_the_words_as_said() -> None:
    """Who "we" are is not known."""
    fact = only("We went camping near Lake Tahoe.")
    assert fact.content == "Ann: We went camping near Lake Tahoe."
    assert fact.confidence < only("I went camping near Lake Tahoe.").confidence


def test_a_relative_date_is_written_beside_its_phrase() -> None:
    """Resolved against the time of the turn, a Wednesday."""
    fact = only("I planted the roses yesterday.")
    assert fact.content == "Ann planted the roses yesterday (7 May 2024)."
    assert [(m.first, m.phrase) for m in fact.mentions] == [(date(2024, 5, 7), "yesterday")]
    assert fact.role == "temporal"


def test_a_date_stated_in_full_is_not_repeated() -> None:
    """Nothing is added to it."""
    said = "I was born on 3 June 1990 in Graz."
    assert only(said).content == "Ann was born on 3 June 1990 in Graz."


@pytest.mark.parametrize(
    "said",
    [
        "Hey Bo! How are you?",
        "Good morning!",
        "Thanks so much, Bo!",
        "Wow, that's awesome!",
        "Haha yeah",
        "Do you play the piano?",
        "can you help me with the piano lessons",
        "Congrats on the new piano, Bo!",
        "Good luck with the piano exam!",
        "See you soon, take care!",
        "\U0001f600\U0001f600",
        "...",
        "Okay, Bo.",
        "Here is the code:",
    ],
)
def test_courtesies_questions_and_backchannels_are_no_facts(said: str) -> None:
    """They stay findable as turns."""
    assert contents([turn("Bo", "I see."), turn("Ann", said, 1)]) == []


def test_a_question_that_gives_a_value_of_the_speakers_is_a_fact() -> None:
    """It says how things stand in passing; a question without a value says nothing."""
    said = "Is it enough to have 5 references for my visa?"
    assert only(said).content == "Is it enough to have 5 references for Ann's visa?"
    assert contents([turn("Ann", "Do I need references for the visa?")]) == []
    assert contents([turn("Ann", "Do people need 5 references for the visa?")]) == []


def test_an_answer_that_needs_its_question_carries_it() -> None:
    """Both turns are its sources, the answer first."""
    turns = talk(("Bo", "Nice. Do you play the piano?"), ("Ann", "Yes, since 2019."))
    (fact,) = CONSTRUCTOR.facts(turns)
    assert fact.content == 'Ann (asked "Do you play the piano?"): Yes, since 2019.'
    assert fact.turns == (1, 0)


def test_a_bare_yes_is_a_fact_only_as_an_answer() -> None:
    """To a question about oneself that says something."""
    asked = talk(("Bo", "Do you play the piano?"), ("Ann", "Yes!"))
    assert contents(asked) == ['Ann (asked "Do you play the piano?"): Yes!']
    assert contents(talk(("Bo", "How are you?"), ("Ann", "Yes!"))) == []


def test_a_yes_that_is_said_in_full_next_is_not_kept() -> None:
    """The statement behind it says the same and more."""
    turns = talk(("Bo", "Do you play the piano?"), ("Ann", "Yes! I play the piano in a bar."))
    assert contents(turns) == ["Ann plays the piano in a bar."]


def test_a_sentence_that_answers_nothing_is_not_joined_to_a_question() -> None:
    """It has a verb of its own, so it can be understood alone."""
    turns = talk(
        ("Bo", "Any upcoming tournaments?"), ("Ann", "The harbour concert sounds special.")
    )
    assert contents(turns) == ["Ann: The harbour concert sounds special."]


def test_an_answer_in_full_needs_no_question() -> None:
    """It says what it says by itself."""
    turns = talk(("Bo", "Do you play the piano?"), ("Ann", "Yes, I play the piano since 2019."))
    assert contents(turns) == ["Ann plays the piano since 2019."]


def test_a_statement_that_points_back_joins_the_one_before() -> None:
    """Apart it would not say what "she" is."""
    fact = only("I adopted a puppy. She is three months old and loves carrots.")
    assert fact.content == "Ann adopted a puppy. She is three months old and loves carrots."


def test_a_shared_picture_is_a_fact() -> None:
    """Named by its caption, beside what is said of it."""
    (fact,) = CONSTRUCTOR.facts([turn("Ann", "Look!", caption="a photo of a red canoe on a lake")])
    assert fact.content == "Ann shares a photo of a red canoe on a lake"
    (fact,) = CONSTRUCTOR.facts([turn("Ann", "", caption="sunset over Oslo")])
    assert fact.content == "Ann shares a picture: sunset over Oslo"


def test_a_statement_made_twice_is_one_fact_of_both_turns() -> None:
    """Whoever asks gets both sources."""
    turns = talk(("Ann", "I sold the van."), ("Bo", "What?"), ("Ann", "I sold the van."))
    (fact,) = CONSTRUCTOR.facts(turns)
    assert fact.turns == (0, 2)


def test_in_a_group_everybody_is_named_and_you_is_nobody() -> None:
    """Four people talk; "their" colleagues are not guessed at."""
    said = contents(talk(*OFFICE))
    assert "Mia: The printer on floor 3 is broken again." in said
    assert any(s.startswith("Noor called the printer company yesterday (7 May 2024)") for s in said)
    assert any(s.startswith("Pia: ") for s in said)


def test_the_user_of_an_assistant_is_called_user() -> None:
    """A role is no name, but it is one to tell them apart by."""
    said = contents(chat(*ASSISTED))
    assert any(
        s.startswith("User is planning a trip to Kyoto in November (November 2024)") for s in said
    )
    assert "User booked a ryokan near Nishiki Market for 5 nights." in said


def test_of_an_assistants_answer_only_the_most_specific_statements_are_kept() -> None:
    """At most three, in their order, and no code."""
    answer = [s for s in contents(chat(*ASSISTED)) if s.startswith("Assistant")]
    assert 1 <= len(answer) <= DEFAULT.per_answer
    assert any("75 minutes" in s for s in answer)
    assert not any("budget =" in s or "warm clothes" in s for s in answer)


def test_notes_of_one_person_are_facts() -> None:
    """Nobody answers; each stands on its own."""
    said = contents(talk(*NOTES))
    assert len(said) == len(NOTES)
    assert any("640 dollars" in s for s in said)


def test_a_place_is_read_behind_its_preposition() -> None:
    """Neither a person nor a month nor a language is one."""
    assert only("I moved to New York with my cat.").where == "New York"
    assert only("I wrote the parser in Python.").where is None
    assert only("I planted tulips in October.").where is None
    assert only("I gave the keys to Sarah Connor.").where is None


def test_queries_ask_for_what_the_statement_has() -> None:
    """When, where and why by template, with the person named."""
    fact = only("I moved to Oslo last June because my firm opened an office.")
    assert "When was it that Ann moved to Oslo last June because Ann's firm opened an office?" in (
        fact.queries
    )
    assert any(query.startswith("Where was it that Ann moved to Oslo") for query in fact.queries)
    assert "Why is it that Ann moved to Oslo last June?" in fact.queries
    assert fact.role == "causal"


def test_doubtful_words_are_not_asked_about() -> None:
    """A question that repeats "we" would ask the wrong people."""
    assert not any(" we " in query for query in only("We moved to Oslo last June.").queries)


def test_a_definite_statement_of_the_theme_weighs_most() -> None:
    """The formula is stated in the module; its bounds and order are what counts."""
    found = CONSTRUCTOR.facts(
        [
            *talk(*POTTERY),
            turn("Ann", "The pottery class makes 12 clay bowls in May for the Lisbon fair.", 7),
            turn("Ann", "My shoes are muddy.", 8),
        ]
    )
    assert all(0.3 <= fact.weight <= 1.0 for fact in found)
    assert found[-2].weight > found[-1].weight


def test_a_hedged_statement_is_less_certain() -> None:
    """Reserve lowers confidence."""
    assert only("Maybe I sell the old van.").confidence < only("I sell the old van.").confidence


def test_the_span_is_the_statement_within_its_turn() -> None:
    """Its vectors can be taken from there."""
    said = turn("Ann", "Oh, and I bought a canoe. Bye!")
    (fact,) = CONSTRUCTOR.facts([said])
    assert fact.span is not None
    assert said.content[slice(*fact.span)] == "I bought a canoe."


def test_a_short_form_of_a_name_is_a_person() -> None:
    """What somebody is called is not what the talk is about."""
    turns = talk(("Bo", "Hey Mel, I bought a canoe."), ("Melanie", "I sold the canoe, Bo."))
    assert all("Mel" not in fact.keywords for fact in CONSTRUCTOR.facts(turns))


def test_facts_of_a_turn_are_bounded() -> None:
    """A pasted page becomes no flood of facts."""
    page = " ".join(f"The valve {i} has a diameter of {i} millimetres." for i in range(50))
    assert len(CONSTRUCTOR.facts([turn("Ann", page)])) == DEFAULT.per_turn
    few = LocalConstructor(Thresholds(per_turn=2))
    assert len(few.facts([turn("Ann", page)])) == 2


SPOKEN = st.lists(
    st.sampled_from([
        "I moved to Oslo", "yesterday", "Do you ski?", "Yes", "since 2019", "It was", "my", ". ",
        "\n- ", "```", '"', "because", "We", "\u6771\u4eac", "\U0001f389", "Thanks", "in May",
        ", and I love",
    ])
).map(" ".join)  # fmt: skip
TURNS = st.lists(st.tuples(st.sampled_from(["Ann", "Bo", "user", "s's"]), st.text() | SPOKEN))


@given(TURNS)
def test_facts_of_any_talk_are_well_formed(lines: list[tuple[str, str]]) -> None:
    """Never empty; spans, sources, dates and numbers within their bounds."""
    turns = talk(*lines)
    for fact in CONSTRUCTOR.facts(turns):
        main = turns[fact.turns[0]]
        assert fact.content.strip()
        assert all(0 <= position < len(turns) for position in fact.turns)
        assert 0 <= fact.weight <= 1
        assert 0 <= fact.confidence <= 1
        assert all(fact.content[m.start : m.end] == m.phrase for m in fact.mentions)
        assert fact.span is not None
        assert main.content[slice(*fact.span)].strip()
    assert CONSTRUCTOR.facts(turns) == CONSTRUCTOR.facts(turns)
