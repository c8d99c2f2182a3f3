"""Rebuilding what is derived from the rows: lexical index, labels, vectors.

Work is committed batch by batch, each holding one scope, so that others write meanwhile and an
interrupted run continues where it stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager

from hypermnesia.errors import EncoderMismatch
from hypermnesia.store.columns import Parameters
from hypermnesia.store.postgres.connection import Connections
from hypermnesia.store.postgres.encoders import adopt, adopted, hold
from hypermnesia.store.postgres.maintenance import STRAY
from hypermnesia.store.postgres.rows import SELECT, sound
from hypermnesia.store.postgres.statements import Link, execute, run, value
from hypermnesia.store.postgres.textsearch import build
from hypermnesia.store.postgres.writer import PostgresWriter
from hypermnesia.store.vectors import sound_tokens
from hypermnesia.types import Matrix, Node

BATCH = 64
"""Memories re-embedded per transaction: small enough to let others write."""

_UNEMBEDDED = """FROM memory m WHERE m.status <> 'deleted' AND NOT EXISTS (SELECT 1
        FROM vectors v JOIN chunk c ON c.scope = v.scope AND c.memory = v.memory
            AND c.encoder = v.encoder
        WHERE v.scope = m.scope AND v.memory = m.key AND v.encoder = %s)"""

_DAMAGED = """SELECT v.scope, v.memory, v.tokens, coalesce((SELECT bool_and(
        vector_dims(c.dense) = e.dimension AND l2_norm(c.dense) ^ 2 < 1.1)
        FROM chunk c WHERE c.scope = v.scope AND c.memory = v.memory), false)
    FROM vectors v JOIN encoder e ON e.id = v.encoder"""

Embed = Callable[[Sequence[str]], list[tuple[Matrix, bytes]]]


def reindex(
    connections: Connections,
    identity: str,
    dimension: int,
    embed: Embed,
    progress: Callable[[int, int], None],
) -> int:
    """Rebuild lexical index and labels, then embed whatever lacks this encoder's vectors."""
    with connections.transaction(unbounded=True) as connection:
        hold(connection, alone=True)
        encoder = adopt(connection, identity, dimension)
    with connections.transaction(unbounded=True) as connection:
        _clear_stray(connection)
        scopes = [row[0] for row in run(connection, "SELECT id FROM scope ORDER BY id")]
    for scope in scopes:
        _rebuild_lexicon(connections, identity, encoder, scope)
    with connections.alone() as connection:
        build(connection)
    with connections.snapshot() as connection:
        execute(connection, "SET LOCAL statement_timeout = 0")
        total: int = value(connection, f"SELECT count(*) {_UNEMBEDDED}", (encoder,))
    done = 0
    progress(0, total)
    for scope in scopes:
        last = 0
        while rows := _unembedded(connections, encoder, scope, last):
            nodes = {row[0]: node for node, row in sound(rows)}
            if nodes:
                done += _embed(connections, identity, encoder, scope, nodes, embed)
            last = rows[-1][0]
            progress(done, max(total, done))
    return done


@contextmanager
def _writing(connections: Connections, identity: str, encoder: int) -> Generator[PostgresWriter]:
    """A write transaction of the rebuild.

    Raises:
        EncoderMismatch: another rebuild changed the encoder meanwhile.
    """
    with connections.transaction() as connection:
        hold(connection)
        if adopted(connection) != identity:
            raise EncoderMismatch(
                f"another process began to re-embed {connections.place} by another encoder;"
                " agree on one and run `hypermnesia reindex` again"
            )
        writer = PostgresWriter(connection, encoder)
        yield writer
        writer.finish()


def _clear_stray(connection: Link) -> None:
    damaged = [
        (scope, memory)
        for scope, memory, tokens, sound in run(connection, _DAMAGED, binary=True)
        if not sound or not sound_tokens(tokens)
    ]
    for scope, memory in damaged:
        values = (scope, memory)
        execute(connection, "DELETE FROM vectors WHERE scope = %s AND memory = %s", values)
    for table, stray in STRAY.items():
        execute(connection, f"DELETE FROM {table} x WHERE {stray}")


def _rebuild_lexicon(connections: Connections, identity: str, encoder: int, scope: int) -> None:
    """Index every memory's text, tags and metadata anew, and add up the totals."""
    last = 0
    while True:
        with _writing(connections, identity, encoder) as writer:
            rows = writer.rows(scope, last, BATCH)
            for node, row in sound(rows):
                writer.restore_labels(row[0], scope, node)
        if not rows:
            break
        last = rows[-1][0]
    with _writing(connections, identity, encoder) as writer:
        writer.add_up(scope)


def _unembedded(connections: Connections, encoder: int, scope: int, last: int) -> list[Parameters]:
    return connections.fetch(
        f"{SELECT} WHERE (m.scope, m.key) IN (SELECT m.scope, m.key {_UNEMBEDDED}"
        f" AND m.scope = %s AND m.key > %s ORDER BY m.key LIMIT {BATCH}) ORDER BY m.key",
        (encoder, scope, last),
        scope=scope,
    )


def _embed(
    connections: Connections,
    identity: str,
    encoder: int,
    scope: int,
    nodes: dict[int, Node],
    embed: Embed,
) -> int:
    vectors = embed([node.content for node in nodes.values()])
    done = 0
    with _writing(connections, identity, encoder) as writer:
        rows = writer.rows(scope, min(nodes) - 1, None, max(nodes))
        current = {row[0]: node for node, row in sound(rows)}
        for (key, node), (dense, tokens) in zip(nodes.items(), vectors, strict=True):
            # Changed meanwhile: whoever changed it embedded it. Erased meanwhile: so be it.
            if key in current and current[key].content == node.content:
                writer.embed(key, scope, dense, tokens)
                done += 1
    return done
