"""The rows that propagated embeddings are made of; see :mod:`hypermnesia.store.propagation`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hypermnesia.store.postgres.rows import DENSE, VECTOR_TABLES, native
from hypermnesia.store.postgres.statements import Link, run, value
from hypermnesia.types import Level

_CHANGED = f"""SELECT m.key, CASE m.status WHEN 'active' THEN {DENSE} END
    FROM {VECTOR_TABLES} AND v.encoder = (SELECT id FROM encoder WHERE identity = %s)
    WHERE m.scope = %s AND m.level = %s AND m.changed > %s ORDER BY m.key"""

_MEMBERSHIPS = """SELECT m.key, e.head, e.weight
    FROM memory m JOIN member e ON e.scope = m.scope AND e.node = m.key
    WHERE m.scope = %s AND m.level = %s AND m.changed > %s"""


@dataclass(frozen=True, slots=True)
class PostgresPropagationRows:
    """Rows of one scope under one encoder.

    Attributes:
        connection: in a snapshot.
        scope: number of the scope.
        identity: the encoder whose vectors are propagated.
    """

    connection: Link
    scope: int
    identity: str

    def latest(self) -> int:
        """Change number of the scope's latest modification."""
        query = "SELECT value FROM change WHERE scope = %s"
        return value(self.connection, query, (self.scope,)) or 0

    def changed(self, level: Level, since: int) -> list[tuple[Any, ...]]:
        """Key and vectors of the level's memories changed since, by rising key."""
        values = (self.identity, self.scope, level, since)
        rows = run(self.connection, _CHANGED, values, binary=True)
        return [(key, native(dense)) for key, dense in rows]

    def memberships(self, level: Level, since: int) -> list[tuple[Any, ...]]:
        """Key, head and weight of every membership of those memories."""
        return run(self.connection, _MEMBERSHIPS, (self.scope, level, since))
