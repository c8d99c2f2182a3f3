"""The local form of every step of construction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hypermnesia.graph.constructor import Usage
from hypermnesia.graph.local.boundary import boundary
from hypermnesia.graph.local.episode import episode_text
from hypermnesia.graph.local.facts import facts
from hypermnesia.graph.local.settings import DEFAULT, Thresholds
from hypermnesia.graph.local.topics import match, topic_text, weigh
from hypermnesia.graph.model import (
    Boundary,
    EpisodeText,
    EpisodeView,
    FactText,
    TopicText,
    TopicView,
    Turn,
    Weighted,
)


@dataclass(frozen=True, slots=True)
class LocalConstructor:
    """A :class:`~hypermnesia.graph.constructor.Constructor` without a language model.

    Every step is a pure function of the turns, their vectors and their dates: nothing is
    encoded or asked of a model, and the same turns always give the same texts.
    """

    thresholds: Thresholds = DEFAULT

    @property
    def parallel(self) -> int:
        """One: nothing is waited for."""
        return 1

    @property
    def usage(self) -> Mapping[str, Usage]:
        """Nothing is asked of a model."""
        return {}

    def boundary(self, episode: Sequence[Turn], incoming: Turn) -> Boundary:
        """See :func:`hypermnesia.graph.local.boundary.boundary`; the first turn ends nothing."""
        if not episode:
            return Boundary(ends=False, waits=False, confidence=1.0)
        return boundary(episode, incoming, self.thresholds)

    def episode(self, turns: Sequence[Turn]) -> EpisodeText:
        """See :func:`hypermnesia.graph.local.episode.episode_text`."""
        return episode_text(turns, self.thresholds)

    def facts(self, turns: Sequence[Turn]) -> list[FactText]:
        """See :func:`hypermnesia.graph.local.facts.facts`."""
        return facts(turns, self.thresholds)

    def match(self, episode: EpisodeView, topics: Sequence[TopicView]) -> tuple[str, ...]:
        """See :func:`hypermnesia.graph.local.topics.match`."""
        return match(episode, topics, self.thresholds)

    def topic(self, episodes: Sequence[EpisodeView]) -> TopicText:
        """See :func:`hypermnesia.graph.local.topics.topic_text`."""
        return topic_text(episodes)

    def weigh(self, topic: TopicText, episodes: Sequence[EpisodeView]) -> list[Weighted]:
        """See :func:`hypermnesia.graph.local.topics.weigh`; the topic's text has no part in it."""
        del topic
        return weigh(episodes)
