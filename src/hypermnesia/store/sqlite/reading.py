"""Reads of rows, each inside a snapshot that the caller holds.

A little longer than most modules: one short function for each read of the store's protocol.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import apsw

from hypermnesia.store.columns import NODE_COLUMNS, Parameters, micros, moment_of, node_of
from hypermnesia.store.cursor import cursor_of, parse_cursor
from hypermnesia.store.protocol import Event, Filter
from hypermnesia.store.sqlite.rows import NODE_TABLES, condition, fetch_all
from hypermnesia.store.sqlite.transaction import scope_id
from hypermnesia.types import Node, Page

log = logging.getLogger("hypermnesia")

WITHIN = "+s.name = ?"
"""That a row found by its id is of a scope. The plus keeps the planner from walking through the
scope instead, which it prefers from some five ids on."""

_SELECT = f"SELECT {NODE_COLUMNS} FROM {NODE_TABLES}"

_CHAIN = """WITH RECURSIVE
    head (id) AS (
        SELECT :id UNION
        SELECT m.superseded_by FROM memory m JOIN head ON m.id = head.id
        WHERE m.superseded_by IS NOT NULL),
    chain (id) AS (
        SELECT id FROM head UNION
        SELECT m.id FROM memory m JOIN chain ON m.superseded_by = chain.id)
    SELECT id FROM chain"""

_HEADS = """WITH RECURSIVE link (id) AS (
        SELECT m.superseded_by FROM memory m JOIN scope s ON s.id = m.scope
        WHERE s.name = ? AND m.hash = ? AND m.status = 'superseded'
    UNION
        SELECT m.superseded_by FROM memory m JOIN link ON m.id = link.id
        WHERE m.status = 'superseded')
    SELECT m.id FROM memory m JOIN link ON m.id = link.id WHERE m.status = 'active'"""


def live(connection: apsw.Connection, scope: str, digests: Sequence[bytes]) -> set[bytes]:
    """Those of the content hashes that an active or low-signal memory has."""
    found = connection.execute(
        "SELECT m.hash FROM memory m JOIN scope s ON s.id = m.scope WHERE s.name = ?"
        f" AND m.hash IN ({marks(digests)}) AND m.status IN ('active', 'low_signal')",
        (scope, *digests),
    )
    return {row[0] for row in found}


def told(
    connection: apsw.Connection, scope: str, texts: Sequence[tuple[bytes, datetime]]
) -> set[bytes]:
    """Those of the content hashes that a superseded memory of the same event time has."""
    number = scope_id(connection, scope)
    return {
        digest
        for digest, at in texts
        if connection.execute(
            "SELECT 1 FROM memory WHERE scope = ? AND hash = ? AND status = 'superseded'"
            " AND valid_from = ?",
            (number, digest, micros(at)),
        ).get
    }


def by_id(connection: apsw.Connection, ids: Sequence[str], scope: str | None) -> list[Node]:
    """The memories with these ids, in the order asked; unknown ids are left out."""
    clause, values = ("", ()) if scope is None else (f" AND {WITHIN}", (scope,))
    rows = sound_nodes(connection, _SELECT, f"m.id IN ({marks(ids)}){clause}", (*ids, *values))
    found = {node.id: node for node, _ in rows}
    return [found[memory_id] for memory_id in ids if memory_id in found]


def chain(connection: apsw.Connection, memory_id: str) -> list[Node]:
    """Every version linked to this one by supersession, oldest first."""
    ids = [row[0] for row in connection.execute(_CHAIN, {"id": memory_id})]
    return sorted(by_id(connection, ids, None), key=lambda node: (node.valid_from, node.id))


def superseded(connection: apsw.Connection, scope: str, digests: Sequence[bytes]) -> set[bytes]:
    """Those of the content hashes that a superseded memory has."""
    found = connection.execute(
        f"SELECT hash FROM memory WHERE scope = ? AND hash IN ({marks(digests)})"
        " AND status = 'superseded'",
        (scope_id(connection, scope), *digests),
    )
    return {row[0] for row in found}


def superseded_heads(connection: apsw.Connection, scope: str, digest: bytes) -> list[str]:
    """Ids of the live memories that end the chains of superseded rows with this hash."""
    return [row[0] for row in connection.execute(_HEADS, (scope, digest))]


def page(
    connection: apsw.Connection, where: Filter, limit: int, cursor: str | None, *, newest: bool
) -> Page:
    """One page by event time."""
    place = None if cursor is None else parse_cursor(cursor)
    scope = scope_of(connection, where)
    if scope is None and where.scope is not None:
        return Page((), None)
    clause, values = condition(where, scope)
    if place is not None:
        clause += f" AND (m.valid_from, m.key) {'<' if newest else '>'} (?, ?)"
        values = (*values, *place)
    order = "DESC" if newest else "ASC"
    # Places first, rows second: a damaged row takes up a place, but must not end the list.
    places = fetch_all(
        connection,
        f"SELECT m.valid_from, m.key FROM memory m WHERE {clause}"
        " AND typeof(m.valid_from) = 'integer'"
        f" ORDER BY m.valid_from {order}, m.key {order} LIMIT {limit + 1}",
        values,
    )
    following = None if len(places) <= limit else cursor_of(*places[limit - 1])
    found = _by_key(connection, [key for _, key in places[:limit]])
    return Page(tuple(node for _, node in found), following)


def salient(connection: apsw.Connection, where: Filter, limit: int) -> list[Node]:
    """Those that pass, the most salient first, newer before older."""
    scope = scope_of(connection, where)
    if scope is None and where.scope is not None:
        return []
    clause, values = condition(where, scope)
    rows = sound_nodes(
        connection,
        _SELECT,
        clause,
        values,
        after=f" ORDER BY m.salience DESC, m.valid_from DESC, m.key DESC LIMIT {limit}",
    )
    return [node for node, _ in rows]


def after_key(
    connection: apsw.Connection, where: Filter, key: int, limit: int
) -> tuple[int | None, list[Node]]:
    """The next memories that pass, by key, and the last key looked at, ``None`` at the end."""
    scope = scope_of(connection, where)
    if scope is None and where.scope is not None:
        return None, []
    clause, values = condition(where, scope)
    keys = [
        row[0]
        for row in fetch_all(
            connection,
            f"SELECT m.key FROM memory m WHERE m.key > ? AND {clause} ORDER BY m.key LIMIT {limit}",
            (key, *values),
        )
    ]
    return keys[-1] if keys else None, [node for _, node in _by_key(connection, keys)]


def _by_key(connection: apsw.Connection, keys: Sequence[int]) -> list[tuple[int, Node]]:
    """The sound ones among these rows, in the order of the keys."""
    rows = sound_nodes(connection, _SELECT, f"m.key IN ({marks(keys)})", keys)
    found = {row[0]: node for node, row in rows}
    return [(key, found[key]) for key in keys if key in found]


def counts(connection: apsw.Connection, scope: str | None) -> Mapping[str, Mapping[str, int]]:
    """How many memories per status, and per type and level of the active ones."""
    where, values = ("1", ()) if scope is None else ("s.name = ?", (scope,))
    rows = connection.execute(
        "SELECT m.status, m.memory_type, m.level, count(*) FROM memory m"
        f" JOIN scope s ON s.id = m.scope WHERE {where} GROUP BY 1, 2, 3",
        values,
    )
    found: dict[str, dict[str, int]] = {"status": {}, "memory_type": {}, "level": {}}
    for status, memory_type, level, number in rows:
        _count(found["status"], status, number)
        if status == "active":
            _count(found["memory_type"], memory_type, number)
            _count(found["level"], level, number)
    return found


def scopes(connection: apsw.Connection) -> list[str]:
    """Names of all scopes that hold a memory."""
    rows = connection.execute(
        "SELECT name FROM scope s WHERE EXISTS (SELECT 1 FROM memory m"
        " WHERE m.scope = s.id AND m.status <> 'deleted') ORDER BY name"
    )
    return [row[0] for row in rows]


def events(connection: apsw.Connection, memory_id: str) -> list[Event]:
    """The log of one memory, oldest first."""
    rows = connection.execute(
        "SELECT e.at, e.kind, s.name, e.memory, e.detail FROM event e"
        " JOIN scope s ON s.id = e.scope WHERE e.memory = ? ORDER BY e.key",
        (memory_id,),
    )
    return [
        Event(moment_of(at), kind, scope, memory, json.loads(detail))
        for at, kind, scope, memory, detail in rows
    ]


def recent(
    connection: apsw.Connection, scope: str, limit: int, after: int
) -> list[tuple[int, Event]]:
    """The scope's latest events with their numbers, newest first."""
    rows = connection.execute(
        "SELECT e.key, e.at, e.kind, s.name, e.memory, e.detail FROM event e"
        " JOIN scope s ON s.id = e.scope WHERE s.name = ? AND e.key > ?"
        " ORDER BY e.key DESC LIMIT ?",
        (scope, after, limit),
    )
    return [
        (key, Event(moment_of(at), kind, name, memory, json.loads(detail)))
        for key, at, kind, name, memory, detail in rows
    ]


def sound_rows(
    connection: apsw.Connection,
    select: str,
    clause: str,
    values: Sequence[Any],
    *,
    before: Parameters = (),
    after: str = "",
) -> list[Parameters]:
    """The rows of :func:`sound_nodes` alone."""
    found = sound_nodes(connection, select, clause, values, before=before, after=after)
    return [row for _, row in found]


def sound_nodes(
    connection: apsw.Connection,
    select: str,
    clause: str,
    values: Sequence[Any],
    *,
    before: Parameters = (),
    after: str = "",
) -> list[tuple[Node, Parameters]]:
    """The nodes with their rows; a row that cannot be read as one is logged and left out.

    The arguments are those of :func:`readable_rows`; ``select`` reads :data:`NODE_COLUMNS` first.
    """
    rows = readable_rows(connection, select, clause, values, before=before, after=after)
    read = ((_sound_node(row), row) for row in rows)
    return [(node, row) for node, row in read if node is not None]


def readable_rows(
    connection: apsw.Connection,
    select: str,
    clause: str,
    values: Sequence[Any],
    *,
    before: Parameters = (),
    after: str = "",
) -> list[Parameters]:
    """The rows whose text is text; others are logged and left out.

    Args:
        connection: in a snapshot.
        select: up to, not including, ``WHERE``.
        clause: the condition.
        values: its parameters.
        before: parameters of ``select``.
        after: ordering and limit.
    """
    try:
        return fetch_all(connection, f"{select} WHERE {clause}{after}", (*before, *values))
    except ValueError:  # text that is not UTF-8 fails the whole statement: go row by row
        keys = fetch_all(
            connection, f"SELECT m.key FROM {NODE_TABLES} WHERE {clause}{after}", tuple(values)
        )
        return [row for (key,) in keys for row in _one_row(connection, select, before, key)]


def vectors(
    connection: apsw.Connection, where: Filter, keys: Sequence[int], encoder: str
) -> list[Parameters]:
    """Key, dense and token blobs of those of the keys that pass."""
    clause, values = condition(where, scope_of(connection, where), keyed=True)
    return fetch_all(
        connection,
        "SELECT m.key, v.dense, v.tokens FROM memory m LEFT JOIN vectors v ON v.memory = m.key"
        " AND v.encoder = (SELECT id FROM encoder WHERE identity = ?)"
        f" WHERE m.key IN ({marks(keys)}) AND {clause}",
        (encoder, *keys, *values),
    )


def scope_of(connection: apsw.Connection, where: Filter) -> int | None:
    """The number of the filter's scope; ``None`` for all scopes, and for an unknown one."""
    return None if where.scope is None else scope_id(connection, where.scope)


def marks(values: Sequence[object]) -> str:
    """A placeholder per value."""
    return ", ".join("?" * len(values))


def _one_row(
    connection: apsw.Connection, select: str, before: Parameters, key: int
) -> list[Parameters]:
    try:
        return connection.execute(f"{select} WHERE m.key = ?", (*before, key)).fetchall()
    except ValueError:
        log.warning("memory row %d is damaged; run `hypermnesia check`", key)
        return []


def _sound_node(row: Parameters) -> Node | None:
    try:
        return node_of(row)
    except (ValueError, TypeError, AttributeError, OverflowError):
        log.warning("memory row %d is damaged; run `hypermnesia check`", row[0])
        return None


def _count(found: dict[str, int], name: str, number: int) -> None:
    found[name] = found.get(name, 0) + number
