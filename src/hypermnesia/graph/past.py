"""Stored episodes and topics that an ingest has read, kept while nobody else changes the scope.

Each chunk of talk continues many of the topics that the one before it continued. To read them and
their episodes back every time would cost the more, the more there is of both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from hypermnesia.engine import Engine
from hypermnesia.graph.model import EpisodeView
from hypermnesia.graph.stored import episode_view
from hypermnesia.store.incidence import Member
from hypermnesia.store.protocol import Filter, Stored
from hypermnesia.types import Matrix, Node

REMEMBERED = 24
"""Latest episodes of a topic that its text is made from."""
KEPT = 8192
"""Episodes kept at most: some 3 KB each."""


@dataclass(slots=True)
class Past:
    """What the store holds of a scope's episodes and topics, each row read once.

    Args:
        engine: whose store it is.
        scope: of the talk.

    Attributes:
        seen: change number of the scope at which everything here stands.
        read: when each episode and topic that was read had last been changed, by id.
    """

    engine: Engine
    scope: str
    seen: int = -1
    read: dict[str, datetime] = field(default_factory=dict[str, datetime])
    _ids: dict[int, str] = field(default_factory=dict[int, str])
    _views: dict[str, EpisodeView] = field(default_factory=dict[str, EpisodeView])
    _topics: dict[str, Node] = field(default_factory=dict[str, Node])
    _holders: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    _latest: dict[str, dict[str, Member]] = field(default_factory=dict[str, dict[str, Member]])

    def catch_up(self) -> bool:
        """Let go of everything if somebody else changed the scope; whether nobody did."""
        now = self.engine.store.changed(self.scope)
        stands = now == self.seen
        if not stands or len(self._views) > KEPT:
            self.forget()
        self.seen = now
        return stands

    def forget(self) -> None:
        """Let go of everything; it is read back when it is asked for."""
        for kept in (self.read, self._ids, self._views, self._topics, self._holders, self._latest):
            kept.clear()

    def neighbours(self, vectors: Matrix, limit: int) -> list[list[tuple[EpisodeView, float]]]:
        """For each vector the nearest stored episodes, with their cosines, the nearest first.

        Args:
            vectors: shape ``(n, d)``.
            limit: most for each.
        """
        where = Filter(self.scope, levels=("episode",))
        ranked = self.engine.store.nearest(where, vectors, limit)
        if unread := sorted({key for each in ranked for key in each.keys} - self._ids.keys()):
            self._note(self.engine.store.fetch(where, unread))
        return [
            [
                (self._views[self._ids[key]], score)
                for key, score in zip(each.keys, each.scores, strict=True)
                if key in self._ids
            ]
            for each in ranked
        ]

    def topics_of(self, episodes: Sequence[str]) -> set[str]:
        """Ids of the topics that hold any of these episodes."""
        if unread := [i for i in episodes if i not in self._holders]:
            self._holders |= {i: set() for i in unread}
            for member in self.engine.store.heads(self.scope, unread):
                self._holders[member.node].add(member.head)
        return set().union(*(self._holders[i] for i in episodes))

    def topics(self, ids: Sequence[str]) -> dict[str, tuple[Node, list[EpisodeView]]]:
        """Those of these topics that are there, with their latest episodes, oldest first."""
        self._read_members([name for name in ids if name not in self._latest])
        wanted = set(ids).union(*(self._latest[name] for name in ids))
        unread = sorted(wanted - self._views.keys() - self._topics.keys())  # ids grow with time
        if unread:
            self._note(self.engine.store.recall(self.scope, unread))
        found: dict[str, tuple[Node, list[EpisodeView]]] = {}
        for name in (name for name in ids if name in self._topics):
            views = [self._views[i] for i in self._latest[name] if i in self._views]
            found[name] = self._topics[name], sorted(views, key=lambda e: (e.start, e.id))
        return found

    def knows(self, member: Member) -> bool:
        """Whether an episode is known to have this role and weight in a topic."""
        return self._latest.get(member.head, {}).get(member.node) == member

    def stored(self, seen: int, episodes: Iterable[str], members: Iterable[Member]) -> None:
        """Note what this ingest itself has changed.

        Args:
            seen: the scope's change number behind it.
            episodes: ids of those that were written.
            members: of the topics that were.
        """
        changed = set(episodes)
        for member in members:
            changed.add(member.head)
            self._latest.setdefault(member.head, {})[member.node] = member
            if member.node in self._holders:
                self._holders[member.node].add(member.head)
        for memory_id in changed:
            if memory_id in self._latest:
                self._latest[memory_id] = _latest(self._latest[memory_id])
            for kept in (self.read, self._views, self._topics):
                kept.pop(memory_id, None)
        self._ids = {key: i for key, i in self._ids.items() if i in self._views}
        self.seen = seen

    def _read_members(self, topics: Sequence[str]) -> None:
        if not topics:
            return
        members: dict[str, dict[str, Member]] = {name: {} for name in topics}
        for member in self.engine.store.members(self.scope, topics):
            members[member.head][member.node] = member
        self._latest |= {name: _latest(held) for name, held in members.items()}

    def _note(self, rows: Iterable[Stored]) -> None:
        for row in rows:
            memory_id = row.node.id
            self.read[memory_id] = row.node.updated_at
            if row.node.level == "episode":
                self._ids[row.key] = memory_id
                self._views[memory_id] = episode_view(row, 1.0)
            else:
                self._topics[memory_id] = row.node


def _latest(members: Mapping[str, Member]) -> dict[str, Member]:
    return {i: members[i] for i in sorted(members)[-REMEMBERED:]}  # ids grow with time
