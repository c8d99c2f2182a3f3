"""How long an episode can be."""

from __future__ import annotations

from dataclasses import replace

from hypermnesia.graph.limits import LONGEST_PAUSE, MOST_TOKENS, MOST_TURNS, must_split
from tests.graph.local.talks import turn

SAID = turn("Ann", "word")


def test_an_episode_has_at_most_so_many_turns() -> None:
    """The turn that would be one too many begins another."""
    assert not must_split([SAID] * (MOST_TURNS - 1), SAID)
    assert must_split([SAID] * MOST_TURNS, SAID)


def test_an_episode_has_at_most_so_many_tokens() -> None:
    """Three characters of ASCII count as one, elsewhere each."""
    half = replace(SAID, content="x" * (3 * MOST_TOKENS // 2))
    assert not must_split([half], half)
    assert must_split([half], replace(half, content=half.content + "xxx"))
    wide = replace(SAID, content="\u6771" * (MOST_TOKENS // 2))
    assert not must_split([wide], wide)
    assert must_split([wide, SAID], wide)


def test_a_turn_longer_than_an_episode_is_one() -> None:
    """It has to belong somewhere."""
    assert not must_split([], replace(SAID, content="x" * (9 * MOST_TOKENS)))


def test_an_episode_is_over_after_a_long_silence() -> None:
    """Even if the next turn is about the same thing; turns told out of order prove nothing."""
    assert not must_split([SAID], replace(SAID, at=SAID.at + LONGEST_PAUSE))
    assert must_split([SAID], replace(SAID, at=SAID.at + LONGEST_PAUSE * 2))
    assert not must_split([SAID], replace(SAID, at=SAID.at - LONGEST_PAUSE * 2))
