"""BM25 in SQL over postings and the totals of a scope.

The formula is FTS5's (sqlite.org/fts5.html, "The bm25() function"), so that all stores rank
alike: k1 = 1.2, b = 0.75, a stem that half of all memories hold weighs next to nothing. The
statistics are those of the scope's memories, of the levels that the filter names or of all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from hypermnesia.store.columns import Parameters
from hypermnesia.store.postgres.replica import Searching
from hypermnesia.store.protocol import Filter, Ranked
from hypermnesia.store.stems import stems
from hypermnesia.types import LEVELS

K1 = 1.2
B = 0.75
"""FTS5's constants."""
LEAST_WEIGHT = 1e-6
"""What FTS5 gives a stem that half of all memories hold."""

FIRST_LOOK = 8
"""Multiples of the limit that are ranked before the filter looks at rows."""

_SCORES = f"""WITH asked AS (
        SELECT * FROM unnest(%(terms)s::text[], %(times)s::integer[]) AS a (term, times)),
    hit AS MATERIALIZED (
        SELECT p.term, p.memory, p.count, p.length FROM posting p
        WHERE p.scope = %(scope)s AND p.term = ANY(%(terms)s::text[])
            AND p.level = ANY(%(levels)s::smallint[])),
    all_documents AS (
        SELECT sum(documents)::float8 AS number, sum(terms)::float8 / sum(documents) AS average
        FROM total WHERE scope = %(scope)s AND level = ANY(%(levels)s::smallint[])
        HAVING sum(documents) > 0),
    weight AS (
        SELECT h.term, min(a.times) * coalesce(nullif(greatest(
            ln((d.number - count(*) + 0.5) / (count(*) + 0.5)), 0), 0), {LEAST_WEIGHT}) AS weight
        FROM hit h JOIN asked a ON a.term = h.term CROSS JOIN all_documents d
        GROUP BY h.term, d.number),
    score AS (
        SELECT h.memory, sum(w.weight * h.count * {K1 + 1}
            / (h.count + {K1} * ({1 - B} + {B} * h.length / d.average))) AS score
        FROM hit h JOIN weight w ON w.term = h.term CROSS JOIN all_documents d
        GROUP BY h.memory)"""


def rank(
    searching: Searching,
    scope: int,
    where: Filter,
    clause: str,
    values: Parameters,
    terms: Sequence[str],
    limit: int,
) -> Ranked:
    """The best ``limit`` memories of the scope that pass the filter and hold a term.

    More than the limit are ranked, then filtered; only when too few pass is every match looked
    at, so that a narrow filter never starves.

    Args:
        searching: where to read.
        scope: number of the scope.
        where: the filter.
        clause: its condition on ``memory m``, with named parameters.
        values: parameters of the condition, by position.
        terms: any of which matches.
        limit: most that are returned.
    """
    asked = Counter(stem for term in terms for stem in stems(term, query=True))
    if not asked:
        return Ranked((), ())
    condition, named = _by_name(clause, values)
    parameters = {
        "terms": list(asked),
        "times": list(asked.values()),
        "scope": scope,
        "levels": [LEVELS.index(level) for level in where.levels or LEVELS],
        "limit": limit,
        **named,
    }
    passing = (
        f" JOIN memory m ON m.scope = %(scope)s AND m.key = f.memory WHERE {condition}"
        " ORDER BY f.score DESC, f.memory LIMIT %(limit)s"
    )
    wide = limit * FIRST_LOOK
    first = f"(SELECT * FROM score ORDER BY score DESC, memory LIMIT {wide})"
    # The number of ranked memories tells whether a narrow filter may have starved.
    counted = "SELECT f.memory, f.score, (SELECT count(*) FROM first) FROM first f"
    query = f"{_SCORES}, first AS MATERIALIZED {first} {counted}{passing}"
    rows = searching.fetch(query, parameters, scope=scope)
    if len(rows) < limit and (not rows or rows[0][2] == wide):
        query = f"{_SCORES} SELECT f.memory, f.score FROM score f{passing}"
        rows = searching.fetch(query, parameters, scope=scope)
    return Ranked(tuple(row[0] for row in rows), tuple(row[1] for row in rows))


def _by_name(clause: str, values: Parameters) -> tuple[str, dict[str, object]]:
    """A condition with its positional parameters named."""
    pieces = clause.split("%s")
    names = [f"filter{i}" for i in range(len(values))]
    named = "".join(p + f"%({n})s" for p, n in zip(pieces, names, strict=False)) + pieces[-1]
    return named, dict(zip(names, values, strict=True))
