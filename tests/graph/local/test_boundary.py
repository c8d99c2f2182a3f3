"""Where episodes end."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from hypermnesia.graph.local import LocalConstructor
from hypermnesia.graph.local.boundary import evidence, signs_of
from hypermnesia.graph.local.settings import DEFAULT
from hypermnesia.graph.messages import Role
from hypermnesia.graph.model import Boundary, Turn
from tests.graph.local.talks import (
    ASSISTED,
    MARATHON,
    NOTES,
    OFFICE,
    POTTERY,
    START,
    chat,
    talk,
    turn,
)

CONSTRUCTOR = LocalConstructor()


def boundary(episode: Sequence[Turn], text: str, *, hours: float = 0, who: str = "Ann") -> Boundary:
    """Whether a text said some time later begins another episode."""
    at = episode[-1].at + timedelta(hours=hours)
    return CONSTRUCTOR.boundary(episode, turn(who, text, len(episode), at=at))


def starts(turns: Sequence[Turn]) -> list[int]:
    """Positions at which episodes begin when turns arrive one by one."""
    found = [0]
    for i in range(1, len(turns)):
        answer = CONSTRUCTOR.boundary(turns[found[-1] : i], turns[i])
        if answer.ends and not answer.waits:
            found.append(i)
    return found


def test_steady_talk_is_one_episode() -> None:
    """Greetings stay with what follows them."""
    assert starts(talk(*POTTERY)) == [0]


def test_an_announced_new_theme_begins_an_episode() -> None:
    """After "by the way" comes something else."""
    assert starts(talk(*POTTERY, *MARATHON)) == [0, len(POTTERY)]


def test_a_new_theme_after_more_than_four_hours_always_begins_an_episode() -> None:
    """However short the one before it."""
    pottery = talk(*POTTERY[3:5])
    answer = boundary(pottery, "I finally repaired the rusty bicycle chain.", hours=4.5)
    assert answer == Boundary(ends=True, waits=False, confidence=1.0)


def test_the_same_theme_may_go_on_after_hours() -> None:
    """A pause is no end by itself."""
    pottery = talk(*POTTERY)
    assert not boundary(pottery, "My teacher put the clay bowl into the kiln.", hours=5).ends


def test_a_greeting_after_hours_begins_an_episode() -> None:
    """Whatever it will be about."""
    assert boundary(talk(*POTTERY), "Good morning Bo!", hours=12).ends


def test_a_backchannel_after_hours_waits() -> None:
    """It has no theme to tell by."""
    answer = boundary(talk(*POTTERY), "haha yeah", hours=12)
    assert (answer.ends, answer.waits) == (False, True)


def test_a_greeting_that_answers_a_greeting_begins_nothing() -> None:
    """Both open the same talk."""
    assert not boundary(talk(("Bo", "Hello Ann!")), "Hi Bo! The harbour ferry was late.").ends


def test_a_closing_stays_with_its_episode() -> None:
    """It takes leave of what was said."""
    assert not boundary(talk(*POTTERY), "Gotta go, bye, see you later at the station!").ends


def test_an_assistants_answer_stays_with_the_question() -> None:
    """Whatever it brings up."""
    assert starts(chat(*ASSISTED)) == [0]


def test_a_users_new_question_begins_an_episode() -> None:
    """A chat with an assistant goes from one matter to another."""
    lines: list[tuple[Role, str]] = [
        *ASSISTED,
        ("assistant", "Enjoy the ryokan near Nishiki Market."),
        ("user", "New topic: my Django migration fails with a circular dependency error."),
    ]
    assert starts(chat(*lines)) == [0, len(lines) - 1]


def test_a_group_keeps_its_theme_together() -> None:
    """Four people, one printer."""
    assert starts(talk(*OFFICE)) == [0]


def test_notes_hours_apart_are_episodes_of_their_own() -> None:
    """They have no theme in common."""
    assert starts(talk(*NOTES, minutes=300)) == [0, 1, 2]


def test_a_longer_episode_ends_more_easily() -> None:
    """Beyond twenty exchanges the same sign is worth more."""
    short, long = talk(*POTTERY), talk(*POTTERY * 12)
    said = turn("Bo", "The bakery near the station closed.", len(long), at=long[-1].at)
    near = [evidence(signs_of(e, said, DEFAULT, spoken=True), DEFAULT) for e in (short, long)]
    assert near[0] < near[1]


def test_nothing_ends_before_the_first_turn() -> None:
    """There is no episode yet."""
    assert not CONSTRUCTOR.boundary([], turn("Ann", "By the way, hello!")).ends


@given(st.lists(st.text(), min_size=1, max_size=6), st.text(), st.floats(-10, 100))
def test_any_turn_gets_an_answer(said: list[str], text: str, hours: float) -> None:
    """Never both an end and a wait; confidence in its bounds, whatever the clocks say."""
    episode = talk(*(("Ann", line) for line in said))
    incoming = turn("Bo", text, len(said), at=START + timedelta(hours=hours))
    answer = CONSTRUCTOR.boundary(episode, incoming)
    assert 0 <= answer.confidence <= 1
    assert not (answer.ends and answer.waits)
    assert CONSTRUCTOR.boundary(episode, incoming) == answer
