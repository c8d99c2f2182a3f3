"""Proving that what was erased is gone: rewrite the file, then look everywhere.

The transactions that erased it overwrote what they freed. Rewriting the file goes further: no
page of the new one was ever used for anything else.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import apsw

from hypermnesia.errors import StoreBusy
from hypermnesia.store.samples import present
from hypermnesia.store.sqlite.connection import Connections
from hypermnesia.types import Absence

_IDS = "(SELECT value FROM json_each(:ids))"
_KEYS = f"(SELECT key FROM memory WHERE id IN {_IDS})"
_INSTANCES = "temp.lexical_instance"
"""Every term of the lexical index with the row it stands in (SQLite, FTS5, 4.3.3)."""
ROWS: Mapping[str, tuple[str, str]] = {
    "rows": (
        "texts, tags, metadata and provenance of the memories, or of what they had superseded",
        f"SELECT count(*) FROM memory WHERE (id IN {_IDS} OR superseded_by IN {_IDS})"
        " AND (content <> '' OR hash IS NOT NULL OR tags <> '[]' OR metadata <> '{}'"
        " OR provenance <> '{}' OR salience IS NOT NULL OR durable IS NOT NULL)",
    ),
    "event log": (
        "details of their events, which hold earlier texts",
        f"SELECT count(*) FROM event WHERE memory IN {_IDS} AND detail <> '{{}}'",
    ),
    "lexical index": (
        "terms that stand in them",
        f"SELECT (SELECT count(*) FROM {_INSTANCES} WHERE doc IN {_KEYS})"
        f" + (SELECT count(*) FROM lexical_docsize WHERE id IN {_KEYS})",
    ),
    "labels": (
        "their tags and metadata as filters find them",
        f"SELECT count(*) FROM label WHERE memory IN {_KEYS}",
    ),
    "vectors": (
        "their dense and token vectors",
        f"SELECT count(*) FROM vectors WHERE memory IN {_KEYS}",
    ),
    "counters": (
        "when and how often they were recalled",
        f"SELECT count(*) FROM access WHERE memory IN {_KEYS}",
    ),
    "hypergraph": (
        "their memberships, sources, places in conversations, and days they speak of",
        f"SELECT (SELECT count(*) FROM member WHERE head IN {_KEYS} OR node IN {_KEYS})"
        f" + (SELECT count(*) FROM source WHERE fact IN {_KEYS} OR turn IN {_KEYS})"
        f" + (SELECT count(*) FROM turn WHERE memory IN {_KEYS})"
        f" + (SELECT count(*) FROM day WHERE memory IN {_KEYS})",
    ),
    "corpus queue": (
        "judgements of them that wait to leave, or have left",
        f"SELECT count(*) FROM outbox_memory WHERE memory IN {_KEYS}",
    ),
}
"""Where rows of a memory lie: what is sought there, and how many there are."""
_OTHERS = (
    "SELECT EXISTS (SELECT 1 FROM memory WHERE status <> 'deleted' AND"
    " instr(lower(content || char(10) || tags || char(10) || metadata || char(10) || provenance),"
    " :piece))"
    " OR EXISTS (SELECT 1 FROM event WHERE instr(lower(detail), :piece))"
    " OR EXISTS (SELECT 1 FROM scope WHERE instr(lower(name), :piece))"
    " OR EXISTS (SELECT 1 FROM session WHERE instr(lower(name), :piece))"
    " OR EXISTS (SELECT 1 FROM turn WHERE instr(lower(speaker), :piece))"
    " OR EXISTS (SELECT 1 FROM encoder WHERE instr(lower(identity), :piece))"
    " OR EXISTS (SELECT 1 FROM sqlite_schema WHERE instr(lower(sql), :piece))"
)
"""Whether memories that stay, or the store itself, say the same; what is erased is in none of
these any more."""


def purge(connections: Connections, ids: Sequence[str], samples: Sequence[bytes]) -> list[Absence]:
    """Rewrite the file and look for what was erased; see :meth:`~..protocol.Store.purge`."""
    _rewrite(connections)
    with connections.snapshot() as connection:
        return [*_rows(connection, ids), *_bytes(connection, connections.path, samples)]


def _rewrite(connections: Connections) -> None:
    """A new file in place of the old one, and nothing in the write-ahead log.

    Raises:
        StoreBusy: another process wrote or read all through the wait.
    """
    with connections.exclusive() as connection:
        try:
            connection.execute("VACUUM")
            busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()[0][0]
        except apsw.BusyError:
            busy = True
    if busy:
        raise StoreBusy(f"another process kept {connections.path} busy")


def _rows(connection: apsw.Connection, ids: Sequence[str]) -> Iterator[Absence]:
    connection.execute(
        f"CREATE VIRTUAL TABLE IF NOT EXISTS {_INSTANCES} USING fts5vocab(main, lexical, instance)"
    )
    values = {"ids": json.dumps(list(ids))}
    for place, (sought, query) in ROWS.items():
        yield Absence(place, sought, "rows counted", connection.execute(query, values).get)


def _bytes(connection: apsw.Connection, path: Path, samples: Sequence[bytes]) -> Iterator[Absence]:
    log = path.with_name(path.name + "-wal")
    for place, file in (("database file", path), ("write-ahead log", log)):
        left = [piece for piece in present(samples, file) if not _said(connection, piece)]
        yield Absence(place, "pieces of their texts", "every byte searched", len(left))


def _said(connection: apsw.Connection, piece: bytes) -> bool:
    """Whether a memory that stays holds the same words."""
    text = piece.lower().decode("utf-8", "ignore")  # ASCII alone, as SQLite lowers
    return connection.execute(_OTHERS, {"piece": text}).get == 1
