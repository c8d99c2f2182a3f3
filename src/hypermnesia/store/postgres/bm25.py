"""BM25 of a scope's memories in SQL, and which words decide who is among the best.

The formula is FTS5's (sqlite.org/fts5.html, "The bm25() function"), so that all stores rank
alike: k1 = 1.2, b = 0.75, a stem that half of all memories hold weighs next to nothing. The
statistics are those of the scope's memories, of the levels that the filter names or of all.

A common word has many postings and little weight. So the telling words are scored first, and the
postings of the common ones are looked up only for memories that may still get among the best.
This is MaxScore (Turtle and Flood, "Query evaluation: strategies and optimizations", 1995), and
exact: no memory gets more for a word than the most that any gets for it, which is counted first.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hypermnesia.store.postgres.statements import Link, run

K1 = 1.2
B = 0.75
"""FTS5's constants."""
LEAST_WEIGHT = 1e-6
"""What FTS5 gives a stem that half of all memories hold."""
SCALE = 2.0**42
"""Parts of one that a word's share of a score is rounded to. Sums up to 2,048 of such shares are
exact in any order: equal memories get equal scores, however a server goes about it."""
ROUNDING = 1e-9
"""Relative; by how much a largest share may be computed too small."""
PROBED = 4
"""Multiples of what is wanted that are scored first, to see what it takes to be among the best."""


SPARED = 100
"""Postings, for each memory that is wanted, from which on it is worth to look a few up instead."""

FEW = 5_000
"""Postings up to which one statement for any number of terms, which stays prepared, is faster."""

# The postings of a stem are in the order of memories: merged, they are added up as they come. The
# planner, which takes them for few, would make a table of all memories, and that in every worker.
_MERGED = (
    "set_config('enable_hashagg', 'off', true),"
    " set_config('max_parallel_workers_per_gather', '0', true)"
)


# A bare fraction would be a decimal to the server, which computes with those far more slowly.
def _saturation(slope: str) -> str:
    return f"h.count * {K1 + 1}::float8 / (h.count + {K1 * (1 - B)}::float8 + {slope} * h.length)"


def _share(weight: str) -> str:
    whole = f"{weight}::float8 * {_saturation('%(slope)s::float8')}"
    return f"round({whole} * {SCALE}::float8) / {SCALE}::float8"


_COUNTED = f"""SELECT a.term, p.held, p.most, d.number, d.slope, greatest(d.number,
        (SELECT reltuples FROM pg_class WHERE oid = 'document'::regclass)), {_MERGED}
    FROM (SELECT sum(documents)::float8 AS number,
            {K1 * B}::float8 * sum(documents)::float8 / sum(terms)::float8 AS slope
        FROM total WHERE scope = %(scope)s AND level = ANY(%(levels)s::smallint[])
        HAVING sum(documents) > 0) d
    CROSS JOIN unnest(%(terms)s::text[]) AS a (term)
    CROSS JOIN LATERAL (
        SELECT count(*)::float8 AS held, max({_saturation("d.slope")}) AS most FROM posting h
        WHERE h.scope = %(scope)s AND h.term = a.term
            AND h.level = ANY(%(levels)s::smallint[])) p
    WHERE p.held > 0"""
_ALL = f"""SELECT h.memory, sum({_share("w.weight")}) AS score
        FROM unnest(%(terms)s::text[], %(weights)s::float8[]) AS w (term, weight)
        JOIN posting h ON h.scope = %(scope)s AND h.term = w.term
            AND h.level = ANY(%(levels)s::smallint[])
        GROUP BY h.memory"""
EVERY = f"WITH score AS ({_ALL}) SELECT f.memory, f.score FROM score f"
"""Scores of all memories that hold one of the terms."""
_WHOLE = f"""g.memory, g.score + coalesce((
            SELECT sum({_share("w.weight")})
            FROM unnest(%(others)s::text[], %(their_weights)s::float8[]) AS w (term, weight)
            JOIN posting h ON h.scope = %(scope)s AND h.term = w.term AND h.memory = g.memory
            ), 0) AS score"""
_LIFTED = f"""edge AS (
        SELECT {_WHOLE}
        FROM (SELECT * FROM gained ORDER BY score DESC LIMIT {PROBED}::bigint * %(wide)s) g
        ORDER BY score DESC OFFSET %(wide)s - 1 LIMIT 1),
    score AS (
        SELECT {_WHOLE} FROM gained g
        WHERE g.score + %(rest)s >= coalesce((SELECT score FROM edge), 0))"""
_FIRST = """first AS MATERIALIZED (SELECT * FROM score ORDER BY score DESC, memory LIMIT %(wide)s)
    SELECT f.memory, f.score, (SELECT count(*) FROM first) FROM first f"""
NAMED = f"""WITH score AS (
        SELECT h.memory, sum({_share("w.weight")}) AS score
        FROM posting h
        JOIN unnest(%(terms)s::text[], %(weights)s::float8[]) AS w (term, weight)
            ON w.term = h.term
        WHERE h.scope = %(scope)s AND h.term = ANY(%(terms)s::text[])
            AND h.memory = ANY(%(named)s::bigint[])
        GROUP BY h.memory)
    SELECT f.memory, f.score FROM score f"""
"""Scores of the ``named`` memories."""


@dataclass(frozen=True, slots=True)
class Stem:
    """A stem that is asked for and held.

    Attributes:
        term: the stem.
        held: how many memories of the scope hold it.
        weight: how much it tells, as often as it is asked for.
        most: the largest share of a score that it gives.
    """

    term: str
    held: float
    weight: float
    most: float


@dataclass(frozen=True, slots=True)
class Counted:
    """What is asked for and held, the most telling first.

    Attributes:
        stems: at least one.
        number: memories in the scope.
        slope: how fast a score falls with a memory's length.
        indexed: memories in the store, about, and at least ``number``.
    """

    stems: tuple[Stem, ...]
    number: float
    slope: float
    indexed: float


def count(
    connection: Link, times: Mapping[str, int], parameters: Mapping[str, Any]
) -> Counted | None:
    """Weigh the stems that are asked for.

    Args:
        connection: a transaction; its planner prefers to merge from then on.
        times: how often each is asked for.
        parameters: ``scope``, ``levels`` and ``terms``.

    Returns:
        ``None`` when no memory holds any of them.
    """
    rows = run(connection, _COUNTED, parameters)
    if not rows:
        return None
    stems: list[Stem] = []
    for term, held, most, number, *_ in rows:
        weight = times[term] * _weight(held, number)
        stems.append(Stem(term, held, weight, weight * most))
    stems.sort(key=lambda stem: stem.most, reverse=True)
    return Counted(tuple(stems), *rows[0][3:6])


def _weight(held: float, number: float) -> float:
    """What a stem weighs that so many of all memories hold."""
    return max(math.log((max(number - held, 0) + 0.5) / (held + 0.5)), 0) or LEAST_WEIGHT


def leading(stems: Sequence[Stem], wide: int) -> int:
    """How many stems, from the most telling on, are likely to decide who is among the best.

    One of them alone should lift ``wide`` memories above all that hold only other stems. All
    lead when the others have few postings.
    """
    lifted = 0.0
    for place, stem in enumerate(stems, 1):
        others = stems[place:]
        if sum(other.held for other in others) <= SPARED * wide:
            break
        if stem.held >= wide:
            lifted = max(lifted, stem.weight)
        if lifted > rest(others):
            return place
    return len(stems)


def rest(others: Sequence[Stem]) -> float:
    """The most that such stems add to a score; a little more, as shares are rounded."""
    return sum(stem.most * (1 + ROUNDING) + 1 / SCALE for stem in others)


def best(first: Sequence[Stem], others: Sequence[Stem]) -> tuple[str, dict[str, Any]]:
    """Scores by all stems of the ``wide`` best that hold one of the first, and how many they are.

    Whoever is by the first alone further than the others' :func:`rest` from the last of ``wide``
    good ones is not among the best.

    Returns:
        A query and its parameters, beside those of :data:`EVERY` for all stems.
    """
    gained, parameters = _gained(first)
    if not others and sum(stem.held for stem in first) <= FEW:
        gained = _ALL
    parameters["others"] = [stem.term for stem in others]
    parameters["their_weights"] = [stem.weight for stem in others]
    parameters["rest"] = rest(others)
    if not others:
        return f"WITH score AS ({gained}), {_FIRST}", parameters
    return f"WITH gained AS MATERIALIZED ({gained}), {_LIFTED}, {_FIRST}", parameters


def _gained(scored: Sequence[Stem]) -> tuple[str, dict[str, Any]]:
    """Sums of the stems' shares, as a query and its parameters."""
    parameters: dict[str, Any] = {}
    parts: list[str] = []
    for place, stem in enumerate(scored):
        parameters |= {f"term{place}": stem.term, f"weight{place}": stem.weight}
        parts.append(
            f"(SELECT h.memory, {_share(f'%(weight{place})s')} AS share FROM posting h"
            f" WHERE h.scope = %(scope)s AND h.term = %(term{place})s::text"
            " AND h.level = ANY(%(levels)s::smallint[]) ORDER BY h.memory)"
        )
    union = " UNION ALL ".join(parts)
    return f"SELECT h.memory, sum(h.share) AS score FROM ({union}) h GROUP BY h.memory", parameters
