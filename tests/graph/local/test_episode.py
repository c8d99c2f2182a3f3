"""What episodes say of themselves."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.graph.local import LocalConstructor
from hypermnesia.graph.local.episode import NARRATIVE, SENTENCE, SENTENCES, TITLE
from hypermnesia.graph.local.words import KEYWORDS
from tests.graph.local.talks import ASSISTED, POTTERY, chat, talk, turn

CONSTRUCTOR = LocalConstructor()


def test_the_title_states_the_theme() -> None:
    """Taken from a statement, with its speaker named."""
    title = CONSTRUCTOR.episode(talk(*POTTERY)).title
    assert len(title) <= TITLE
    assert any(word in title for word in ("pottery", "clay", "kiln"))
    assert title.startswith(("Ann", "Bo"))


def test_the_summary_is_a_few_statements_in_their_order() -> None:
    """Each a sentence of the narrative."""
    text = CONSTRUCTOR.episode(talk(*POTTERY))
    narrated = text.narrative.split(". ")
    places = [narrated.index(s) for s in text.summary.removesuffix(".").split(". ")]
    assert places == sorted(places)
    assert 1 <= len(places) <= SENTENCES


def test_dates_in_an_episodes_text_are_resolved() -> None:
    """A year later "last Friday" says nothing."""
    assert "last Friday (3 May 2024)" in CONSTRUCTOR.episode(talk(*POTTERY)).narrative


def test_keywords_are_the_words_of_the_theme() -> None:
    """Neither names of speakers nor chatter."""
    keywords = CONSTRUCTOR.episode(talk(*POTTERY)).keywords
    assert {"pottery", "kiln", "clay"} <= set(keywords)
    assert not {"Ann", "Bo", "Hey", "great", "Thanks"} & set(keywords)
    assert len(keywords) <= KEYWORDS


def test_an_episode_with_an_assistant_is_about_the_user() -> None:
    """The title is not advice."""
    assert CONSTRUCTOR.episode(chat(*ASSISTED)).title.startswith("User")


def test_small_talk_is_quoted() -> None:
    """It states nothing, but something must stand there."""
    text = CONSTRUCTOR.episode(talk(("Ann", "Hey!"), ("Bo", "Hi!")))
    assert text.title == "Ann: Hey!"
    assert text.summary == "Ann: Hey! Bo: Hi!"


def test_a_long_episode_keeps_what_is_most_relevant() -> None:
    """The narrative is bounded."""
    lines = [("Ann", f"I painted the fence number {i} with green paint in May.") for i in range(90)]
    text = CONSTRUCTOR.episode(talk(*lines))
    assert NARRATIVE - SENTENCE < len(text.narrative) <= NARRATIVE


@given(st.lists(st.tuples(st.sampled_from(["Ann", "user"]), st.text()), min_size=1, max_size=5))
def test_any_episode_has_a_text_within_bounds(lines: list[tuple[str, str]]) -> None:
    """Never empty, never on several lines where a title must be one."""
    text = CONSTRUCTOR.episode(talk(*lines))
    assert 0 < len(text.title) <= TITLE
    assert "\n" not in text.title
    assert 0 < len(text.summary) <= SENTENCES * (SENTENCE + 2)
    assert 0 < len(text.narrative) <= NARRATIVE
    assert len(text.keywords) <= KEYWORDS


def test_a_picture_alone_makes_an_episode() -> None:
    """Its caption is all there is."""
    shared = turn("Ann", "", caption="a photo of a lighthouse")
    assert CONSTRUCTOR.episode([shared]).title == "Ann shares a photo of a lighthouse"
