"""The steps of construction, each of which has a local form and a language model's form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

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


class Constructor(Protocol):
    """Decides where episodes end, what they and their facts and topics say, and who belongs where.

    Every step is a pure function of its arguments. A form that cannot answer a step falls back
    to the local one for that step and counts it.
    """

    def boundary(self, episode: Sequence[Turn], incoming: Turn) -> Boundary:
        """Whether ``incoming`` begins a new episode; hard limits are the caller's."""
        ...

    def episode(self, turns: Sequence[Turn]) -> EpisodeText:
        """Title, summary, narrative and keywords of an episode's turns."""
        ...

    def facts(self, turns: Sequence[Turn]) -> list[FactText]:
        """The statements worth keeping, with their weights in the episode."""
        ...

    def match(self, episode: EpisodeView, topics: Sequence[TopicView]) -> tuple[str, ...]:
        """Ids of the topics that the episode continues; may be empty."""
        ...

    def topic(self, episodes: Sequence[EpisodeView]) -> TopicText:
        """Title, summary and keywords of a topic with these episodes, oldest first."""
        ...

    def weigh(self, topic: TopicText, episodes: Sequence[EpisodeView]) -> list[Weighted]:
        """Role and weight of each episode in a topic."""
        ...
