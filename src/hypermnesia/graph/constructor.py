"""The steps of construction, each of which has a local form and a language model's form."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol, TypeVar

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

A = TypeVar("A")
B = TypeVar("B")


@dataclass(slots=True)
class Usage:
    """What asking a language model for one step has come to.

    Attributes:
        requests: answers that the model was asked for, corrections included.
        cached: answers that were at hand.
        input_tokens: of all prompts, as far as the server counts.
        output_tokens: of all answers, likewise.
        fallbacks: times that the local form stood in.
    """

    requests: int = 0
    cached: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    fallbacks: int = 0


class Constructor(Protocol):
    """Decides where episodes end, what they and their facts and topics say, and who belongs where.

    Every step is a pure function of its arguments. A form that cannot answer a step falls back
    to the local one for that step and counts it. Steps may be called from several threads.
    """

    @property
    def parallel(self) -> int:
        """Calls worth making at once, see :func:`each`; 1 where waiting for none gains nothing."""
        ...

    @property
    def usage(self) -> Mapping[str, Usage]:
        """What a language model was asked so far, by step; empty without one."""
        ...

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


def each(constructor: Constructor, step: Callable[[A], B], items: Iterable[A]) -> list[B]:
    """The answers of a step that takes one item, in order, as many at once as are worth it."""
    given = list(items)
    workers = min(constructor.parallel, len(given))
    if workers <= 1:
        return [step(item) for item in given]
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(step, given))
