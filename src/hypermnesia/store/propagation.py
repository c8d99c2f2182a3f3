"""Propagated embeddings per scope and level, kept in step with the rows of a store.

The truth is in the tables; the cache reads what changed since it last looked, whichever process
changed it, and recomputes the hyperedges and nodes that this touches. A hyperedge at a level is
what a head holds of that level: an episode's facts and its turns do not mix. Its members are
the active ones that have vectors.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from hypermnesia.models.propagation import Hyperedge, repropagate
from hypermnesia.store.incidence import Propagated
from hypermnesia.store.vectors import bounded_rows, unpacked, whole
from hypermnesia.types import Level, Matrix

CACHED_NODES = 500_000
"""Nodes kept in memory over all scopes before the least recently used entry is dropped."""

_Place: TypeAlias = tuple[int, Level, float, bool]
"""Scope, level, lambda, and whether memberships differ in weight."""
_Keys: TypeAlias = npt.NDArray[np.int64]


@dataclass(slots=True)
class _Graph:
    """One level of a scope's hypergraph, as of change number ``seen``.

    Attributes:
        keys: rising.
        answer: what readers get; never changed once handed out.
        heads: hyperedges of each node.
        members: weight of each node in each hyperedge.
    """

    seen: int
    keys: _Keys
    answer: Propagated
    heads: dict[int, set[int]] = field(default_factory=dict[int, set[int]])
    members: dict[int, dict[int, float]] = field(default_factory=dict[int, dict[int, float]])

    @classmethod
    def empty(cls, dimension: int) -> _Graph:
        nothing = np.zeros((0, dimension), np.float32)
        return cls(0, np.zeros(0, np.int64), Propagated((), nothing, nothing))

    def update(
        self, changed: Iterable[int], vectors: dict[int, Any], links: Iterable[tuple[Any, ...]],
        lam: float,
    ) -> None:  # fmt: skip
        """Take over changed nodes: ``vectors`` of those that are active, and their links."""
        touched = set[int]()
        for key in changed:
            touched |= self._unlink(key)
        for key, head, weight in links:
            if key in vectors:
                self.heads.setdefault(key, set()).add(head)
                self.members.setdefault(head, {})[key] = weight
                touched.add(head)
        raw, propagated = self._replaced(set(changed), vectors)
        nodes = set(vectors).union(*(self.members.get(head, ()) for head in touched))
        edges = set[int]().union(*(self.heads.get(node, ()) for node in nodes))
        repropagate(raw, propagated, self._rows(nodes), [self._edge(head) for head in edges], lam)
        self.answer = Propagated(tuple(self.keys.tolist()), raw, propagated)

    def _unlink(self, key: int) -> set[int]:
        """Take a node out of its hyperedges, and tell which those were."""
        heads = self.heads.pop(key, set())
        for head in heads:
            del self.members[head][key]
            if not self.members[head]:
                del self.members[head]
        return heads

    def _replaced(self, changed: set[int], vectors: dict[int, Any]) -> tuple[Matrix, Matrix]:
        """Fresh matrices without the changed nodes but with those that have vectors, by key."""
        kept = ~np.isin(self.keys, list(changed))
        fresh = np.stack(list(vectors.values())) if vectors else self.answer.raw[:0]
        keys = np.concatenate([self.keys[kept], np.fromiter(vectors, np.int64, len(vectors))])
        order = np.argsort(keys, kind="stable")
        self.keys = keys[order]
        return (
            np.concatenate([self.answer.raw[kept], fresh])[order],
            np.concatenate([self.answer.propagated[kept], fresh])[order],
        )

    def _edge(self, head: int) -> Hyperedge:
        members = self.members[head]
        return Hyperedge(self._rows(members), np.fromiter(members.values(), np.float32))

    def _rows(self, keys: Iterable[int]) -> npt.NDArray[np.intp]:
        return np.searchsorted(self.keys, np.fromiter(keys, np.int64))


class PropagationRows(Protocol):
    """The rows behind one scope's embeddings, all of one moment."""

    def latest(self) -> int:
        """Change number of the scope's latest modification."""
        ...

    def changed(self, level: Level, since: int) -> list[tuple[Any, ...]]:
        """Key and float16 vectors of the level's memories changed since, by rising key.

        The vectors are ``None`` for what is not active or not embedded.
        """
        ...

    def memberships(self, level: Level, since: int) -> list[tuple[Any, ...]]:
        """Key, head and weight in [0, 1] of every membership of those memories."""
        ...


class PropagationCache:
    """The propagated embeddings of one store under one encoder.

    Args:
        dimension: length of the encoder's vectors.
    """

    def __init__(self, dimension: int) -> None:
        self._dimension = dimension
        self._graphs: OrderedDict[_Place, _Graph] = OrderedDict()
        self._lock = threading.Lock()

    def read(
        self,
        rows: PropagationRows,
        scope: int,
        level: Level,
        lam: float,
        *,
        weighted: bool = True,
    ) -> Propagated:
        """The level's embeddings, brought up to the moment of the rows."""
        place = (scope, level, lam, weighted)
        with self._lock:
            graph = self._graphs.pop(place, None) or _Graph.empty(self._dimension)
            latest = rows.latest()
            if latest > graph.seen:
                self._refresh(rows, graph, place)
                graph.seen = latest
            self._graphs[place] = graph
            self._evict()
            return graph.answer

    def drop(self) -> None:
        """Forget everything; the next read starts from the tables."""
        with self._lock:
            self._graphs.clear()

    def _refresh(self, rows: PropagationRows, graph: _Graph, place: _Place) -> None:
        _, level, lam, weighted = place
        changed = rows.changed(level, graph.seen)
        if changed:
            vectors = self._directions(changed)
            links = rows.memberships(level, graph.seen)
            if not weighted:
                links = [(key, head, 1.0) for key, head, _ in links]
            graph.update([key for key, _ in changed], vectors, links, lam)

    def _directions(self, rows: list[tuple[Any, ...]]) -> dict[int, Any]:
        """Mean direction of each memory's vectors; without those that are damaged."""
        sound = [(key, blob) for key, blob in rows if whole(blob, self._dimension)]
        if not sound:
            return {}
        chunks = [len(blob) // (2 * self._dimension) for _, blob in sound]
        matrix = unpacked(b"".join(blob for _, blob in sound), self._dimension)
        starts = np.concatenate([[0], np.cumsum(chunks)[:-1]])
        bounded = np.logical_and.reduceat(bounded_rows(matrix), starts)
        with np.errstate(all="ignore"):  # the damaged ones are left out below
            means = np.add.reduceat(matrix, starts)
            means /= np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-12)
        keys = [key for key, _ in sound]
        return {key: means[i] for i, key in enumerate(keys) if bounded[i]}

    def _evict(self) -> None:
        total = sum(len(graph.keys) for graph in self._graphs.values())
        while total > CACHED_NODES and len(self._graphs) > 1:
            _, graph = self._graphs.popitem(last=False)
            total -= len(graph.keys)
