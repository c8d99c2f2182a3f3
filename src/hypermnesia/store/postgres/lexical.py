"""BM25 over postings and the totals of a scope.

The formula is FTS5's (sqlite.org/fts5.html, "The bm25() function"), so that all stores rank
alike: k1 = 1.2, b = 0.75, a stem that half of all memories hold weighs next to nothing. The
statistics are those of the scope's memories, of the levels that the filter names or of all.

Portable SQL scores every memory that holds a term. Where the server has pg_textsearch
(:mod:`.textsearch`), its index names the memories that are worth scoring once there are many: as
scores and order are then computed as before, only a memory that the index did not name can be
missing from the best. It names :data:`FIRST_LOOK` times as many as are asked for, ranked by nearly
the same formula, so that hardly ever happens: see :data:`TOLERANCE`.
"""

from __future__ import annotations

import logging
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from hypermnesia.errors import StoreError
from hypermnesia.store.columns import Parameters
from hypermnesia.store.postgres.replica import Searching
from hypermnesia.store.postgres.statements import Link, execute, run
from hypermnesia.store.postgres.textsearch import EXTENSION, PRESENT, best
from hypermnesia.store.protocol import Filter, Ranked
from hypermnesia.store.stems import stems
from hypermnesia.types import LEVELS

log = logging.getLogger("hypermnesia")

K1 = 1.2
B = 0.75
"""FTS5's constants."""
LEAST_WEIGHT = 1e-6
"""What FTS5 gives a stem that half of all memories hold."""

FIRST_LOOK = 8
"""Multiples of the limit that are ranked before the filter looks at rows."""
FEW = 5_000
"""Postings up to which every memory is scored; of more, those that the index names."""
STEPS = 32
"""How finely the weights of terms are told to the index, which takes whole numbers."""
TOLERANCE = 0.005
"""Share of the best ten that the index may miss, over many queries; none were missed when measured
on 20,000 made-up memories."""

_ALL_DOCUMENTS = """SELECT sum(documents)::float8 AS number,
            sum(terms)::float8 / sum(documents) AS average
        FROM total WHERE scope = %(scope)s AND level = ANY(%(levels)s::smallint[])
        HAVING sum(documents) > 0"""
_SATURATED = f"* {K1 + 1} / (h.count + {K1} * ({1 - B} + {B} * h.length / d.average))"
_SCORES = f"""WITH asked AS (
        SELECT * FROM unnest(%(terms)s::text[], %(times)s::integer[]) AS a (term, times)),
    hit AS MATERIALIZED (
        SELECT p.term, p.memory, p.count, p.length FROM posting p
        WHERE p.scope = %(scope)s AND p.term = ANY(%(terms)s::text[])
            AND p.level = ANY(%(levels)s::smallint[])),
    all_documents AS ({_ALL_DOCUMENTS}),
    weight AS (
        SELECT h.term, min(a.times) * coalesce(nullif(greatest(
            ln((d.number - count(*) + 0.5) / (count(*) + 0.5)), 0), 0), {LEAST_WEIGHT}) AS weight
        FROM hit h JOIN asked a ON a.term = h.term CROSS JOIN all_documents d
        GROUP BY h.term, d.number),
    score AS (
        SELECT h.memory, sum(w.weight * h.count {_SATURATED}) AS score
        FROM hit h JOIN weight w ON w.term = h.term CROSS JOIN all_documents d
        GROUP BY h.memory)"""
_COUNTED = f"""SELECT p.term, p.held, d.number, greatest(d.number,
        (SELECT reltuples FROM pg_class WHERE oid = 'document'::regclass)), d.average
    FROM (SELECT term, count(*)::float8 AS held FROM posting
        WHERE scope = %(scope)s AND term = ANY(%(terms)s::text[])
            AND level = ANY(%(levels)s::smallint[]) GROUP BY term) p
    CROSS JOIN ({_ALL_DOCUMENTS}) d"""
# A statement of its own: in a part of another, the extension would have each score computed twice.
NAMED = """SELECT d.memory FROM document d WHERE d.level = ANY(%(levels)s::smallint[])
    ORDER BY {best} LIMIT %(wide)s"""
_NAMED_SCORES = f"""WITH score AS (
        SELECT h.memory, sum(w.weight * h.count {_SATURATED}) AS score
        FROM posting h
        JOIN unnest(%(terms)s::text[], %(weights)s::float8[]) AS w (term, weight)
            ON w.term = h.term
        CROSS JOIN (SELECT %(average)s::float8 AS average) d
        WHERE h.scope = %(scope)s AND h.term = ANY(%(terms)s::text[])
            AND h.memory = ANY(%(named)s::bigint[])
        GROUP BY h.memory)"""


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is looked for.

    Attributes:
        times: how often each stem is asked for.
        parameters: of every query, by name.
        passing: joins and conditions that a scored memory ``f`` has to pass, and the order.
        limit: most that are returned.
    """

    times: Counter[str]
    parameters: dict[str, Any]
    passing: str
    limit: int


class Words:
    """The lexical channel of one store.

    Args:
        searching: where to read.
    """

    def __init__(self, searching: Searching) -> None:
        self._searching = searching
        self._indexed: bool | None = None
        self._schema = ""

    def rank(
        self,
        scope: int,
        where: Filter,
        condition: tuple[str, Parameters],
        terms: Sequence[str],
        limit: int,
    ) -> Ranked:
        """The best ``limit`` memories of the scope that pass the filter and hold a term.

        Args:
            scope: number of the scope.
            where: the filter.
            condition: the same on ``memory m``, with its parameters by position.
            terms: any of which matches.
            limit: most that are returned.
        """
        times = Counter(stem for term in terms for stem in stems(term, query=True))
        if not times:
            return Ranked((), ())
        asked = _asked(scope, where, condition, times, limit)
        failed: StoreError | None = None
        if self._has_index(scope):
            try:
                with self._searching.snapshot(scope) as connection:
                    found = _by_index(connection, self._schema, asked)
            except StoreError as error:
                failed = error
            else:
                if found is not None:
                    return found
        found = _by_postings(lambda q, v: self._searching.fetch(q, v, scope=scope), asked)
        if failed is not None:  # it was not the connection, which has just answered
            self._indexed = False
            log.warning("words are ranked without %s from now on: %s", EXTENSION, failed)
        return found

    def _has_index(self, scope: int) -> bool:
        """Whether the store had one when this process first asked."""
        if self._indexed is None:
            rows = self._searching.fetch(PRESENT, scope=scope)
            self._schema = rows[0][0] if rows else ""
            self._indexed = bool(rows)
        return self._indexed


def _asked(
    scope: int,
    where: Filter,
    condition: tuple[str, Parameters],
    times: Counter[str],
    limit: int,
) -> _Asked:
    named, values = _by_name(*condition)
    parameters = {
        "terms": list(times),
        "times": list(times.values()),
        "scope": scope,
        "levels": [LEVELS.index(level) for level in where.levels or LEVELS],
        "limit": limit,
        "wide": limit * FIRST_LOOK,
        **values,
    }
    passing = (
        f" JOIN memory m ON m.scope = %(scope)s AND m.key = f.memory WHERE {named}"
        " ORDER BY f.score DESC, f.memory LIMIT %(limit)s"
    )
    return _Asked(times, parameters, passing, limit)


def _by_name(clause: str, values: Parameters) -> tuple[str, dict[str, object]]:
    """A condition with its positional parameters named."""
    pieces = clause.split("%s")
    names = [f"filter{i}" for i in range(len(values))]
    named = "".join(p + f"%({n})s" for p, n in zip(pieces, names, strict=False)) + pieces[-1]
    return named, dict(zip(names, values, strict=True))


def _by_postings(fetch: Callable[[str, dict[str, Any]], list[Parameters]], asked: _Asked) -> Ranked:
    """Score every memory that holds a term.

    More than the limit are ranked, then filtered; only when too few pass is every match looked
    at, so that a narrow filter never starves.
    """
    first = "(SELECT * FROM score ORDER BY score DESC, memory LIMIT %(wide)s)"
    # The number of ranked memories tells whether a narrow filter may have starved.
    counted = "SELECT f.memory, f.score, (SELECT count(*) FROM first) FROM first f"
    query = f"{_SCORES}, first AS MATERIALIZED {first} {counted}{asked.passing}"
    rows = fetch(query, asked.parameters)
    if len(rows) < asked.limit and (not rows or rows[0][2] == asked.parameters["wide"]):
        query = f"{_SCORES} SELECT f.memory, f.score FROM score f{asked.passing}"
        rows = fetch(query, asked.parameters)
    return _ranked(rows)


def _by_index(connection: Link, schema: str, asked: _Asked) -> Ranked | None:
    """Score the memories that the index names.

    Returns:
        ``None`` when all have to be scored: they are few, or too few of those named pass the
        filter.
    """
    rows = run(connection, _COUNTED, asked.parameters)
    if sum(row[1] for row in rows) <= FEW:
        return None
    weights = {term: asked.times[term] * _weight(held, n) for term, held, n, _, _ in rows}
    told = {
        term: weights[term] / math.log1p((indexed - held + 0.5) / (held + 0.5))
        for term, held, _, indexed, _ in rows
    }
    most = max(told.values())
    parameters = {
        **asked.parameters,
        "terms": list(weights),
        "weights": list(weights.values()),
        "repeats": [round(STEPS * told[term] / most) for term in weights],
        "average": rows[0][4],
    }
    # A planner that takes few for passing would rather score every document and sort.
    execute(connection, "SET LOCAL enable_sort = off")
    named = run(connection, NAMED.format(best=best(schema)), parameters)
    query = f"{_NAMED_SCORES} SELECT f.memory, f.score FROM score f{asked.passing}"
    rows = run(connection, query, {**parameters, "named": [row[0] for row in named]})
    return _ranked(rows) if len(rows) == asked.limit else None


def _weight(held: float, number: float) -> float:
    """What a stem weighs that so many of all memories hold."""
    return max(math.log((max(number - held, 0) + 0.5) / (held + 0.5)), 0) or LEAST_WEIGHT


def _ranked(rows: Sequence[Parameters]) -> Ranked:
    return Ranked(tuple(row[0] for row in rows), tuple(row[1] for row in rows))
