"""Ids that come twice."""

from __future__ import annotations

from dataclasses import replace

from hypermnesia.graph.distinct import Distinct
from hypermnesia.graph.messages import Message

ONE = Message("Ida", "yes", id="a", session="s")


def test_the_same_message_again_is_a_repetition() -> None:
    """Exports that overlap hold a message twice."""
    distinct = Distinct()
    assert distinct.admit(ONE) == ONE
    assert distinct.admit(ONE) is None


def test_another_message_gets_an_id_of_its_own() -> None:
    """Nothing is lost to a counter that starts again, nor to an id that looks like a made one."""
    distinct = Distinct()
    taken = replace(ONE, content="taken", id="a~2")
    ids = [
        admitted and admitted.id
        for message in (ONE, taken, replace(ONE, content="no"), replace(ONE, content="maybe"))
        for admitted in [distinct.admit(message)]
    ]
    assert ids == ["a", "a~2", "a~3", "a~4"]


def test_sessions_and_missing_ids_do_not_clash() -> None:
    """Each session counts for itself, and people do say "yes" twice."""
    distinct = Distinct()
    other, nameless = replace(ONE, session="t"), replace(ONE, id=None)
    for message in (ONE, other, nameless, nameless):
        assert distinct.admit(message) == message


def test_memory_is_bounded() -> None:
    """Far enough back, a message is forgotten."""
    distinct = Distinct(remembered=2)
    for name in "abc":
        distinct.admit(replace(ONE, id=name))
    assert distinct.admit(replace(ONE, id="a")) is not None
    assert distinct.admit(replace(ONE, id="c")) is None
