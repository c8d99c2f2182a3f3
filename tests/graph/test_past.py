"""Talk of many chunks: what is read once, and what has to be read again."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from hypermnesia.graph import ahead
from hypermnesia.graph.past import Past
from hypermnesia.memory import Memory
from hypermnesia.store.incidence import Member
from hypermnesia.store.sqlite.store import SqliteStore
from tests.conftest import OpenMemory

START = datetime(2024, 3, 4, 9, 0, tzinfo=UTC)
MATTERS = ("the garden and its tomatoes", "the choir and its concert", "the boat and its sails")


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sitting a chunk."""
    monkeypatch.setattr(ahead, "CHUNK", 6)


def talk(sittings: int, said: str = "") -> list[dict[str, Any]]:
    """Sittings of six turns, each about one of three matters."""
    return [
        {
            "speaker": ("Ann", "Bo")[i % 2],
            "content": f"I thought about {MATTERS[s % 3]} again, remark {s} {i}{said}.",
            "session": f"s{s}",
            "timestamp": START + timedelta(days=s, minutes=i),
        }
        for s in range(sittings)
        for i in range(6)
    ]


def topics(memory: Memory) -> list[tuple[str, str, list[tuple[str, str, float]]]]:
    """What each topic says, and which episodes it holds how."""
    heads = {head.id: head for head in memory.list(levels="topic", limit=100)}
    return sorted(
        (
            heads[edge.head].content,
            str(heads[edge.head].metadata["keywords"]),
            sorted((m.node.content, m.role, m.weight) for m in edge.members),
        )
        for edge in memory.hyperedges(list(heads), limit=500)
    )


def test_topics_are_the_same_whether_or_not_anything_was_kept(
    open_memory: OpenMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More episodes than a topic is told of, each in a chunk of its own."""
    kept, forgetful = open_memory("kept.db"), open_memory("forgetful.db")
    kept.ingest(talk(60))

    def forget(self: Past, seen: int, episodes: Sequence[str], members: Sequence[Member]) -> None:
        self.forget()
        self.seen = seen

    monkeypatch.setattr(Past, "stored", forget)
    forgetful.ingest(talk(60))
    told = topics(kept)
    assert max(len(episodes) for _, _, episodes in told) > 24
    assert told == topics(forgetful)
    assert kept.check().problems == ()


def test_the_memberships_of_a_topic_are_read_once(
    open_memory: OpenMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many chunks continue it: else each costs more than the one before."""
    read: list[str] = []
    members = SqliteStore.members

    def counted(self: SqliteStore, scope: str, heads: Sequence[str]) -> list[Member]:
        read.extend(heads)
        return members(self, scope, heads)

    monkeypatch.setattr(SqliteStore, "members", counted)
    open_memory().ingest(talk(30))
    assert len(read) == len(set(read))


def test_what_another_process_forgets_between_two_chunks_is_not_told_again(
    open_memory: OpenMemory,
) -> None:
    """Neither by the topic that the forgotten episode was in, nor by an episode that grows."""
    memory, other = open_memory(), open_memory()
    done = 0

    def forget(count: int) -> None:
        nonlocal done
        done += count
        if done == 18:
            other.forget(ids=[n.id for n in other.list(levels="turn") if "Rexilot" in n.content])

    messages = talk(3, " with Rexilot") + talk(12)[18:]
    for message in messages[18:24]:
        message["session"] = "s2"
    memory.ingest(messages, progress=forget)
    told = " ".join(n.content + str(n.metadata) for n in memory.list(limit=500))
    assert done == len(messages)
    assert "Rexilot" not in told
    assert memory.check().problems == ()
