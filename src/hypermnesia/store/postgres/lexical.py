"""The lexical channel: which memories hold the words of a query, ranked by BM25.

Scores come from the postings, see :mod:`.bm25`. Where the server has pg_textsearch
(:mod:`.textsearch`), its index names the memories that are worth scoring once there are many: as
scores and order are computed as without it, only a memory that the index did not name can be
missing from the best. It names :data:`FIRST_LOOK` times as many as are asked for, ranked by nearly
the same formula, so that hardly ever happens: see :data:`TOLERANCE`.
"""

from __future__ import annotations

import logging
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hypermnesia.errors import StoreError
from hypermnesia.store.columns import Parameters
from hypermnesia.store.postgres import bm25
from hypermnesia.store.postgres.replica import Searching
from hypermnesia.store.postgres.statements import Link, execute, run
from hypermnesia.store.postgres.textsearch import EXTENSION, PRESENT, best
from hypermnesia.store.protocol import Filter, Ranked
from hypermnesia.store.stems import stems
from hypermnesia.types import LEVELS

log = logging.getLogger("hypermnesia")

FIRST_LOOK = 8
"""Multiples of the limit that are ranked before the filter looks at rows."""
FEW = 5_000
"""Postings up to which the index is not asked."""
STEPS = 32
"""How finely the weights of terms are told to the index, which takes whole numbers."""
TOLERANCE = 0.005
"""Share of the best ten that the index may miss, over many queries."""

# A statement of its own: in a part of another, the extension would have each score computed twice.
NAMED = """SELECT d.memory FROM document d WHERE d.level = ANY(%(levels)s::smallint[])
    ORDER BY {best} LIMIT %(wide)s"""


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
                return self._ranked(scope, asked, by_index=True)
            except StoreError as error:
                failed = error
        found = self._ranked(scope, asked, by_index=False)
        if failed is not None:  # it was not the connection, which has just answered
            self._indexed = False
            log.warning("words are ranked without %s from now on: %s", EXTENSION, failed)
        return found

    def _ranked(self, scope: int, asked: _Asked, *, by_index: bool) -> Ranked:
        with self._searching.snapshot(scope) as connection:
            counted = bm25.count(connection, asked.times, asked.parameters)
            if counted is None:
                return Ranked((), ())
            if by_index:
                found = _by_index(connection, self._schema, asked, counted)
                if found is not None:
                    return found
            return _by_postings(connection, asked, counted)

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


def _by_postings(connection: Link, asked: _Asked, counted: bm25.Counted) -> Ranked:
    """Score the memories that may be among the best by the postings of the most telling stems.

    More than the limit are ranked, then filtered. Only when too few pass, or one that holds none
    of those stems may be better, is every match scored: a narrow filter never starves.
    """
    wide = asked.parameters["wide"]
    place = bm25.leading(counted.stems, wide)
    others = counted.stems[place:]
    parameters = _weighted(asked, counted)
    query, values = bm25.best(counted.stems[:place], others)
    rows = run(connection, query + asked.passing, {**parameters, **values})
    sure = len(rows) == asked.limit and rows[-1][1] > values["rest"]
    if not sure and (others or not rows or rows[0][2] == wide):
        rows = run(connection, bm25.EVERY + asked.passing, parameters)
    return _ranked(rows)


def _by_index(connection: Link, schema: str, asked: _Asked, counted: bm25.Counted) -> Ranked | None:
    """Score the memories that the index names.

    Returns:
        ``None`` when the index is not asked, as they are few, or too few of those that it names
        pass the filter.
    """
    if sum(stem.held for stem in counted.stems) <= FEW:
        return None
    told = [
        stem.weight / math.log1p((counted.indexed - stem.held + 0.5) / (stem.held + 0.5))
        for stem in counted.stems
    ]
    parameters = {
        **_weighted(asked, counted),
        "repeats": [round(STEPS * each / max(told)) for each in told],
    }
    # A planner that takes few for passing would rather score every document and sort.
    execute(connection, "SET LOCAL enable_sort = off")
    named = run(connection, NAMED.format(best=best(schema)), parameters)
    parameters["named"] = [row[0] for row in named]
    rows = run(connection, bm25.NAMED + asked.passing, parameters)
    if len(rows) == asked.limit:
        return _ranked(rows)
    execute(connection, "SET LOCAL enable_sort TO DEFAULT")
    return None


def _weighted(asked: _Asked, counted: bm25.Counted) -> dict[str, Any]:
    """Parameters of a statement that scores by all stems."""
    return {
        **asked.parameters,
        "terms": [stem.term for stem in counted.stems],
        "weights": [stem.weight for stem in counted.stems],
        "slope": counted.slope,
    }


def _ranked(rows: Sequence[Parameters]) -> Ranked:
    return Ranked(tuple(row[0] for row in rows), tuple(row[1] for row in rows))
