"""Hypermnesia as one of the systems under comparison."""

from __future__ import annotations

from hypermnesia.evals.adapters.own import Own
from hypermnesia.evals.adapters.protocol import Item
from tests.conftest import OpenMemory

SECRET = "the deploy token is ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def test_texts_by_themselves_are_added_as_facts(open_memory: OpenMemory) -> None:
    """A text without a speaker needs no conversation."""
    system = Own(open_memory())
    system.add([Item("a", "Billing uses NATS."), Item("b", "The cat is called Miso.")])

    assert system.search("what is the cat called?", 1)[0].id == "b"


def test_a_repeated_text_is_found_under_both_ids(open_memory: OpenMemory) -> None:
    """One memory stands for two items, and is forgotten with either."""
    system = Own(open_memory())
    system.add([Item("a", "Billing uses NATS."), Item("b", "Billing uses NATS.")])

    assert [found.id for found in system.search("billing", 10)] == ["a", "b"]
    assert len(system.search("billing", 1)) == 1
    system.delete(["a"])
    assert system.search("billing", 10) == []


def test_what_is_refused_is_counted(open_memory: OpenMemory) -> None:
    """A credential is not stored, and the caller learns how many were not."""
    assert Own(open_memory()).add([Item("a", SECRET), Item("b", "Billing uses NATS.")]) == 1
