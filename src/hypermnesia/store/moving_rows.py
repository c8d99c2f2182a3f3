"""Reading the rows of a move in SQL that all stores understand.

Stores differ in two things: where all tables have a leading scope, joins name it, and batches
follow (scope, key) instead of key.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from hypermnesia.errors import StoreError
from hypermnesia.store.account_columns import ACCOUNT, CREDENTIAL
from hypermnesia.store.columns import NODE_COLUMNS, Parameters
from hypermnesia.store.incidence import Days, Member, Place
from hypermnesia.store.moving import (
    Cursor,
    Moved,
    MovedEvent,
    MovedLinks,
    MovedMemory,
    MovedQueued,
    MovedRow,
    Part,
)

TABLES: Mapping[str, tuple[str, str]] = {
    "account": (ACCOUNT, "id"),
    "credential": (CREDENTIAL, "id"),
    "oauth_client": ("id, metadata, created_at", "id"),
    "quota": ("account, began, used", "account"),
    "quota_notice": (
        "account, began, percent, at, delivered_at",
        "account, began, percent",
    ),
    "usage": ("account, day, action, allowed, refused", "account, day, action"),
    "audit": ("at, actor, via, action, target, outcome", "key"),
}
"""Columns and order of the tables that belong to no scope. Jobs and kept answers stay behind."""

SCOPED: Mapping[str, tuple[str, str]] = {
    "consent": ("since", "s.name"),
    "outbox_total": ("use_case, outcome, rows", "s.name, use_case, outcome"),
}
"""The same for small tables of scopes."""

FLAGS = frozenset({"admin", "disabled", "read_only"})
"""Columns that one store keeps as truth values and another as numbers."""


class Rows:
    """Reads a store for a move.

    Attributes:
        scoped: all tables have a leading scope.
        dense: the expression of a memory's vectors, one after the other.
        place: how messages name the store.
    """

    scoped: bool
    dense: str

    @property
    def place(self) -> str:
        """How messages name the store."""
        raise NotImplementedError

    def fetch(self, query: str) -> list[Parameters]:
        """All rows of a query."""
        raise NotImplementedError

    def native(self, dense: Any) -> bytes:
        """Vectors, as :attr:`dense` gave them, in this machine's order of bytes."""
        return dense or b""

    def identity(self) -> str:
        """A random text made with the store."""
        return self.fetch("SELECT value FROM setting WHERE name = 'corpus_salt'")[0][0]

    def noted(self) -> str | None:
        """How far a move to this store has come."""
        rows = self.fetch("SELECT value FROM setting WHERE name = 'moving'")
        return rows[0][0] if rows else None

    def encoders(self) -> tuple[Sequence[tuple[str, int]], str | None]:
        """Every encoder, and the one in force."""
        every = [
            (name, size)
            for name, size in self.fetch("SELECT identity, dimension FROM encoder ORDER BY id")
        ]
        current = self.fetch("SELECT value FROM setting WHERE name = 'encoder'")
        return every, current[0][0] if current else None

    def counts(self) -> Mapping[Part, int]:
        """Rows of each part."""
        number = {
            table: self.fetch(f"SELECT count(*) FROM {table}")[0][0]
            for table in ("memory", "event", "outbox", *TABLES, *SCOPED)
        }
        service = sum(number[table] for table in (*TABLES, *SCOPED))
        memories = number["memory"]
        return {
            "memories": memories,
            "links": memories,
            "events": number["event"],
            "corpus": number["outbox"],
            "service": service,
        }

    def read(self, part: Part, after: Cursor, limit: int) -> Sequence[tuple[Cursor, Moved]]:
        """The next rows of a part."""
        match part:
            case "memories":
                return self._memories(after, limit)
            case "links":
                return self._links(after, limit)
            case "events":
                return self._events(after, limit)
            case "corpus":
                return self._corpus(after, limit)
            case "service":
                return self._service(after, limit)

    def _memories(self, after: Cursor, limit: int) -> list[tuple[Cursor, Moved]]:
        rows = self.fetch(
            f"SELECT m.scope, {NODE_COLUMNS}, m.hash, e.identity, {self.dense}, v.tokens"
            f" FROM memory m JOIN scope s ON s.id = m.scope"
            f" LEFT JOIN access a ON a.memory = m.key{self._same('a', 'm')}"
            f" LEFT JOIN vectors v ON v.memory = m.key{self._same('v', 'm')}"
            f" LEFT JOIN encoder e ON e.id = v.encoder {self._next('m', after, limit)}"
        )
        return [
            (
                self._cursor(scope, key),
                MovedMemory(tuple(row), digest, encoder, self.native(dense), tokens or b""),
            )
            for scope, key, *row, digest, encoder, dense, tokens in rows
        ]

    def _links(self, after: Cursor, limit: int) -> list[tuple[Cursor, Moved]]:
        page = self.fetch(
            f"SELECT m.scope, m.key, m.id, m.level FROM memory m {self._next('m', after, limit)}"
        )
        if not page:
            return []
        keys = ", ".join(str(key) for _, key, *_ in page)
        scopes = ", ".join(str(scope) for scope in {scope for scope, *_ in page})
        within = f" AND {{0}}.scope IN ({scopes})" if self.scoped else ""

        def beside(columns: str, table: str, key: str, joins: str = "") -> dict[int, list[Any]]:
            found: dict[int, list[Any]] = {}
            order = ", ".join(str(i + 1) for i in range(2 + columns.count(",")))
            for owner, *values in self.fetch(
                f"SELECT x.{key}, {columns} FROM {table} x{joins}"
                f" WHERE x.{key} IN ({keys}){within.format('x')} ORDER BY {order}"
            ):
                found.setdefault(owner, []).append(values)
            return found

        session = f" JOIN session c ON c.id = x.session{self._same('c', 'x')}"
        said = f" JOIN memory o ON o.key = x.turn{self._same('o', 'x')}"
        held = f" JOIN memory o ON o.key = x.node{self._same('o', 'x')}"
        places = beside("c.name, x.position, x.speaker", "turn", "memory", session)
        days = beside("x.first, x.last", "day", "memory")
        sources = beside("o.id", "source", "fact", said)
        members = beside("o.id, x.role, x.weight", "member", "head", held)
        return [
            (
                self._cursor(scope, key),
                MovedLinks(
                    memory_id,
                    level,
                    Place(*places[key][0]) if key in places else None,
                    tuple(_days(*ends) for ends in days.get(key, ())),
                    tuple(turn for (turn,) in sources.get(key, ())),
                    tuple(Member(memory_id, *member) for member in members.get(key, ())),
                ),
            )
            for scope, key, memory_id, level in page
        ]

    def _events(self, after: Cursor, limit: int) -> list[tuple[Cursor, Moved]]:
        rows = self.fetch(
            "SELECT x.scope, x.key, x.at, x.kind, s.name, x.memory, x.detail FROM event x"
            f" JOIN scope s ON s.id = x.scope {self._next('x', after, limit)}"
        )
        return [(self._cursor(scope, key), MovedEvent(*row)) for scope, key, *row in rows]

    def _corpus(self, after: Cursor, limit: int) -> list[tuple[Cursor, Moved]]:
        rows = self.fetch(
            "SELECT x.scope, x.key, x.id, s.name, x.use_case, x.state, x.reason, x.created_at,"
            " x.body, x.batch FROM outbox x JOIN scope s ON s.id = x.scope"
            f" {self._next('x', after, limit)}"
        )
        if any(row[-1] is not None for row in rows):
            raise StoreError(
                f"a batch of the corpus of {self.place} is on its way out; run"
                " `hypermnesia corpus flush` first"
            )
        keys = ", ".join(str(key) for _, key, *_ in rows) or "NULL"
        holders: dict[int, list[str]] = {}
        for row, memory_id in self.fetch(
            "SELECT l.row, m.id FROM outbox_memory l"
            f" JOIN memory m ON m.key = l.memory{self._same('m', 'l')}"
            f" WHERE l.row IN ({keys}) ORDER BY 1, 2"
        ):
            holders.setdefault(row, []).append(memory_id)
        return [
            (
                self._cursor(row[0], row[1]),
                MovedQueued(
                    id=row[2],
                    scope=row[3],
                    use_case=row[4],
                    state=row[5],
                    reason=row[6],
                    created_at=row[7],
                    body=row[8],
                    memories=tuple(holders.get(row[1], ())),
                ),
            )
            for row in rows
        ]

    def _service(self, after: Cursor, limit: int) -> list[tuple[Cursor, Moved]]:
        """Small tables, one after the other, by the place of a row in its order."""
        number, offset = after or (0, 0)
        names = [*TABLES, *SCOPED]
        while number < len(names):
            rows = self._small(names[number], offset, limit)
            if rows:
                return [((number, offset + i), row) for i, row in enumerate(rows, 1)]
            number, offset = number + 1, 0
        return []

    def _small(self, table: str, offset: int, limit: int) -> list[MovedRow]:
        page = f"LIMIT {limit:d} OFFSET {offset:d}"
        if table in SCOPED:
            columns, order = SCOPED[table]
            rows = self.fetch(
                f"SELECT s.name, {columns} FROM {table} x JOIN scope s ON s.id = x.scope"
                f" ORDER BY {order} {page}"
            )
            return [MovedRow(table, tuple(values), scope) for scope, *values in rows]
        columns, order = TABLES[table]
        names = columns.split(", ")
        return [
            MovedRow(
                table,
                tuple(int(v) if name in FLAGS else v for name, v in zip(names, row, strict=True)),
            )
            for row in self.fetch(f"SELECT {columns} FROM {table} ORDER BY {order} {page}")
        ]

    def _same(self, one: str, other: str) -> str:
        """What a join has to name, too."""
        return f" AND {one}.scope = {other}.scope" if self.scoped else ""

    def _next(self, alias: str, after: Cursor, limit: int) -> str:
        """The condition, order and limit of a batch."""
        place = ", ".join(str(int(number)) for number in after)
        columns = f"{alias}.scope, {alias}.key" if self.scoped else f"{alias}.key"
        where = f"WHERE ({columns}) > ({place}) " if after else ""
        return f"{where}ORDER BY {columns} LIMIT {limit:d}"

    def _cursor(self, scope: int, key: int) -> Cursor:
        return (scope, key) if self.scoped else (key,)


def _days(first: int, last: int) -> Days:
    return Days(date.fromordinal(first), date.fromordinal(last))
