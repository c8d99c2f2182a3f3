"""Reads of rows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from hypermnesia.store.columns import TOLD_COLUMNS, Parameters, micros, moment_of, told_of
from hypermnesia.store.cursor import cursor_of, parse_cursor
from hypermnesia.store.postgres.connection import Connections
from hypermnesia.store.postgres.rows import (
    DENSE,
    NODE_TABLES,
    SELECT,
    VECTOR_TABLES,
    condition,
    native,
    sound,
)
from hypermnesia.store.protocol import Event, Filter, Told
from hypermnesia.types import Node, Page

VALID_FROM = 12
"""Place of ``valid_from`` among :data:`~hypermnesia.store.columns.NODE_COLUMNS`."""

_CHAIN = """WITH RECURSIVE
    head (id) AS (
        SELECT %(id)s::text COLLATE "C" UNION
        SELECT m.superseded_by FROM memory m JOIN head ON m.id = head.id
        WHERE m.scope = %(scope)s AND m.superseded_by IS NOT NULL),
    chain (id) AS (
        SELECT id FROM head UNION
        SELECT m.id FROM memory m JOIN chain ON m.superseded_by = chain.id
        WHERE m.scope = %(scope)s)
    SELECT id FROM chain"""

_HEADS = """WITH RECURSIVE link (id) AS (
        SELECT superseded_by FROM memory
        WHERE scope = %(scope)s AND hash = %(hash)s AND status = 'superseded'
    UNION
        SELECT m.superseded_by FROM memory m JOIN link ON m.id = link.id
        WHERE m.scope = %(scope)s AND m.status = 'superseded')
    SELECT m.id FROM memory m JOIN link ON m.id = link.id
    WHERE m.scope = %(scope)s AND m.status = 'active'"""


class Reading:
    """Reads the rows of one store.

    Args:
        connections: to the database.
    """

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._numbers: dict[str, int] = {}

    def number(self, scope: str) -> int | None:
        """The store's number for a scope, ``None`` when nothing was ever stored in it."""
        if scope not in self._numbers:
            rows = self._connections.fetch("SELECT id FROM scope WHERE name = %s", (scope,))
            if not rows:
                return None
            self._numbers[scope] = rows[0][0]  # scopes keep their numbers for good
        return self._numbers[scope]

    def within(self, where: Filter) -> tuple[str, Parameters, int | None]:
        """The filter's condition, its parameters, and the scope's number.

        Of an unknown scope nothing passes.
        """
        number = None if where.scope is None else self.number(where.scope)
        if number is None and where.scope is not None:
            return "false", (), None
        clause, values = condition(where, number)
        return clause, values, number

    def changed(self, scope: str) -> int:
        """Change number of the scope's latest modification, 0 when it has none."""
        number = self.number(scope)
        rows = self._connections.fetch("SELECT value FROM change WHERE scope = %s", (number,))
        return rows[0][0] if rows else 0

    def live(self, scope: str, digests: Sequence[bytes]) -> set[bytes]:
        """Those of the content hashes that an active or low-signal memory has."""
        number = self.number(scope)
        rows = self._connections.fetch(
            "SELECT hash FROM memory WHERE scope = %s AND hash = ANY(%s::bytea[])"
            " AND status IN ('active', 'low_signal')",
            (number, list(digests)),
            scope=number,
            binary=True,
        )
        return {row[0] for row in rows}

    def told(self, scope: str, texts: Sequence[tuple[bytes, datetime]]) -> set[bytes]:
        """Those of the content hashes that a superseded memory of the same event time has."""
        number = self.number(scope)
        rows = self._connections.fetch(
            "SELECT m.hash FROM memory m JOIN unnest(%s::bytea[], %s::bigint[]) AS t (hash, at)"
            " ON m.hash = t.hash AND m.valid_from = t.at"
            " WHERE m.scope = %s AND m.status = 'superseded'",
            ([digest for digest, _ in texts], [micros(at) for _, at in texts], number),
            scope=number,
            binary=True,
        )
        return {row[0] for row in rows}

    def nodes(self, where: Filter, keys: Sequence[int]) -> dict[int, Node]:
        """Those of the keys that pass."""
        clause, values, number = self.within(where)
        rows = self._connections.fetch(
            f"{SELECT} WHERE m.key = ANY(%s::bigint[]) AND {clause}",
            (list(keys), *values),
            scope=number,
        )
        return {row[0]: node for node, row in sound(rows)}

    def texts(self, where: Filter, keys: Sequence[int]) -> dict[int, Told]:
        """What those of the keys that pass say, and since when."""
        clause, values, number = self.within(where)
        rows = self._connections.fetch(
            f"SELECT {TOLD_COLUMNS} FROM {NODE_TABLES}"
            f" WHERE m.key = ANY(%s::bigint[]) AND {clause}",
            (list(keys), *values),
            scope=number,
        )
        return {row[0]: told for row in rows if (told := told_of(row))}

    def vectors(
        self, where: Filter, keys: Sequence[int], encoder: str
    ) -> list[tuple[int, bytes | None, bytes | None]]:
        """Key, vectors under the encoder and token vectors of those of the keys that pass."""
        clause, values, number = self.within(where)
        rows = self._connections.fetch(
            f"SELECT m.key, {DENSE}, v.tokens FROM {VECTOR_TABLES}"
            " AND v.encoder = (SELECT id FROM encoder WHERE identity = %s)"
            f" WHERE m.key = ANY(%s::bigint[]) AND {clause}",
            (encoder, list(keys), *values),
            scope=number,
            binary=True,
        )
        return [(key, native(dense), tokens) for key, dense, tokens in rows]

    def keys_of(self, scope: str, ids: Sequence[str]) -> list[int]:
        """Keys of the memories with these ids that were not forgotten."""
        number = self.number(scope)
        rows = self._connections.fetch(
            "SELECT key FROM memory WHERE scope = %s AND id = ANY(%s::text[])"
            " AND status <> 'deleted'",
            (number, list(ids)),
            scope=number,
        )
        return [row[0] for row in rows]

    def by_id(self, ids: Sequence[str], scope: str | None) -> list[Node]:
        """The memories with these ids, in the order asked; unknown ids are left out."""
        clause, values, number = "true", (), None
        if scope is not None:
            number = self.number(scope)
            clause, values = "m.scope = %s", (number,)
        rows = self._connections.fetch(
            f"{SELECT} WHERE m.id = ANY(%s::text[]) AND {clause}",
            (list(ids), *values),
            scope=number,
        )
        found = {node.id: node for node, _ in sound(rows)}
        return [found[memory_id] for memory_id in ids if memory_id in found]

    def chain(self, memory_id: str) -> list[Node]:
        """Every version linked to this one by supersession, oldest first."""
        query = (
            "SELECT m.scope, s.name FROM memory m JOIN scope s ON s.id = m.scope WHERE m.id = %s"
        )
        rows = self._connections.fetch(query, (memory_id,))
        if not rows:
            return []
        number, scope = rows[0]
        values = {"id": memory_id, "scope": number}
        ids = [row[0] for row in self._connections.fetch(_CHAIN, values, scope=number)]
        return sorted(self.by_id(ids, scope), key=lambda node: (node.valid_from, node.id))

    def superseded(self, scope: str, digests: Sequence[bytes]) -> set[bytes]:
        """Those of the content hashes that a superseded memory has."""
        number = self.number(scope)
        rows = self._connections.fetch(
            "SELECT DISTINCT hash FROM memory WHERE scope = %s AND hash = ANY(%s::bytea[])"
            " AND status = 'superseded'",
            (number, list(digests)),
            scope=number,
            binary=True,
        )
        return {row[0] for row in rows}

    def superseded_heads(self, scope: str, digest: bytes) -> list[str]:
        """Ids of the live memories that end the chains of superseded rows with this hash."""
        number = self.number(scope)
        values = {"scope": number, "hash": digest}
        return [row[0] for row in self._connections.fetch(_HEADS, values, scope=number)]

    def page(self, where: Filter, limit: int, cursor: str | None, *, newest: bool) -> Page:
        """One page by event time."""
        place = None if cursor is None else parse_cursor(cursor)
        clause, values, number = self.within(where)
        if place is not None:
            clause += f" AND (m.valid_from, m.key) {'<' if newest else '>'} (%s, %s)"
            values = (*values, *place)
        order = "DESC" if newest else "ASC"
        rows = self._connections.fetch(
            f"{SELECT} WHERE {clause} ORDER BY m.valid_from {order}, m.key {order}"
            f" LIMIT {limit + 1}",
            values,
            scope=number,
        )
        # A damaged row takes up a place, but must not end the list.
        last = rows[limit - 1] if len(rows) > limit else None
        following = None if last is None else cursor_of(last[VALID_FROM], last[0])
        return Page(tuple(node for node, _ in sound(rows[:limit])), following)

    def salient(self, where: Filter, limit: int) -> list[Node]:
        """Those that pass, the most salient first, newer before older."""
        clause, values, number = self.within(where)
        rows = self._connections.fetch(
            f"{SELECT} WHERE {clause} ORDER BY m.salience DESC NULLS LAST, m.valid_from DESC,"
            f" m.key DESC LIMIT {limit}",
            values,
            scope=number,
        )
        return [node for node, _ in sound(rows)]

    def after_key(self, where: Filter, key: int, limit: int) -> tuple[int | None, list[Node]]:
        """The next memories that pass, by key, and the last key looked at, ``None`` at the end."""
        clause, values, number = self.within(where)
        rows = self._connections.fetch(
            f"{SELECT} WHERE m.key > %s AND {clause} ORDER BY m.key LIMIT {limit}",
            (key, *values),
            scope=number,
        )
        return rows[-1][0] if rows else None, [node for node, _ in sound(rows)]

    def counts(self, scope: str | None) -> Mapping[str, Mapping[str, int]]:
        """How many memories per status, and per type and level of the active ones."""
        number = None if scope is None else self.number(scope)
        where, values = ("true", ()) if scope is None else ("m.scope = %s", (number,))
        rows = self._connections.fetch(
            "SELECT m.status, m.memory_type, m.level, count(*) FROM memory m"
            f" WHERE {where} GROUP BY 1, 2, 3",
            values,
            scope=number,
        )
        found: dict[str, dict[str, int]] = {"status": {}, "memory_type": {}, "level": {}}
        for status, memory_type, level, count in rows:
            _add(found["status"], status, count)
            if status == "active":
                _add(found["memory_type"], memory_type, count)
                _add(found["level"], level, count)
        return found

    def scopes(self) -> list[str]:
        """Names of all scopes that hold a memory."""
        rows = self._connections.fetch(
            "SELECT name FROM scope s WHERE EXISTS (SELECT 1 FROM memory m"
            " WHERE m.scope = s.id AND m.status <> 'deleted') ORDER BY name"
        )
        return [row[0] for row in rows]

    def events(self, memory_id: str) -> list[Event]:
        """The log of one memory, oldest first."""
        rows = self._connections.fetch(
            "SELECT e.key, e.at, e.kind, s.name, e.memory, e.detail FROM event e"
            " JOIN scope s ON s.id = e.scope WHERE e.memory = %s ORDER BY e.key",
            (memory_id,),
        )
        return [event for _, event in _events(rows)]

    def recent(self, scope: str, limit: int, after: int) -> list[tuple[int, Event]]:
        """The scope's latest events with their numbers, newest first."""
        number = self.number(scope)
        rows = self._connections.fetch(
            "SELECT e.key, e.at, e.kind, s.name, e.memory, e.detail FROM event e"
            " JOIN scope s ON s.id = e.scope WHERE e.scope = %s AND e.key > %s"
            " ORDER BY e.key DESC LIMIT %s",
            (number, after, limit),
            scope=number,
        )
        return list(_events(rows))


def _events(rows: Iterable[Parameters]) -> Iterable[tuple[int, Event]]:
    for key, at, kind, scope, memory, detail in rows:
        yield key, Event(moment_of(at), kind, scope, memory, json.loads(detail))


def _add(found: dict[str, int], name: str, number: int) -> None:
    found[name] = found.get(name, 0) + number
