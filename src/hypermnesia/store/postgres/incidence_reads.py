"""The hypergraph's reads; every query checks the scope."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import TypeVar

import numpy as np

from hypermnesia.store.columns import NODE_COLUMNS, Parameters, micros, moment_of
from hypermnesia.store.incidence import (
    Days,
    Link,
    Member,
    Place,
    PlacedTurn,
    Propagated,
    Utterance,
)
from hypermnesia.store.postgres.connection import Connections
from hypermnesia.store.postgres.incidence import dependants
from hypermnesia.store.postgres.propagation import PostgresPropagationRows
from hypermnesia.store.postgres.reading import Reading
from hypermnesia.store.postgres.rows import NODE_TABLES, sound
from hypermnesia.store.propagation import PropagationCache
from hypermnesia.types import Level

K = TypeVar("K")
V = TypeVar("V")

LAST_MICROSECOND = micros(datetime.max.replace(tzinfo=UTC))
"""No time lies after it."""

_PLACED = """JOIN turn t ON t.scope = m.scope AND t.memory = m.key
    JOIN session c ON c.scope = t.scope AND c.id = t.session"""

_TAIL = f"""SELECT {NODE_COLUMNS}, c.name, t.position, t.speaker FROM {NODE_TABLES} {_PLACED}
    WHERE m.scope = %s AND c.name = %s ORDER BY t.position DESC LIMIT %s"""

_AROUND = f"""SELECT m.key, m.content, m.valid_from, m.valid_from_offset,
    c.name, t.position, t.speaker FROM memory m {_PLACED}
    WHERE m.scope = %(scope)s AND m.status = 'active' AND m.key IN (
        SELECT n.memory FROM memory o
        JOIN turn u ON u.scope = o.scope AND u.memory = o.key
        JOIN turn n ON n.scope = u.scope AND n.session = u.session
            AND n.position BETWEEN u.position - %(reach)s AND u.position + %(reach)s
        WHERE o.scope = %(scope)s AND o.key = ANY(%(keys)s::bigint[]) AND o.status = 'active')"""

_MEMBERS = """SELECT h.id, n.id, e.role, e.weight FROM memory {one}
    JOIN member e ON e.scope = {one}.scope AND e.{end} = {one}.key
    JOIN memory {other} ON {other}.scope = e.scope AND {other}.key = e.{far}
    WHERE {one}.scope = %(scope)s AND {one}.id = ANY(%(ids)s::text[])
    ORDER BY e.weight DESC, e.head, e.node"""

_BELOW = """SELECT e.head, e.node, e.weight FROM member e
        JOIN memory n ON n.scope = e.scope AND n.key = e.node AND n.level = %(level)s
        WHERE e.scope = %(scope)s AND e.head = ANY(%(keys)s::bigint[])
    UNION ALL SELECT s.fact, s.turn, 1.0 FROM source s
        JOIN memory n ON n.scope = s.scope AND n.key = s.turn AND n.level = %(level)s
        WHERE s.scope = %(scope)s AND s.fact = ANY(%(keys)s::bigint[])"""

_ABOVE = """WITH RECURSIVE first (head, node, weight) AS (
        SELECT e.head, e.node, e.weight FROM member e
            WHERE e.scope = %(scope)s AND e.node = ANY(%(keys)s::bigint[])
        UNION SELECT s.fact, s.turn, 1.0 FROM source s
            WHERE s.scope = %(scope)s AND s.turn = ANY(%(keys)s::bigint[])),
    up (head, node, weight) AS (
        SELECT * FROM first
        UNION SELECT e.head, e.node, e.weight FROM up
            JOIN member e ON e.scope = %(scope)s AND e.node = up.head)
    SELECT head, node, weight FROM up"""

_SOURCES = """SELECT f.id, m.id FROM memory f
    JOIN source s ON s.scope = f.scope AND s.fact = f.key
    JOIN memory m ON m.scope = s.scope AND m.key = s.turn
    LEFT JOIN turn t ON t.scope = m.scope AND t.memory = m.key
    WHERE f.scope = %(scope)s AND f.id = ANY(%(ids)s::text[])
    ORDER BY m.valid_from, t.session, t.position, m.key"""

_DRAWN = """SELECT m.id, f.id FROM memory m
    JOIN source s ON s.scope = m.scope AND s.turn = m.key
    JOIN memory f ON f.scope = s.scope AND f.key = s.fact
    WHERE m.scope = %(scope)s AND m.id = ANY(%(ids)s::text[]) ORDER BY f.key"""

_EVIDENCE = """WITH wanted AS (
        SELECT key, id FROM memory WHERE scope = %(scope)s AND id = ANY(%(ids)s::text[])),
    behind AS (
        SELECT w.id, s.turn FROM wanted w
            JOIN source s ON s.scope = %(scope)s AND s.fact = w.key
        UNION SELECT w.id, e.node FROM wanted w
            JOIN member e ON e.scope = %(scope)s AND e.head = w.key)
    SELECT b.id, m.provenance::jsonb ->> 'turn_id' FROM behind b
    JOIN memory m ON m.scope = %(scope)s AND m.key = b.turn AND m.level = 'turn'
        AND m.provenance LIKE '%%"turn_id"%%'
    LEFT JOIN turn t ON t.scope = m.scope AND t.memory = m.key
    ORDER BY m.valid_from, t.session, t.position, m.key"""

# Both parts of the recursion follow a supersession only if it had happened by then.
_SUCCESSORS = """WITH RECURSIVE replaced (turn, id, next) AS (
        SELECT m.key, m.id, f.superseded_by FROM memory m
        JOIN source s ON s.scope = m.scope AND s.turn = m.key
        JOIN memory f ON f.scope = s.scope AND f.key = s.fact
        WHERE m.scope = %(scope)s AND m.id = ANY(%(ids)s::text[])
            AND f.status = 'superseded' AND coalesce(f.valid_until, 0) <= %(instant)s
        UNION
        SELECT r.turn, r.id, f.superseded_by FROM replaced r
        JOIN memory f ON f.id = r.next AND f.scope = %(scope)s
        WHERE f.status = 'superseded' AND coalesce(f.valid_until, 0) <= %(instant)s)
    SELECT r.id, f.id FROM replaced r JOIN memory f ON f.id = r.next AND f.scope = %(scope)s
    WHERE f.status <> 'deleted'
        AND NOT (f.status = 'superseded' AND coalesce(f.valid_until, 0) <= %(instant)s)
        AND NOT EXISTS (SELECT 1 FROM source s
            WHERE s.scope = f.scope AND s.fact = f.key AND s.turn = r.turn)
    ORDER BY f.valid_from, f.key"""

_SPEAKERS = "SELECT speaker, count(*) FROM turn WHERE scope = %(scope)s GROUP BY speaker"

_PLACES = f"""SELECT m.id, c.name, t.position, t.speaker FROM memory m {_PLACED}
    WHERE m.scope = %(scope)s AND m.id = ANY(%(ids)s::text[])"""

_DAYS = """SELECT m.id, d.first, d.last FROM memory m
    JOIN day d ON d.scope = m.scope AND d.memory = m.key
    WHERE m.scope = %(scope)s AND m.id = ANY(%(ids)s::text[]) ORDER BY d.first, d.last"""


class IncidenceReads:
    """Reads the hypergraph; see :class:`~hypermnesia.store.incidence.IncidenceReader`."""

    _connections: Connections
    _reading: Reading
    _propagation: PropagationCache
    _identity: str
    _dimension: int

    def tail(self, scope: str, session: str, limit: int) -> list[PlacedTurn]:
        """The last turns of a session, whatever their status, oldest first."""
        number = self._reading.number(scope)
        rows = self._connections.fetch(_TAIL, (number, session, limit), scope=number)
        turns = [PlacedTurn(row[0], node, Place(*row[-3:])) for node, row in sound(rows)]
        return sorted(turns, key=lambda turn: turn.place.position)

    def around(self, scope: str, keys: Sequence[int], reach: int) -> list[Utterance]:
        """The active turns among ``keys`` and those up to ``reach`` positions from one of them."""
        rows = self._found(_AROUND, scope, keys=list(keys), reach=reach)
        return [
            Utterance(key, content, moment_of(*moment), Place(session, position, speaker))
            for key, content, *moment, session, position, speaker in rows
        ]

    def speakers(self, scope: str) -> Mapping[str, int]:
        """Every speaker of the scope, with the number of turns."""
        return dict(self._found(_SPEAKERS, scope))  # type: ignore[arg-type]

    def members(self, scope: str, heads: Sequence[str]) -> list[Member]:
        """The hyperedges of these heads, by falling weight."""
        query = _MEMBERS.format(one="h", end="head", other="n", far="node")
        return [Member(*row) for row in self._found(query, scope, ids=list(heads))]

    def heads(self, scope: str, nodes: Sequence[str]) -> list[Member]:
        """Every membership of these nodes, by falling weight."""
        query = _MEMBERS.format(one="n", end="node", other="h", far="head")
        return [Member(*row) for row in self._found(query, scope, ids=list(nodes))]

    def below(self, scope: str, uppers: Sequence[int], level: Level) -> list[Link]:
        """The links from these topics, episodes and facts to memories of a level."""
        rows = self._found(_BELOW, scope, keys=list(uppers), level=level)
        return [Link(upper, lower, float(weight)) for upper, lower, weight in rows]

    def above(self, scope: str, lowers: Sequence[int]) -> list[Link]:
        """The links that lead to these memories, and to what they come from."""
        rows = self._found(_ABOVE, scope, keys=list(lowers))
        return [Link(upper, lower, float(weight)) for upper, lower, weight in rows]

    def sources(self, scope: str, facts: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        """Ids of the turns each fact was taken from, earliest first; facts without are left out."""
        return _grouped(self._found(_SOURCES, scope, ids=list(facts)))

    def drawn(self, scope: str, turns: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        """Ids of the facts taken from each turn, whatever their status; others are left out."""
        return _grouped(self._found(_DRAWN, scope, ids=list(turns)))

    def evidence(self, scope: str, ids: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        """External ids of the turns behind each fact or episode, in the order of the talk."""
        rows = self._found(_EVIDENCE, scope, ids=list(ids))
        return _grouped((one, said) for one, said in rows if said is not None)

    def successors(
        self, scope: str, turns: Sequence[str], as_of: datetime | None
    ) -> Mapping[str, str]:
        """What replaced a fact drawn from each of these turns; turns that hold are left out."""
        instant = LAST_MICROSECOND if as_of is None else micros(as_of)
        rows = self._found(_SUCCESSORS, scope, ids=list(turns), instant=instant)
        return dict(rows)  # type: ignore[arg-type]

    def places(self, scope: str, turns: Sequence[str]) -> Mapping[str, Place]:
        """Where each of these turns stands; memories that have no place are left out."""
        rows = self._found(_PLACES, scope, ids=list(turns))
        return {row[0]: Place(*row[1:]) for row in rows}

    def days(self, scope: str, nodes: Sequence[str]) -> Mapping[str, tuple[Days, ...]]:
        """The days that each of these turns or facts speaks of, earliest first."""
        rows = self._found(_DAYS, scope, ids=list(nodes))
        return _grouped(
            (one, Days(date.fromordinal(first), date.fromordinal(last)))
            for one, first, last in rows
        )

    def propagated(
        self, scope: str, level: Level, lam: float, *, weighted: bool = True
    ) -> Propagated:
        """Raw and propagated embeddings of the active nodes of a level."""
        number = self._reading.number(scope)
        if number is None:
            nothing = np.zeros((0, self._dimension), np.float32)
            return Propagated((), nothing, nothing)
        with self._connections.snapshot(number) as connection:
            rows = PostgresPropagationRows(connection, number, self._identity)
            return self._propagation.read(rows, number, level, lam, weighted=weighted)

    def dependants(self, ids: Sequence[str]) -> list[str]:
        """Ids of what stands on these memories alone."""
        with self._connections.snapshot() as connection:
            return dependants(connection, ids)

    def _found(self, query: str, scope: str, **values: object) -> list[Parameters]:
        number = self._reading.number(scope)
        named: dict[str, object] = {"scope": number, **values}
        return self._connections.fetch(query, named, scope=number)


def _grouped(pairs: Iterable[tuple[K, V]] | Iterable[Parameters]) -> dict[K, tuple[V, ...]]:
    found: dict[K, list[V]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return {key: tuple(values) for key, values in found.items()}
