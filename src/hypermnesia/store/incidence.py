"""The hypergraph and the talk it was made from, in the terms of a store.

An episode heads the hyperedge of its facts and turns, a topic that of its episodes: one relation
``member(head, node, role, weight)`` is the whole structure. A fact also cites the turns that it
was taken from. Heads, facts and turns are memories like any other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal, Protocol, TypeAlias

from hypermnesia.types import Matrix, Node

EpisodeRole: TypeAlias = Literal[
    "initiating", "developing", "climax", "concluding",
    "recurring", "background", "key_moment", "transition",
]  # fmt: skip
"""Part that an episode plays in a topic (HyperMem, structure)."""
FactRole: TypeAlias = Literal["core", "context", "detail", "temporal", "causal"]
"""Part that a fact plays in an episode (HyperMem, structure)."""
Role: TypeAlias = EpisodeRole | FactRole | Literal["turn"]


@dataclass(frozen=True, slots=True)
class Member:
    """One incidence: a node in the hyperedge of a head.

    Attributes:
        head: id of the episode or topic.
        node: id of the fact, turn or episode.
        weight: in [0, 1].
    """

    head: str
    node: str
    role: Role
    weight: float


@dataclass(frozen=True, slots=True)
class Days:
    """Days that a text speaks of, both ends included, as its date phrases were resolved."""

    first: date
    last: date


@dataclass(frozen=True, slots=True)
class Place:
    """Where a turn stands in its conversation.

    Attributes:
        session: the conversation or sitting, unique within the scope.
        position: 0-based and consecutive within the session.
        speaker: who says it.
    """

    session: str
    position: int
    speaker: str


@dataclass(frozen=True, slots=True)
class PlacedTurn:
    """What ranking needs of one turn: its place, and what lies around it.

    Attributes:
        key: the turn's key.
        node: its row.
        place: where it stands.
        days: the dates it speaks of.
        tokens: its compressed token vectors.
    """

    key: int
    node: Node
    place: Place
    days: tuple[Days, ...]
    tokens: bytes


@dataclass(frozen=True, slots=True)
class Propagated:
    """Embeddings of nodes after one step of propagation over their hyperedges.

    Attributes:
        keys: ``n`` of them.
        raw: mean direction of each node's own vectors, shape ``(n, d)``, L2-normalised.
        propagated: ``raw + lambda * sum of the embeddings of the node's hyperedges``,
            shape ``(n, d)``, not normalised.
    """

    keys: tuple[int, ...]
    raw: Matrix
    propagated: Matrix


class IncidenceWriter(Protocol):
    """Graph verbs of a write transaction; ids must exist in the same scope.

    Raises:
        NotFound: an id is unknown.
    """

    def place(self, turn: str, place: Place, days: Sequence[Days]) -> None:
        """Say where a turn stands and which days it speaks of."""
        ...

    def date(self, fact: str, days: Sequence[Days]) -> None:
        """Say which days a fact speaks of."""
        ...

    def cite(self, fact: str, turns: Sequence[str]) -> None:
        """Add source turns to a fact."""
        ...

    def join(self, members: Sequence[Member]) -> None:
        """Put nodes into hyperedges; an existing membership gets the new role and weight."""
        ...

    def leave(self, head: str, nodes: Sequence[str]) -> None:
        """Take nodes out of a hyperedge."""
        ...


class IncidenceReader(Protocol):
    """Graph reads. ``scope`` is checked by every query."""

    def tail(self, scope: str, session: str, limit: int) -> list[PlacedTurn]:
        """The last turns of a session, oldest first."""
        ...

    def speakers(self, scope: str) -> Mapping[str, int]:
        """Every speaker of the scope, with the number of turns."""
        ...

    def around(self, scope: str, keys: Sequence[int], reach: int) -> list[PlacedTurn]:
        """The active turns among ``keys`` and those up to ``reach`` positions from one of them."""
        ...

    def members(self, scope: str, heads: Sequence[str]) -> list[Member]:
        """The hyperedges of these heads, by falling weight."""
        ...

    def heads(self, scope: str, nodes: Sequence[str]) -> list[Member]:
        """Every membership of these nodes."""
        ...

    def sources(self, scope: str, facts: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        """Ids of the turns each fact was taken from, earliest first."""
        ...

    def drawn(self, scope: str, turns: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        """Ids of the facts that were taken from each turn, whatever their status."""
        ...

    def propagated(self, scope: str, level: str, lam: float) -> Propagated:
        """Raw and propagated embeddings of the active nodes of a level, kept up to date."""
        ...
