"""Checking a store: rows against indexes, and a write."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from hypermnesia.errors import StoreError
from hypermnesia.store.columns import Parameters, node_of
from hypermnesia.store.postgres.connection import Connections
from hypermnesia.store.postgres.rows import SELECT, digests
from hypermnesia.store.postgres.statements import Link, execute, run, value
from hypermnesia.store.stems import counted
from hypermnesia.store.text import identity_hash
from hypermnesia.store.vectors import sound_tokens
from hypermnesia.types import Health, Node, Problem

BATCH = 1000
"""Memories read at a time."""
_LONGEST = 1.1  # squared length from which a vector cannot be a normalised one
_SHOWN = 100

_LOST = {
    "lexical": (
        "SELECT m.id FROM memory m LEFT JOIN document d ON d.scope = m.scope AND d.memory = m.key"
        " WHERE d.memory IS NULL AND m.status <> 'deleted'",
        "is missing from the lexical index; run `hypermnesia reindex`",
    ),
    "postings": (
        "SELECT m.id FROM memory m JOIN document d ON d.scope = m.scope AND d.memory = m.key"
        " LEFT JOIN (SELECT scope, memory, level, length, count(*) AS terms, sum(count) AS counts"
        "  FROM posting GROUP BY scope, memory, level, length) p ON p.scope = d.scope"
        "  AND p.memory = d.memory AND p.level = d.level AND p.length = d.length"
        " WHERE cardinality(d.terms) <> coalesce(p.terms, 0)"
        "  OR (SELECT sum(c) FROM unnest(d.counts) c) <> p.counts",
        "is not found by all of its terms; run `hypermnesia reindex`",
    ),
    "vectors": (
        "SELECT m.id FROM memory m WHERE m.status <> 'deleted' AND NOT EXISTS (SELECT 1"
        " FROM vectors v JOIN chunk c ON c.scope = v.scope AND c.memory = v.memory"
        "  AND c.encoder = v.encoder WHERE v.scope = m.scope AND v.memory = m.key)",
        "has no vectors; run `hypermnesia reindex`",
    ),
    "damaged vectors": (
        "SELECT m.id FROM memory m JOIN chunk c ON c.scope = m.scope AND c.memory = m.key"
        " JOIN encoder e ON e.id = c.encoder WHERE vector_dims(c.dense) <> e.dimension"
        f" OR l2_norm(c.dense) ^ 2 >= {_LONGEST}",
        "has vectors of another length; run `hypermnesia reindex`",
    ),
    "stale vectors": (
        "SELECT m.id FROM memory m JOIN vectors v ON v.scope = m.scope AND v.memory = m.key"
        " WHERE v.encoder <> (SELECT e.id FROM encoder e JOIN setting s ON s.value = e.identity"
        "  WHERE s.name = 'encoder')",
        "was embedded by another encoder; run `hypermnesia reindex`",
    ),
    "erased vectors": (
        "SELECT m.id FROM memory m JOIN vectors v ON v.scope = m.scope AND v.memory = m.key"
        " WHERE m.status = 'deleted'",
        "was forgotten but its vectors remain; run `hypermnesia reindex`",
    ),
    "erased lexical": (
        "SELECT m.id FROM memory m JOIN document d ON d.scope = m.scope AND d.memory = m.key"
        " WHERE m.status = 'deleted'",
        "was forgotten but its terms remain; run `hypermnesia reindex`",
    ),
    "place": (
        "SELECT m.id FROM memory m LEFT JOIN turn t ON t.scope = m.scope AND t.memory = m.key"
        " WHERE t.memory IS NULL AND m.level = 'turn' AND m.status <> 'deleted'",
        "is a turn without a place in a conversation; forget it and ingest it again",
    ),
    # That a successor is missing is no fault: an export leaves out what was forgotten. One of
    # another scope is as good as missing: chains are followed within their scope.
    "chain": (
        "SELECT id FROM memory WHERE superseded_by = id",
        "is superseded by itself; `hypermnesia restore` it",
    ),
}

_DELETED = "SELECT 1 FROM memory m WHERE m.scope = x.scope AND m.status = 'deleted' AND m.key"
STRAY = {
    # Unnested, so that documents of very many terms are hashed and not searched term by term.
    "posting": "NOT EXISTS (SELECT 1 FROM (SELECT scope, memory, unnest(terms) AS term"
    " FROM document) d WHERE d.scope = x.scope AND d.memory = x.memory AND d.term = x.term)",
    "document": f"EXISTS ({_DELETED} = x.memory)",
    "label": f"EXISTS ({_DELETED} = x.memory)",
    "access": f"EXISTS ({_DELETED} = x.memory)",
    "vectors": f"EXISTS ({_DELETED} = x.memory)",
    "turn": f"EXISTS ({_DELETED} = x.memory)",
    "day": f"EXISTS ({_DELETED} = x.memory)",
    "source": f"EXISTS ({_DELETED} IN (x.fact, x.turn))",
    "member": f"EXISTS ({_DELETED} IN (x.head, x.node))",
    "session": "NOT EXISTS (SELECT 1 FROM turn t WHERE t.scope = x.scope AND t.session = x.id)",
}
"""By table, what no sound row ``x`` of it fulfils. Foreign keys rule out the rest."""

_TOTALS = """SELECT coalesce(t.scope, d.scope) FROM total t
    FULL JOIN (SELECT scope, level, count(*) AS documents, sum(length) AS terms
        FROM document GROUP BY scope, level) d ON d.scope = t.scope AND d.level = t.level
    WHERE coalesce(t.documents, 0) <> coalesce(d.documents, 0)
        OR coalesce(t.terms, 0) <> coalesce(d.terms, 0)"""

_COUNTS = {
    "memories": "SELECT count(*) FROM memory WHERE status <> 'deleted'",
    "erased": "SELECT count(*) FROM memory WHERE status = 'deleted'",
    "vectors": "SELECT count(*) FROM vectors",
    "lexical": "SELECT count(*) FROM document",
}

_LABELS = """SELECT m.scope, m.key,
        ARRAY(SELECT l.digest FROM label l WHERE l.scope = m.scope AND l.memory = m.key),
        (SELECT d.terms FROM document d WHERE d.scope = m.scope AND d.memory = m.key),
        (SELECT v.tokens FROM vectors v WHERE v.scope = m.scope AND v.memory = m.key), m.hash
    FROM memory m WHERE m.scope = %s AND m.key = ANY(%s::bigint[])"""


def check(connections: Connections, identity: str) -> Health:
    """Compare rows, lexical index, labels and vectors, and prove that a write works."""
    with connections.snapshot() as connection:
        execute(connection, "SET LOCAL statement_timeout = 0")
        problems = [
            *_lost_and_stray(connection),
            *_rows(connection),
            *_encoder(connection, identity),
        ]
        counts = {name: value(connection, query) for name, query in _COUNTS.items()}
    problems += _write(connections)
    return Health(not problems, tuple(problems), counts)


def _lost_and_stray(connection: Link) -> Iterator[Problem]:
    for kind, (query, detail) in _LOST.items():
        for (memory_id,) in run(connection, f"{query} LIMIT {_SHOWN}"):
            yield Problem(kind, f"memory {memory_id} {detail}", memory_id)
    for table, stray in STRAY.items():
        if number := value(connection, f"SELECT count(*) FROM {table} x WHERE {stray}"):
            yield Problem(
                "orphans",
                f"{number} rows of {table} belong to no memory; run `hypermnesia reindex`",
            )
    if wrong := run(connection, _TOTALS):
        yield Problem(
            "totals",
            f"the totals of {len({row[0] for row in wrong})} scopes do not add up, so that words"
            " weigh wrongly; run `hypermnesia reindex`",
        )


def _rows(connection: Link) -> Iterator[Problem]:
    for (scope,) in run(connection, "SELECT id FROM scope ORDER BY id"):
        last = 0
        while rows := run(
            connection,
            f"{SELECT} WHERE m.scope = %s AND m.key > %s AND m.status <> 'deleted'"
            f" ORDER BY m.key LIMIT {BATCH}",
            (scope, last),
        ):
            last = rows[-1][0]
            derived = run(connection, _LABELS, (scope, [row[0] for row in rows]), binary=True)
            beside = {key: found for _, key, *found in derived}
            for row in rows:
                yield from _row(row, beside[row[0]])


def _row(row: Parameters, derived: list[object]) -> Iterator[Problem]:
    labels, terms, tokens, digest = derived
    try:
        node = node_of(row)
        wanted = set(digests(node))
    except (ValueError, TypeError, AttributeError, OverflowError) as error:
        yield Problem(
            "row", f"memory row {row[0]} cannot be read ({error}); restore it from a backup"
        )
        return
    if identity_hash(node) != digest:
        yield _problem("row", node, "does not match its hash; restore a backup")
    if set(labels) != wanted:  # type: ignore[call-overload]
        yield _problem(
            "label", node, "has tags or metadata that are not indexed; run `hypermnesia reindex`"
        )
    if terms is not None and set(terms) != set(counted(node)):  # type: ignore[call-overload]
        yield _problem(
            "lexical", node, "is indexed by other terms than its own; run `hypermnesia reindex`"
        )
    if tokens is not None and not sound_tokens(tokens):
        yield _problem("vectors", node, "has damaged token vectors; run `hypermnesia reindex`")


def _problem(kind: str, node: Node, detail: str) -> Problem:
    return Problem(kind, f"memory {node.id} {detail}", node.id)


def _encoder(connection: Link, identity: str) -> Iterator[Problem]:
    known = value(connection, "SELECT value FROM setting WHERE name = 'encoder'")
    if known is not None and known != identity:
        yield Problem(
            "encoder", f"the store was embedded by {known}, the configured encoder is {identity};"
            " run `hypermnesia reindex` or configure the former encoder"
        )  # fmt: skip


def _write(connections: Connections) -> list[Problem]:
    try:
        with connections.transaction() as connection:
            execute(
                connection,
                "INSERT INTO setting (name, value) VALUES ('checked', %s)"
                " ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                (datetime.now(UTC).isoformat(),),
            )
    except StoreError as error:
        return [Problem("write", f"a write failed: {error}")]
    return []
