"""The hypergraph and the talk it was made from, in the terms of a store.

An episode heads the hyperedge of its facts and turns, a topic that of its episodes: one relation
``member(head, node, role, weight)`` is the whole structure. A fact also cites the turns that it
was taken from. Heads, facts and turns are memories like any other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal, Protocol, TypeAlias

from hypermnesia.types import Level, Matrix, Node

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
class Link:
    """A step of the hierarchy between keys: a membership, or a fact and the turn it is from.

    Attributes:
        upper: key of the topic, episode or fact.
        lower: key of its episode, fact or turn.
        weight: that of the membership, in [0, 1]; 1 between a fact and its turn.
    """

    upper: int
    lower: int
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
    """A turn with its place, as construction continues it.

    Attributes:
        key: the turn's key.
        node: its row.
        place: where it stands.
    """

    key: int
    node: Node
    place: Place


@dataclass(frozen=True, slots=True)
class Utterance:
    """What ranking reads of one turn beside its vectors, without the rest of its row.

    Attributes:
        key: the turn's key.
        content: its text.
        at: its event time.
        place: where it stands.
    """

    key: int
    content: str
    at: datetime
    place: Place


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
        NotFound: an id is unknown, was forgotten, or belongs to another scope than the first.
        InvalidInput: a memory is of a level that has no such relation.
    """

    def end(self, scope: str, session: str) -> int:
        """The position after the last turn of a session, 0 when it has none."""
        ...

    def place(self, turn: str, place: Place, days: Sequence[Days]) -> None:
        """Say where a turn stands and which days it speaks of, instead of what was said before.

        Raises:
            Conflict: another turn stands there.
        """
        ...

    def date(self, fact: str, days: Sequence[Days]) -> None:
        """Say which days a fact speaks of, instead of what was said before."""
        ...

    def cite(self, fact: str, turns: Sequence[str]) -> None:
        """Add source turns to a fact."""
        ...

    def join(self, members: Sequence[Member]) -> None:
        """Put nodes into hyperedges; an existing membership gets the new role and weight.

        Raises:
            InvalidInput: a weight is outside [0, 1].
        """
        ...

    def leave(self, head: str, nodes: Sequence[str]) -> None:
        """Take nodes out of a hyperedge."""
        ...

    def dependants(self, ids: Sequence[str]) -> list[str]:
        """Ids of what stands on these memories alone and is to be forgotten with them.

        Those are facts drawn from no other turn, and heads of no other member, and so on.
        """
        ...


class IncidenceReader(Protocol):
    """Graph reads. ``scope`` is checked by every query."""

    def tail(self, scope: str, session: str, limit: int) -> list[PlacedTurn]:
        """The last turns of a session, whatever their status, oldest first."""
        ...

    def speakers(self, scope: str) -> Mapping[str, int]:
        """Every speaker of the scope, with the number of turns."""
        ...

    def around(self, scope: str, keys: Sequence[int], reach: int) -> list[Utterance]:
        """The active turns among ``keys`` and those up to ``reach`` positions from one of them."""
        ...

    def members(self, scope: str, heads: Sequence[str]) -> list[Member]:
        """The hyperedges of these heads, by falling weight."""
        ...

    def heads(self, scope: str, nodes: Sequence[str]) -> list[Member]:
        """Every membership of these nodes, by falling weight."""
        ...

    def below(self, scope: str, uppers: Sequence[int], level: Level) -> list[Link]:
        """The links from these topics, episodes and facts to memories of a level.

        They lead to memories of any status. Damaged weights are left out.
        """
        ...

    def above(self, scope: str, lowers: Sequence[int]) -> list[Link]:
        """The links that lead to these memories, and to what they come from, up to the topics."""
        ...

    def sources(self, scope: str, facts: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        """Ids of the turns each fact was taken from, earliest first; facts without are left out."""
        ...

    def drawn(self, scope: str, turns: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        """Ids of the facts taken from each turn, whatever their status; others are left out."""
        ...

    def evidence(self, scope: str, ids: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        """External ids of the turns behind each fact or episode, in the order of the talk.

        A fact has its sources and an episode its turns; turns without an external id, and
        memories without such turns, are left out.
        """
        ...

    def successors(
        self, scope: str, turns: Sequence[str], as_of: datetime | None
    ) -> Mapping[str, str]:
        """What replaced a fact drawn from each of these turns; turns that hold are left out.

        It is the memory at the end of the chain of supersessions, as it was at ``as_of`` or is
        now; of several the latest. What was drawn from the turn itself does not replace it.
        """
        ...

    def places(self, scope: str, turns: Sequence[str]) -> Mapping[str, Place]:
        """Where each of these turns stands; memories that have no place are left out."""
        ...

    def days(self, scope: str, nodes: Sequence[str]) -> Mapping[str, tuple[Days, ...]]:
        """The days each of these turns or facts speaks of, earliest first; others are left out."""
        ...

    def propagated(
        self, scope: str, level: Level, lam: float, *, weighted: bool = True
    ) -> Propagated:
        """Raw and propagated embeddings of the active nodes of a level, kept up to date.

        A hyperedge at a level is what a head holds of that level, active and embedded: an
        episode's facts and its turns do not mix. What is superseded or gated takes no part.

        Args:
            scope: whose nodes.
            level: which nodes.
            lam: share of its hyperedges that a node takes up.
            weighted: false = all members of a hyperedge count alike.
        """
        ...

    def dependants(self, ids: Sequence[str]) -> list[str]:
        """Ids of what stands on these memories alone; see :class:`IncidenceWriter`."""
        ...
