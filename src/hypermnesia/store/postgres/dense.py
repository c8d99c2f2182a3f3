"""Cosine search by pgvector: exact among few, over an HNSW index among many."""

from __future__ import annotations

from collections.abc import Sequence

from pgvector import HalfVector

from hypermnesia.store.columns import Parameters
from hypermnesia.store.postgres.replica import Searching
from hypermnesia.store.postgres.rows import halves
from hypermnesia.store.postgres.statements import Link, execute, run, value
from hypermnesia.store.protocol import Ranked
from hypermnesia.types import Matrix

EXACT = 10_000
"""Memories up to which all that pass a filter are compared; more are searched by the index."""
INDEXED_DIMENSION = 4_000
"""Longest halfvec that pgvector indexes; longer ones are always compared exactly."""
DEPTH = 200
"""Candidates that the index keeps at least (``hnsw.ef_search``); pgvector's default is 40."""
_DEEPEST = 1_000  # pgvector takes no more


def index_chunks(connection: Link, encoder: int, dimension: int) -> None:
    """Make the HNSW index of an encoder's vectors, if there is none."""
    if dimension <= INDEXED_DIMENSION:
        execute(
            connection,
            f"CREATE INDEX IF NOT EXISTS chunk_nearest_{encoder:d} ON chunk USING hnsw"
            f" ((dense::halfvec({dimension:d})) halfvec_cosine_ops) WHERE encoder = {encoder:d}",
        )


def nearest(
    searching: Searching,
    scope: int,
    condition: tuple[str, Parameters],
    encoder: tuple[int, int],
    queries: Matrix,
    limits: Sequence[int],
) -> list[Ranked]:
    """Rank what passes for each query row; scores are cosines.

    Args:
        searching: where to read.
        scope: number of the scope.
        condition: on ``memory m``, with its parameters.
        encoder: its number and the length of its vectors.
        queries: shape ``(n, d)``.
        limits: most that are returned for each.
    """
    asked = list(zip(halves(queries), limits, strict=True))
    with searching.snapshot(scope) as connection:
        if _few(connection, condition) or encoder[1] > INDEXED_DIMENSION:
            return [_exact(connection, condition, encoder, *each) for each in asked]
        _prepare(connection, max(limits, default=0))
        return [_indexed(connection, condition, encoder, *each) for each in asked]


def _few(connection: Link, condition: tuple[str, Parameters]) -> bool:
    """Whether so few memories pass that comparing all is quick."""
    clause, values = condition
    number = value(
        connection,
        f"SELECT count(*) FROM (SELECT 1 FROM memory m WHERE {clause} LIMIT {EXACT + 1}) x",
        values,
    )
    return number <= EXACT


def _exact(
    connection: Link,
    condition: tuple[str, Parameters],
    encoder: tuple[int, int],
    query: HalfVector,
    limit: int,
) -> Ranked:
    """A memory of several windows counts by its best one; of equal ones the newest comes first."""
    clause, values = condition
    rows = run(
        connection,
        "SELECT m.key, 1 - min(c.dense <=> %s) FROM memory m"
        " JOIN chunk c ON c.scope = m.scope AND c.memory = m.key AND c.encoder = %s"
        f" WHERE {clause} GROUP BY m.key ORDER BY 2 DESC, 1 DESC LIMIT {limit}",
        (query, encoder[0], *values),
    )
    return _ranked(rows, limit)


def _prepare(connection: Link, limit: int) -> None:
    # Sorting is what the planner would rather do than walk through an index in order.
    execute(
        connection,
        "SELECT set_config('hnsw.ef_search', %s, true), set_config('enable_sort', 'off', true)",
        (str(min(_DEEPEST, max(DEPTH, 2 * limit))),),
    )


def _indexed(
    connection: Link,
    condition: tuple[str, Parameters],
    encoder: tuple[int, int],
    query: HalfVector,
    limit: int,
) -> Ranked:
    """Walk the index until enough memories have passed, however many did not."""
    clause, values = condition
    number, dimension = encoder
    distance = f"c.dense::halfvec({dimension:d}) <=> %s::halfvec({dimension:d})"
    wide = 2 * limit
    while True:
        rows = run(
            connection,
            f"SELECT m.key, 1 - ({distance}) FROM chunk c"
            " JOIN memory m ON m.scope = c.scope AND m.key = c.memory"
            f" WHERE c.encoder = {number:d} AND {clause} ORDER BY {distance} LIMIT {wide}",
            (query, *values, query),
        )
        ranked = _ranked(rows, limit)
        if len(ranked.keys) == limit or len(rows) < wide:
            return ranked
        wide *= 4  # windows of the same memories took the places


def _ranked(rows: Sequence[Parameters], limit: int) -> Ranked:
    best = dict[int, float]()
    for key, score in rows:
        best.setdefault(key, score)
    found = list(best.items())[:limit]
    return Ranked(tuple(key for key, _ in found), tuple(score for _, score in found))
