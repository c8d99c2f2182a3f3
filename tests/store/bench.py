"""A store on the bench: shorthand for putting memories in and reading them back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from hypermnesia.identity import new_id
from hypermnesia.store.lexicon import query_terms
from hypermnesia.store.protocol import Filter, Record, Store
from hypermnesia.store.text import identity_hash
from hypermnesia.types import STATUSES, Matrix, Node, Provenance
from tests.store.embedders import HashEmbedder

NOON = datetime(2026, 5, 3, 12, tzinfo=UTC)
EMBEDDER = HashEmbedder()
EVERYTHING = STATUSES[:-1]


@dataclass(frozen=True)
class Bench:
    """A store under test, and how to open the same one again, under any encoder."""

    store: Store
    open: Callable[[HashEmbedder], Store]

    def put(self, *nodes: Node) -> None:
        """Store nodes in one transaction."""
        with self.store.write() as writer:
            for item in nodes:
                writer.insert(record(item))

    def amend(self, changed: Node) -> None:
        """Change one node's fields."""
        with self.store.write() as writer:
            writer.amend(changed)

    def erase(self, *ids: str) -> None:
        """Forget nodes."""
        with self.store.write() as writer:
            writer.erase(ids)

    def keys(self, where: Filter, text: str) -> dict[str, int]:
        """Key by content of what the dense channel finds."""
        (ranked,) = self.store.nearest(where, vector(text), 50)
        return {s.node.content: s.key for s in self.store.fetch(where, ranked.keys)}

    def dense(self, where: Filter, text: str, limit: int = 50) -> list[str]:
        """Contents by the dense channel, best first."""
        (ranked,) = self.store.nearest(where, vector(text), limit)
        return self._contents(where, ranked.keys)

    def words(self, where: Filter, text: str, limit: int = 50) -> list[str]:
        """Contents by the lexical channel, best first."""
        return self._contents(where, self.store.lexical(where, query_terms(text), limit).keys)

    def _contents(self, where: Filter, keys: Sequence[int]) -> list[str]:
        found = {s.key: s.node.content for s in self.store.fetch(where, keys)}
        return [found[key] for key in keys]


def node(content: str, *, scope: str = "a", **fields: Any) -> Node:
    """A node with everything but its content at rest."""
    rest = Node(
        id=new_id(),
        scope=scope,
        level="fact",
        content=content,
        memory_type="fact",
        tags=(),
        metadata={},
        salience=None,
        durable=None,
        status="active",
        superseded_by=None,
        valid_from=NOON,
        valid_until=None,
        created_at=NOON,
        updated_at=NOON,
        provenance=Provenance(),
        judge="off",
        degraded=False,
        pinned=False,
        access_count=0,
        accessed_at=None,
    )
    return replace(rest, **fields)


def record(item: Node) -> Record:
    """A node with what is derived from its text."""
    (encoding,) = EMBEDDER.encode([item.content])
    return Record(item, identity_hash(item), encoding.dense, b"")


def vector(text: str) -> Matrix:
    """A query as one row."""
    return EMBEDDER.encode_queries([text])[0].dense[:1]
