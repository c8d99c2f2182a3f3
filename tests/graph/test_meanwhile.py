"""Talk that is taken in while another process forgets some of it, or takes in more."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from hypermnesia.engine import Embedded, embed
from hypermnesia.memory import Memory
from hypermnesia.models.encoder import Embedder
from tests.conftest import OpenMemory
from tests.write.test_meanwhile import Meanwhile

TALK = [
    {"speaker": "Ann", "content": "I adopted a puppy called Rexilot at the shelter", "id": "1"},
    {"speaker": "Bo", "content": "Where is that shelter with the puppies?", "id": "2"},
    {"speaker": "Ann", "content": "The shelter stands in Leeds by the canal", "id": "3"},
]
MORE = {"speaker": "Bo", "content": "The puppy from the shelter met my parrot", "session": "s"}


def test_heads_that_grow_meanwhile_say_nothing_of_a_forgotten_turn(
    open_memory: OpenMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are told anew from what they hold when the turn is erased."""
    memory, other = open_memory(), open_memory()
    memory.ingest(TALK, session="s")
    (gone,) = [n.id for n in memory.list(levels="turn") if "Rexilot" in n.content]
    happened: list[int] = []

    def meanwhile(embedder: Embedder, texts: Sequence[str]) -> list[Embedded]:
        if not happened:  # what this itself tells comes here, too
            happened.append(1)
            happened.append(other.observe(MORE).turns)
        return embed(embedder, texts)

    monkeypatch.setattr("hypermnesia.graph.heads.embed", meanwhile)
    memory.forget(ids=[gone])
    assert happened == [1, 1]
    assert "Rexilot" not in told(memory)
    assert memory.check().problems == ()


def told(memory: Memory) -> str:
    """Everything that stands anywhere."""
    return " ".join(node.content + str(node.metadata) for node in memory.list(limit=100))


def turns(memory: Memory) -> list[str]:
    """Ids of all turns, in the order of their ids, which is that of their arrival."""
    return sorted(node.id for node in memory.list(levels="turn", limit=100))


def test_words_that_are_forgotten_while_an_episode_grows_do_not_return(
    open_memory: OpenMemory,
) -> None:
    """The episode is woven again, of what is there by then."""
    embedder = Meanwhile()
    memory, other = open_memory(embedder=embedder), open_memory()
    memory.ingest(TALK, session="s")
    embedder.happens = lambda: other.forget(ids=turns(other)[:1])
    assert memory.observe(MORE).turns == 1
    assert embedder.happens is None
    assert "Rexilot" not in told(memory)
    assert len(turns(memory)) == 3
    assert memory.check().problems == ()


def test_an_episode_that_is_forgotten_while_it_grows_begins_anew(open_memory: OpenMemory) -> None:
    """What is said next is not lost with what was forgotten."""
    embedder = Meanwhile()
    memory, other = open_memory(embedder=embedder), open_memory()
    memory.ingest(TALK, session="s")
    embedder.happens = lambda: other.forget(ids=turns(other))
    assert memory.observe(MORE).turns == 1
    assert len(turns(memory)) == 1
    assert "Leeds" not in told(memory)
    assert memory.check().problems == ()


def test_both_of_two_that_continue_a_talk_at_once_are_told_of(open_memory: OpenMemory) -> None:
    """The later one sees what the earlier one said."""
    embedder = Meanwhile()
    memory, other = open_memory(embedder=embedder), open_memory()
    memory.ingest(TALK, session="s")
    embedder.happens = lambda: other.observe(MORE | {"content": "We have a rabbit at home"})
    memory.observe(MORE)
    (episode,) = memory.list(levels="episode")
    assert "rabbit" in str(episode.metadata)
    assert "parrot" in str(episode.metadata)
    assert len(turns(memory)) == 5
