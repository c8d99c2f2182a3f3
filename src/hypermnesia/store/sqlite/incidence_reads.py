"""The hypergraph's reads; every query checks the scope."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from functools import cached_property
from typing import TypeVar

import numpy as np

from hypermnesia.store.columns import NODE_COLUMNS, Parameters, micros, node_of
from hypermnesia.store.incidence import (
    Days,
    Link,
    Member,
    Place,
    PlacedTurn,
    Propagated,
    Utterance,
)
from hypermnesia.store.propagation import PropagationCache
from hypermnesia.store.sqlite.connection import Connections
from hypermnesia.store.sqlite.incidence import dependants
from hypermnesia.store.sqlite.propagation import SqlitePropagationRows
from hypermnesia.store.sqlite.reading import sound_rows
from hypermnesia.store.sqlite.rows import NODE_TABLES, fetch_all
from hypermnesia.store.sqlite.speakers import Speakers
from hypermnesia.store.sqlite.talk import TalkIndex
from hypermnesia.store.sqlite.transaction import scope_id
from hypermnesia.types import Level

log = logging.getLogger("hypermnesia")

K = TypeVar("K")
V = TypeVar("V")

LAST_MICROSECOND = micros(datetime.max.replace(tzinfo=UTC))
"""No time lies after it."""

_TURNS = f"""SELECT {NODE_COLUMNS}, c.name, t.position, t.speaker FROM {NODE_TABLES}
    JOIN turn t ON t.memory = m.key JOIN session c ON c.id = t.session"""

_TAIL = """m.key IN (SELECT t.memory FROM session c JOIN turn t ON t.session = c.id
    WHERE c.scope = ? AND c.name = ? ORDER BY t.position DESC LIMIT ?)"""

_MEMBERS = """SELECT h.id, n.id, e.role, e.weight FROM memory {one}
    JOIN member e ON e.{end} = {one}.key
    JOIN memory {other} ON {other}.key = e.{far} AND {other}.scope = {one}.scope
    WHERE +{one}.scope = ? AND {one}.id IN (SELECT value FROM json_each(?))
    ORDER BY e.weight DESC, e.head, e.node"""
MEMBERS = _MEMBERS.format(one="h", end="head", other="n", far="node")
HEADS = _MEMBERS.format(one="n", end="node", other="h", far="head")

# CROSS JOIN keeps the order: from the few keys at hand, not through all memories of the scope.
_BELOW = """SELECT e.head, e.node, e.weight FROM json_each(:keys) k
    CROSS JOIN memory h ON h.key = k.value AND h.scope = :scope
    CROSS JOIN member e ON e.head = h.key AND e.weight BETWEEN 0 AND 1
    CROSS JOIN memory n ON n.key = e.node AND n.scope = :scope AND n.level = :level
    UNION ALL SELECT s.fact, s.turn, 1.0 FROM json_each(:keys) k
    CROSS JOIN memory f ON f.key = k.value AND f.scope = :scope
    CROSS JOIN source s ON s.fact = f.key
    CROSS JOIN memory n ON n.key = s.turn AND n.scope = :scope AND n.level = :level"""

_ABOVE = """WITH RECURSIVE up (head, node, weight) AS (
        SELECT e.head, e.node, e.weight FROM json_each(:keys) k
        CROSS JOIN memory n ON n.key = k.value AND n.scope = :scope
        CROSS JOIN member e ON e.node = n.key AND e.weight BETWEEN 0 AND 1
        CROSS JOIN memory h ON h.key = e.head AND h.scope = :scope
        UNION SELECT s.fact, s.turn, 1.0 FROM json_each(:keys) k
        CROSS JOIN memory n ON n.key = k.value AND n.scope = :scope
        CROSS JOIN source s ON s.turn = n.key
        CROSS JOIN memory h ON h.key = s.fact AND h.scope = :scope
        UNION SELECT e.head, e.node, e.weight FROM up
        CROSS JOIN member e ON e.node = up.head AND e.weight BETWEEN 0 AND 1
        CROSS JOIN memory h ON h.key = e.head AND h.scope = :scope)
    SELECT head, node, weight FROM up"""

SOURCES = """SELECT f.id, m.id FROM memory f
    JOIN source s ON s.fact = f.key
    JOIN memory m ON m.key = s.turn AND m.scope = f.scope LEFT JOIN turn t ON t.memory = m.key
    WHERE +f.scope = ? AND f.id IN (SELECT value FROM json_each(?))
    ORDER BY m.valid_from, t.session, t.position, m.key"""

DRAWN = """SELECT m.id, f.id FROM memory m
    JOIN source s ON s.turn = m.key
    JOIN memory f ON f.key = s.fact AND f.scope = m.scope
    WHERE +m.scope = ? AND m.id IN (SELECT value FROM json_each(?)) ORDER BY f.key"""

_EVIDENCE = """WITH wanted AS (
        SELECT key, id FROM memory
        WHERE +scope = ?1 AND id IN (SELECT value FROM json_each(?2))),
    behind AS (
        SELECT w.id AS id, s.turn AS turn FROM wanted w JOIN source s ON s.fact = w.key
        UNION SELECT w.id, e.node FROM wanted w JOIN member e ON e.head = w.key)
    SELECT b.id, m.provenance ->> '$.turn_id' AS said FROM behind b
    JOIN memory m ON m.key = b.turn AND +m.scope = ?1 AND m.level = 'turn'
        AND json_valid(m.provenance)
    LEFT JOIN turn t ON t.memory = m.key
    WHERE said IS NOT NULL ORDER BY m.valid_from, t.session, t.position, m.key"""

# Both parts of the recursion follow a supersession only if it had happened by then.
_SUCCESSORS = """WITH RECURSIVE replaced (turn, id, next) AS (
        SELECT m.key, m.id, f.superseded_by FROM memory m
        JOIN source s ON s.turn = m.key
        JOIN memory f ON f.key = s.fact AND +f.scope = ?1
        WHERE +m.scope = ?1 AND m.id IN (SELECT value FROM json_each(?2))
            AND f.status = 'superseded' AND ifnull(f.valid_until, 0) <= ?3
        UNION
        SELECT r.turn, r.id, f.superseded_by FROM replaced r JOIN memory f ON f.id = r.next
        WHERE +f.scope = ?1 AND f.status = 'superseded'
            AND ifnull(f.valid_until, 0) <= ?3)
    SELECT r.id, f.id FROM replaced r JOIN memory f ON f.id = r.next AND +f.scope = ?1
    WHERE f.status <> 'deleted'
        AND NOT (f.status = 'superseded' AND ifnull(f.valid_until, 0) <= ?3)
        AND NOT EXISTS (SELECT 1 FROM source s WHERE s.fact = f.key AND s.turn = r.turn)
    ORDER BY f.valid_from, f.key"""

PLACES = """SELECT m.id, c.name, t.position, t.speaker FROM memory m
    JOIN turn t ON t.memory = m.key JOIN session c ON c.id = t.session
    WHERE +m.scope = ? AND m.id IN (SELECT value FROM json_each(?))"""

_REAL_DAYS = f"d.first BETWEEN 1 AND d.last AND d.last <= {date.max.toordinal()}"
"""Leaves out days that no calendar has; ``check`` tells of them."""

DAYS = f"""SELECT m.id, d.first, d.last FROM memory m JOIN day d ON d.memory = m.key
    WHERE +m.scope = ? AND m.id IN (SELECT value FROM json_each(?)) AND {_REAL_DAYS}
    ORDER BY d.first, d.last"""


class IncidenceReads:
    """Reads the hypergraph; see :class:`~hypermnesia.store.incidence.IncidenceReader`."""

    _connections: Connections
    _talk: TalkIndex
    _propagation: PropagationCache
    _identity: str
    _dimension: int

    @cached_property
    def _speakers(self) -> Speakers:
        return Speakers()

    def tail(self, scope: str, session: str, limit: int) -> list[PlacedTurn]:
        """The last turns of a session, whatever their status, oldest first."""
        with self._connections.snapshot() as connection:
            values = (scope_id(connection, scope), session, limit)
            rows = sound_rows(connection, _TURNS, _TAIL, values)
        turns = [PlacedTurn(row[0], node_of(row), Place(*row[-3:])) for row in rows]
        return sorted(turns, key=lambda turn: turn.place.position)

    def around(self, scope: str, keys: Sequence[int], reach: int) -> list[Utterance]:
        """The active turns among ``keys`` and those up to ``reach`` positions from one of them."""
        with self._connections.snapshot() as connection:
            number = scope_id(connection, scope)
            return [] if number is None else self._talk.around(connection, number, keys, reach)

    def speakers(self, scope: str) -> Mapping[str, int]:
        """Every speaker of the scope, with the number of turns."""
        with self._connections.snapshot() as connection:
            number = scope_id(connection, scope)
            return {} if number is None else dict(self._speakers.of(connection, number))

    def members(self, scope: str, heads: Sequence[str]) -> list[Member]:
        """The hyperedges of these heads, by falling weight."""
        return [Member(*row) for row in self._asked(MEMBERS, scope, heads)]

    def heads(self, scope: str, nodes: Sequence[str]) -> list[Member]:
        """Every membership of these nodes, by falling weight."""
        return [Member(*row) for row in self._asked(HEADS, scope, nodes)]

    def below(self, scope: str, uppers: Sequence[int], level: Level) -> list[Link]:
        """The links from these topics, episodes and facts to memories of a level."""
        return self._links(_BELOW, scope, uppers, level=level)

    def above(self, scope: str, lowers: Sequence[int]) -> list[Link]:
        """The links that lead to these memories, and to what they come from."""
        return self._links(_ABOVE, scope, lowers)

    def sources(self, scope: str, facts: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        """Ids of the turns each fact was taken from, earliest first; facts without are left out."""
        return _grouped(self._asked(SOURCES, scope, facts))

    def drawn(self, scope: str, turns: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        """Ids of the facts taken from each turn, whatever their status; others are left out."""
        return _grouped(self._asked(DRAWN, scope, turns))

    def evidence(self, scope: str, ids: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        """External ids of the turns behind each fact or episode, in the order of the talk."""
        with self._connections.snapshot() as connection:
            values = (scope_id(connection, scope), json.dumps(list(ids)))
            return _grouped(fetch_all(connection, _EVIDENCE, values))

    def successors(
        self, scope: str, turns: Sequence[str], as_of: datetime | None
    ) -> Mapping[str, str]:
        """What replaced a fact drawn from each of these turns; turns that hold are left out."""
        with self._connections.snapshot() as connection:
            instant = LAST_MICROSECOND if as_of is None else micros(as_of)
            values = (scope_id(connection, scope), json.dumps(list(turns)), instant)
            return dict(fetch_all(connection, _SUCCESSORS, values))

    def places(self, scope: str, turns: Sequence[str]) -> Mapping[str, Place]:
        """Where each of these turns stands; memories that have no place are left out."""
        return {row[0]: Place(*row[1:]) for row in self._asked(PLACES, scope, turns)}

    def days(self, scope: str, nodes: Sequence[str]) -> Mapping[str, tuple[Days, ...]]:
        """The days that each of these turns or facts speaks of, earliest first."""
        rows = self._asked(DAYS, scope, nodes)
        return _grouped((row[0], _days(row[1], row[2])) for row in rows)

    def propagated(
        self, scope: str, level: Level, lam: float, *, weighted: bool = True
    ) -> Propagated:
        """Raw and propagated embeddings of the active nodes of a level."""
        with self._connections.snapshot() as connection:
            number = scope_id(connection, scope)
            if number is None:
                nothing = np.zeros((0, self._dimension), np.float32)
                return Propagated((), nothing, nothing)
            rows = SqlitePropagationRows(connection, number, self._identity)
            return self._propagation.read(rows, number, level, lam, weighted=weighted)

    def dependants(self, ids: Sequence[str]) -> list[str]:
        """Ids of what stands on these memories alone."""
        with self._connections.snapshot() as connection:
            return dependants(connection, ids)

    def _links(self, query: str, scope: str, keys: Sequence[int], **more: str) -> list[Link]:
        with self._connections.snapshot() as connection:
            values = {"scope": scope_id(connection, scope), "keys": json.dumps(keys), **more}
            return [Link(*row) for row in connection.execute(query, values)]

    def _asked(self, query: str, scope: str, ids: Sequence[str]) -> list[Parameters]:
        with self._connections.snapshot() as connection:
            return fetch_all(
                connection, query, (scope_id(connection, scope), json.dumps(list(ids)))
            )


def _days(first: int, last: int) -> Days:
    return Days(date.fromordinal(first), date.fromordinal(last))


def _grouped(pairs: Iterable[tuple[K, V]]) -> dict[K, tuple[V, ...]]:
    found: dict[K, list[V]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return {key: tuple(values) for key, values in found.items()}
