"""Proving that what was erased is gone: rewrite the tables, then look everywhere.

The server's files are out of reach, so no bytes are searched. Its write-ahead log, standbys and
backups keep what was written until they are recycled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hypermnesia.store.postgres.connection import Connections
from hypermnesia.store.postgres.statements import execute, value
from hypermnesia.types import Absence

TABLES = (
    "memory", "event", "label", "access", "document", "posting", "vectors", "chunk", "turn",
    "session", "day", "source", "member", "outbox", "outbox_memory",
)  # fmt: skip
"""What held something of a memory."""

_KEYS = "(SELECT m.scope, m.key FROM memory m WHERE m.id = ANY(%(ids)s::text[]))"
ROWS: Mapping[str, tuple[str, str]] = {
    "rows": (
        "texts, tags, metadata and provenance of the memories, or of what they had superseded",
        "SELECT count(*) FROM memory WHERE (id = ANY(%(ids)s::text[])"
        " OR superseded_by = ANY(%(ids)s::text[])) AND (content <> '' OR hash IS NOT NULL"
        " OR tags <> '[]' OR metadata <> '{}' OR provenance <> '{}' OR salience IS NOT NULL"
        " OR durable IS NOT NULL)",
    ),
    "event log": (
        "details of their events, which hold earlier texts",
        "SELECT count(*) FROM event WHERE memory = ANY(%(ids)s::text[]) AND detail <> '{}'",
    ),
    "lexical index": (
        "terms that stand in them",
        f"SELECT (SELECT count(*) FROM document WHERE (scope, memory) IN {_KEYS})"
        f" + (SELECT count(*) FROM posting WHERE (scope, memory) IN {_KEYS})",
    ),
    "labels": (
        "their tags and metadata as filters find them",
        f"SELECT count(*) FROM label WHERE (scope, memory) IN {_KEYS}",
    ),
    "vectors": (
        "their dense and token vectors",
        f"SELECT (SELECT count(*) FROM vectors WHERE (scope, memory) IN {_KEYS})"
        f" + (SELECT count(*) FROM chunk WHERE (scope, memory) IN {_KEYS})",
    ),
    "counters": (
        "when and how often they were recalled",
        f"SELECT count(*) FROM access WHERE (scope, memory) IN {_KEYS}",
    ),
    "hypergraph": (
        "their memberships, sources, places in conversations, and days they speak of",
        "SELECT (SELECT count(*) FROM member"
        f"  WHERE (scope, head) IN {_KEYS} OR (scope, node) IN {_KEYS})"
        " + (SELECT count(*) FROM source"
        f"  WHERE (scope, fact) IN {_KEYS} OR (scope, turn) IN {_KEYS})"
        f" + (SELECT count(*) FROM turn WHERE (scope, memory) IN {_KEYS})"
        f" + (SELECT count(*) FROM day WHERE (scope, memory) IN {_KEYS})",
    ),
    "corpus queue": (
        "judgements of them that wait to leave, or have left",
        f"SELECT count(*) FROM outbox_memory WHERE (scope, memory) IN {_KEYS}",
    ),
}
"""Where rows of a memory lie: what is sought there, and how many there are."""


def purge(connections: Connections, ids: Sequence[str]) -> list[Absence]:
    """Rewrite the tables and look for what was erased; see :meth:`~..protocol.Store.purge`.

    Raises:
        StoreBusy: others used a table all through the wait.
    """
    with connections.alone() as connection:
        execute(connection, f"VACUUM (FULL) {', '.join(TABLES)}")
    with connections.snapshot() as connection:
        execute(connection, "SET LOCAL statement_timeout = 0")
        return [
            Absence(place, sought, "rows counted", value(connection, query, {"ids": list(ids)}))
            for place, (sought, query) in ROWS.items()
        ]
