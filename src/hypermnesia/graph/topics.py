"""Topic aggregation: which episodes belong together (HyperMem, construction, step 2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from hypermnesia.graph.constructor import Constructor
from hypermnesia.graph.model import EpisodeView, TopicText, TopicView, Weighted
from hypermnesia.graph.past import Past
from hypermnesia.graph.stored import direction, topic_text
from hypermnesia.identity import new_id
from hypermnesia.store.incidence import Member
from hypermnesia.types import Node

SIMILAR = 0.45
"""Cosine from which a past episode is worth asking about."""
NEIGHBOURS = 10
"""Past episodes looked at; the paper's channel of episodes returns as many."""


@dataclass(slots=True)
class TopicPlan:
    """A topic as it will be stored.

    Attributes:
        constructor: tells what it is about.
        episodes: its latest ones, oldest first.
        joined: ids of the episodes that join it now.
        node: its row, ``None`` when it is new.
        weights: of ``episodes``.
    """

    id: str
    constructor: Constructor
    episodes: list[EpisodeView]
    joined: set[str]
    node: Node | None = None
    weights: list[Weighted] = field(default_factory=list[Weighted])
    _text: TopicText | None = None
    _view: TopicView | None = None

    @property
    def text(self) -> TopicText:
        """What it is about; told when it is asked for, since it may grow many times before."""
        if self._text is None:
            self._text = self.constructor.topic(self.episodes)
        return self._text

    def take(self, episode: EpisodeView) -> None:
        """Let an episode join."""
        self.episodes.append(episode)
        self.episodes.sort(key=lambda e: (e.start, e.id))
        self.joined.add(episode.id)
        self._text = self._view = None

    def view(self) -> TopicView:
        """The topic as a constructor sees it."""
        if self._view is None:
            vectors = np.stack([episode.vector for episode in self.episodes])
            episodes, mean = tuple(self.episodes), direction(vectors)
            self._view = TopicView(self.id, lambda: self.text, episodes, vectors, mean)
        return self._view

    def members(self) -> list[Member]:
        """Its latest episodes' memberships."""
        return [Member(self.id, w.episode, w.role, w.weight) for w in self.weights]


@dataclass(slots=True)
class TopicPlanner:
    """Places the episodes of one chunk, each in sight of those before it.

    Args:
        past: what is stored.
        constructor: matches, names and weighs.
    """

    past: Past
    constructor: Constructor
    _topics: dict[str, TopicPlan] = field(default_factory=dict[str, TopicPlan])
    _placed: dict[str, EpisodeView] = field(default_factory=dict[str, EpisodeView])

    def place(self, episodes: Sequence[EpisodeView]) -> None:
        """Put each episode into the topics that it continues, or into a new one.

        No similar episode: a new topic. Some, but no topic of theirs matches: a new topic of
        those without one and this one. Otherwise every topic that matches takes it.
        """
        if episodes:
            # Nothing is written meanwhile, so all of them can be asked about at once.
            vectors = np.stack([episode.vector for episode in episodes])
            near = self.past.neighbours(vectors, NEIGHBOURS)
            for episode, known in zip(episodes, near, strict=True):
                self._place(episode, known)

    def _place(self, episode: EpisodeView, known: Sequence[tuple[EpisodeView, float]]) -> None:
        similar = self._similar(episode, known)
        topics = self._topics_of([e.id for e in similar])
        matched = self.constructor.match(episode, [t.view() for t in topics]) if topics else ()
        chosen = [topic for topic in topics if topic.id in matched]
        if not chosen:
            held = {e.id for topic in topics for e in topic.episodes}
            alone = [e for e in similar if e.id not in held]
            chosen = [TopicPlan(new_id(), self.constructor, alone, {e.id for e in alone})]
        for topic in chosen:
            topic.take(episode)
            self._topics[topic.id] = topic
        self._placed[episode.id] = episode

    def finish(self) -> list[TopicPlan]:
        """The topics that changed, with the weights of their latest episodes."""
        changed = [topic for topic in self._topics.values() if topic.joined]
        for topic in changed:
            topic.weights = self.constructor.weigh(topic.text, topic.episodes)
        return changed

    def _similar(
        self, episode: EpisodeView, known: Sequence[tuple[EpisodeView, float]]
    ) -> list[EpisodeView]:
        """The nearest past episodes, those of this chunk included, the most similar first."""
        found = {view.id: (score, view) for view, score in known}
        for other in self._placed.values():
            found[other.id] = float(other.vector @ episode.vector), other
        found.pop(episode.id, None)
        alike = [one for one in found.values() if one[0] >= SIMILAR]
        nearest = sorted(alike, key=lambda one: -one[0])[:NEIGHBOURS]
        return [replace(view, similarity=score) for score, view in nearest]

    def _topics_of(self, episodes: Sequence[str]) -> list[TopicPlan]:
        """The topics that hold any of these episodes, as they stand now."""
        heads = self.past.topics_of(episodes)
        unread = sorted(heads - self._topics.keys())
        self._topics |= {
            name: TopicPlan(name, self.constructor, views, set(), node, _text=topic_text(node))
            for name, (node, views) in self.past.topics(unread).items()
        }
        wanted = set(episodes)
        return [t for t in self._topics.values() if t.id in heads or t.joined & wanted]
