"""BM25 over the FTS5 index, filtered before it is ranked."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import apsw

from hypermnesia.store.columns import Parameters, visible
from hypermnesia.store.lexicon import match_expression
from hypermnesia.store.protocol import Filter, Ranked
from hypermnesia.store.sqlite.postings import Postings
from hypermnesia.store.sqlite.reading import marks
from hypermnesia.store.sqlite.rows import condition, fetch_all
from hypermnesia.store.sqlite.writer import scope_term

_WEIGHTS = "bm25(0.0, 1.0, 1.0)"
"""Column weights: the scope term selects, it does not score. k1 = 1.2 and b = 0.75 are FTS5's."""

_FIRST_LOOK = 8
"""Multiples of the limit taken from the index before the filter is applied to rows."""


def rank(
    connection: apsw.Connection,
    postings: Postings,
    scope: int,
    where: Filter,
    terms: Sequence[str],
    limit: int,
) -> Ranked:
    """The best ``limit`` memories of the scope that pass the filter and hold a term.

    The index is asked for more than the limit, best first, and the filter keeps the order;
    only when too few pass is every match looked at. Levels that the filter names are ranked by
    their own statistics, unless the scope is a small part of the store: see :mod:`.postings`.
    """
    first = None
    if where == Filter(where.scope, levels=where.levels, statuses=where.statuses):
        first = postings.best(connection, scope, terms, limit, where.levels, visible(where))
    rows = _filtered(connection, postings, scope, where, terms, limit) if first is None else first
    # FTS5 floors the weight of a term that most rows hold at 1e-6: such a match says nothing.
    return Ranked(tuple(key for key, _ in rows), tuple(max(score, 0.0) for _, score in rows))


def _filtered(
    connection: apsw.Connection,
    postings: Postings,
    scope: int,
    where: Filter,
    terms: Sequence[str],
    limit: int,
) -> Sequence[tuple[Any, ...]]:
    """The same for a filter that only the rows can answer."""
    match = f"scope : {scope_term(scope)} AND {{terms labels}} : ({match_expression(terms)})"
    clause, values = condition(where, scope, keyed=True)
    wide = limit * _FIRST_LOOK
    first = postings.best(connection, scope, terms, wide, where.levels)
    if first is None:
        first = matched(connection, match, wide)
    rows = list[tuple[int, float]]()
    for start in range(0, len(first), limit):  # the first part is enough unless a filter is narrow
        part = first[start : start + limit]
        passing = _passing(connection, clause, values, [key for key, _ in part])
        rows += [(key, score) for key, score in part if key in passing][: limit - len(rows)]
        if len(rows) == limit:
            break
    if len(rows) < limit and len(first) == wide:
        every = postings.best(connection, scope, terms, sys.maxsize, where.levels)
        if every is None:
            rows = _narrowed(connection, match, clause, values, limit)
        else:
            passing = _passing(connection, *condition(where, scope, labelled=True))
            rows = [(key, score) for key, score in every if key in passing][:limit]
    return rows


def matched(connection: apsw.Connection, match: str, limit: int) -> list[tuple[Any, ...]]:
    """Rows and scores of an FTS5 query, best first, as FTS5 ranks them."""
    return fetch_all(
        connection,
        "SELECT rowid, -rank FROM lexical WHERE lexical MATCH ?"
        f" AND rank MATCH '{_WEIGHTS}' ORDER BY rank LIMIT ?",
        (match, limit),
    )


def _narrowed(
    connection: apsw.Connection, match: str, clause: str, values: Parameters, limit: int
) -> list[tuple[Any, ...]]:
    """The same with the filter inside the match, so that FTS5 ranks every row that passes."""
    return fetch_all(
        connection,
        f"SELECT m.key, -{_WEIGHTS.replace('(', '(lexical, ')} AS score FROM lexical"
        f" JOIN memory m ON m.key = lexical.rowid WHERE lexical MATCH ? AND {clause}"
        " ORDER BY score DESC, m.key DESC LIMIT ?",
        (match, *values, limit),
    )


def _passing(
    connection: apsw.Connection, clause: str, values: Parameters, keys: Sequence[int] | None = None
) -> set[int]:
    """Those of the keys, or of all, that pass the filter."""
    among, chosen = ("1", ()) if keys is None else (f"m.key IN ({marks(keys)})", tuple(keys))
    query = f"SELECT m.key FROM memory m WHERE {among} AND {clause}"
    return {key for (key,) in fetch_all(connection, query, (*chosen, *values))}
