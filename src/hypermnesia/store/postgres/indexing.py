"""What is derived from a memory's text in a write transaction: words, labels, vectors."""

from __future__ import annotations

from collections import Counter
from typing import Any

from hypermnesia.store.columns import Parameters
from hypermnesia.store.postgres.rows import SELECT, digests, halves
from hypermnesia.store.postgres.statements import Link, execute, run
from hypermnesia.store.postgres.transaction import Transaction
from hypermnesia.store.stems import counted
from hypermnesia.types import LEVELS, Matrix, Node

SCOPE_MARK = 1
"""Added to a document's length: FTS5 counts the term that marks a scope, and BM25 reads lengths."""
INDEXED = """d AS (
        INSERT INTO document (scope, memory, level, length, terms, counts)
        SELECT k.scope, k.key, %(level_number)s::smallint, %(length)s::integer,
            %(terms)s::text[], %(counts)s::integer[] FROM k),
    p AS (
        INSERT INTO posting (scope, term, memory, level, count, length)
        SELECT k.scope, t.term, k.key, %(level_number)s::smallint, t.count, %(length)s::integer
        FROM k, unnest(%(terms)s::text[], %(counts)s::integer[]) AS t (term, count)),
    l AS (
        INSERT INTO label (scope, digest, memory)
        SELECT k.scope, t.digest, k.key FROM k, unnest(%(labels)s::bytea[]) AS t (digest))"""
"""Inserts the words and labels of the memory that a subquery ``k (scope, key)`` gives."""

EMBEDDED = """v AS (
        INSERT INTO vectors (scope, memory, encoder, tokens)
        SELECT k.scope, k.key, %(encoder)s::integer, %(tokens)s::bytea FROM k
        WHERE cardinality(%(dense)b::halfvec[]) > 0),
    c AS (
        INSERT INTO chunk (scope, memory, number, encoder, dense)
        SELECT k.scope, k.key, t.number, %(encoder)s::integer, t.dense
        FROM k, unnest(%(dense)b::halfvec[]) WITH ORDINALITY AS t (dense, number))"""
"""Inserts the vectors of that memory; what has none, as moved from another store, has no row."""

_KEY = "k (scope, key) AS (SELECT %(scope)s::bigint, %(key)s::bigint)"
_INDEX = f"WITH {_KEY}, {INDEXED} SELECT 1"
_EMBED = f"WITH {_KEY}, {EMBEDDED} SELECT 1"


class Indexing(Transaction):
    """Keeps words, labels and vectors in step with the rows.

    Args:
        connection: inside a write transaction.
        encoder: id of the encoder whose vectors are written.
    """

    def __init__(self, connection: Link, encoder: int) -> None:
        super().__init__(connection)
        self._encoder = encoder
        self._totals: Counter[tuple[int, int, str]] = Counter()

    def finish(self) -> None:
        """Write what was added up: the last thing before the commit."""
        changed = sorted({(scope, level) for scope, level, _ in self._totals})
        for scope, level in changed:
            documents = self._totals[scope, level, "documents"]
            terms = self._totals[scope, level, "terms"]
            if documents or terms:
                execute(
                    self._connection,
                    "INSERT INTO total AS t (scope, level, documents, terms)"
                    " VALUES (%s, %s, %s, %s) ON CONFLICT (scope, level) DO UPDATE"
                    " SET documents = t.documents + excluded.documents,"
                    " terms = t.terms + excluded.terms",
                    (scope, level, documents, terms),
                )
        self._totals.clear()

    def rows(
        self, scope: int, after: int, limit: int | None, last: int = 2**63 - 1
    ) -> list[Parameters]:
        """A held scope's memories that were not forgotten, by key, from one on, as read back."""
        self._hold([scope])
        return run(
            self._connection,
            f"{SELECT} WHERE m.scope = %s AND m.key > %s AND m.key <= %s"
            " AND m.status <> 'deleted' ORDER BY m.key LIMIT %s",
            (scope, after, last, limit),
        )

    def add_up(self, scope: int) -> None:
        """Make the totals of a scope anew."""
        self._hold([scope])
        execute(self._connection, "DELETE FROM total WHERE scope = %s", (scope,))
        execute(
            self._connection,
            "INSERT INTO total (scope, level, documents, terms)"
            " SELECT scope, level, count(*), sum(length) FROM document WHERE scope = %s"
            " GROUP BY scope, level",
            (scope,),
        )

    def restore_labels(self, key: int, scope: int, node: Node) -> None:
        """Rebuild the indexed form of a memory's text, tags and metadata."""
        self._unindex(key, scope)
        self._index(key, scope, node)

    def embed(self, key: int, scope: int, dense: Matrix, tokens: bytes) -> None:
        """Replace a memory's vectors and let every cache notice."""
        self._unembed(key, scope)
        self._embed(key, scope, dense, tokens)
        execute(
            self._connection,
            "UPDATE memory SET changed = %s WHERE scope = %s AND key = %s",
            (self._stamp(scope), scope, key),
        )

    def _unindex(self, key: int, scope: int) -> None:
        rows = run(
            self._connection,
            "DELETE FROM document WHERE scope = %s AND memory = %s RETURNING level, length, terms",
            (scope, key),
        )
        for level, length, terms in rows:
            execute(
                self._connection,
                "DELETE FROM posting WHERE scope = %s AND term = ANY(%s::text[]) AND memory = %s",
                (scope, terms, key),
            )
            self._totals[scope, level, "documents"] -= 1
            self._totals[scope, level, "terms"] -= length
        execute(
            self._connection,
            "DELETE FROM label WHERE scope = %s AND memory = %s",
            (scope, key),
        )

    def _index(self, key: int, scope: int, node: Node) -> None:
        execute(self._connection, _INDEX, {"scope": scope, "key": key, **self._words(scope, node)})

    def _words(self, scope: int, node: Node) -> dict[str, Any]:
        """Parameters of :data:`INDEXED`, which are counted as written."""
        counts = counted(node)
        level, length = LEVELS.index(node.level), counts.total() + SCOPE_MARK
        self._totals[scope, level, "documents"] += 1
        self._totals[scope, level, "terms"] += length
        return {
            "level_number": level,
            "length": length,
            "terms": list(counts),
            "counts": list(counts.values()),
            "labels": digests(node),
        }

    def _embed(self, key: int, scope: int, dense: Matrix, tokens: bytes) -> None:
        values = {"scope": scope, "key": key, **self._vectors(dense, tokens)}
        execute(self._connection, _EMBED, values)

    def _vectors(self, dense: Matrix, tokens: bytes) -> dict[str, Any]:
        """Parameters of :data:`EMBEDDED`."""
        return {"encoder": self._encoder, "tokens": tokens, "dense": halves(dense)}

    def _unembed(self, key: int, scope: int) -> None:
        values = (scope, key)  # the chunks go with their vectors
        execute(self._connection, "DELETE FROM vectors WHERE scope = %s AND memory = %s", values)
