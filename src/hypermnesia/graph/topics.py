"""Topic aggregation: which episodes belong together (HyperMem, construction, step 2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

import numpy as np

from hypermnesia.engine import Engine
from hypermnesia.graph.constructor import Constructor
from hypermnesia.graph.model import EpisodeView, TopicText, TopicView, Weighted
from hypermnesia.graph.stored import direction, episode_view, topic_text
from hypermnesia.identity import new_id
from hypermnesia.store.protocol import Filter
from hypermnesia.types import Node

SIMILAR = 0.45
"""Cosine from which a past episode is worth asking about."""
NEIGHBOURS = 10
"""Past episodes looked at; the paper's channel of episodes returns as many."""
REMEMBERED = 24
"""Latest episodes of a topic that its text is made from."""


@dataclass(slots=True)
class TopicPlan:
    """A topic as it will be stored.

    Attributes:
        episodes: its latest ones, oldest first.
        joined: ids of the episodes that join it now.
        node: its row, ``None`` when it is new.
        weights: of ``episodes``.
    """

    id: str
    text: TopicText
    episodes: list[EpisodeView]
    joined: set[str]
    node: Node | None = None
    weights: list[Weighted] = field(default_factory=list[Weighted])

    def take(self, episode: EpisodeView) -> None:
        """Let an episode join."""
        self.episodes.append(episode)
        self.episodes.sort(key=lambda e: (e.start, e.id))
        self.joined.add(episode.id)

    def view(self) -> TopicView:
        """The topic as a constructor sees it."""
        vector = direction(np.stack([episode.vector for episode in self.episodes]))
        return TopicView(self.id, self.text, tuple(self.episodes), vector)


@dataclass(slots=True)
class TopicPlanner:
    """Places the episodes of one chunk, each in sight of those before it.

    Args:
        engine: whose store holds the past.
        constructor: matches, names and weighs.
        scope: of the episodes.

    Attributes:
        read: when each stored episode and topic that was read had last been changed, by id.
    """

    engine: Engine
    constructor: Constructor
    scope: str
    read: dict[str, datetime] = field(default_factory=dict[str, datetime])
    _topics: dict[str, TopicPlan] = field(default_factory=dict[str, TopicPlan])
    _placed: dict[str, EpisodeView] = field(default_factory=dict[str, EpisodeView])
    _stored: dict[int, EpisodeView] = field(default_factory=dict[int, EpisodeView])

    def place(self, episode: EpisodeView) -> None:
        """Put an episode into the topics that it continues, or into a new one.

        No similar episode: a new topic. Some, but no topic of theirs matches: a new topic of
        those without one and this one. Otherwise every topic that matches takes it.
        """
        similar = self._similar(episode)
        topics = self._topics_of([e.id for e in similar])
        matched = self.constructor.match(episode, [t.view() for t in topics]) if topics else ()
        chosen = [topic for topic in topics if topic.id in matched]
        if not chosen:
            held = {e.id for topic in topics for e in topic.episodes}
            alone = [e for e in similar if e.id not in held]
            chosen = [TopicPlan(new_id(), TopicText("", "", ()), alone, {e.id for e in alone})]
        for topic in chosen:
            topic.take(episode)
            topic.text = self.constructor.topic(topic.episodes)
            self._topics[topic.id] = topic
        self._placed[episode.id] = episode

    def finish(self) -> list[TopicPlan]:
        """The topics that changed, with the weights of their latest episodes."""
        changed = [topic for topic in self._topics.values() if topic.joined]
        for topic in changed:
            topic.weights = self.constructor.weigh(topic.text, topic.episodes)
        return changed

    def _similar(self, episode: EpisodeView) -> list[EpisodeView]:
        """The nearest past episodes, those of this chunk included, the most similar first."""
        where = Filter(self.scope, levels=("episode",))
        (ranked,) = self.engine.store.nearest(where, episode.vector[None, :], NEIGHBOURS)
        # Nothing is written meanwhile, and episodes of one chunk have neighbours in common.
        unread = [key for key in ranked.keys if key not in self._stored]
        stored = self.engine.store.fetch(where, unread)
        self._stored |= {s.key: episode_view(s, 1.0) for s in stored}
        self.read |= {s.node.id: s.node.updated_at for s in stored}
        near = zip(ranked.keys, ranked.scores, strict=True)
        known = ((self._stored[key], score) for key, score in near if key in self._stored)
        found = {view.id: replace(view, similarity=score) for view, score in known}
        for other in self._placed.values():
            similarity = float(other.vector @ episode.vector)
            found[other.id] = replace(other, similarity=similarity)
        found.pop(episode.id, None)
        alike = [e for e in found.values() if e.similarity >= SIMILAR]
        return sorted(alike, key=lambda e: -e.similarity)[:NEIGHBOURS]

    def _topics_of(self, episodes: Sequence[str]) -> list[TopicPlan]:
        """The topics that hold any of these episodes, as they stand now."""
        heads = {m.head for m in self.engine.store.heads(self.scope, episodes)}
        unread = sorted(heads - self._topics.keys())
        self._topics |= {topic.id: topic for topic in self._read_back(unread)}
        wanted = set(episodes)
        return [t for t in self._topics.values() if t.id in heads or t.joined & wanted]

    def _read_back(self, ids: Sequence[str]) -> list[TopicPlan]:
        """Stored topics with their latest episodes."""
        if not ids:
            return []
        members: dict[str, list[str]] = {name: [] for name in ids}
        for member in self.engine.store.members(self.scope, ids):
            members[member.head].append(member.node)
        latest = {name: sorted(nodes)[-REMEMBERED:] for name, nodes in members.items()}
        views = {view.id: view for view in self._stored.values()}
        held = sorted(set(ids).union(*latest.values()) - views.keys())  # ids grow with time
        rows = {stored.node.id: stored for stored in self.engine.store.recall(self.scope, held)}
        self.read |= {s.node.id: s.node.updated_at for s in rows.values()}
        read = {s.key: episode_view(s, 1.0) for s in rows.values() if s.node.level == "episode"}
        self._stored |= read
        views |= {view.id: view for view in read.values()}
        found: list[TopicPlan] = []
        for name in (name for name in ids if name in rows):
            episodes = sorted(
                (views[i] for i in latest[name] if i in views), key=lambda e: (e.start, e.id)
            )
            node = rows[name].node
            found.append(TopicPlan(name, topic_text(node), episodes, set(), node))
        return found
