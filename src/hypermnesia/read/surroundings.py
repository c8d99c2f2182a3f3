"""What a memory is joined to: hyperedges above and below it, and the talk it was drawn from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from hypermnesia.engine import Engine
from hypermnesia.read.recall import masked
from hypermnesia.store.incidence import Role
from hypermnesia.types import Node


@dataclass(frozen=True, slots=True)
class Joined:
    """The other end of a membership.

    Attributes:
        node: the member of a head, or the head of a member.
        role: part that the member plays.
        weight: in [0, 1].
    """

    node: Node
    role: Role
    weight: float


@dataclass(frozen=True, slots=True)
class Hyperedge:
    """A head with what it holds, by falling weight.

    Attributes:
        head: id of the episode or topic.
        members: the first of them.
        total: how many there are.
    """

    head: str
    members: tuple[Joined, ...]
    total: int


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The neighbours of one memory in the hypergraph; each list has its first entries only.

    Attributes:
        heads: episodes or topics that hold it, by falling weight.
        members: what it holds, by falling weight.
        sources: turns that a fact was taken from, earliest first.
        drawn: facts taken from a turn.
    """

    heads: tuple[Joined, ...]
    members: tuple[Joined, ...]
    sources: tuple[Node, ...]
    drawn: tuple[Node, ...]


def surroundings(engine: Engine, node: Node, limit: int) -> Surroundings:
    """What a memory is joined to, at most ``limit`` in each direction."""
    store, scope = engine.store, node.scope
    above = store.heads(scope, [node.id])[:limit]
    below = store.members(scope, [node.id])[:limit]
    sources = store.sources(scope, [node.id]).get(node.id, ())[:limit]
    drawn = store.drawn(scope, [node.id]).get(node.id, ())[:limit]
    wanted = [*(m.head for m in above), *(m.node for m in below), *sources, *drawn]
    known = _known(engine, scope, wanted)
    return Surroundings(
        heads=tuple(Joined(known[m.head], m.role, m.weight) for m in above if m.head in known),
        members=tuple(Joined(known[m.node], m.role, m.weight) for m in below if m.node in known),
        sources=tuple(known[i] for i in sources if i in known),
        drawn=tuple(known[i] for i in drawn if i in known),
    )


def hyperedges(
    engine: Engine, scope: str, heads: Sequence[str], limit: int
) -> tuple[Hyperedge, ...]:
    """What each of these heads holds, at most ``limit`` members of one."""
    grouped: dict[str, list[tuple[str, Role, float]]] = {head: [] for head in heads}
    for member in engine.store.members(scope, heads):
        grouped[member.head].append((member.node, member.role, member.weight))
    shown = {head: members[:limit] for head, members in grouped.items()}
    known = _known(engine, scope, (i for members in shown.values() for i, *_ in members))
    return tuple(
        Hyperedge(
            head=head,
            members=tuple(Joined(known[i], r, w) for i, r, w in shown[head] if i in known),
            total=len(members),
        )
        for head, members in grouped.items()
    )


def _known(engine: Engine, scope: str, ids: Iterable[str]) -> Mapping[str, Node]:
    """The memories with these ids that were not forgotten, as they may be recalled."""
    wanted, found = list(dict.fromkeys(ids)), dict[str, Node]()
    for start in range(0, len(wanted), _BATCH):
        for node in engine.store.get(wanted[start : start + _BATCH], scope):
            if node.status != "deleted":
                found[node.id] = masked(node, engine.redact)
    return found


_BATCH = 500
"""Ids asked for at once; a statement takes a bounded number of values."""
