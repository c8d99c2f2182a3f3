"""What a memory is joined to, and what happened last."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

import pytest

from hypermnesia.errors import NotFound
from hypermnesia.identity import new_id
from hypermnesia.memory import Memory
from tests.store.bench import Bench
from tests.store.incidence_contract import Talk, told


@pytest.fixture
def talk(memory: Memory) -> Talk:
    """A stored talk in scope ``a``."""
    store = memory._engine.store
    return told(Bench(store, lambda _embedder: store))


def test_a_fact_knows_its_episode_and_the_turns_it_was_drawn_from(
    memory: Memory, talk: Talk
) -> None:
    """Turns come in the order of the talk."""
    around = memory.surroundings(talk.facts[0].id)
    assert [(j.node.id, j.role, j.weight) for j in around.heads] == [(talk.episode.id, "core", 0.9)]
    assert [node.id for node in around.sources] == talk.ids[:2]
    assert around.members == around.drawn == ()


def test_a_turn_knows_the_facts_drawn_from_it(memory: Memory, talk: Talk) -> None:
    """And nothing that it was drawn from itself."""
    around = memory.surroundings(talk.ids[2], scope="a")
    assert [node.id for node in around.drawn] == [talk.facts[1].id]
    assert around.sources == ()


def test_a_head_lists_its_heaviest_members_first(memory: Memory, talk: Talk) -> None:
    """As many as were asked for."""
    members = memory.surroundings(talk.episode.id, limit=3).members
    assert [j.weight for j in members] == sorted((j.weight for j in members), reverse=True)
    assert [j.node.id for j in members[:2]] == [fact.id for fact in talk.facts]
    assert len(members) == 3


def test_surroundings_stay_within_the_scope(memory: Memory, talk: Talk) -> None:
    """A memory of another scope is unknown."""
    with pytest.raises(NotFound):
        memory.surroundings(talk.topic.id, scope="b")


def test_hyperedges_come_in_the_order_of_their_heads_with_their_size(
    memory: Memory, talk: Talk
) -> None:
    """An unknown head holds nothing."""
    heads = [talk.topic.id, new_id(), talk.episode.id]
    topic, unknown, episode = memory.hyperedges(heads, scope="a", limit=2)
    assert [edge.head for edge in (topic, unknown, episode)] == heads
    assert [j.node.id for j in topic.members] == [talk.episode.id]
    assert (unknown.members, unknown.total) == ((), 0)
    assert (len(episode.members), episode.total) == (2, 7)
    assert all(edge.members == () for edge in memory.hyperedges(heads, scope="b"))


def test_what_was_forgotten_surrounds_nothing(memory: Memory, talk: Talk) -> None:
    """Neither as a source nor as a member."""
    memory.forget(ids=[talk.ids[0]])
    assert [n.id for n in memory.surroundings(talk.facts[0].id).sources] == [talk.ids[1]]


def test_the_log_of_a_scope_tells_what_happened_last(memory: Memory) -> None:
    """Newest first, the rest by number, nothing of other scopes."""
    first = memory.add("alpha beta", scope="a")
    memory.add("gamma", scope="b")
    memory.forget(ids=[first.id])
    recent = memory.recent(scope="a")
    assert [(e.kind, e.memory) for _, e in recent] == [("forget", first.id), ("add", first.id)]
    newest = recent[0][0]
    assert memory.recent(scope="a", after=newest) == ()
    memory.search("alpha", scope="a")
    assert {e.kind for _, e in memory.recent(scope="a", after=newest)} <= {"search"}
    assert len(memory.recent(scope="a", limit=1)) == 1
